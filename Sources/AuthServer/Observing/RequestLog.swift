internal import HTTPServer
internal import TextCoding

/// Writes one line of JSON for each request: when, which, for whom, how it ended, how long it took. No header field, no parameter, no content,
/// and no path or method that the server does not know: anything may stand there, a password too.
struct RequestLog: Sendable {
    /// Takes a line with its end.
    private let write: @Sendable ([UInt8]) -> Void

    /// Makes a log.
    init(_ write: @escaping @Sendable ([UInt8]) -> Void) {
        self.write = write
    }

    /// Notes a request.
    func note(_ exchange: HTTPExchange, at time: PointInTime) {
        let request = exchange.request
        write(
            JSONContent.object { json in
                json.member("time", Timestamp.text(time.milliseconds))
                json.member("event", "request")
                json.member("id", request.id)
                json.member("client", request.client.text)
                json.member("method", Self.known(request.method))
                json.member("path", Route(rawValue: request.path)?.rawValue)
                json.member("status", exchange.status)
                json.member("microseconds", exchange.duration.microseconds)
            })
    }

    /// Notes something else.
    func note(_ event: String, _ detail: String? = nil, at time: PointInTime) {
        write(
            JSONContent.object { json in
                json.member("time", Timestamp.text(time.milliseconds))
                json.member("event", event)
                if let detail { json.member("detail", detail) }
            })
    }

    /// The method if it is one of the standard's (RFC 9110 section 9.3).
    private static func known(_ method: String) -> String? {
        let methods = [
            "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT",
        ]
        return methods.contains(method) ? method : nil
    }
}

extension Duration {
    /// In whole microseconds.
    var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

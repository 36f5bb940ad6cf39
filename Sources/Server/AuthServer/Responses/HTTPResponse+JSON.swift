internal import HTTPServer
internal import Sealing
internal import TextCoding

extension HTTPResponse {
    /// The fields of every answer: no caching, no type sniffing, no framing, no referrer.
    private static let general =
        [
            HTTPHeaders.Field("Cache-Control", "no-store"),
            HTTPHeaders.Field("Pragma", "no-cache"),
        ] + safety
    private static let safety = [
        HTTPHeaders.Field("X-Content-Type-Options", "nosniff"),
        HTTPHeaders.Field("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        HTTPHeaders.Field("Referrer-Policy", "no-referrer"),
    ]

    /// An answer with content of a type.
    static func content(
        _ body: [UInt8], type: String, status: Int = 200, adding fields: [HTTPHeaders.Field] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: HTTPHeaders(general + [HTTPHeaders.Field("Content-Type", type)] + fields),
            body: body)
    }

    /// An answer that the client may cache. The server does not send it again while it is unchanged
    /// (RFC 9110, section 13.1.2).
    static func revalidated(_ body: [UInt8], _ request: HTTPRequest) -> HTTPResponse {
        let hash = Blake2b.hash(size: 16) { $0.feed(body) }
        let tag = "\"\(Hexadecimal.text(hash))\""
        let known = request.headers.values("If-None-Match")
            .flatMap { $0.split(separator: ",") }.map { $0.trimmingSpaces() }
        let isKnown = !Set(known).isDisjoint(with: ["*", tag, "W/\(tag)"])
        var fields = safety
        fields.append(HTTPHeaders.Field("Cache-Control", "private, no-cache"))
        fields.append(HTTPHeaders.Field("ETag", tag))
        if !isKnown { fields.append(HTTPHeaders.Field("Content-Type", "application/json")) }
        return HTTPResponse(
            status: isKnown ? 304 : 200, headers: HTTPHeaders(fields), body: isKnown ? [] : body)
    }

    /// An answer without content.
    static func empty(status: Int) -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPHeaders(general))
    }

    /// An answer with a JSON object.
    static func object(
        status: Int = 200, adding fields: [HTTPHeaders.Field] = [],
        _ body: (inout JSONContent) -> Void
    ) -> HTTPResponse {
        content(
            JSONContent.object(body), type: "application/json", status: status, adding: fields)
    }

    /// A `Retry-After` field, in whole seconds, at least one.
    static func retryAfter(_ time: Duration) -> HTTPHeaders.Field {
        let (seconds, attoseconds) = time.components
        return HTTPHeaders.Field(
            "Retry-After", String(max(1, seconds + (attoseconds > 0 ? 1 : 0))))
    }

    /// The same answer with more header fields.
    func adding(_ fields: [HTTPHeaders.Field]) -> HTTPResponse {
        var response = self
        for field in fields { response.headers.append(field.name, field.value) }
        return response
    }
}

extension HTTPAnswer {
    /// The same answer with more header fields, even if it is deferred.
    func adding(_ fields: [HTTPHeaders.Field]) -> HTTPAnswer {
        switch self {
        case .now(let response): .now(response.adding(fields))
        case .later(let lane, let requester, let work, let overload):
            .later(
                lane, for: requester, { work().adding(fields) }, overload: overload.adding(fields))
        case .deferred(let body):
            .deferred { answer in
                let isClientThere: @Sendable () -> Bool = { answer.isWanted }
                body(
                    DeferredResponse(isClientThere: isClientThere) { response in
                        if let response { answer.give(response.adding(fields)) }
                    })
            }
        }
    }
}

/// Writes a JSON object into memory, for each answer and each log line.
///
/// `JSONWriter` supports any sink, which took longer than the rest of an answer. This type only
/// appends bytes.
struct JSONContent: ~Copyable {
    private var bytes: [UInt8] = []
    /// Whether the next member is the first, without a comma before it.
    private var isFirst = true

    /// The bytes of an object whose members `body` writes, with a line end.
    static func object(_ body: (inout JSONContent) -> Void) -> [UInt8] {
        var json = JSONContent()
        json.bytes.reserveCapacity(512)
        json.bytes.append(UInt8(ascii: "{"))
        body(&json)
        json.bytes.append(UInt8(ascii: "}"))
        json.bytes.append(UInt8(ascii: "\n"))
        return json.bytes
    }

    /// Writes a string, or null.
    mutating func member(_ key: StaticString, _ text: String?) {
        self.key(key)
        if let text { string(text) } else { null() }
    }

    /// Writes an integer, or null.
    mutating func member(_ key: StaticString, _ number: (some FixedWidthInteger)?) {
        self.key(key)
        if let number { bytes.append(contentsOf: String(number).utf8) } else { null() }
    }

    /// Writes true or false.
    mutating func member(_ key: StaticString, _ flag: Bool) {
        self.key(key)
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Writes a time in the form of `Timestamp.rfc3339(milliseconds:)`.
    mutating func member(_ key: StaticString, milliseconds: Int64) {
        member(key, Timestamp.rfc3339(milliseconds: milliseconds))
    }

    /// Writes strings.
    mutating func member(_ key: StaticString, _ texts: [String]) {
        self.key(key)
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for text in texts {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            string(text)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes an object for each element.
    mutating func member<Element>(
        _ key: StaticString, _ elements: [Element],
        _ write: (inout JSONContent, Element) -> Void
    ) {
        self.key(key)
        bytes.append(UInt8(ascii: "["))
        for (number, element) in elements.enumerated() {
            bytes.append(contentsOf: (number == 0 ? "{" : ",{").utf8)
            isFirst = true
            write(&self, element)
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "]"))
        isFirst = false
    }

    /// Writes a value that is JSON already.
    mutating func member(_ key: StaticString, json value: String) {
        self.key(key)
        bytes.append(contentsOf: value.utf8)
    }

    /// Writes a constant key, which needs no escapes.
    private mutating func key(_ key: StaticString) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func string(_ text: String) {
        JSONEscaping.append(quoted: text, to: &bytes)
    }

    private mutating func null() {
        bytes.append(contentsOf: "null".utf8)
    }
}

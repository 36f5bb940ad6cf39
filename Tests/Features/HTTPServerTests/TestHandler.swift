import HTTPServer
import Synchronization

/// Answers with a closure, and records requests and results.
final class TestHandler: HTTPHandler {
    struct Note: Sendable {
        let path: String
        let status: Int?
        let id: String
    }

    private let body: @Sendable (HTTPRequest) -> HTTPAnswer
    private let noted = Mutex<[Note]>([])
    private let asked = Mutex<[HTTPRequest]>([])

    init(_ body: @escaping @Sendable (HTTPRequest) -> HTTPAnswer = { .now(.describing($0)) }) {
        self.body = body
    }

    var notes: [Note] { noted.withLock { $0 } }

    /// All requests.
    var requests: [HTTPRequest] { asked.withLock { $0 } }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        asked.withLock { $0.append(request) }
        return body(request)
    }

    func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse {
        HTTPResponse(status: status, body: Array("refused".utf8))
    }

    func didAnswer(_ exchange: HTTPExchange) {
        noted.withLock {
            $0.append(
                Note(
                    path: exchange.request.path, status: exchange.status, id: exchange.request.id))
        }
    }
}

extension HTTPResponse {
    /// An answer that repeats the request.
    static func describing(_ request: HTTPRequest) -> HTTPResponse {
        let content = request.body.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
        return .text("\(request.method) \(request.path) \(request.query ?? "-") \(content)")
    }

    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, body: Array(text.utf8))
    }
}

extension HTTPServerOptions {
    /// Options with workers in the lane of ``HTTPAnswer/later(_:overload:)``, which most tests use.
    init(workers: Int, waitingForWorkers: Int = 16) {
        self.init(lanes: [.derivation: Lane(workers: workers, waiting: waitingForWorkers)])
    }
}

extension HTTPAnswer {
    /// An answer by a worker of that lane.
    static func later(
        _ body: @escaping @Sendable () -> HTTPResponse, overload: HTTPResponse
    ) -> HTTPAnswer {
        .later(.derivation, { .now(body()) }, overload: overload)
    }
}

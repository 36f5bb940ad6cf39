import HTTPServer
import Synchronization

/// Answers by a function, and notes what it was told.
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

    /// What became a request.
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
    /// An answer that says what was asked.
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

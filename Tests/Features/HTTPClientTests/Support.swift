@testable import HTTPClient
import HTTPServer
import SecretMemory
import Synchronization
import Testing

/// An answer whose content can be compared.
struct PlainResponse: Hashable {
    var status = 200
    var contentType: String?
    var retryAfter: Int?
    var forbidsStoring = false
    var content = ""
}

extension HTTPClient {
    /// Sends a GET request.
    func get(
        _ url: String, _ fields: [ClientRequest.Field] = [], authorization: String? = nil
    ) throws -> PlainResponse {
        let url = try WebURL(url)
        if let authorization {
            return PlainResponse(
                try send(
                    ClientRequest(
                        get: url, fields: fields, authorization: try SecretBytes(authorization))))
        }
        return PlainResponse(try send(ClientRequest(get: url, fields: fields)))
    }

    /// Sends a POST request.
    func post(_ url: String, _ content: String, type: String = "text/plain") throws
        -> PlainResponse
    {
        PlainResponse(
            try send(
                ClientRequest(
                    post: try WebURL(url), contentType: type, content: try SecretBytes(content))))
    }
}

extension PlainResponse {
    init(_ response: consuming ClientResponse) {
        status = response.status
        contentType = response.contentType
        retryAfter = response.retryAfter
        forbidsStoring = response.forbidsStoring
        content = response.content.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension SecretBytes {
    init(_ text: String) throws {
        try unsafe self.init(copying: text.utf8Span.span.bytes)
    }
}

/// Answers by a function, and records the requests.
final class TestHandler: HTTPHandler {
    private let body: @Sendable (HTTPRequest) -> HTTPResponse
    private let asked = Mutex<[HTTPRequest]>([])

    init(
        _ body: @escaping @Sendable (HTTPRequest) -> HTTPResponse = { _ in
            HTTPResponse(status: 200, body: Array("hello".utf8))
        }
    ) {
        self.body = body
    }

    var requests: [HTTPRequest] { asked.withLock { $0 } }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        asked.withLock { $0.append(request) }
        return .now(body(request))
    }

    func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse {
        HTTPResponse(status: status)
    }

    func didAnswer(_ exchange: HTTPExchange) {}
}

/// Runs a body with a server over TLS, and stops it.
func withServer(
    _ identity: TLSIdentity?, _ handler: TestHandler = TestHandler(),
    _ body: (HTTPServer) throws -> Void
) throws {
    let server = try HTTPServer(HTTPServerOptions(identity: identity), handler)
    defer { server.stop(within: .zero) }
    try body(server)
}

import Foundation
import HTTPServer
import Testing

@Suite("Requests and answers")
struct RequestTests {
    @Test("A request is handed on as it was sent, and answered")
    func simple() throws {
        let handler = TestHandler()
        let server = try HTTPServer(HTTPServerOptions(), handler)
        let client = try TestClient(port: server.port)
        let response = try #require(client.get("/a%2Fb%00?q=%41+b&c", "X-One: 1", "x-one:  two \t"))
        #expect(response.status == 200)
        #expect(response.content == "GET /a%2Fb%00 q=%41+b&c ")
        let request = try #require(handler.requests.first)
        #expect(request.headers.values("X-ONE") == ["1", "two"])
        #expect(request.client == .loopback)
        #expect(!request.isEncrypted)
        #expect(request.id.count == 16)
        #expect(client.post("/p", "content")?.content == "POST /p - content")
        server.stop(within: .seconds(5))
        #expect(handler.notes.map(\.status) == [200, 200])
    }
}

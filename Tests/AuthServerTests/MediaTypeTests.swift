@testable import AuthServer
import HTTPServer
import Testing

/// What kind of content a request says to have.
@Suite("Media types")
struct MediaTypeTests {
    private func request(_ values: [String]) -> HTTPRequest {
        let fields = values.map { HTTPHeaders.Field("Content-Type", $0) }
        return HTTPRequest(method: "POST", path: "/", headers: HTTPHeaders(fields), id: "0")
    }

    @Test(arguments: [
        "application/json", "Application/JSON", " application/json ; charset=utf-8",
        "application/json;charset=\"UTF-8\"", "application/json; x=y",
    ])
    func json(_ value: String) {
        #expect(MediaType.json.isContent(of: request([value])))
        #expect(!MediaType.form.isContent(of: request([value])))
    }

    @Test(arguments: [
        [], [""], ["text/json"], ["application/jsonx"], ["application/json; charset=latin1"],
        ["application/json", "application/json"], ["application/problem+json"],
    ])
    func other(_ values: [String]) {
        #expect(!MediaType.json.isContent(of: request(values)))
    }
}

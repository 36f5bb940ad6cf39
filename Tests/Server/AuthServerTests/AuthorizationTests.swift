@testable import AuthServer
import HTTPServer
import Testing

@Suite("The header field Authorization")
struct AuthorizationTests {
    private func authorization(_ values: String...) -> Authorization? {
        let fields = values.map { HTTPHeaders.Field("authorization", $0) }
        return Authorization(
            of: HTTPRequest(method: "POST", path: "/", headers: HTTPHeaders(fields), id: "0"))
    }

    @Test func nameAndSecretOfAClient() {
        // "mail gateway:a+b" and "client:p%25:w"
        #expect(
            authorization("Basic bWFpbCBnYXRld2F5OmErYg==")
                == .basic(name: "mail gateway", secret: "a b"))
        #expect(
            authorization("basic  Y2xpZW50OnAlMjU6dw==") == .basic(name: "client", secret: "p%:w"))
        #expect(authorization("Basic Y2xpZW50Og==") == .basic(name: "client", secret: ""))
    }

    @Test func aToken() {
        #expect(authorization("Bearer tva_aB-_.~+/9==") == .bearer("tva_aB-_.~+/9=="))
        #expect(authorization("BEARER x") == .bearer("x"))
    }

    @Test func nothing() {
        #expect(authorization() == nil)
    }

    @Test(arguments: [
        "Basic", "Basic ", "Basic !!!", "Basic Y2xpZW50", "Basic Y2xpZW50Og", "Bearer",
        "Bearer ", "Bearer a b", "Bearer ä", "Basic /zo=", "Basic YTolMDA=",
    ])
    func otherCredentialsAreMalformed(_ value: String) {
        #expect(authorization(value) == .malformed)
    }

    @Test(arguments: ["", " ", "Digest x", "vapid t=a,k=b", "x"])
    func otherSchemesAreUnsupported(_ value: String) {
        #expect(authorization(value) == .unsupported)
    }

    @Test func twoAreMalformed() {
        #expect(authorization("Bearer a", "Bearer a") == .malformed)
    }

    @Test func aHugeOneIsMalformed() {
        #expect(authorization("Bearer " + String(repeating: "a", count: 513)) == .malformed)
        #expect(authorization("Basic " + String(repeating: "YTph", count: 600)) == .malformed)
    }
}

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

import CDeclarationChecks
@testable import HTTPServer
import Testing

@Suite("libmicrohttpd")
struct LibraryTests {
    @Test(
        "is declared as in its own header, as the compiler checked",
        .enabled(if: declarations_had_libmicrohttpd(), "needs libmicrohttpd-dev"))
    func header() {
        #expect(declarations_had_libmicrohttpd())
    }

    @Test("is loaded, and tells its version")
    func version() {
        #expect(HTTPServerLibrary.isLoaded)
        #expect(
            HTTPServerLibrary.title.hasPrefix("libmicrohttpd 1")
                || HTTPServerLibrary.title.hasPrefix("libmicrohttpd 0"))
    }
}

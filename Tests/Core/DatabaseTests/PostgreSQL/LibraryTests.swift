import CDeclarationChecks
import CPostgreSQL
@testable import Database
import Testing
import TestSupport

@Suite("libpq")
struct LibraryTests {
    @Test(
        "is declared as in its own header, which the compiler has compared",
        .enabled(if: declarations_had_libpq(), "needs libpq-dev"))
    func header() {
        #expect(declarations_had_libpq())
    }

    @Test("is not loaded where there is none, or something else")
    func missing() {
        #expect(PostgreSQLLibrary(names: ["libnothing.so.5"]) == nil)
        #expect(PostgreSQLLibrary(names: ["libsqlite3.so.0"]) == nil)
    }

    @Test(
        "is loaded by the first name that is there",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func loaded() throws {
        #expect(PostgreSQLLibrary(names: ["libnothing.so.5", "libpq.so.5"]) != nil)
        #expect(PostgreSQLLibrary.shared != nil)
    }
}

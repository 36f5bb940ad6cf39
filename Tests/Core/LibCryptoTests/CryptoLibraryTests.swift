import CDeclarationChecks
import Testing

@testable import LibCrypto

@Suite("libcrypto")
struct CryptoLibraryTests {
    @Test(
        "is declared as in its own headers, as the compiler checked",
        .enabled(if: declarations_had_libcrypto(), "needs libssl-dev"))
    func header() {
        #expect(declarations_had_libcrypto())
    }

    @Test("is missing where there is none, or another library")
    func missing() {
        for name in ["libnothing-of-this-name.so", "libsqlite3.so.0"] {
            #expect(throws: LibCryptoError.missing) { try CryptoLibrary(name: name) }
        }
    }
}

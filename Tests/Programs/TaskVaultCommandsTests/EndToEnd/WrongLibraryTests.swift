import Foundation
import Testing
import TestSupport

/// A libsodium that computes one function wrongly: nothing is made with it, and nothing opened.
@Suite(
    .enabled(if: WrongLibrary.compiler != nil, "needs clang, and a loader that takes LD_PRELOAD"),
    .waitsForProcesses)
struct WrongLibraryTests {
    @Test(arguments: WrongLibrary.functions)
    func isFoundBeforeAKeyDependsOnIt(function: WrongLibrary.Function) throws {
        let home = try TestHome()
        try home.save("before")
        let whole = try Files.read(home.vault)
        let sound = home.environment
        home.environment["LD_PRELOAD"] = try WrongLibrary.compile(function, in: home.folder)
        for command in ["secret list", "secret set mail.example other", "doctor"] {
            let run = try home.run(command + " --json", input: "value")
            #expect(run.exitCode == 1)
            #expect(run.failure["code"] as? String == "library_fails")
        }
        try #expect(Files.read(home.vault) == whole)
        home.environment = sound
        try #expect(home.run("secret get mail.example ada").outputText == "before")
    }

    @Test func makesNoVault() throws {
        let home = try TestHome(withVault: false)
        home.environment["LD_PRELOAD"] = try WrongLibrary.compile(
            WrongLibrary.functions[0], in: home.folder)
        expect(
            try home.run(["init"] + TestHome.cheap), ends: 1,
            "error: libsodium failed its self-test: nothing was opened or written",
            "hint: reinstall libsodium, or use another machine")
        #expect(!Files.exists(home.vault))
    }
}

/// A library that is loaded before libsodium and has one of its functions.
enum WrongLibrary {
    struct Function: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// In C; `next` is the function of libsodium.
        let body: String
    }

    static let functions = [
        Function(
            testDescription: "crypto_generichash_final",
            body: """
                int crypto_generichash_final(void *state, unsigned char *digest, size_t size) {
                    int (*next)(void *, unsigned char *, size_t) = dlsym(RTLD_NEXT, "crypto_generichash_final");
                    int status = next(state, digest, size);
                    digest[0] ^= 1;
                    return status;
                }
                """),
        Function(
            testDescription: "crypto_kdf_derive_from_key",
            body: """
                int crypto_kdf_derive_from_key(unsigned char *subkey, size_t size, unsigned long long number,
                                               const char *context, const unsigned char *key) {
                    for (size_t i = 0; i < size; i++) subkey[i] = (unsigned char) number;
                    return 0;
                }
                """),
        Function(
            testDescription: "crypto_pwhash",
            body: """
                int crypto_pwhash(unsigned char *derived, unsigned long long size, const char *password, unsigned long long count,
                                  const unsigned char *salt, unsigned long long passes, size_t memory, int algorithm) {
                    for (unsigned long long i = 0; i < size; i++) derived[i] = 7;
                    return 0;
                }
                """),
        Function(
            testDescription: "crypto_aead_xchacha20poly1305_ietf_encrypt",
            body: """
                int crypto_aead_xchacha20poly1305_ietf_encrypt(unsigned char *sealed, unsigned long long *size, const unsigned char *text,
                                                               unsigned long long count, const unsigned char *context,
                                                               unsigned long long contextCount, const unsigned char *none,
                                                               const unsigned char *nonce, const unsigned char *key) {
                    memcpy(sealed, text, count);
                    memset(sealed + count, 0, 16);
                    return 0;
                }
                """),
        Function(
            testDescription: "crypto_aead_xchacha20poly1305_ietf_decrypt",
            body: """
                int crypto_aead_xchacha20poly1305_ietf_decrypt(unsigned char *text, unsigned long long *size, unsigned char *none,
                                                               const unsigned char *sealed, unsigned long long count,
                                                               const unsigned char *context, unsigned long long contextCount,
                                                               const unsigned char *nonce, const unsigned char *key) {
                    int (*next)(unsigned char *, unsigned long long *, unsigned char *, const unsigned char *, unsigned long long,
                                const unsigned char *, unsigned long long, const unsigned char *, const unsigned char *) =
                        dlsym(RTLD_NEXT, "crypto_aead_xchacha20poly1305_ietf_decrypt");
                    next(text, size, none, sealed, count, context, contextCount, nonce, key);
                    return 0;
                }
                """),
    ]

    /// The compiler that comes with Swift; nil where libraries cannot be put before others.
    static let compiler: String? = {
        #if os(Linux)
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
                .map { $0 + "/clang" }.first { Files.exists(String($0)) }.map(String.init)
        #else
            nil
        #endif
    }()

    /// - Returns: The path of the library.
    static func compile(_ function: Function, in folder: String) throws -> String {
        let (source, library) = (folder + "/wrong.c", folder + "/wrong.so")
        let text = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <stddef.h>
            #include <string.h>

            """
        try Files.write(text + function.body + "\n", to: source)
        let process = Process()
        process.executableURL = URL(filePath: try #require(compiler))
        process.arguments = ["-shared", "-fPIC", "-o", library, source, "-ldl"]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return library
    }
}

import CSodium
@testable import Sealing
import SecretMemory
import Testing
import TestSupport

/// libsodium's keyed functions leave pieces of their key on the stack; the product's leave none.
@Suite(
    "The dead stack", .enabled(if: DeadStack.isReadable, "/proc/thread-self/mem cannot be read"),
    .disabled(if: Sanitizer.isActive, "a sanitizer keeps the stack elsewhere"))
struct StackTraceTests {
    @Test("has pieces of a key after the bare function, and none after a subkey")
    func subkeys() throws {
        let secret = try RandomSource.system.secret(count: 32)
        var output = [UInt8](repeating: 0, count: 32)
        let bare = try DeadStack.traces(of: secret) {
            secret.withBytes { key in
                unsafe key.withUnsafeBytes { key in
                    _ = unsafe crypto_kdf_derive_from_key(&output, 32, 1, "TVaultKy", key.bytes)
                }
            }
        }
        #expect(bare > 0, "the search finds what is there")
        let root = RootKey(try secret.copy())
        let traces = try DeadStack.traces(of: secret) { _ = try root.lookupKey() }
        #expect(traces == 0)
    }

    @Test("has none after a keyed hash")
    func hash() throws {
        let secret = try RandomSource.system.secret(count: 32)
        var output = [UInt8](repeating: 0, count: 32)
        let bare = try DeadStack.traces(of: secret) {
            secret.withBytes { key in
                unsafe key.withUnsafeBytes { key in
                    _ = unsafe crypto_generichash(&output, 32, nil, 0, key.bytes, 32)
                }
            }
        }
        #expect(bare > 0, "the search finds what is there")
        let key = LookupKey(try secret.copy())
        let traces = try DeadStack.traces(of: secret) {
            _ = Blake2b.hash(size: 32, key: key) { $0.feed([1, 2, 3]) }
        }
        #expect(traces == 0)
    }

    @Test("has none of the key or the plaintext after sealing and opening", arguments: [32, 200])
    func sealing(size: Int) throws {
        let secret = try RandomSource.system.secret(count: 32)
        let plaintext = try RandomSource.system.secret(count: size)
        let key = ValueKey(try secret.copy())
        let context = SealContext(.value, vaultID: [UInt8](repeating: 1, count: 16))
        var blob: [UInt8] = []
        func seal() {
            blob = plaintext.withBytes {
                Sealing.seal($0, under: key, context, random: .system)
            }
        }
        func open() throws {
            var opened = try SecretBytes(count: size)
            try Sealing.open(blob, under: key, context, into: &opened)
        }
        #expect(try DeadStack.traces(of: secret) { seal() } == 0)
        #expect(try DeadStack.traces(of: plaintext) { seal() } == 0)
        #expect(try DeadStack.traces(of: secret) { try open() } == 0)
        #expect(try DeadStack.traces(of: plaintext) { try open() } == 0)
    }

    @Test(
        "has none of a secret key or the plaintext after making a pair, sealing and opening a box")
    func boxes() throws {
        let secret = try RandomSource.system.secret(count: 32)
        let plaintext = try RandomSource.system.secret(count: 32)
        #expect(
            try DeadStack.traces(of: secret) { _ = BoxKeyPair(secretKey: try secret.copy()) } == 0)
        let pair = BoxKeyPair(secretKey: try secret.copy())
        var box: [UInt8]?
        func seal() { box = plaintext.withBytes { BoxKeyPair.seal($0, to: pair.publicKey) } }
        #expect(try DeadStack.traces(of: plaintext) { seal() } == 0)
        let sealed = try #require(box)
        var opened = try SecretBytes(count: 32)
        let bare = try DeadStack.traces(of: plaintext) {
            secret.withBytes { key in
                opened.withMutableBytes { opened in
                    unsafe key.withUnsafeBytes { key in
                        unsafe opened.withUnsafeMutableBytes { opened in
                            _ = unsafe crypto_box_seal_open(
                                opened.bytes, sealed, 80, pair.publicKey, key.bytes)
                        }
                    }
                }
            }
        }
        #expect(bare > 0, "the search finds what is there")
        func open() throws {
            var opened = try SecretBytes(count: 32)
            try pair.open(sealed, into: &opened)
        }
        #expect(try DeadStack.traces(of: secret) { try open() } == 0)
        #expect(try DeadStack.traces(of: plaintext) { try open() } == 0)
    }

    @Test("has none of a passphrase or of what it derives after Argon2id")
    func derivation() throws {
        let typed = try RandomSource.system.secret(count: 32)
        let salt = [UInt8](repeating: 5, count: 16)
        let cost = KeyDerivationCost(passes: 1, memoryKiB: 8)
        var derived = try SecretBytes(count: 64)
        let ofPassphrase = try DeadStack.traces(of: typed) {
            try Argon2id.derive(into: &derived, from: typed, salt: salt, cost: cost)
        }
        #expect(ofPassphrase == 0)
        let ofKey = try DeadStack.traces(of: derived) {
            var again = try SecretBytes(count: 64)
            try Argon2id.derive(into: &again, from: typed, salt: salt, cost: cost)
        }
        #expect(ofKey == 0)
    }

    /// In a process of its own, where `DeadStack` makes the first call of a function and so sees what registers held.
    @Test(
        "has none in the registers that the dynamic linker saves on it", .endsProcess,
        arguments: [false, true])
    func registers(isBare: Bool) async {
        await #expect(processExitsWith: .success) { [isBare = isBare as Bool] in
            let typed = try RandomSource.system.secret(count: 32)
            let salt = [UInt8](repeating: 5, count: 16)
            let cost = KeyDerivationCost(passes: 1, memoryKiB: 8)
            var derived = try SecretBytes(count: 64)
            try Argon2id.derive(into: &derived, from: typed, salt: salt, cost: cost)
            let traces = try DeadStack.traces(of: derived) {
                var again = try SecretBytes(count: 64)
                try Argon2id.derive(into: &again, from: typed, salt: salt, cost: cost)
                if isBare { again.withMutableBytes { Self.copy(derived, to: &$0) } }
            }
            #expect(isBare ? traces > 0 : traces == 0)
        }
    }

    /// An ordinary copy, which goes through the registers.
    private static func copy(_ secret: borrowing SecretBytes, to target: inout MutableRawSpan) {
        unsafe target.withUnsafeMutableBytes { target in
            secret.withBytes { source in
                unsafe source.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
            }
        }
    }
}

@testable import Sealing
import SecretMemory
import Testing
import TestSupport

@Suite("Passwords as Argon2id strings")
struct PasswordHashTests {
    private struct Vectors: Decodable {
        struct Encoded: Decodable, Sendable {
            let lanes: Int
            let password: String
            let encoded: String
        }
        let reference_encoded: [Encoded]
    }

    private static let cost = KeyDerivationCost(passes: 1, memoryKiB: 8)

    private static func passphrase(_ text: String) throws -> Passphrase {
        try Passphrase(typed: Samples.secret(text))
    }

    @Test(
        "made elsewhere are verified",
        .enabled(if: PublishedVectors.areThere, "../shared/vectors is absent"))
    func vectors() throws {
        let file: Vectors = try PublishedVectors.read("argon2id.json")
        var count = 0
        for vector in file.reference_encoded {
            // libsodium makes strings of one lane only; others are none of ours.
            guard vector.lanes == 1 else {
                #expect(PasswordHash(vector.encoded) == nil)
                continue
            }
            let hash = try #require(PasswordHash(vector.encoded), "\(vector.encoded)")
            #expect(hash.text == vector.encoded)
            #expect(try hash.matches(Self.passphrase(vector.password), limits: .testing))
            #expect(try !hash.matches(Self.passphrase(vector.password + "x"), limits: .testing))
            count += 1
        }
        #expect(count >= 7)
    }

    /// A value of `src/test.c` of the reference implementation.
    private static let reference =
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"

    @Test("tell their cost, and match the password that they are of")
    func reference() throws {
        let hash = try #require(PasswordHash(Self.reference))
        #expect(hash.cost == KeyDerivationCost(passes: 2, memoryKiB: 256))
        #expect(try hash.matches(Self.passphrase("password"), limits: .testing))
        for wrong in ["Password", "password ", "passwor", "password\u{0}", "\u{0}"] {
            #expect(try !hash.matches(Self.passphrase(wrong), limits: .testing), "\(wrong)")
        }
    }

    @Test("have the cost that was asked for, and a salt of their own")
    func making() throws {
        for cost in [(1, 8), (2, 8), (1, 64), (4, 33)] as [(UInt32, UInt32)] {
            let cost = KeyDerivationCost(passes: cost.0, memoryKiB: cost.1)
            let password = try Self.passphrase("pass\u{0}word")
            let first = try PasswordHash.make(of: password, cost: cost)
            let second = try PasswordHash.make(of: password, cost: cost)
            #expect(first.cost == cost)
            #expect(
                first.text.hasPrefix("$argon2id$v=19$m=\(cost.memoryKiB),t=\(cost.passes),p=1$"))
            #expect(first != second)
            #expect(PasswordHash(first.text) == first)
            for hash in [first, second] {
                #expect(try hash.matches(password, limits: .testing))
                #expect(try !hash.matches(Self.passphrase("pass"), limits: .testing))
            }
        }
    }

    @Test("of a cost that is not accepted are refused before anything is spent")
    func costs() throws {
        func refusal(_ passes: UInt32, _ memory: UInt32) throws -> SealingError? {
            let text = Self.reference.replacing("m=256,t=2", with: "m=\(memory),t=\(passes)")
            let hash = try #require(PasswordHash(text))
            let password = try Self.passphrase("password")
            do {
                _ = try hash.matches(password)
                return nil
            } catch let error as SealingError {
                return error
            }
        }
        #expect(try refusal(1, 65_536) == .costTooLow)
        #expect(try refusal(2, 19_455) == .costTooLow)
        #expect(try refusal(2, 19_456) == nil)
        #expect(try refusal(65, 19_456) == .costTooHigh)
        #expect(try refusal(2, .max) == .costTooHigh)
        #expect(try refusal(.max, .max) == .costTooHigh)
    }

    @Test(
        "are nothing else",
        arguments: [
            "", "$", "$$$$$", "password", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ",
            "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2d$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$t=2,m=256,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=0256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=+256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=-256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=4294967296,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=5000000000,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=4294967296,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=2x6,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$n=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=00,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=1,x=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            " $argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4\n",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4$",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65\u{0}EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$\u{E9}",
        ])
    func refusals(text: String) {
        #expect(PasswordHash(text) == nil)
    }

    @Test("have less than 128 bytes")
    func size() {
        let start = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$"
        let longest = start + String(repeating: "A", count: 127 - start.utf8.count)
        #expect(PasswordHash(longest)?.text.utf8.count == 127)
        #expect(PasswordHash(longest + "A") == nil)
    }

    @Test(
        "that libsodium cannot read match no password",
        arguments: [
            "$argon2id$v=19$m=256,t=2,p=1$$", "$argon2id$v=19$m=256,t=2,p=1$!!!!$!!!!",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$",
            "$argon2id$v=19$m=256,t=0,p=1$c29tZXNhbHQ$nf65",
        ])
    func unreadable(text: String) throws {
        guard let hash = PasswordHash(text) else { return }
        let password = try Self.passphrase("password")
        do {
            #expect(try !hash.matches(password, limits: .testing))
        } catch let error as SealingError {
            // A cost that is not accepted, or a string that libsodium calls no reason for.
            #expect(error == .costTooLow || error == .outOfMemory)
        }
    }
}

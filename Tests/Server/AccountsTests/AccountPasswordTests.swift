@testable import Accounts
import Database
import Sealing
import SecretMemory
import Testing
import TestSupport

@Suite("The password of an account")
struct AccountPasswordTests {
    private static func refusal(_ bytes: [UInt8]) throws -> AccountError? {
        let typed = try Samples.secret(bytes)
        do {
            _ = try AccountPassword(typed: typed)
            return nil
        } catch let error as AccountError {
            return error
        }
    }

    private static func refusal(_ text: String) throws -> AccountError? {
        try refusal(Array(text.utf8))
    }

    @Test("has 8 characters to 1,024 bytes in normalisation form C")
    func sizes() throws {
        #expect(try Self.refusal("") == .passwordTooShort)
        #expect(try Self.refusal("1234567") == .passwordTooShort)
        #expect(try Self.refusal("12345678") == nil)
        #expect(try Self.refusal(String(repeating: "a", count: 1_024)) == nil)
        #expect(try Self.refusal(String(repeating: "a", count: 1_025)) == .passwordTooLong)
        #expect(try Self.refusal(String(repeating: "a", count: 1_000_000)) == .passwordTooLong)
        // 9 bytes of three letters with accents are 6 when they are composed.
        #expect(try Self.refusal("e\u{301}e\u{301}e\u{301}") == .passwordTooShort)
        // Characters count, not their bytes; these are two each in form C, as Unicode wants.
        #expect(try Self.refusal("\u{958}\u{958}\u{958}") == .passwordTooShort)
        #expect(try Self.refusal("\u{958}\u{958}\u{958}\u{958}") == nil)
        // Nothing longer has such a form, and a second passes while utf8proc sorts 16 KiB of marks.
        let largest = String(repeating: "\u{3B9}\u{308}\u{301}", count: 512)
        #expect(largest.utf8.count == 3_072)
        #expect(try Self.refusal(largest) == nil)
        #expect(try Self.refusal(largest + " ") == .passwordTooLong)
        let decomposed = String(repeating: "e\u{301}", count: 500)
        #expect(decomposed.utf8.count == 1_500)
        #expect(try Self.refusal(decomposed) == nil)
    }

    @Test("is UTF-8, and any of it")
    func encoding() throws {
        #expect(try Self.refusal([UInt8](repeating: 0xFF, count: 12)) == .passwordEncoding)
        #expect(try Self.refusal(Array("before ".utf8) + [0xC3]) == .passwordEncoding)
        #expect(try Self.refusal("        ") == nil)
        #expect(try Self.refusal("\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}") == nil)
        #expect(try Self.refusal("\u{1F512}\u{1F512}") == .passwordTooShort)
        #expect(try Self.refusal(String(repeating: "\u{1F512}", count: 8)) == nil)
    }

    @Test(
        "is no common one, and not the account's own address, when it is new",
        arguments: [
            ("password", .passwordCommon), ("P@ssw0rd", .passwordCommon),
            ("12345678", .passwordCommon), ("qwertyuiop", .passwordCommon),
            ("iloveyou", .passwordCommon), ("trustno1", .passwordCommon),
            ("ada.lovelace@example.org", .passwordIsAddress),
            ("Ada.Lovelace@Example.ORG", .passwordIsAddress),
            ("ada.lovelace", .passwordIsAddress), ("ada.lovelace@example.com", nil),
            ("correct horse battery", nil), ("Xk29vLq8", nil),
            // libzxcvbn, which is slow for long texts, sees at most 32 bytes.
            (String(repeating: "password", count: 4), .passwordCommon),
            (String(repeating: "password", count: 5), nil),
        ] as [(String, AccountError?)])
    func new(text: String, refusal: AccountError?) throws {
        let name = try #require(EmailAddress("ada.lovelace@example.org"))
        let password = try AccountFixture.password(text)
        var found: AccountError?
        do {
            try password.check(for: name)
        } catch let error as AccountError {
            found = error
        }
        #expect(found == refusal)
    }

    @Test("is the same in every canonical form")
    func normalForm() throws {
        let hashing = Argon2idHashing(limits: .testing)
        let hash = try hashing.hash(
            AccountFixture.password("caf\u{E9} cr\u{E8}me"), cost: AccountFixture.cost)
        #expect(try hashing.matches(AccountFixture.password("cafe\u{301} cre\u{300}me"), hash))
        #expect(try !hashing.matches(AccountFixture.password("cafe creme"), hash))
        #expect(try !hashing.matches(AccountFixture.password("Caf\u{E9} cr\u{E8}me"), hash))
    }

    @Test("is hashed at an acceptable cost only")
    func cost() throws {
        let low = KeyDerivationCost(passes: 1, memoryKiB: 19_456)
        #expect(throws: SealingError.costTooLow) {
            try Argon2idHashing().hash(AccountFixture.password("12345678"), cost: low)
        }
        var rules = AccountRules()
        #expect(rules.passwordCost == KeyDerivationCost(passes: 3, memoryKiB: 65_536))
        rules.passwordCost = low
        #expect(throws: SealingError.costTooLow) {
            try AccountService(
                repository: AccountRepository.openOrCreate(.memory), rules: rules,
                pseudonyms: AccountFixture.pseudonyms())
        }
    }
}

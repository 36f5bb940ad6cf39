@testable import Accounts
import Database
import Foundation
import SecretMemory
import Testing
import TestSupport

@Suite("Tokens")
struct SecretTokenTests {
    @Test("are a prefix and 256 random bits in base64url")
    func form() throws {
        var letters: Set<Character> = []
        for (kind, prefix) in [
            (SecretToken.Kind.access, "tva_"), (.refresh, "tvr_"), (.invitation, "tvi_"),
        ] {
            for seed in 0..<200 as Range<UInt64> {
                let token = SecretToken(kind, random: .seeded(seed))
                #expect(token.text.hasPrefix(prefix))
                let encoded = token.text.dropFirst(4)
                letters.formUnion(encoded)
                let base64 =
                    String(encoded).replacing("-", with: "+").replacing("_", with: "/") + "="
                let bytes = RandomSource.seeded(seed).bytes(count: 32)
                #expect(Data(base64Encoded: base64).map(Array.init) == bytes)
                let read = try #require(SecretToken(token.text))
                #expect(read.kind == kind && read.hash == token.hash)
                #expect(token.hash == TokenHash(of: token.text))
            }
        }
        #expect(letters.count == 64)
        #expect(letters.isDisjoint(with: "+/="))
    }

    @Test("are all different")
    func different() {
        let tokens = (0..<1_000).map { _ in SecretToken(.access, random: .system).text }
        #expect(Set(tokens).count == 1_000)
        #expect(Set(tokens.map { TokenHash(of: $0) }).count == 1_000)
    }

    @Test("are nothing else")
    func refusals() {
        let text = SecretToken(.access, random: .system).text
        for sent in [
            "", "tva_", String(text.dropLast()), text + "A", " " + text, "tvx_" + text.dropFirst(4),
            "TVA_" + text.dropFirst(4),
        ] {
            #expect(SecretToken(sent) == nil, "\(sent)")
        }
    }

    @Test("of a server are made of its own random source")
    func random() throws {
        let fixture = try AccountFixture(
            AccountRepository.openOrCreate(.memory), random: .seeded(7))
        let same = try AccountFixture(AccountRepository.openOrCreate(.memory), random: .seeded(7))
        let tokens = try fixture.signIn()
        #expect(try same.signIn().access == tokens.access)
        #expect(tokens.access.dropFirst(4) != tokens.refresh.dropFirst(4))
    }
}

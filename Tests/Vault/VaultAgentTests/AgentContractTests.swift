import SecureStorage
import Testing
import TestSupport
import VaultAgent
import VaultCore

@Suite("A client of the agent")
struct AgentContractTests {
    @Test("keeps the contract of every store", arguments: SecureStoreContract.rules)
    func contract(rule: SecureStoreContract) throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try rule.check(
                StoreUnderTest(
                    client, lock: { _ = try? client.lock() },
                    endVerification: { agent.clock.advance(by: .seconds(121)) }))
        }
    }

    @Test("refuses a description that no frame can carry as the vault refuses one that it cannot")
    func hugeDescription() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let huge = SecretAttributes(
                extra: [ExtraAttribute(key: "k", text: String(repeating: "t", count: 3 << 20))])
            let tooLarge = SecureStoreError.tooLarge(maximum: SecretAttributes.maximumSize)
            #expect(throws: tooLarge) {
                try client.save(Samples.one(), as: Samples.name, huge)
            }
            try client.lock()
            #expect(throws: SecureStoreError.locked) {
                try client.save(Samples.one(), as: Samples.name, huge)
            }
        }
    }
}

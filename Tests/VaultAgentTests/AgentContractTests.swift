import SecureStorage
import TestSupport
import Testing
import VaultAgent
import VaultCore

@Suite("A client of the agent")
struct AgentContractTests {
    @Test("keeps the contract of every store", arguments: SecureStoreContract.rules)
    func contract(rule: SecureStoreContract) throws {
        try withTemporaryFolder { folder in
            let agent = try TestAgent(in: folder)
            let client = try agent.unlockedClient()
            try rule.check(
                StoreUnderTest(
                    client, lock: { _ = try? client.lock() },
                    endVerification: { agent.clock.advance(by: .seconds(121)) }))
        }
    }
}

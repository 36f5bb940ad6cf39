import SecureStorage
import Testing
import TestSupport

@Suite("The store in memory")
struct MemorySecureStoreTests {
    @Test("keeps the contract", arguments: SecureStoreContract.rules)
    func contract(rule: SecureStoreContract) throws {
        let store = MemorySecureStore(now: { 1_000 })
        try rule.check(
            StoreUnderTest(
                store, lock: { store.lock() }, endVerification: { store.endVerification() }))
    }
}

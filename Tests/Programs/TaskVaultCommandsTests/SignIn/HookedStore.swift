import SecureStorage
import TestSupport

/// A store beside which something happens whenever a secret was removed.
struct HookedStore: ForwardingStore {
    let base: any SecureStore
    /// Gets the name of the secret.
    let afterRemoval: @Sendable (SecretName) -> Void

    func remove(
        _ name: SecretName, expecting revision: UInt64?, permanently isPermanent: Bool
    ) throws(SecureStoreError) {
        try base.remove(name, expecting: revision, permanently: isPermanent)
        afterRemoval(name)
    }
}

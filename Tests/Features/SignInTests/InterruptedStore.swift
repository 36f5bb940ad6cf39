import SecretMemory
import SecureStorage
import Synchronization
import TestSupport

/// A store with an interruption before an access, like a change by another machine.
final class InterruptedStore: ForwardingStore {
    let base: any SecureStore
    private let kind: String
    private let accessesLeft: Mutex<Int>
    private let interruption: @Sendable () -> Void

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - base: The shared store.
    ///   - kind: The beginning of the services whose accesses are counted.
    ///   - accesses: The number of accesses before the interruption.
    ///   - interruption: Runs once.
    init(
        _ base: any SecureStore, _ kind: String, after accesses: Int,
        _ interruption: @escaping @Sendable () -> Void
    ) {
        self.base = base
        self.kind = kind
        accessesLeft = Mutex(accesses)
        self.interruption = interruption
    }

    /// Whether the interruption ran.
    var didHappen: Bool { accessesLeft.withLock { $0 < 0 } }

    func read<Result: ~Copyable>(
        _ name: SecretName,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        access(name)
        return try base.read(name, body)
    }

    func describe(_ name: SecretName) throws(SecureStoreError) -> SecretItem {
        access(name)
        return try base.describe(name)
    }

    func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        access(name)
        return try base.save(value, as: name, attributes)
    }

    func update(
        _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
        expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        access(name)
        return try base.update(name, to: value, edit, expecting: revision)
    }

    func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        access(name)
        return try base.edit(name, edit, expecting: revision)
    }

    func remove(
        _ name: SecretName, expecting revision: UInt64?, permanently isPermanent: Bool
    ) throws(SecureStoreError) {
        access(name)
        try base.remove(name, expecting: revision, permanently: isPermanent)
    }

    private func access(_ name: SecretName) {
        guard name.service.hasPrefix(kind) else { return }
        let isNow = accessesLeft.withLock { left in
            left -= 1
            return left == -1
        }
        if isNow { interruption() }
    }
}

import SecretMemory
import SecureStorage
import Synchronization
import TestSupport

/// A store that refuses everything after some writes, like that of an ended process or a locked vault.
final class FailingStore: ForwardingStore {
    let base: any SecureStore
    private let error: SecureStoreError
    private let writesLeft: Mutex<Int>

    init(
        _ base: any SecureStore, writes: Int,
        _ error: SecureStoreError = .unavailable(.failed, detail: "the process has ended")
    ) {
        self.base = base
        self.error = error
        writesLeft = Mutex(writes)
    }

    func read<Result: ~Copyable>(
        _ name: SecretName,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        // After the last allowed write nothing happens.
        guard writesLeft.withLock({ $0 }) >= 0 else { throw error }
        return try base.read(name, body)
    }

    func describe(_ name: SecretName) throws(SecureStoreError) -> SecretItem {
        guard writesLeft.withLock({ $0 }) >= 0 else { throw error }
        return try base.describe(name)
    }

    func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        try begin()
        return try noting { () throws(SecureStoreError) in
            try base.save(value, as: name, attributes)
        }
    }

    func update(
        _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
        expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try begin()
        return try noting { () throws(SecureStoreError) in
            try base.update(name, to: value, edit, expecting: revision)
        }
    }

    func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try begin()
        return try noting { () throws(SecureStoreError) in
            try base.edit(name, edit, expecting: revision)
        }
    }

    func remove(
        _ name: SecretName, expecting revision: UInt64?, permanently isPermanent: Bool
    ) throws(SecureStoreError) {
        try begin()
        try noting { () throws(SecureStoreError) in
            try base.remove(name, expecting: revision, permanently: isPermanent)
        }
    }

    private func begin() throws(SecureStoreError) {
        let isAllowed = writesLeft.withLock { left in
            if left == 0 { left = -1 }
            return left > 0
        }
        guard isAllowed else { throw error }
    }

    /// Counts a successful write.
    private func noting<Result>(
        _ write: () throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        let result = try write()
        writesLeft.withLock { $0 -= 1 }
        return result
    }
}

internal import Sealing

/// A vault whose owner was just verified, with the root key in memory.
///
/// Only this type can change slots and keys. Use it for one operation: the root key is wiped when the value ends. Not thread-safe.
public struct AuthenticatedVault: ~Copyable {
    let session: VaultSession
    let root: RootKey
    let slot: KeySlot
    var slotID: [UInt8] { slot.id }

    init(
        session: VaultSession, root: consuming RootKey, slot: KeySlot
    ) {
        self.session = session
        self.root = root
        self.slot = slot
    }

    /// Wipes the root key and keeps the keys of an unlocked, verified vault.
    public consuming func unlock() -> UnlockedVault {
        UnlockedVault(session)
    }

    /// The unlocked, verified vault for work before a change of slots or keys. Lock it before that change.
    public borrowing func unlocked() -> UnlockedVault { UnlockedVault(session) }

    /// The security settings of the newest state read.
    public var settings: VaultSettings? { session.newest?.state.settings }

    /// The time of a backup that was restored since this machine last saw the vault, in milliseconds since 1970-01-01 UTC; nil if none was.
    public var restoredBackup: Int64? { session.restoredBackup }

    /// The rollback record of the newest state read.
    func newestRollbackRecord() throws -> RollbackRecord {
        guard let newest = session.newest else { throw VaultError.damaged(.stateMissing) }
        return newest.rollbackRecord
    }

    /// The counter of the newest state read.
    public var counter: UInt64 { session.newest?.state.counter ?? 0 }

    /// The number of items in the newest state read.
    public var itemCount: Int { Int(clamping: session.newest?.state.itemCount ?? 0) }
}

internal import TextCoding

/// The rollback records of a machine, seen from one place. Thread-safe.
///
/// A place is the path of the home's vault file, also for a vault on a server.
public protocol RollbackRecords: Sendable {
    /// Reads the rollback record of this place; nil if it has none.
    ///
    /// - Throws: `RollbackRecordError`.
    func read() throws(RollbackRecordError) -> RollbackRecord?

    /// A number that is constant while this place's rollback record is unchanged; nil if this object has none. It is cheap, because
    /// sessions read it before each answer.
    ///
    /// - Throws: `RollbackRecordError`.
    func changeCount() throws(RollbackRecordError) -> UInt64?

    /// Reads the valid rollback records of the machine's other places.
    ///
    /// - Throws: `RollbackRecordError`.
    func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord]

    /// Replaces the rollback record of this place if it is still `old`, atomically across processes.
    ///
    /// - Parameters:
    ///   - old: The record that was read, or nil if there was none.
    ///   - new: The new record. An equal record is not written again, but an unwritable folder is still an error.
    /// - Returns: `false`, with no change, if another process has changed the record.
    /// - Throws: `RollbackRecordError`.
    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool

    /// Replaces the rollback record of this place unconditionally, even a damaged one. Requires the owner's confirmation.
    ///
    /// A record of another vault is kept as one of another place, in case that vault comes back.
    ///
    /// - Throws: `RollbackRecordError`.
    func replace(with record: RollbackRecord) throws(RollbackRecordError)

    /// Makes the last write durable now; otherwise it becomes durable within a second.
    ///
    /// - Throws: `RollbackRecordError`.
    func sync() throws(RollbackRecordError)
}

extension RollbackRecords {
    /// Always nil.
    public func changeCount() throws(RollbackRecordError) -> UInt64? { nil }

    /// Records that the vault of this place was destroyed. Any vault found here later is refused until the owner confirms it.
    ///
    /// - Throws: `RollbackRecordError`.
    public func retire() throws(RollbackRecordError) {
        var retired: RollbackRecord
        do {
            retired = try read() ?? .unknownRetired
        } catch .damaged {
            retired = .unknownRetired
        }
        retired.isRetired = true
        try replace(with: retired)
        try sync()
    }
}

/// Why a rollback record could not be read or stored.
public enum RollbackRecordError: Error, Sendable, Hashable {
    /// The rollback record is damaged.
    case damaged
    /// Another user can change the folder or a parent folder.
    case unsafe(path: String, reason: String)
    /// Reading or writing failed; with the folder's path and `errno`.
    case unavailable(path: String, code: Int32)
}

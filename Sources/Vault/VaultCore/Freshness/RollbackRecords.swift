internal import Synchronization
internal import TextCoding

/// The rollback records of a machine, as one place of a vault sees them. Thread-safe.
///
/// A place is the path of the home's vault file, also for a vault on a server.
public protocol RollbackRecords: Sendable {
    /// The rollback record of this place, or nil if it has none.
    ///
    /// - Throws: `RollbackRecordError`.
    func mark() throws(RollbackRecordError) -> RollbackRecord?

    /// A number that stays the same as long as this place's rollback record does, and is cheap to ask for before each answer; nil if this
    /// object has none.
    ///
    /// - Throws: `RollbackRecordError`.
    func changeCount() throws(RollbackRecordError) -> UInt64?

    /// The readable rollback records of the machine's other places.
    ///
    /// - Throws: `RollbackRecordError`.
    func marksElsewhere() throws(RollbackRecordError) -> [RollbackRecord]

    /// Replaces the rollback record of this place if it is still `old`. Excludes other processes meanwhile.
    ///
    /// - Parameters:
    ///   - old: The record that was read, or nil if there was none.
    ///   - new: The new record. An equal one is not written again, but a folder that cannot be written is an error.
    /// - Returns: `false`, with no change, if another process has changed the record.
    /// - Throws: `RollbackRecordError`.
    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool

    /// Replaces the rollback record of this place, whatever it is, also a damaged one. Requires the owner's confirmation.
    ///
    /// A record of another vault is kept as one of another place, for the time when that vault comes back.
    ///
    /// - Throws: `RollbackRecordError`.
    func replace(with mark: RollbackRecord) throws(RollbackRecordError)

    /// Makes the written record survive a power cut now; otherwise it does within a second.
    ///
    /// - Throws: `RollbackRecordError`.
    func sync() throws(RollbackRecordError)
}

extension RollbackRecords {
    /// Always nil.
    public func changeCount() throws(RollbackRecordError) -> UInt64? { nil }

    /// Records that the vault of this place was destroyed: any vault found here later is refused until the owner confirms it.
    ///
    /// - Throws: `RollbackRecordError`.
    public func retire() throws(RollbackRecordError) {
        var retired: RollbackRecord
        do {
            retired = try mark() ?? .unknownRetired
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
    /// Another user can change the folder, or one above it.
    case unsafe(path: String, reason: String)
    /// Reading or writing failed; the folder's path and `errno`.
    case unavailable(path: String, code: Int32)
}

/// Rollback records in memory: for tests, and for stores without rollback risk.
public final class MemoryRollbackRecords: RollbackRecords {
    /// The records of a machine, by place.
    private final class Machine: Sendable {
        let marks = Mutex<[String: RollbackRecord]>([:])
    }

    private let machine: Machine
    private let place: String

    /// Creates a machine without rollback records, and its first place.
    public init() {
        machine = Machine()
        place = ""
    }

    private init(_ machine: Machine, _ place: String) {
        self.machine = machine
        self.place = place
    }

    /// Another place of the same machine.
    public func elsewhere(_ place: String) -> MemoryRollbackRecords {
        MemoryRollbackRecords(machine, place)
    }

    /// The rollback record of this place.
    public func mark() throws(RollbackRecordError) -> RollbackRecord? {
        machine.marks.withLock { $0[place] }
    }

    /// The rollback records of the other places.
    public func marksElsewhere() throws(RollbackRecordError) -> [RollbackRecord] {
        machine.marks.withLock { marks in marks.filter { $0.key != place }.map(\.value) }
    }

    /// Replaces the rollback record if it is still `old`.
    public func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool {
        machine.marks.withLock { marks in
            guard marks[place] == old else { return false }
            marks[place] = new
            return true
        }
    }

    /// Replaces the rollback record.
    public func replace(with mark: RollbackRecord) throws(RollbackRecordError) {
        machine.marks.withLock { marks in
            if let old = marks[place], old.vaultID != mark.vaultID {
                marks[place + "\0" + Hexadecimal.text(old.vaultID)] = old
            }
            marks[place] = mark
        }
    }

    /// Does nothing.
    public func sync() throws(RollbackRecordError) {}
}

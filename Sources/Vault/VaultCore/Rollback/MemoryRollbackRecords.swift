internal import Synchronization
internal import TextCoding

/// Rollback records in memory: for tests, and for storage that cannot be rolled back.
public final class MemoryRollbackRecords: RollbackRecords {
    /// The records of a machine, by place.
    private final class Machine: Sendable {
        let records = Mutex<[String: RollbackRecord]>([:])
    }

    private let machine: Machine
    private let place: String

    /// Creates a machine without rollback records, seen from its first place.
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
    public func read() throws(RollbackRecordError) -> RollbackRecord? {
        machine.records.withLock { $0[place] }
    }

    /// The rollback records of the other places.
    public func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord] {
        machine.records.withLock { records in records.filter { $0.key != place }.map(\.value) }
    }

    /// Replaces the rollback record if it is still `old`.
    public func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool {
        machine.records.withLock { records in
            guard records[place] == old else { return false }
            records[place] = new
            return true
        }
    }

    /// Replaces the rollback record.
    public func replace(with record: RollbackRecord) throws(RollbackRecordError) {
        machine.records.withLock { records in
            if let old = records[place], old.vaultID != record.vaultID {
                records[place + "\0" + Hexadecimal.text(old.vaultID)] = old
            }
            records[place] = record
        }
    }

    /// Does nothing.
    public func sync() throws(RollbackRecordError) {}
}

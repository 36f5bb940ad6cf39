package import Sync

/// The counterpart of an object in the vault or in the list.
package struct Counterpart: Hashable, Sendable {
    package let object: ObjectID
    /// Its name there: the six characters of a task, the parts of a secret's name. No two counterparts have the same.
    package var name: [UInt8]
    /// Its revision when it was last equal to the object.
    package var revision: UInt64
    /// When it was made there, in milliseconds since 1970-01-01 UTC.
    package var created: Int64

    package init(_ object: ObjectID, name: [UInt8], revision: UInt64, created: Int64) {
        self.object = object
        self.name = name
        self.revision = revision
        self.created = created
    }
}

/// A store whose objects are mirrored in the vault or in the list.
///
/// A mirror makes records of what changed there, and changes there what records of other devices say.
package protocol MirrorStore: SyncStore {
    /// As ``SyncStore/transaction(_:)``.
    func mirrorTransaction<Result>(
        _ body: (any MirrorTransaction) throws -> Result
    ) throws -> Result
}

/// The operations in a transaction of a ``MirrorStore``.
package protocol MirrorTransaction: SyncTransaction {
    /// The objects with records of other devices that the mirror did not apply yet, ascending.
    func unmirrored() throws -> [ObjectID]
    /// These records of one object. The state over all other records is what vault or list had before.
    func unmirrored(of object: ObjectID) throws -> Set<RecordKey>
    /// Notes that the counterpart of an object has all its records now.
    func setMirrored(_ object: ObjectID) throws
    /// The same of its records with one stamp of a field.
    func setMirrored(_ object: ObjectID, _ field: UInt32, _ stamp: Stamp) throws

    func counterpart(of object: ObjectID) throws -> Counterpart?
    func counterpart(named name: [UInt8]) throws -> Counterpart?
    func counterparts() throws -> [Counterpart]
    /// Adds a counterpart, or replaces that of the same object.
    func set(_ counterpart: Counterpart) throws
    func removeCounterpart(of object: ObjectID) throws

    /// The objects that a person should look at: marked *concurrent*, or returned. Readable without keys.
    func marked() throws -> Set<ObjectID>
    func setMarked(_ object: ObjectID, _ isMarked: Bool) throws

    /// A small value of the mirror, such as the head up to which it read the list; nil if it was never set.
    func note(_ name: String) throws -> [UInt8]?
    func setNote(_ name: String, _ content: [UInt8]) throws
    /// All of them, by name.
    func notes() throws -> [String: [UInt8]]
}

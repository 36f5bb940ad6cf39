internal import Database
package import Sync

/// The state that a former device of this home had: its counterparts, and the stamps of its records without their contents.
package struct FormerDevice: Sendable {
    /// A record that it had.
    package struct Record: Sendable {
        package let object: ObjectID
        /// The number of its field.
        package let field: UInt32
        package let stamp: Stamp
        /// Whether vault or list had it.
        package let isMirrored: Bool
        /// The number of its segment, if the former device wrote it; 0 for a record of another device.
        package let number: UInt64
    }

    /// The device, in the chain.
    package let id: DeviceID
    package let counterparts: [Counterpart]
    package let records: [Record]
    /// The hashes of its segments, by number.
    package let hashes: [UInt64: [UInt8]]
    /// Small values of its mirror.
    package let notes: [String: [UInt8]]
}

extension SyncDatabase {
    /// Erases all but what ``former()`` reads. The device has ended. Needs no keys.
    ///
    /// - Throws: `DatabaseError`, `SyncError.storeDamaged`.
    package func retire() throws {
        try storedTransaction { stored in
            try stored.change("DELETE FROM outbox", [])
            try stored.change("DELETE FROM parts", [])
            try stored.change("DELETE FROM snapshots", [])
            try stored.change(
                """
                UPDATE records SET content = x'', seen = x'', name = NULL, sealed_detail = NULL,
                fingerprint = NULL
                """, [])
        }
    }

    /// Reads the state of a device that has ended, or is about to. In the chain of items it needs the key of *while unlocked*.
    ///
    /// - Throws: `SyncError`, `DatabaseError`.
    package func former() throws -> FormerDevice {
        try storedTransaction { stored in
            let own = stored.device
            let records = try stored.rows(
                "SELECT object, field, clock, device, author, number, unmirrored FROM records"
            ) { row in
                FormerDevice.Record(
                    object: try row.id(0), field: UInt32(truncatingIfNeeded: try row.integer(1)),
                    stamp: Stamp(clock: try row.number(2), device: try row.id(3)),
                    isMirrored: try row.integer(6) == 0,
                    number: try row.id(4) == own ? row.number(5) : 0)
            }
            let hashes = try stored.rows(
                "SELECT number, hash FROM hashes WHERE device = $1", [.bytes(own.bytes)]
            ) { (try $0.number(0), try $0.bytes(1)) }
            let notes = try stored.rows("SELECT name, content FROM notes") {
                (try $0.text(0), try $0.bytes(1))
            }
            return FormerDevice(
                id: own, counterparts: try stored.counterparts(), records: records,
                hashes: Dictionary(uniqueKeysWithValues: hashes),
                notes: Dictionary(uniqueKeysWithValues: notes))
        }
    }
}

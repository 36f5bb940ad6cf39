internal import Database
internal import Sealing
internal import SecretMemory
internal import Sync

extension StoredSync {
    // MARK: Records that came

    func unmirrored() throws -> [ObjectID] {
        try rows("SELECT DISTINCT object FROM records WHERE unmirrored = 1 ORDER BY object") {
            try $0.id(0)
        }
    }

    func unmirrored(of object: ObjectID) throws -> Set<RecordKey> {
        let rows = try rows(
            """
            SELECT object, field, detail, clock, device, level, author, number, seen, applied,
            sealed_detail, fingerprint, x'', written FROM records WHERE object = $1 AND unmirrored = 1
            """, [.bytes(object.bytes)]
        ) { try RecordRow($0) }
        return Set(try rows.map { try key(of: $0) })
    }

    func setMirrored(_ object: ObjectID) throws {
        try change(
            "UPDATE records SET unmirrored = 0 WHERE object = $1 AND unmirrored = 1",
            [.bytes(object.bytes)])
    }

    func setMirrored(_ object: ObjectID, _ field: UInt32, _ stamp: Stamp) throws {
        try change(
            """
            UPDATE records SET unmirrored = 0
            WHERE object = $1 AND field = $2 AND clock = $3 AND device = $4 AND unmirrored = 1
            """,
            [
                .bytes(object.bytes), .integer(Int64(field)), .number(stamp.clock),
                .bytes(stamp.device.bytes),
            ])
    }

    // MARK: Counterparts

    func counterpart(of object: ObjectID) throws -> Counterpart? {
        try counterparts(
            """
            SELECT object, lookup, name, revision, created FROM counterparts WHERE object = $1
            """, [.bytes(object.bytes)]
        ).first
    }

    func counterpart(named name: [UInt8]) throws -> Counterpart? {
        try counterparts(
            """
            SELECT object, lookup, name, revision, created FROM counterparts WHERE lookup = $1
            """, [.bytes(try lookup(name))]
        ).first
    }

    func counterparts() throws -> [Counterpart] {
        try counterparts(
            "SELECT object, lookup, name, revision, created FROM counterparts ORDER BY object")
    }

    func set(_ counterpart: Counterpart) throws {
        let lookup = try lookup(counterpart.name)
        let sealed =
            chain == .list ? nil : try seal(counterpart.name, .counterpart, place(counterpart))
        let other = try rows(
            "SELECT 1 FROM counterparts WHERE lookup = $1 AND object <> $2",
            [.bytes(lookup), .bytes(counterpart.object.bytes)]
        ) { try $0.integer(0) }
        guard other.isEmpty else { throw DatabaseError.alreadyExists }
        try change(
            """
            INSERT OR REPLACE INTO counterparts (object, lookup, name, revision, created)
            VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .bytes(counterpart.object.bytes), .bytes(lookup), .bytes(sealed),
                .number(counterpart.revision), .integer(counterpart.created),
            ])
    }

    func removeCounterpart(of object: ObjectID) throws {
        try change("DELETE FROM counterparts WHERE object = $1", [.bytes(object.bytes)])
    }

    private func counterparts(
        _ sql: SQL, _ values: [DatabaseValue] = []
    ) throws -> [Counterpart] {
        let rows = try rows(sql, values) { row in
            (
                Counterpart(
                    try row.id(0), name: try row.bytes(1), revision: try row.number(3),
                    created: try row.integer(4)), try row.optionalBytes(2)
            )
        }
        return try rows.map { counterpart, sealed in
            guard let sealed else { return counterpart }
            var counterpart = counterpart
            counterpart.name = try open(sealed, .counterpart, place(counterpart))
            return counterpart
        }
    }

    private func place(_ counterpart: Counterpart) -> SealPlace {
        SealPlace(
            device: device, object: counterpart.object, level: .whileUnlocked,
            revision: counterpart.revision, columns: [])
    }

    /// The name by which a counterpart is found: that of a secret by its hash.
    private func lookup(_ name: [UInt8]) throws -> [UInt8] {
        if chain == .list { return name }
        return try key(.whileUnlocked).hash(.counterpart) { $0.feed(name) }
    }

    // MARK: Marks and notes

    func marked() throws -> Set<ObjectID> {
        Set(try rows("SELECT object FROM marked") { try $0.id(0) })
    }

    func setMarked(_ object: ObjectID, _ isMarked: Bool) throws {
        try change(
            isMarked
                ? "INSERT OR IGNORE INTO marked (object) VALUES ($1)"
                : "DELETE FROM marked WHERE object = $1", [.bytes(object.bytes)])
    }

    func note(_ name: String) throws -> [UInt8]? {
        try rows("SELECT content FROM notes WHERE name = $1", [.text(name)]) { try $0.bytes(0) }
            .first
    }

    func notes() throws -> [String: [UInt8]] {
        let rows = try rows("SELECT name, content FROM notes") { (try $0.text(0), try $0.bytes(1)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    func setNote(_ name: String, _ content: [UInt8]) throws {
        try change(
            "INSERT OR REPLACE INTO notes (name, content) VALUES ($1, $2)",
            [.text(name), .bytes(content)])
    }
}

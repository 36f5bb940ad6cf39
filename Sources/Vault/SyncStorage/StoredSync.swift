internal import Database
internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import Sync
internal import TextCoding

/// A transaction of a ``SyncDatabase``.
final class StoredSync: MirrorTransaction {
    let transaction: Transaction
    let chain: SyncDatabase.Chain
    let device: DeviceID
    let keys: [SyncLevel: StoreKey]
    let random: RandomSource
    /// Stored, so that a change of one of its sets copies nothing.
    var ledger: SyncLedger
    private let savedLedger: SyncLedger
    /// The kept parts of a level, once they were read: they are asked for with each change.
    private var kept: [SyncLevel: [KeptPart]] = [:]
    /// The vector that was read last: records of one segment share it.
    var lastVector: (bytes: [UInt8], vector: VersionVector)?
    /// The objects that were read last: a state reads its objects once to join them, and once for their records.
    var recent: [(id: ObjectID, versions: [Version])] = []
    static let recentLimit = 4

    init(
        _ transaction: Transaction, _ ledger: SyncLedger, _ chain: SyncDatabase.Chain,
        _ device: DeviceID, _ keys: [SyncLevel: StoreKey], _ random: RandomSource
    ) {
        self.transaction = transaction
        self.ledger = ledger
        savedLedger = ledger
        self.chain = chain
        self.device = device
        self.keys = keys
        self.random = random
    }

    func saveLedger() throws {
        guard ledger != savedLedger else { return }
        try change("UPDATE state SET ledger = $1", [.bytes(ledger.bytes)])
    }

    // MARK: Statements

    /// As `Transaction.rows`. Decode what needs keys afterwards: an error of `read` prevents the commit.
    func rows<Value>(
        _ sql: SQL, _ values: [DatabaseValue] = [], _ read: (any Row) throws -> Value
    ) throws -> [Value] {
        try SyncDatabase.translating { try transaction.rows(sql, values, read) }
    }

    @discardableResult
    func change(_ sql: SQL, _ values: [DatabaseValue]) throws -> Int {
        try SyncDatabase.translating { try transaction.change(sql, values) }
    }

    /// Adds a row by a statement that ignores one with a key that is there.
    func add(_ sql: SQL, _ values: [DatabaseValue]) throws {
        guard try change(sql, values) == 1 else { throw DatabaseError.alreadyExists }
    }

    // MARK: Seals

    /// The key of a level.
    func key(_ level: SyncLevel) throws -> StoreKey {
        guard let key = keys[level] else { throw SyncError.levelLocked(level) }
        return key
    }

    func seal(_ bytes: RawSpan, _ part: SealPlace.Part, _ place: SealPlace) throws -> [UInt8] {
        try Sealing.sealPadded(
            bytes, under: key(place.level).key, place.context(part), random: random)
    }

    func seal(_ bytes: [UInt8], _ part: SealPlace.Part, _ place: SealPlace) throws -> [UInt8] {
        try seal(unsafe bytes.span.bytes, part, place)
    }

    /// Opens a blob in guarded memory.
    func open<Result>(
        _ blob: [UInt8], _ part: SealPlace.Part, _ place: SealPlace, _ body: (RawSpan) -> Result
    ) throws -> Result {
        do {
            return try Sealing.withOpenedPadded(
                blob, under: key(place.level).key, place.context(part)
            ) { $0.withBytes { body($0) } }
        } catch is SealingError {
            throw SyncError.storeDamaged
        }
    }

    func open(_ blob: [UInt8], _ part: SealPlace.Part, _ place: SealPlace) throws -> [UInt8] {
        try open(blob, part, place) { $0.array }
    }

    // MARK: Segments

    func hash(of dot: Dot) throws -> [UInt8]? {
        try rows(
            "SELECT hash FROM hashes WHERE device = $1 AND number = $2",
            [.bytes(dot.device.bytes), .number(dot.number)]
        ) { try $0.bytes(0) }.first
    }

    func setHash(_ hash: [UInt8], of dot: Dot) throws {
        try change(
            "INSERT OR REPLACE INTO hashes (device, number, hash) VALUES ($1, $2, $3)",
            [.bytes(dot.device.bytes), .number(dot.number), .bytes(hash)])
    }

    func outbox() throws -> [UInt64] {
        try rows("SELECT number FROM outbox ORDER BY number") { try $0.number(0) }
    }

    func outboxSegment(_ number: UInt64) throws -> [UInt8]? {
        try rows("SELECT segment FROM outbox WHERE number = $1", [.number(number)]) {
            try $0.bytes(0)
        }.first
    }

    func addToOutbox(_ segment: [UInt8], number: UInt64) throws {
        try add(
            "INSERT OR IGNORE INTO outbox (number, segment) VALUES ($1, $2)",
            [.number(number), .bytes(segment)])
    }

    func removeFromOutbox(_ number: UInt64) throws {
        try change("DELETE FROM outbox WHERE number = $1", [.number(number)])
    }

    // MARK: Snapshots

    func snapshots() throws -> [Snapshot] {
        try rows("SELECT device, number, content FROM snapshots ORDER BY device") { row in
            let dot = Dot(try row.id(0), try row.number(1))
            guard let snapshot = Snapshot(try row.bytes(2), at: dot) else {
                throw SyncError.storeDamaged
            }
            return snapshot
        }
    }

    func set(_ snapshot: Snapshot) throws {
        try change(
            "INSERT OR REPLACE INTO snapshots (device, number, content) VALUES ($1, $2, $3)",
            [
                .bytes(snapshot.dot.device.bytes), .number(snapshot.dot.number),
                .bytes(snapshot.bytes),
            ])
    }

    func removeSnapshot(of device: DeviceID) throws {
        try change("DELETE FROM snapshots WHERE device = $1", [.bytes(device.bytes)])
    }

    // MARK: Kept parts

    func keptParts(_ level: SyncLevel) throws -> [KeptPart] {
        if let known = kept[level] { return known }
        let rows = try rows(
            """
            SELECT sequence, prefix, seen, sealed, names, part FROM parts WHERE level = $1
            ORDER BY sequence
            """, [.integer(Int64(level.rawValue))]
        ) { row in
            (
                try row.number(0), try row.bytes(1), try row.bytes(2), try row.integer(3) != 0,
                try row.bytes(4), try row.bytes(5)
            )
        }
        let parts = try rows.map { sequence, prefix, seen, isSealed, names, part in
            guard
                let segment = try? Segment(
                    prefix + [UInt8](repeating: 0, count: SigningKeyPair.signatureSize))
            else { throw SyncError.storeDamaged }
            let names = isSealed ? try open(names, .names, namesPlace(prefix)) : names
            guard let announced = ByteReader.names(names) else { throw SyncError.storeDamaged }
            return KeptPart(
                sequence: sequence,
                part: SealedPart(
                    level: level, prefix: segment.prefix, seen: try vector(seen), blob: part,
                    announced: announced))
        }
        kept[level] = parts
        return parts
    }

    func keep(_ part: SealedPart) throws {
        let level = DatabaseValue.integer(Int64(part.level.rawValue))
        let last = try rows(
            "SELECT sequence FROM parts WHERE level = $1 ORDER BY sequence DESC LIMIT 1", [level]
        ) { try $0.number(0) }.first
        let added = KeptPart(sequence: (last ?? 0) + 1, part: part)
        let (isSealed, names) = try names(of: part)
        try change(
            """
            INSERT INTO parts (level, sequence, prefix, seen, sealed, names, part)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                level, .number(added.sequence), .bytes(part.prefix.bytes),
                .bytes(Self.bytes(part.seen)), .integer(isSealed ? 1 : 0), .bytes(names),
                .bytes(part.blob),
            ])
        kept[part.level]?.append(added)
    }

    /// Replaces the names of the records: all else of a part stays.
    func replaceKept(_ part: KeptPart) throws {
        let level = part.part.level
        let (isSealed, names) = try names(of: part.part)
        try change(
            "UPDATE parts SET sealed = $3, names = $4 WHERE level = $1 AND sequence = $2",
            [
                .integer(Int64(level.rawValue)), .number(part.sequence),
                .integer(isSealed ? 1 : 0), .bytes(names),
            ])
        if let index = kept[level]?.firstIndex(where: { $0.sequence == part.sequence }) {
            kept[level]?[index] = part
        }
    }

    func removeKept(_ part: KeptPart) throws {
        let level = part.part.level
        try change(
            "DELETE FROM parts WHERE level = $1 AND sequence = $2",
            [.integer(Int64(level.rawValue)), .number(part.sequence)])
        // To remove them one by one from the array would take the square of their number.
        kept[level] = nil
    }

    /// The names of a part's records. In the chain of secrets they are sealed if a detail must be.
    private func names(of part: SealedPart) throws -> (isSealed: Bool, bytes: [UInt8]) {
        var writer = ByteWriter()
        for key in part.announced {
            writer.id(key.object)
            writer.field(key.field)
            writer.stamp(key.stamp)
        }
        guard chain == .secrets,
            part.announced.contains(where: { $0.field.hidesDetail(at: part.level) })
        else { return (false, writer.bytes) }
        return (true, try seal(writer.bytes, .names, namesPlace(part.prefix.bytes)))
    }

    private func namesPlace(_ prefix: [UInt8]) -> SealPlace {
        SealPlace(device: device, object: nil, level: .whileUnlocked, columns: prefix)
    }

    // MARK: Vectors

    static func bytes(_ vector: VersionVector) -> [UInt8] {
        var writer = ByteWriter()
        writer.vector(vector)
        return writer.bytes
    }

    func vector(_ bytes: [UInt8]) throws -> VersionVector {
        if let lastVector, lastVector.bytes == bytes { return lastVector.vector }
        let vector = ByteReader.reading(bytes) { reader -> VersionVector? in
            guard let vector = reader.vector(), reader.isAtEnd else { return nil }
            return vector
        }
        guard let vector else { throw SyncError.storeDamaged }
        lastVector = (bytes, vector)
        return vector
    }
}

extension DatabaseValue {
    /// A number of 64 bits without a sign.
    static func number(_ number: UInt64) -> DatabaseValue { .integer(Int64(bitPattern: number)) }
}

extension Row {
    /// A column with a number of 64 bits without a sign.
    func number(_ column: Int32) throws -> UInt64 { UInt64(bitPattern: try integer(column)) }

    /// A column with an id.
    func id<Subject>(
        _ column: Int32, of subject: Subject.Type = Subject.self
    ) throws -> SyncID<Subject> {
        guard let id = SyncID<Subject>(try bytes(column)) else { throw SyncError.storeDamaged }
        return id
    }
}

extension ByteReader {
    /// Reads the names of records.
    fileprivate static func names(_ bytes: [UInt8]) -> [RecordKey]? {
        reading(bytes) { reader in
            var keys: [RecordKey] = []
            while !reader.isAtEnd {
                guard let object = reader.id(of: SyncSubject.Object.self),
                    let field = reader.field(), let stamp = reader.stamp()
                else { return nil }
                keys.append(RecordKey(object, field, stamp))
            }
            return keys
        }
    }
}

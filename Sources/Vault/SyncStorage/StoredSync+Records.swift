internal import Database
internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import Sync
internal import TextCoding

// The SQL of records.
extension SQL {
    private static let oneRecord = """
        object = $1 AND field = $2 AND clock = $3 AND device = $4 AND detail IN ($5, $6, $7)
        """
    fileprivate static let containsRecord = SQL(
        constant: "SELECT 1 FROM records WHERE \(oneRecord)")
    fileprivate static let readRecord = SQL(
        constant: "SELECT \(RecordRow.columns) FROM records WHERE \(oneRecord)")
    fileprivate static let eraseRecord = SQL(constant: "DELETE FROM records WHERE \(oneRecord)")
    fileprivate static let readObject = SQL(
        constant: "SELECT \(RecordRow.columns) FROM records WHERE object = $1")
}

extension StoredSync {
    // MARK: Reading

    func objects() throws -> [ObjectID] {
        try rows("SELECT DISTINCT object FROM records ORDER BY object") { try $0.id(0) }
    }

    func recordsSize() throws -> Int {
        // A record's own columns take about as much as in a segment, where the vector is not repeated.
        let sizes = try rows(
            "SELECT coalesce(sum(length(content) + length(detail) + 40), 0) FROM records"
        ) { try $0.integer(0) }
        return Int(sizes[0])
    }

    func contains(_ key: RecordKey) throws -> Bool {
        try !rows(.containsRecord, parameters(key)) { try $0.integer(0) }.isEmpty
    }

    /// All kept records of an object.
    ///
    /// - Throws: `SyncError.levelLocked` if a content that is not secret, or a detail, is sealed under a missing key: the state over the
    ///   other records would be wrong. Of a secret without its key, the fingerprint and the size are stand-ins.
    func versions(of object: ObjectID) throws -> [Version] {
        if let found = recent.first(where: { $0.id == object }) { return found.versions }
        let versions = try rows(.readObject, [.bytes(object.bytes)]) { try RecordRow($0) }
            .map { try version($0) }.sorted { $0.key < $1.key }
        if recent.count == Self.recentLimit { recent.removeFirst() }
        recent.append((object, versions))
        return versions
    }

    private func version(_ row: RecordRow) throws -> Version {
        Version(
            try key(of: row), try content(row), row.level,
            Origin(dot: row.dot, seen: try vector(row.seen)), applied: row.applied,
            written: row.written)
    }

    private func content(_ row: RecordRow) throws -> RecordContent {
        let place = row.place(device)
        guard let stored = row.fingerprint else {
            return .open(row.isSealed ? try open(row.content, .content, place) : row.content)
        }
        guard let key = keys[row.level] else {
            return .secret(fingerprint: stored, size: row.content.count)
        }
        return try open(row.content, .secret, place) { secret in
            .secret(
                fingerprint: (keys[.afterVerification] ?? key).fingerprint(of: secret),
                size: secret.byteCount)
        }
    }

    func key(of row: RecordRow) throws -> RecordKey {
        let detail = try row.sealedDetail.map { try open($0, .detail, row.place(device)) }
        return RecordKey(row.object, RecordField(row.field, detail ?? row.detail), row.stamp)
    }

    func objects(named name: [UInt8]) throws -> [ObjectID] {
        // Without the key, only a store that cannot have names under it may answer.
        let key = chain == .list ? keys[.whileUnlocked] : try key(.whileUnlocked)
        let open = hash(name, nil)
        return try rows(
            "SELECT DISTINCT object FROM records WHERE name IN ($1, $2) ORDER BY object",
            [.bytes(open), .bytes(key.map { hash(name, $0) } ?? open)]
        ) { try $0.id(0) }
    }

    func withSecret(of key: RecordKey, _ body: (RawSpan) -> Void) throws {
        let row = try rows(.readRecord, parameters(key)) { try RecordRow($0) }.first
        guard let row, row.fingerprint != nil else { throw SyncError.storeDamaged }
        try open(row.content, .secret, row.place(device), body)
    }

    func fingerprint(of secret: RawSpan, _ level: SyncLevel) throws -> [UInt8] {
        // Under one key, so that secrets of all levels can be compared.
        try (keys[.afterVerification] ?? key(level)).fingerprint(of: secret)
    }

    // MARK: Changing

    func insert(_ version: Version) throws {
        guard case .open(let content) = version.content else {
            preconditionFailure("a secret content without its secret")
        }
        var row = try row(version)
        if version.field == .itemName {
            row.name = hash(content, version.level > .list ? try key(version.level) : nil)
        }
        row.content =
            row.isSealed ? try seal(content, .content, row.place(device)) : content
        try insert(row)
    }

    func insert(_ version: Version, secret: RawSpan) throws {
        var row = try row(version)
        row.fingerprint = try key(version.level).fingerprint(of: secret, object: version.object)
        row.content = try seal(secret, .secret, row.place(device))
        try insert(row)
    }

    func erase(_ keys: [RecordKey]) throws {
        recent = []
        for key in keys { try change(.eraseRecord, parameters(key)) }
    }

    /// The row of a record, without its content.
    private func row(_ version: Version) throws -> RecordRow {
        let seen = Self.bytes(version.origin.seen)
        guard version.field.hidesDetail(at: version.level) else {
            return RecordRow(version, detail: version.field.detail, seen: seen)
        }
        let hash = try key(version.level).hash(ofDetail: version.key)
        var row = RecordRow(version, detail: hash, seen: seen)
        row.sealedDetail = try seal(version.field.detail, .detail, row.place(device))
        return row
    }

    private func insert(_ row: RecordRow) throws {
        recent.removeAll { $0.id == row.object }
        // A record of this device that another one repeats came, too: this device had erased it.
        let isOwn =
            row.dot.device == device && row.dot.number > ledger.chains[device]?.number ?? 0
        try add(
            """
            INSERT OR IGNORE INTO records (object, field, detail, clock, device, level, written, author,
            number, seen, applied, unmirrored, name, sealed_detail, fingerprint, content)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
            """,
            [
                .bytes(row.object.bytes), .integer(Int64(row.field)), .bytes(row.detail),
                .number(row.stamp.clock), .bytes(row.stamp.device.bytes),
                .integer(Int64(row.level.rawValue)), .integer(Int64(row.written.rawValue)),
                .bytes(row.dot.device.bytes),
                .number(row.dot.number), .bytes(row.seen), .integer(row.applied),
                .integer(isOwn ? 0 : 1), .bytes(row.name), .bytes(row.sealedDetail),
                .bytes(row.fingerprint), .bytes(row.content),
            ])
    }

    /// The parameters by which a record is found, at whichever level it is.
    private func parameters(_ key: RecordKey) -> [DatabaseValue] {
        let details = SyncLevel.allCases.map { level in
            guard key.field.hidesDetail(at: level), let storeKey = keys[level] else {
                return key.field.detail
            }
            return storeKey.hash(ofDetail: key)
        }
        return [
            .bytes(key.object.bytes), .integer(Int64(key.field.number)), .number(key.stamp.clock),
            .bytes(key.stamp.device.bytes),
        ] + details.map { .bytes($0) }
    }

    /// The hash by which the objects with a name are found; without a key for names in the clear.
    private func hash(_ name: [UInt8], _ key: StoreKey?) -> [UInt8] {
        key?.hash(.name) { $0.feed(name) }
            ?? Blake2b.hash(size: StoreKey.Hash.size) { $0.feed(name) }
    }
}

extension StoreKey {
    fileprivate func fingerprint(of secret: RawSpan) -> [UInt8] {
        hash(.fingerprint) { $0.feed(secret) }
    }

    /// The fingerprint that is readable without the key. It tells nothing about the secrets of other objects.
    fileprivate func fingerprint(of secret: RawSpan, object: ObjectID) -> [UInt8] {
        let fingerprint = fingerprint(of: secret)
        return hash(.stored) { input in
            input.feed(object.bytes)
            input.feed(fingerprint)
        }
    }

    fileprivate func hash(ofDetail key: RecordKey) -> [UInt8] {
        hash(.detail) { input in
            input.feed(key.object.bytes)
            input.feed(key.field.number)
            input.feed(key.field.detail)
        }
    }
}

internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import VaultStorage

extension VaultSession {
    /// Opens the time and the reason of an earlier row.
    func openMove(of row: EarlierRecord) throws -> EarlierMove {
        try SecretBufferPool.shared.withBuffer(count: EarlierMove.plainSize) { buffer in
            do {
                try Sealing.open(
                    row.moved, under: keys.attribute,
                    context(.moved, row.itemID, row.accessClass, row.revision), into: &buffer)
            } catch SealingError.doesNotOpen {
                throw VaultError.damaged(.movedSeal)
            }
            guard let move = buffer.withBytes({ EarlierMove($0) }) else {
                throw VaultError.damaged(.movedContent)
            }
            return move
        }
    }

    /// The row of an item as an earlier row, with the same blobs.
    func earlier(_ row: ItemRecord, _ move: EarlierMove) -> EarlierRecord {
        let bytes = move.bytes
        return EarlierRecord(
            row,
            moved: Sealing.seal(
                unsafe bytes.span.bytes, under: keys.attribute,
                context(.moved, row.itemID, row.accessClass, row.revision),
                random: environment.random))
    }

    /// Reseals a row under the keys of `target` in a class; id, revision and times stay.
    func resealed(
        _ row: some SealedRow, _ accessClass: AccessClass, for target: VaultSession
    ) throws -> ItemRecord {
        let description = try openAttributes(of: row)
        return try withValue(of: row) { value in
            try value.withBytes { value in
                try target.seal(
                    value, description, accessClass, itemID: row.itemID, revision: row.revision)
            }
        }
    }

    /// The description of an earlier row.
    func describe(_ row: EarlierRecord, _ move: EarlierMove) throws -> EarlierSecret {
        EarlierSecret(
            id: row.itemID, item: try Self.item(row, openAttributes(of: row)), moved: move.time)
    }

    /// Verifies all earlier rows; `visit` gets each one, without its value.
    func forEachEarlier(
        _ reader: any RecordReader, _ visit: @escaping (EarlierRecord, EarlierMove) throws -> Void
    ) throws {
        try verifyAll(EarlierRecord.self, reader) { row in try visit(row, self.openMove(of: row)) }
    }

    /// As ``write(_:)``, for changes of items. At most once a day it also erases expired earlier rows.
    func change<Result>(_ body: (VaultChanges) throws -> Result) throws -> Result {
        let isDue = isSweepDue
        let result = try write { changes in
            if isDue {
                // Damage to other items does not prevent the change.
                do { try changes.eraseExpired() } catch VaultError.damaged {}
            } else {
                do { try changes.dispelDoubt() } catch VaultError.damaged {}
            }
            let result = try body(changes)
            try changes.saveDeferred(environment.deferredSecrets())
            return result
        }
        if isDue { lastSweep = environment.now() }
        return result
    }

    /// Whether this session has not erased expired earlier rows for a day.
    var isSweepDue: Bool {
        guard let lastSweep else { return true }
        return abs(lastSweep.distance(to: environment.now())) >= 86_400_000
    }

    /// The earlier rows to erase under this rule.
    ///
    /// - Parameters:
    ///   - retention: The rule.
    ///   - reader: The snapshot.
    ///   - doubt: The time of ``expiryDoubt``. Rows that were too old then are erased for their age, if it is at least a day ago.
    /// - Returns: The keys of the rows, and whether others are too old by the wall clock alone.
    /// - Throws: `damaged`; an error of the storage.
    func expiredEarlier(
        _ retention: EarlierRetention, _ reader: any RecordReader, since doubt: Int64?
    ) throws -> (keys: [RowKey], areOthersInDoubt: Bool) {
        guard index?.state.earlierCount != 0 else { return ([], false) }
        var moves: [[UInt8]: [(key: RowKey, move: EarlierMove)]] = [:]
        try forEachEarlier(reader) { row, move in
            moves[row.itemID, default: []].append((row.key, move))
        }
        func expired(at now: Int64?) -> [RowKey] {
            moves.values.flatMap { rows in
                let sorted = rows.sorted { $0.key.revision > $1.key.revision }
                let stays = retention.stays(
                    sorted.map { ($0.move.time, $0.move.isRemoval) }, now: now)
                return zip(sorted, stays).filter { !$1 }.map(\.0.key)
            }
        }
        let now = environment.now()
        let keys = expired(at: doubt.flatMap { Self.isDayBefore($0, now) ? $0 : nil })
        return (keys, expired(at: now).count > keys.count)
    }

    /// The item that says, by the time of its last change, when a change found earlier rows too old by its clock. A change by a clock a day
    /// earlier removes it: one wrong clock, or a second machine's, must not erase what it thinks is old.
    static var expiryDoubt: SecretName {
        get throws { try SecretName(service: ReservedService.expiry, account: "doubt") }
    }

    /// The time of ``expiryDoubt``; nil if there is no such item.
    func expiryDoubt(_ reader: any RecordReader) throws -> Int64? {
        let tag = try self.tag(of: Self.expiryDoubt)
        let key = RowKey(tag: tag)
        try verifyBucket(key.bucket, reader)
        return try matched(reader.item(tag: tag), key).map { try openAttributes(of: $0).modified }
    }

    /// Whether a time is at least 24 hours before another one.
    static func isDayBefore(_ time: Int64, _ other: Int64) -> Bool {
        let (difference, isTooLarge) = other.subtractingReportingOverflow(time)
        return isTooLarge ? time < other : difference >= 86_400_000
    }
}

extension VaultChanges {
    /// An earlier row of an item.
    typealias Earlier = (row: EarlierRecord, move: EarlierMove)

    /// The earlier rows of an item, the newest revision first, and whether each is young enough to be shown.
    func earlierRows(of itemID: [UInt8]) throws -> [(earlier: Earlier, isShown: Bool)] {
        let rows: [Earlier] = try earlierKeys(of: itemID).compactMap { key in
            try earlier(key).map { ($0, try session.openMove(of: $0)) }
        }
        return zip(rows, stays(rows, now: session.environment.now())).map { ($0, $1) }
    }

    /// Whether each row stays. Without a time only the number counts: ``eraseExpired()`` alone erases what is too old.
    private func stays(_ rows: [Earlier], now: Int64? = nil) -> [Bool] {
        state.settings.retention.stays(
            rows.map { ($0.move.time, $0.move.isRemoval) }, now: now)
    }

    /// Erases the expired earlier rows of all items. Call it before any other change of rows.
    func eraseExpired() throws {
        let now = session.environment.now()
        let item = try self.item(tag: session.tag(of: VaultSession.expiryDoubt))
        let doubt = try item.map { try session.openAttributes(of: $0).modified }
        let expired = try session.expiredEarlier(state.settings.retention, writer, since: doubt)
        for key in expired.keys {
            guard let row = try earlier(key) else { continue }
            try remove(row)
        }
        switch (item, doubt) {
        case (let item?, _) where !expired.areOthersInDoubt: try remove(item)
        case (let item?, let doubt?):
            guard VaultSession.isDayBefore(doubt, now) || VaultSession.isDayBefore(now, doubt)
            else { break }
            _ = try session.withValue(of: item) { value in
                try revise(item, SecretEdit(), to: value, isNewValue: false)
            }
        default:
            guard expired.areOthersInDoubt else { break }
            let value = try SecretBytes(count: 0)
            let new = try value.withBytes { bytes in
                try session.newItem(
                    bytes, VaultSession.expiryDoubt, SecretAttributes(),
                    random: session.environment.random)
            }
            try insert(new.row)
        }
    }

    /// Removes the doubt of a clock that was more than a day ahead of this one.
    func dispelDoubt() throws {
        guard state.earlierCount != 0,
            let item = try self.item(tag: session.tag(of: VaultSession.expiryDoubt)),
            VaultSession.isDayBefore(
                session.environment.now(), try session.openAttributes(of: item).modified)
        else { return }
        try remove(item)
    }

    /// Updates the earlier rows of an item after its row was replaced.
    ///
    /// - Parameters:
    ///   - old: The replaced row.
    ///   - accessClass: The new class.
    ///   - isKept: Whether the replaced row becomes an earlier one.
    /// - Throws: `damaged`; an error of the storage.
    func keepEarlier(_ old: ItemRecord, _ accessClass: AccessClass, isKept: Bool) throws {
        var rows = try earlierRows(of: old.itemID).map(\.earlier)
        var added: EarlierRecord?
        if isKept {
            let move = EarlierMove(time: session.environment.now(), isRemoval: false)
            let row =
                try needsReseal(old, accessClass)
                ? session.resealed(old, accessClass, for: session) : old
            added = session.earlier(row, move)
        }
        if let added { rows.insert((added, try session.openMove(of: added)), at: 0) }
        for ((row, move), stays) in zip(rows, try limited(rows, stays(rows))) {
            let isStored = row != added
            if !stays {
                if isStored { try remove(row) }
            } else if !isStored {
                try insert(row)
            } else if try needsReseal(row, accessClass) {
                // Otherwise a replaced value would be readable without verification.
                try remove(row)
                try insert(
                    session.earlier(session.resealed(row, accessClass, for: session), move))
            }
        }
    }

    /// Applies the limits of number and total size to the earlier versions of a file.
    private func limited(_ rows: [Earlier], _ stays: [Bool]) throws -> [Bool] {
        guard let newest = rows.first, try session.openAttributes(of: newest.row).name.isFile else {
            return stays
        }
        var size: UInt64 = 0
        // A version that is too large does not displace newer ones.
        return try zip(rows.enumerated(), stays).map { row, stays in
            let content = FileDescription(try session.openAttributes(of: row.element.row).extra)
            let total = size + (content?.size ?? 0)
            guard stays, row.offset < VaultFiles.earlierVersions, total <= VaultFiles.earlierSize
            else { return false }
            size = total
            return true
        }
    }

    private func needsReseal(_ row: some SealedRow, _ accessClass: AccessClass) throws -> Bool {
        try accessClass == .afterVerification && VaultSession.accessClass(of: row) != accessClass
    }

    /// Removes an item. It stays as an earlier row, or is erased with all its earlier rows.
    func remove(
        _ row: ItemRecord, of name: SecretName, at time: Int64, permanently isPermanent: Bool
    ) throws {
        let isKept =
            !isPermanent && name.keepsEarlier && state.settings.retention.removedDays > 0
        for (earlier, _) in try earlierRows(of: row.itemID) where !isKept {
            try remove(earlier.row)
        }
        try remove(row)
        if isKept {
            let move = EarlierMove(time: time, isRemoval: true)
            try insert(session.earlier(row, move))
        }
    }

    /// Restores a removed item under its name or another one.
    func restore(removed id: [UInt8], as newName: SecretName?) throws -> SecretItem {
        let rows = id.count == 16 ? try earlierRows(of: id) : []
        guard let last = rows.first, last.isShown, last.earlier.move.isRemoval else {
            throw SecureStoreError.notFound
        }
        let old = last.earlier.row
        var description = try session.openAttributes(of: old)
        let row: ItemRecord
        if let newName, newName != description.name {
            _ = try session.valueKey(VaultSession.accessClass(of: old))
            description.name = newName
            description.modified = session.environment.now()
            description = try description.checked()
            let revision = try session.nextRevision(after: old)
            let accessClass = try VaultSession.accessClass(of: old)
            row = try session.withValue(of: old) { value in
                try value.withBytes { value in
                    try session.seal(
                        value, description, accessClass, itemID: id, revision: revision)
                }
            }
        } else {
            row = ItemRecord(old, tag: session.tag(of: description.name))
        }
        guard try !contains(tag: row.tag) else { throw SecureStoreError.duplicate }
        try remove(old)
        try insert(row)
        // The remaining earlier rows are those of an existing item again.
        let others = try earlierRows(of: id).map(\.earlier)
        for (earlier, stays) in zip(others, stays(others)) where !stays { try remove(earlier.row) }
        return try VaultSession.item(row, description)
    }
}

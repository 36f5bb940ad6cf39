internal import SecretMemory
package import SecureStorage
internal import Sync
internal import SyncStorage

extension SecretMirror {
    /// The number of objects of one change, at most, and the size of its values. A change has at most 64 segments of 1 MiB.
    private static let batchCount = 256
    private static let batchSize = 8 << 20

    /// Writes records of what changed in the vault since the last round.
    ///
    /// Without the key V, values that need verification wait; the other fields of their objects are captured.
    ///
    /// - Parameter items: What the vault has, if it was listed just now.
    /// - Returns: What was captured, and what waits.
    /// - Throws: `SecureStoreError`, `SyncError`, the errors of the store. What was captured before stays.
    package func capture(of items: [SecretItem]? = nil) throws -> SecretMirrorReport {
        let items = try (items ?? secrets.list()).filter { Self.travels($0.name) }
        var report = SecretMirrorReport()
        if isResuming {
            // What concerns news comes first, while the chain says that this device has seen nothing.
            let news = try store.mirrorTransaction { try $0.news() }
            replica.isBlind = true
            defer { replica.isBlind = false }
            report = try capture(items) { news[$0] }
        }
        if !late.isEmpty { try replica.change { _ in late } }
        late = []
        report.add(try capture(items) { _ in true })
        return report
    }

    /// Captures the objects for which `news` is not nil. It is true for those with news that a person made.
    private func capture(
        _ items: [SecretItem], _ news: (ObjectID) -> Bool?
    ) throws -> SecretMirrorReport {
        var report = SecretMirrorReport()
        let differences = SecretDifferences(
            items, try store.mirrorTransaction { try $0.counterparts() })
        func isReady(_ pair: SecretDifferences.Pair) -> Bool {
            !waitingFiles.contains(pair.item.name)
        }
        func isWanted(_ pair: SecretDifferences.Pair) -> Bool {
            pair.counterpart.map { news($0.object) != nil } ?? true
        }
        var changed = differences.found.filter {
            $0.item.revision != $0.counterpart?.revision && isWanted($0) && isReady($0)
        }
        let renamed = differences.renamed.filter(isWanted)
        // These repeat records, which only a device that has seen them does.
        let restored = replica.isBlind ? [] : differences.restored.filter(isReady)
        let new = differences.new.filter(isReady)
        let vanished = differences.vanished.filter { news($0.object) == true }
        if changed.isEmpty, renamed.isEmpty, restored.isEmpty, new.isEmpty,
            vanished.isEmpty
        {
            return report
        }
        try replica.applyKept()
        // In this order no two secrets have one name at the end of a change, even if another device has only a part of the changes.
        let live = Set((differences.found + differences.renamed).compactMap(\.counterpart?.object))
        try captureRemoved(vanished, &report, keeping: live)
        changed += try captureRenamed(renamed)
        for pair in restored { changed.append(try captureRestored(pair)) }
        changed += new
        while !changed.isEmpty {
            let part = Array(changed.prefix(Self.batchCount))
            let read = try read(part)
            try store.mirrorTransaction { transaction in
                try captureFields(part, read, &report, transaction)
            }
            changed.removeFirst(part.count)
            changed += read.left.map { part[$0] }
        }
        return report
    }

    // MARK: Names

    private func captureRemoved(
        _ vanished: [Counterpart], _ report: inout SecretMirrorReport, keeping live: Set<ObjectID>
    ) throws {
        for start in stride(from: 0, to: vanished.count, by: 1_024) {
            try store.mirrorTransaction { transaction in
                var removed: Set<ObjectID> = []
                for counterpart in vanished[start...].prefix(1_024) {
                    let object = try transaction.mirrorObject(counterpart.object)
                    guard let state = object.state, live.isDisjoint(with: object.ids),
                        !removed.contains(object.id)
                    else {
                        // It is erased, or the vault still has another secret that became one with it.
                        try transaction.removeCounterpart(of: counterpart.object)
                        continue
                    }
                    if !state.isRemoved { removed.insert(object.id) }
                    if isAdopting { lacking.append(object.id) }
                    try transaction.set(counterpart.inTrash(SecretImage(state).name))
                    try transaction.mark(object, false)
                }
                guard !removed.isEmpty else { return }
                let drafts = removed.sorted().map { Draft($0, .remove, .whileUnlocked) }
                try replica.change(in: transaction) { _ in drafts }
                report.captured += removed.count
            }
        }
    }

    /// Captures all new names in one change. Otherwise a device that has only a part of it would take two secrets for one.
    private func captureRenamed(_ pairs: [SecretDifferences.Pair]) throws
        -> [SecretDifferences.Pair]
    {
        if pairs.isEmpty { return [] }
        return try store.mirrorTransaction { transaction in
            var drafts: [Draft] = []
            for pair in pairs {
                guard var counterpart = pair.counterpart else { continue }
                let object = try transaction.mirrorObject(counterpart.object)
                let name = pair.item.name.recordContent
                if object.state != nil,
                    object.knownFields.allSatisfy({ $0.content(of: .itemName) != name })
                {
                    drafts.append(
                        Draft(
                            object.id, .itemName, .whileUnlocked, name,
                            modified: modified(pair.item, .itemName, object)))
                }
                counterpart.name = CounterpartPlace.live(pair.item.name).bytes
                try transaction.place(counterpart)
            }
            if !drafts.isEmpty { try replica.change(in: transaction) { _ in drafts } }
            return pairs.map {
                var pair = $0
                pair.counterpart?.name = CounterpartPlace.live(pair.item.name).bytes
                return pair
            }
        }
    }

    private func captureRestored(_ pair: SecretDifferences.Pair) throws -> SecretDifferences.Pair {
        guard var counterpart = pair.counterpart else { return pair }
        counterpart.name = CounterpartPlace.live(pair.item.name).bytes
        // In one transaction: the secret may be removed again before a next call.
        return try store.mirrorTransaction { transaction in
            let object = try transaction.mirrorObject(counterpart.object)
            if object.state?.isRemoved == true {
                try replica.restore(object.id, in: transaction)
            }
            try transaction.place(counterpart)
            let restored = try transaction.mirrorObject(counterpart.object)
            try transaction.mark(restored, restored.isMarked)
            return SecretDifferences.Pair(item: pair.item, counterpart: counterpart)
        }
    }

    /// The time of a change, unless a stamp of that time would not be the newest of its field, and the only one.
    private func modified(
        _ item: SecretItem, _ field: RecordField, _ object: SecretMirrorObject?,
        after other: Stamp = .zero
    ) -> Int64? {
        var time = item.modified
        for id in object?.ids ?? [] {
            guard let (revision, fields) = unsent[id], revision == item.revision else { continue }
            time = fields[field.number]?.milliseconds ?? time
        }
        let newest = max(newest(field, object), other)
        // This home had seen the newest one that is no news, whatever the clocks say.
        if replica.isBlind { time = max(time, newest.milliseconds + 1) }
        let stamp = Stamp(milliseconds: time, device: replica.device)
        return time > 0 && time < now() && newest < stamp ? time : nil
    }

    /// The newest stamp of a field that a change has seen.
    private func newest(_ field: RecordField, _ object: SecretMirrorObject?) -> Stamp {
        object?.newestStamp(of: field, without: replica.isBlind ? object?.unmirrored ?? [] : [])
            ?? .zero
    }

    // MARK: Values

    /// A value of the vault, and the description of its revision.
    private struct ReadValue {
        let item: SecretItem
        let content: SecretContent
    }

    /// The values of a batch by index, each with the earlier ones since the last capture, ascending.
    private struct ReadValues {
        var values: [Int: [ReadValue]] = [:]
        var size = 0
        /// The indices of secrets that did not fit.
        var left: [Int] = []
        /// The indices of secrets that need verification.
        var waiting: Set<Int> = []
    }

    private func read(_ pairs: [SecretDifferences.Pair]) throws -> ReadValues {
        var read = ReadValues()
        let wanted = pairs.indices.filter {
            pairs[$0].item.revision != pairs[$0].counterpart?.revision
        }
        let (open, protected) = (
            wanted.filter { pairs[$0].item.attributes.accessClass == .whileUnlocked },
            wanted.filter { pairs[$0].item.attributes.accessClass == .afterVerification }
        )
        try self.read(open, of: pairs, &read)
        read.waiting = Set(protected)
        if hasVerificationKey {
            do {
                try self.read(protected, of: pairs, &read)
                read.waiting = []
            } catch SecureStoreError.notVerified {
                read.waiting.subtract(read.values.keys)
            }
        }
        return read
    }

    private func read(
        _ indices: [Int], of pairs: [SecretDifferences.Pair], _ read: inout ReadValues
    ) throws {
        var isFull = read.size >= Self.batchSize
        var next = 0
        while next < indices.count, !isFull {
            let first = next
            do {
                try secrets.readEach(indices[first...].map { pairs[$0].item.name }) {
                    (place, item, value) throws(SecureStoreError) in
                    let index = indices[first + place]
                    next = first + place + 1
                    if item.created == pairs[index].item.created {
                        read.values[index] = [try Self.copy(item, value)]
                        read.size += value.count
                    }
                    if read.size >= Self.batchSize {
                        isFull = true
                        throw .unavailable(.outOfMemory, detail: "a batch is full")
                    }
                }
                next = indices.count
            } catch {
                guard isFull else { throw error }
            }
        }
        read.left += indices[next...]
        for index in indices[..<next] {
            guard let current = read.values[index]?.first else { continue }
            let known = pairs[index].counterpart?.revision ?? 0
            let earlier = try earlier(current.item, since: known)
            read.values[index]?.insert(contentsOf: earlier, at: 0)
        }
    }

    /// The earlier values of a secret that were written after a revision, ascending.
    private func earlier(_ item: SecretItem, since known: UInt64) throws -> [ReadValue] {
        // The content of a file's earlier value may never have been at the remote.
        guard item.revision > known + 1, !item.name.isFile else { return [] }
        var values: [ReadValue] = []
        do {
            let history = try secrets.history(of: item.name).map(\.item.revision)
            for revision in history.sorted() where revision > known && revision < item.revision {
                values.append(
                    try secrets.readEarlier(item.name, revision: revision) {
                        (item, value) throws(SecureStoreError) in try Self.copy(item, value)
                    })
            }
        } catch {
            // The secret was removed, or the value expired, in this moment.
            guard error == .notFound else { throw error }
        }
        return values
    }

    private static func copy(
        _ item: SecretItem, _ value: borrowing SecretBytes
    ) throws(SecureStoreError) -> ReadValue {
        do {
            return ReadValue(item: item, content: SecretContent(try value.copy()))
        } catch {
            throw SecureStoreError(translating: error)
        }
    }

    // MARK: Fields

    /// Writes what differs from the records, and notes the revisions.
    private func captureFields(
        _ pairs: [SecretDifferences.Pair], _ read: ReadValues, _ report: inout SecretMirrorReport,
        _ transaction: any MirrorTransaction
    ) throws {
        let sealed = try transaction.keptParts(.afterVerification).flatMap(\.part.announced)
        let sealedValues = Set(sealed.filter { $0.field == .value }.map(\.object))
        let left = Set(read.left)
        var batch = DraftBatch(replica, transaction)
        for (index, pair) in pairs.enumerated() where !left.contains(index) {
            let values = read.values[index] ?? []
            let item = values.last?.item ?? pair.item
            let known = pair.counterpart?.revision ?? 0
            var isWaiting = read.waiting.contains(index)
            // A secret that changed its place in this moment is seen by the next round.
            if values.isEmpty, !isWaiting, item.revision != known { continue }
            let object = try object(for: pair, transaction)
            let id = object?.id ?? .random(from: random)
            let count = batch.count
            if object?.state == nil {
                try batch.add(id, .create, .whileUnlocked, [ObjectState.Kind.item])
            }
            let isComplete = try capture(item, id, object, &batch)
            if !values.isEmpty {
                let isSealed = object?.ids.contains(where: sealedValues.contains) ?? false
                isWaiting = try isSealed || !capture(values, id, object, &batch, transaction)
            }
            isWaiting = isWaiting || !isComplete
            if isWaiting { report.waiting.insert(item.name) }
            if batch.count > count { report.captured += 1 }
            try transaction.place(
                Counterpart(
                    pair.counterpart?.object ?? id, of: item,
                    revision: isWaiting ? known : item.revision))
        }
        try batch.flush()
    }

    /// The object of an item. A new item belongs to an object that has its name, and is not in the vault: it was just being applied, or
    /// both devices made it.
    private func object(
        for pair: SecretDifferences.Pair, _ transaction: any MirrorTransaction
    ) throws -> SecretMirrorObject? {
        if let counterpart = pair.counterpart {
            return try transaction.mirrorObject(counterpart.object)
        }
        guard let object = try transaction.mirrorObject(named: pair.item.name) else { return nil }
        let counterparts = try object.ids.compactMap { try transaction.counterpart(of: $0) }
        guard !counterparts.contains(where: \.isLive) else { return nil }
        for other in counterparts { try transaction.removeCounterpart(of: other.object) }
        // It may lack values of the object that were mirrored, in an item that is in the trash.
        let adopted = try transaction.adopted()
        try transaction.setAdopted(adopted.union([object.id]))
        return object
    }

    /// Writes the description that the records lack.
    ///
    /// - Returns: Whether it could; otherwise the end of protection needs verification.
    private func capture(
        _ item: SecretItem, _ id: ObjectID, _ object: SecretMirrorObject?,
        _ batch: inout DraftBatch
    ) throws -> Bool {
        var fields = item.recordFields
        for field in object?.base?.fields.keys.filter({ $0.attributeKey != nil }) ?? [] {
            fields[field] = fields[field] ?? AttributeContent.removed
        }
        let known = object?.knownFields ?? [[:]]
        var isComplete = true
        for (field, content) in fields.sorted(by: { $0.key < $1.key })
        where known.allSatisfy({ $0.content(of: field) != content }) {
            let time = modified(item, field, object)
            guard field == .protection, content == RecordContent.flag(false) else {
                try batch.add(id, field, .whileUnlocked, content, modified: time)
                continue
            }
            guard hasVerificationKey else {
                isComplete = false
                continue
            }
            let isNews = object?.unmirrored.contains { $0.field == .protection } ?? false
            if replica.isBlind, !isNews {
                late.append(Draft(id, field, .afterVerification, try .notProtected()))
                continue
            }
            try batch.add(
                id, field, .afterVerification, .notProtected(), size: content.count, modified: time)
        }
        return isComplete
    }

    /// Writes the values that the records lack, the current one last.
    ///
    /// - Returns: Whether it could; otherwise they need verification.
    private func capture(
        _ values: [ReadValue], _ id: ObjectID, _ object: SecretMirrorObject?,
        _ batch: inout DraftBatch, _ transaction: any MirrorTransaction
    ) throws -> Bool {
        guard let current = values.last else { return true }
        let isProtected =
            current.item.attributes.accessClass == .afterVerification
            || object?.state?.isProtected ?? false
        guard !isProtected || hasVerificationKey else { return false }
        let comparison = ValueComparison(transaction, canVerify: hasVerificationKey)
        var new: [ReadValue] = []
        for value in values.dropLast() {
            let isRepeated = (new + [current]).contains {
                $0.content.bytes.isEqual(to: value.content.bytes)
            }
            let isKnown = try comparison.contains(value.content.bytes, in: object?.values ?? [])
            if !isRepeated && !isKnown { new.append(value) }
        }
        // An unmirrored value is there because a change of the vault was interrupted.
        let shown =
            [object?.base, object?.state].compactMap { $0?.fields[.value]?.current }
            + (object?.values.filter { object?.unmirrored.contains($0.key) ?? false } ?? [])
        let isShown = try comparison.contains(current.content.bytes, in: shown)
        if !new.isEmpty || !isShown { new.append(current) }
        if replica.isBlind, !new.isEmpty, let known = object?.base?.fields[.value] {
            // They are no alternatives to what was typed in their place.
            let replaced = known.earlier.filter { !$0.isConcurrent }.map(\.version.stamp)
            try batch.add(
                id, .looked, .whileUnlocked,
                RecordContent.stamps(Set(replaced + [known.current.stamp])))
        }
        var newest = Stamp.zero
        for value in new {
            let time = modified(value.item, .value, object, after: newest)
            try batch.add(
                id, .value, isProtected ? .afterVerification : .whileUnlocked,
                .secret(value.content), size: value.content.bytes.count, modified: time)
            newest =
                time.map { Stamp(milliseconds: $0, device: replica.device) }
                ?? Stamp(clock: .max, device: replica.device)
        }
        return true
    }
}

/// Drafts of one transaction. Two versions of one field, both without a time of their own, come into two changes.
private struct DraftBatch {
    private static let size = 8 << 20

    private struct Place: Hashable {
        let object: ObjectID
        let field: RecordField
    }

    private let replica: Replica
    private let transaction: any MirrorTransaction
    private var drafts: [Draft] = []
    private var stamped: Set<Place> = []
    private var size = 0
    private(set) var count = 0

    init(_ replica: Replica, _ transaction: any MirrorTransaction) {
        self.replica = replica
        self.transaction = transaction
    }

    mutating func add(
        _ object: ObjectID, _ field: RecordField, _ level: SyncLevel, _ content: Draft.Content,
        size: Int, modified: Int64? = nil
    ) throws {
        let place = Place(object: object, field: field)
        if self.size > Self.size || (modified == nil && stamped.contains(place)) { try flush() }
        if modified == nil { stamped.insert(place) }
        drafts.append(Draft(object, field, level, content, modified: modified))
        self.size += size
        count += 1
    }

    mutating func add(
        _ object: ObjectID, _ field: RecordField, _ level: SyncLevel, _ content: [UInt8],
        modified: Int64? = nil
    ) throws {
        try add(object, field, level, .open(content), size: content.count, modified: modified)
    }

    /// Writes the drafts as a change.
    mutating func flush() throws {
        guard !drafts.isEmpty else { return }
        let written = drafts
        try replica.change(in: transaction) { _ in written }
        drafts = []
        stamped = []
        size = 0
    }
}

internal import SecureStorage
internal import Sync
internal import SyncStorage

extension SecretMirror {
    /// Changes in the vault what records of other devices say.
    ///
    /// A secret that changed in the vault since the last capture is left for the next round, and so is a change that needs verification.
    ///
    /// - Parameter isOverwriting: Whether every secret becomes what the records say, also one that changed in the vault: the vault was put
    ///   back to an old copy. No capture may come before; secrets that the records do not know stay.
    /// - Returns: What was changed, and what waits.
    /// - Throws: `SecureStoreError`, `SyncError`, the errors of the store. The next call continues.
    package func apply(overwriting isOverwriting: Bool = false) throws -> SecretMirrorReport {
        let (unmirrored, counterparts) = try store.mirrorTransaction {
            (
                try $0.unmirrored() + (isAdopting ? $0.adopted().sorted() : []),
                isOverwriting ? try $0.counterparts() : []
            )
        }
        let objects = Set(unmirrored).union(counterparts.map(\.object)).sorted()
        if objects.isEmpty { return SecretMirrorReport() }
        if !isOverwriting { try keepEntries(unmirrored) }
        let application = SecretApplication(
            self, try secrets.list().filter { Self.travels($0.name) },
            isOverwriting ? counterparts : nil)
        try application.plan(objects)
        try application.remove()
        try application.renameTogether()
        try application.make()
        try application.makeEach()
        return application.report
    }

    /// Restores fields of entries: if another device removed an entry, and this one changed a field of it without having seen that, the whole
    /// entry stays, and not that field alone.
    private func keepEntries(_ unmirrored: [ObjectID]) throws {
        let restored = try store.mirrorTransaction { transaction in
            var removed: [EntryRemoval: [(object: SecretMirrorObject, remove: Version)]] = [:]
            for id in unmirrored {
                guard try transaction.unmirrored(of: id).contains(where: { $0.field == .remove }),
                    let name = try transaction.counterpart(of: id)?.lastName
                else { continue }
                let object = try transaction.mirrorObject(id)
                for remove in object.versions
                where remove.field == .remove && object.unmirrored.contains(remove.key) {
                    let removal = EntryRemoval(
                        stamp: remove.stamp, service: name.service, account: name.account)
                    removed[removal, default: []].append((object, remove))
                }
            }
            return removed.values.flatMap { fields -> [ObjectID] in
                let isChanged = fields.contains { object, remove in
                    object.state?.isRemoved == false
                        && object.versions.contains {
                            $0.origin.dot.device == replica.device && $0.field.isChangeByPerson
                                && !remove.hasSeen($0)
                        }
                }
                if !isChanged { return [] }
                return fields.filter { object, remove in
                    // One that was removed by itself, too, stays removed.
                    object.state?.isRemoved == true
                        && object.versions.allSatisfy { $0.field != .remove || remove.hasSeen($0) }
                }.map(\.object.id)
            }
        }
        for object in Set(restored).sorted() {
            try store.mirrorTransaction { try replica.restore(object, in: $0) }
        }
    }
}

/// The removal of an entry: one change that removed several of its fields.
private struct EntryRemoval: Hashable {
    let stamp: Stamp
    let service: String
    let account: String
}

/// One application of records to the vault.
final class SecretApplication {
    /// A secret of the vault, and the counterpart that names it.
    struct Present {
        let counterpart: Counterpart
        var item: SecretItem
    }

    /// An object that is in the trash now.
    struct Removal {
        let object: SecretMirrorObject
        let present: [Present]
        /// Whether the trash of the vault then has all of the object.
        let isWhole: Bool
    }

    /// An object that is not in the trash.
    struct Change {
        let object: SecretMirrorObject
        let image: SecretImage
        let name: SecretName
        /// The secret of the vault; nil for one to be saved.
        var present: Present?
        /// Other secrets of the vault that became one with it.
        var others: [Present] = []
        /// The counterpart in the trash.
        var trash: Counterpart?
        /// Whether the secret changed in the vault since its counterpart was set.
        var isChanged = false
        /// Whether the vault may lack earlier values that were mirrored: they came from another item of it.
        var lacksEarlier = false
        /// Whether the vault may have another value.
        var isValueInDoubt = false

        /// Whether no other change must come before it, or with it.
        func isAlone(_ items: [SecretName: SecretItem]) -> Bool {
            guard let present else { return trash == nil && items[name] == nil }
            return others.isEmpty && present.item.name == name
        }

        /// How the description in the vault differs.
        var edit: SecretEdit? { present.flatMap { image.edit(of: $0.item) } }
    }

    let mirror: SecretMirror
    let isOverwriting: Bool
    var report = SecretMirrorReport()
    /// The secrets of the vault, as they are now.
    var items: [SecretName: SecretItem]
    /// The trash of the vault, once it was read.
    var inTrash: [EarlierSecret]?
    var removals: [Removal] = []
    var changes: [Change] = []
    /// The secrets of counterparts whose name or time need not fit, if the vault was put back.
    private let itemsOfObjects: [ObjectID: SecretItem]
    private var planned: Set<ObjectID> = []
    /// Objects whose changes are planned again, and made, in parts.
    private var alone: [ObjectID] = []
    /// The number of objects that are planned together.
    private static let batchCount = 512

    init(_ mirror: SecretMirror, _ items: [SecretItem], _ counterparts: [Counterpart]?) {
        self.mirror = mirror
        self.items = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0) })
        isOverwriting = counterparts != nil
        let differences = SecretDifferences(items, counterparts ?? [])
        let pairs = [differences.found, differences.renamed, differences.restored].joined()
        itemsOfObjects = Dictionary(
            uniqueKeysWithValues: pairs.compactMap { pair in
                pair.counterpart.map { ($0.object, pair.item) }
            })
    }

    // MARK: The plan

    /// Decides about objects; those that need no change of the vault are done then.
    func plan(_ objects: [ObjectID]) throws {
        for start in stride(from: 0, to: objects.count, by: Self.batchCount) {
            let before = changes.count
            try mirror.store.mirrorTransaction { transaction in
                for id in objects[start...].prefix(Self.batchCount) where !planned.contains(id) {
                    let object = try transaction.mirrorObject(id)
                    planned.formUnion(object.ids)
                    try plan(object, transaction)
                }
            }
            // All records of a whole vault are too much for memory.
            if objects.count <= Self.batchCount { continue }
            let new = changes[before...]
            alone += new.filter { $0.isAlone(items) }.map(\.object.id)
            changes.replaceSubrange(before..., with: new.filter { !$0.isAlone(items) })
        }
    }

    /// Makes the planned changes that are left after removals and renames.
    func make() throws {
        try editTogether()
        try change()
        try save()
    }

    /// Makes the changes that no other ones concern.
    func makeEach() throws {
        for start in stride(from: 0, to: alone.count, by: Self.batchCount) {
            let part = Array(alone[start...].prefix(Self.batchCount))
            changes = []
            planned.subtract(part)
            try plan(part)
            try make()
        }
    }

    private func plan(
        _ object: SecretMirrorObject, _ transaction: any MirrorTransaction
    ) throws {
        guard let state = object.state else {
            // It was erased, or its part U has no key yet.
            guard try transaction.keptParts(.whileUnlocked).isEmpty else { return }
            let present = presents(try transaction.counterparts(of: object))
            if object.versions.contains(where: { $0.field == .remove }),
                !present.isEmpty,
                present.allSatisfy({ $0.item.revision == $0.counterpart.revision })
            {
                // This home was away when the others removed and erased it.
                removals.append(Removal(object: object, present: present, isWhole: true))
            } else {
                try transaction.setMirrored(object)
            }
            return
        }
        try transaction.mark(object, object.isMarked)
        let image = SecretImage(state)
        let counterparts = try transaction.counterparts(of: object)
        let present = presents(counterparts)
        let missing = counterparts.filter { counterpart in
            counterpart.isLive
                && !present.contains { $0.counterpart.object == counterpart.object }
        }
        if let counterpart = missing.first, !isOverwriting {
            // It was removed in this moment, or has another name now.
            if let name = counterpart.lastName ?? image.name { report.postponed.insert(name) }
            return
        }
        for counterpart in missing { try transaction.removeCounterpart(of: counterpart.object) }
        let isChanged =
            !isOverwriting
            && present.contains { $0.item.revision != $0.counterpart.revision }
        let trash = counterparts.first { !$0.isLive }
        if state.isRemoved {
            let isWhole =
                trash?.created == .min || present.isEmpty && trash == nil
                || !object.hasUnmirroredContent
            if isChanged {
                report.postponed.formUnion(present.map(\.item.name))
            } else if present.isEmpty {
                if trash == nil {
                    let never = Counterpart(object.id, name: [], revision: 0, created: .min)
                    try transaction.set(never.inTrash(image.name))
                }
                if isWhole { try transaction.setMirrored(object) }
            } else {
                removals.append(Removal(object: object, present: present, isWhole: isWhole))
            }
            return
        }
        guard state.kind == ObjectState.Kind.item, let name = image.name,
            SecretMirror.travels(name)
        else {
            report.refused += 1
            return try transaction.setMirrored(object)
        }
        let first = present.firstIndex { $0.item.name == name } ?? 0
        var change = Change(object: object, image: image, name: name)
        if !present.isEmpty {
            change.present = present[first]
            change.others = present.enumerated().filter { $0.offset != first }.map(\.element)
        }
        change.trash = trash
        change.isChanged = isChanged
        change.lacksEarlier =
            try isOverwriting || object.ids.count > 1
            || !transaction.adopted().isDisjoint(with: object.ids)
        change.isValueInDoubt =
            isChanged || change.lacksEarlier
            || object.base?.fields[.value]?.current.key != image.value?.key
            || object.unmirrored.contains { $0.field == .value }
        if present.isEmpty || change.edit != nil || change.isValueInDoubt {
            changes.append(change)
        } else {
            try transaction.setMirrored(object)
        }
    }

    private func presents(_ counterparts: [Counterpart]) -> [Present] {
        counterparts.compactMap { counterpart in
            item(of: counterpart).map { Present(counterpart: counterpart, item: $0) }
        }
    }

    private func item(of counterpart: Counterpart) -> SecretItem? {
        if isOverwriting { return itemsOfObjects[counterpart.object] }
        guard case .live(let name) = counterpart.place, let item = items[name],
            item.created == counterpart.created
        else { return nil }
        return item
    }

    // MARK: Names

    /// Removes what is in the trash now.
    func remove() throws {
        for start in stride(from: 0, to: removals.count, by: 256) {
            let part = removals[start...].prefix(256)
            let removed = part.map(\.present).joined().map {
                SecretChange($0.item.name, expecting: $0.item.revision, .remove(permanently: false))
            }
            let isDone = try together(removed) != nil
            try mirror.store.mirrorTransaction { transaction in
                for removal in part {
                    if !isDone, try !removeEach(removal.present) { continue }
                    for (place, present) in removal.present.enumerated() {
                        items[present.item.name] = nil
                        report.removed.insert(present.item.name)
                        if place == 0 {
                            try transaction.set(present.counterpart.inTrash(present.item.name))
                        } else {
                            try transaction.removeCounterpart(of: present.counterpart.object)
                        }
                    }
                    if removal.isWhole { try transaction.setMirrored(removal.object) }
                }
            }
        }
    }

    /// Removes the secrets of one object, each by itself.
    private func removeEach(_ all: [Present]) throws -> Bool {
        for present in all {
            let isRemoved = try attempt(present.item.name) {
                try mirror.secrets.remove(present.item.name, expecting: present.item.revision)
            }
            if !isRemoved { return false }
        }
        return true
    }

    /// Renames secrets whose new name another one gives up, such as two that exchange their names, in one step.
    func renameTogether() throws {
        var movers: [SecretName: Int] = [:]
        for (index, change) in changes.enumerated() where change.edit?.name != nil {
            guard let name = change.present?.item.name, isPermitted(change), !change.isChanged
            else { continue }
            movers[name] = index
        }
        let candidates = movers.count
        // A mover stays if the owner of its new name stays.
        for _ in 0..<candidates {
            let staying = movers.filter { _, index in
                items[changes[index].name] != nil && movers[changes[index].name] == nil
            }
            if staying.isEmpty { break }
            for name in staying.keys { movers[name] = nil }
        }
        let entering = movers.values.filter { items[changes[$0].name] != nil }
        let together = Set(entering).union(entering.compactMap { movers[changes[$0].name] })
            .sorted()
        if together.isEmpty { return }
        var first: [SecretChange] = []
        var second: [SecretChange] = []
        for index in together {
            guard let item = changes[index].present?.item else { continue }
            let between = try SecretName(
                service: SecretName.reservedPrefix + "sync-rename",
                account: changes[index].object.id.text)
            first.append(
                SecretChange(
                    item.name, expecting: item.revision, .edit(SecretEdit(name: between))))
            second.append(
                SecretChange(
                    between, expecting: nil, .edit(SecretEdit(name: changes[index].name))))
        }
        var renamed: [SecretItem] = []
        guard
            try attempt(
                changes[together[0]].name, { renamed = try mirror.secrets.change(first + second) })
        else { return }
        for index in together {
            items[changes[index].present?.item.name ?? changes[index].name] = nil
        }
        for (index, item) in zip(together, renamed.suffix(together.count)) {
            items[item.name] = item
            changes[index].present?.item = item
            report.changed.insert(item.name)
        }
        // The counterparts follow with the rest of their changes, or with the next capture, which finds nothing new.
        try mirror.store.mirrorTransaction { transaction in
            for index in together {
                guard let present = changes[index].present else { continue }
                try transaction.place(
                    Counterpart(
                        present.counterpart.object, of: present.item,
                        revision: present.item.revision))
            }
        }
    }

    // MARK: Errors

    /// Whether a change can be made without verification, or the key is there.
    func isPermitted(_ change: Change) -> Bool {
        if mirror.hasVerificationKey { return true }
        let classes = [
            change.present?.item.attributes.accessClass, change.image.attributes.accessClass,
        ]
        if classes.contains(.afterVerification) { return false }
        return !change.isValueInDoubt || change.image.value?.level != .afterVerification
    }

    /// Makes a change of one secret.
    ///
    /// - Returns: Whether it was made; otherwise the report says why not.
    func attempt(_ name: SecretName, _ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch let error as SecureStoreError {
            switch error {
            case .notVerified: report.waiting.insert(name)
            case .conflict, .notFound, .duplicate: report.postponed.insert(name)
            case .tooLarge, .invalidName: report.refused += 1
            case .locked, .keysReplaced, .damaged, .unavailable: throw error
            }
            return false
        }
    }

    /// Makes changes in one step; nil if it is refused because of one of them.
    func together(_ changes: [SecretChange]) throws -> [SecretItem]? {
        do {
            return try mirror.secrets.change(changes)
        } catch {
            guard Self.concernsOneSecret(error) else { throw error }
            return nil
        }
    }

    static func concernsOneSecret(_ error: SecureStoreError) -> Bool {
        switch error {
        case .notVerified, .conflict, .notFound, .duplicate, .tooLarge, .invalidName: true
        case .locked, .keysReplaced, .damaged, .unavailable: false
        }
    }
}

extension MirrorTransaction {
    fileprivate func counterparts(of object: SecretMirrorObject) throws -> [Counterpart] {
        try object.ids.compactMap { try counterpart(of: $0) }
    }
}

extension SecretMirrorObject {
    /// Whether the vault lacks more than removes, marks and joins of objects.
    fileprivate var hasUnmirroredContent: Bool {
        unmirrored.contains { $0.field.number > RecordField.looked.number }
    }
}

internal import SecretMemory
internal import SecureStorage
internal import Sync
internal import SyncStorage

/// An object of the records, with all that are joined with it.
struct SecretMirrorObject {
    /// Ascending; the first is the id of all.
    let ids: [ObjectID]
    /// The records above the level *list*: the key of that level lies open on a locked machine.
    let versions: [Version]
    /// The records of other devices that the vault does not have yet.
    let unmirrored: Set<RecordKey>
    /// The state over all records; nil if the object was erased.
    let state: ObjectState?
    /// The state over the mirrored records: what the vault had.
    let base: ObjectState?

    var id: ObjectID { ids[0] }

    /// Whether a person should look at it.
    var isMarked: Bool { state?.isMarked ?? false }

    /// The contents of an item's fields that are no news: those that the vault had, and those that it is about to get.
    var knownFields: [[RecordField: [UInt8]]] {
        [base?.recordFields ?? [:], state?.recordFields ?? [:]]
    }

    /// All versions of the value.
    var values: [Version] { versions.filter { $0.field == .value } }

    /// The newest stamp of a field. No record of it that was erased is newer, because a remove that had seen it stays.
    func newestStamp(of field: RecordField, without hidden: Set<RecordKey>) -> Stamp {
        versions.filter { version in
            (version.field == field || version.field == .remove) && !hidden.contains(version.key)
        }.map(\.stamp).max() ?? .zero
    }
}

extension MirrorTransaction {
    /// An object with those that are joined with it.
    func mirrorObject(_ object: ObjectID) throws -> SecretMirrorObject {
        var ids: Set<ObjectID> = [object]
        var waiting = [object]
        var all: [Version] = []
        var unmirrored: Set<RecordKey> = []
        while let next = waiting.popLast() {
            for version in try versions(of: next) where version.level > .list {
                all.append(version)
                if let other = version.field.aliased, ids.insert(other).inserted {
                    waiting.append(other)
                }
            }
            unmirrored.formUnion(try self.unmirrored(of: next))
        }
        all.sort { $0.key < $1.key }
        let state = ObjectState(all)
        return SecretMirrorObject(
            ids: ids.sorted(), versions: all, unmirrored: unmirrored, state: state,
            base: unmirrored.isEmpty
                ? state : ObjectState(all.filter { !unmirrored.contains($0.key) }))
    }

    /// The object of a secret that is not in the trash.
    func mirrorObject(named name: SecretName) throws -> SecretMirrorObject? {
        if let counterpart = try self.counterpart(named: CounterpartPlace.live(name).bytes) {
            return try mirrorObject(counterpart.object)
        }
        for id in try objects(named: name.recordContent) {
            let object = try mirrorObject(id)
            if let state = object.state, state.kind == ObjectState.Kind.item, !state.isRemoved,
                SecretImage(state).name == name
            {
                return object
            }
        }
        return nil
    }

    /// Objects that got an item of the vault that was not made from their records, and may lack earlier values.
    func adopted() throws -> Set<ObjectID> {
        let bytes = try note("adopted") ?? []
        return Set(
            stride(from: 0, to: bytes.count, by: ObjectID.size).compactMap {
                ObjectID(Array(bytes[$0...].prefix(ObjectID.size)))
            })
    }

    func setAdopted(_ objects: Set<ObjectID>) throws {
        try setNote("adopted", objects.sorted().flatMap(\.bytes))
    }

    /// Notes that the vault has all records of an object.
    func setMirrored(_ object: SecretMirrorObject) throws {
        for id in object.ids { try setMirrored(id) }
        let adopted = try adopted()
        if !adopted.isDisjoint(with: object.ids) {
            try setAdopted(adopted.subtracting(object.ids))
        }
    }

    /// Marks an object, or clears its mark.
    func mark(_ object: SecretMirrorObject, _ isMarked: Bool) throws {
        for id in object.ids { try setMarked(id, isMarked && id == object.id) }
    }
}

/// The secret that the records of an object describe.
struct SecretImage {
    /// Nil if the records have no valid name.
    let name: SecretName?
    let attributes: SecretAttributes
    /// The version of the value that is shown; nil if none has come.
    let value: Version?

    init(_ state: ObjectState) {
        name = state.fields[.itemName]?.current.content.bytes.flatMap { SecretName(record: $0) }
        value = state.fields[.value]?.current
        let extra = state.fields.compactMap { field, versions -> ExtraAttribute? in
            guard let key = field.attributeKey,
                let text = versions.current.content.bytes.flatMap(AttributeContent.text)
            else { return nil }
            return ExtraAttribute(key: key, text: text)
        }
        let label = state.fields[.label]?.current.content.bytes ?? []
        attributes = SecretAttributes(
            label: String(decoding: label, as: UTF8.self),
            accessClass: state.isProtected ? .afterVerification : .whileUnlocked,
            extra: extra.sorted { $0.key.precedesInBytes($1.key) })
    }

    /// How a description differs from this one; nil if it does not.
    func edit(of item: SecretItem) -> SecretEdit? {
        var edit = SecretEdit()
        if let name, name != item.name { edit.name = name }
        let old = item.attributes
        if !attributes.label.hasSameBytes(as: old.label) { edit.label = attributes.label }
        if attributes.accessClass != old.accessClass { edit.accessClass = attributes.accessClass }
        if attributes.extra != old.extra { edit.extra = attributes.extra }
        return edit == SecretEdit() ? nil : edit
    }
}

/// The content of an attribute: flag 1 and its text, or flag 0 if it was removed (`Docs/Sync.md`, section 5).
enum AttributeContent {
    static let removed: [UInt8] = [0]

    static func bytes(_ text: String) -> [UInt8] { [1] + Array(text.utf8) }

    /// The text; nil if it was removed, or is malformed.
    static func text(_ content: [UInt8]) -> String? {
        guard content.first == 1 else { return nil }
        return String(validating: content.dropFirst(), as: UTF8.self)
    }
}

extension RecordField {
    /// The key of an attribute; nil for other fields.
    var attributeKey: String? {
        number == RecordField.attribute("").number
            ? String(validating: detail, as: UTF8.self) : nil
    }
}

extension SecretName {
    /// The content of `RecordField.itemName`: service, account and field, each as `text`.
    var recordContent: [UInt8] {
        var writer = ByteWriter()
        writer.name(self)
        return writer.bytes
    }

    init?(record content: [UInt8]) {
        let name = ByteReader.reading(content) { reader -> SecretName? in
            let name = reader.name()
            return reader.isAtEnd ? name : nil
        }
        guard let name else { return nil }
        self = name
    }
}

extension SecretItem {
    /// The fields of the records that describe this item, without its value.
    var recordFields: [RecordField: [UInt8]] {
        var fields: [RecordField: [UInt8]] = [
            .itemName: name.recordContent, .label: Array(attributes.label.utf8),
            .protection: RecordContent.flag(attributes.accessClass == .afterVerification),
        ]
        for attribute in attributes.extra {
            fields[.attribute(attribute.key)] = AttributeContent.bytes(attribute.text)
        }
        return fields
    }
}

extension [RecordField: [UInt8]] {
    /// The content of an item's field, also of one that has no record.
    func content(of field: RecordField) -> [UInt8] {
        if let content = self[field] { return content }
        if field.attributeKey != nil { return AttributeContent.removed }
        return field == .protection ? RecordContent.flag(false) : []
    }
}

extension ObjectState {
    /// The contents that ``SecretItem/recordFields`` are compared with.
    var recordFields: [RecordField: [UInt8]] {
        var found: [RecordField: [UInt8]] = [.protection: RecordContent.flag(isProtected)]
        for (field, versions) in fields
        where field == .itemName || field == .label || field.attributeKey != nil {
            found[field] = versions.current.content.bytes ?? []
        }
        return found
    }
}

/// Compares secrets of the vault with those of the records, by their fingerprints.
struct ValueComparison {
    private let transaction: any MirrorTransaction
    private let canVerify: Bool

    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - canVerify: Whether the key V is there. Without it, a secret of that level is equal to none.
    init(_ transaction: any MirrorTransaction, canVerify: Bool) {
        self.transaction = transaction
        self.canVerify = canVerify
    }

    /// Whether one of the versions has this secret.
    func contains(_ secret: borrowing SecretBytes, in versions: [Version]) throws -> Bool {
        let size = secret.count
        var fingerprints: [SyncLevel: [UInt8]] = [:]
        for version in versions where canVerify || version.level < .afterVerification {
            guard case .secret(let other, size) = version.content else { continue }
            let own =
                try fingerprints[version.level]
                ?? secret.withBytes { try transaction.fingerprint(of: $0, version.level) }
            fingerprints[version.level] = own
            if own == other { return true }
        }
        return false
    }
}

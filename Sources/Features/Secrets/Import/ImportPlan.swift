internal import Sealing
internal import SecretMemory
public import SecureStorage

/// The decision of an import about each record of a file, based on the secrets of a store.
///
/// A record is an entry; in TaskVault's formats it is one secret. Each record gets the number of an
/// existing entry of its name. An entry with the same values comes first, and then one with the
/// same first value. An entry with another value or URL in common comes third. Remaining records
/// get the lowest free numbers.
///
/// So a repeated import makes no copies, even if records of a name were added or reordered.
public struct ImportPlan: Sendable {
    /// The decision about one record.
    struct Record: Sendable {
        var number = 1
        /// The comparison with the existing entry; nil for a new entry.
        var existing: ExistingValues?
        var accessClass: AccessClass
        /// Whether the existing entry has a field for its URL.
        var hasAddressField = false

        init(accessClass: AccessClass) {
            self.accessClass = accessClass
        }
    }

    /// The maximum size of a step of ``changes``: the attributes in bytes, and 512 bytes for each
    /// change.
    private static let stepSize = 131_072

    /// The changes before the secrets are saved, in steps. The other fields of a replaced entry get
    /// its class, label, tags and URL.
    public private(set) var changes: [[SecretChange]] = []
    /// Whether existing entries are replaced.
    public let isReplacing: Bool
    private(set) var records: [Record]
    /// How many names were looked up or tried: a few for each record.
    private(set) var triedNames: Int

    /// Makes a plan.
    init(
        _ sketches: [ImportSketch], _ existing: ExistingSecrets, replacing isReplacing: Bool,
        as named: AccessClass?
    ) throws {
        self.isReplacing = isReplacing
        triedNames = existing.lookups
        records = sketches.map { Record(accessClass: $0.attributes.accessClass) }
        try setNumbers(of: sketches, existing, named)
        try setClasses(of: sketches, existing, named)
    }

    private mutating func setNumbers(
        of sketches: [ImportSketch], _ existing: ExistingSecrets, _ named: AccessClass?
    ) throws {
        var registry = NameRegistry()
        var remaining: [Int] = []
        // First the same values, then the same first value.
        var whole = existing.numbersByContent
        for (place, sketch) in sketches.enumerated() {
            let number = try whole.claim(sketch.contentKey, for: sketch.name, &registry)
            if let number { records[place].number = number } else { remaining.append(place) }
        }
        var first = existing.numbersByValue
        var rest: [Int] = []
        for place in remaining {
            let sketch = sketches[place]
            let number = try first.claim(sketch.firstKey, for: sketch.name, &registry)
            if let number { records[place].number = number } else { rest.append(place) }
        }
        // Then any other value or the URL in common, for example the same TOTP seed with a new
        // password.
        let unlike = try rest.filter { place in
            for key in sketches[place].otherKeys {
                if let number = try first.claim(key, for: sketches[place].name, &registry) {
                    records[place].number = number
                    return false
                }
            }
            return true
        }
        for place in unlike { records[place].number = try registry.claim(sketches[place].name) }
        triedNames += registry.tries
        for (place, sketch) in sketches.enumerated() {
            let name = try sketch.name.numbered(records[place].number).name
            guard let items = existing.items(of: name) else { continue }
            let isDescribed = items.allSatisfy { sketch.describes($0, as: named) }
            records[place].existing =
                existing.contents[name].map { content in
                    sketch.values.isSubset(of: content)
                        ? isDescribed ? .same : .attributesDiffer : .different
                } ?? .unknown
            records[place].hasAddressField = items.contains(where: \.name.isAddress)
        }
    }

    private mutating func setClasses(
        of sketches: [ImportSketch], _ existing: ExistingSecrets, _ named: AccessClass?
    ) throws {
        let entries = try sketches.indices.map { place in
            try sketches[place].name.numbered(records[place].number).name
                .with(field: SecretName.standardField)
        }
        let saved = sketches.indices.filter {
            isReplacing || records[$0].existing == nil
        }
        var protected: Set<SecretName> = []
        var fields: [SecretName: Set<SecretName>] = [:]
        for place in saved {
            let entry = entries[place]
            let isProtected =
                sketches[place].attributes.accessClass == .afterVerification
                || existing.entries[entry, default: []].contains {
                    $0.attributes.accessClass == .afterVerification
                }
            if isProtected { protected.insert(entry) }
            for field in sketches[place].fields {
                fields[entry, default: []].insert(try entry.with(field: field))
            }
        }
        var step: [SecretChange] = []
        var size = 0
        for place in saved {
            let entry = entries[place]
            let accessClass =
                named ?? (protected.contains(entry) ? .afterVerification : .whileUnlocked)
            records[place].accessClass = accessClass
            // Only once for an entry of several records.
            guard let written = fields.removeValue(forKey: entry) else { continue }
            let items = existing.entries[entry, default: []]
            // If the record writes all fields, saving it changes the entry in one step.
            guard items.contains(where: { !written.contains($0.name) }) else { continue }
            for item in items {
                var edit =
                    written.contains(item.name) || !existing.areEntries
                    ? SecretEdit() : sketches[place].description(of: item)
                if item.attributes.accessClass != accessClass { edit.accessClass = accessClass }
                guard edit != SecretEdit() else { continue }
                step.append(SecretChange(item.name, expecting: item.revision, .edit(edit)))
                size += 512
                for attribute in edit.extra ?? [] {
                    size += attribute.key.utf8.count + attribute.text.utf8.count
                }
            }
            if size > Self.stepSize {
                changes.append(step)
                (step, size) = ([], 0)
            }
        }
        if !step.isEmpty { changes.append(step) }
    }
}

/// A record of a file, with digests instead of values.
struct ImportSketch: Sendable {
    /// The size of the digest key, in bytes.
    static let keySize = 32

    let name: RecordName
    let attributes: SecretAttributes
    /// The fields, in order.
    private(set) var fields: [String] = []
    /// The digests of the fields with their values.
    private(set) var values: Set<[UInt8]> = []
    private var first: [UInt8] = []

    init(_ name: RecordName, _ attributes: SecretAttributes) {
        self.name = name
        self.attributes = attributes
    }

    mutating func add(_ field: String, _ value: borrowing SecretBytes, _ key: HeldSecret) {
        let digest = Self.digest(field, value, key)
        if fields.isEmpty { first = digest }
        fields.append(field)
        values.insert(digest)
    }

    /// The digest of a field with its value. The key exists only in this process.
    static func digest(
        _ field: String, _ value: borrowing SecretBytes, _ key: HeldSecret
    ) -> [UInt8] {
        value.withBytes { value in
            key.value.withBytes { key in
                Blake2b.hash(size: 16, keyBytes: key) { input in
                    input.feed(UInt32(field.utf8.count))
                    input.feed(field)
                    input.feed(value)
                }
            }
        }
    }

    fileprivate var contentKey: Set<[UInt8]> { values }
    fileprivate var firstKey: Set<[UInt8]> { [first] }
    /// The values except the first one, and the URL.
    fileprivate var otherKeys: [Set<[UInt8]>] {
        let others = values.subtracting([first]).sorted { $0.lexicographicallyPrecedes($1) }
        return others.map { [$0] } + (Self.addressKey(attributes).map { [$0] } ?? [])
    }

    /// The key of a URL among the digests.
    fileprivate static func addressKey(_ attributes: SecretAttributes) -> Set<[UInt8]>? {
        attributes[ExtraAttribute.url].map { [Array("address \($0)".utf8)] }
    }

    /// Whether an import would leave the label and attributes of a field of this entry unchanged.
    fileprivate func describes(_ item: SecretItem, as named: AccessClass?) -> Bool {
        !fields.contains(item.name.field)
            || description(of: item) == SecretEdit()
                && (named == nil || item.attributes.accessClass == named)
    }

    /// The edit of another field of the entry.
    fileprivate func description(of item: SecretItem) -> SecretEdit {
        var edit = SecretEdit()
        if item.attributes.label != attributes.label { edit.label = attributes.label }
        var keys = [ExtraAttribute.tags]
        let hasAddress =
            attributes[ExtraAttribute.url] != nil || fields.contains(ExtraAttribute.url)
        if hasAddress, !item.name.isAddress { keys.append(ExtraAttribute.url) }
        var described = item.attributes
        for key in keys where described[key] != attributes[key] {
            described[key] = attributes[key]
            edit.extra = described.extra
        }
        return edit
    }
}

/// The secrets of a store whose names occur in a file.
struct ExistingSecrets {
    /// The entries of the store, by the name of their field `password`.
    fileprivate var entries: [SecretName: [SecretItem]] = [:]
    /// Whether each record is an entry.
    fileprivate let areEntries: Bool
    /// The digests of the values, by record name; missing if a value cannot be read.
    fileprivate var contents: [SecretName: Set<[UInt8]>] = [:]
    /// The numbers of existing records with these values.
    fileprivate var numbersByContent = NumbersByContent()
    /// The numbers of existing records with this value.
    fileprivate var numbersByValue = NumbersByContent()
    /// How many names were looked up.
    fileprivate var lookups = 0

    init(
        _ store: (any SecureStore)?, of sketches: [ImportSketch], asEntries areEntries: Bool,
        _ key: HeldSecret
    ) throws {
        self.areEntries = areEntries
        guard let store else { return }
        for item in try store.list() {
            entries[try item.name.with(field: SecretName.standardField), default: []].append(item)
        }
        let highest = entries.keys.reduce(1) { max($0, Self.number(of: $1.account)) }
        var counts: [SecretName: Int] = [:]
        for sketch in sketches { counts[try sketch.name.numbered(1).name, default: 0] += 1 }
        var found: [(plain: SecretName, number: Int, name: SecretName)] = []
        for sketch in sketches {
            let plain = try sketch.name.numbered(1).name
            guard let count = counts.removeValue(forKey: plain) else { continue }
            // There may be gaps, because the user has removed entries.
            for number in 1...max(count, highest) {
                lookups += 1
                let name = try sketch.name.numbered(number).name
                if items(of: name) != nil { found.append((plain, number, name)) }
            }
        }
        try read(found.map(\.name), in: store, key)
        // Reverse order, because `claim` takes the last number first.
        for (plain, number, name) in found.reversed() {
            let address = items(of: name)?.lazy.compactMap {
                ImportSketch.addressKey($0.attributes)
            }
            .first
            if let address { numbersByValue.add(number, of: plain, address) }
            guard let content = contents[name] else { continue }
            numbersByContent.add(number, of: plain, content)
            for value in content { numbersByValue.add(number, of: plain, [value]) }
        }
    }

    /// The number at the end of an account name that an import numbered; 1 without one.
    private static func number(of account: String) -> Int {
        guard account.utf8.last == UInt8(ascii: ")"),
            let start = account.utf8.lastIndex(of: UInt8(ascii: "("))
        else { return 1 }
        // The limit bounds the loop over numbers: an account name may contain any number.
        return min(10_000, Int(String(account[start...].dropFirst().dropLast())) ?? 1)
    }

    /// The secrets of a record's name; nil if there are none.
    fileprivate func items(of name: SecretName) -> [SecretItem]? {
        guard let entry = try? name.with(field: SecretName.standardField),
            let items = entries[entry]
        else { return nil }
        if areEntries { return items }
        return items.first { $0.name == name }.map { [$0] }
    }

    /// Reads the values of the records with these names, and keeps their digests.
    private mutating func read(
        _ names: [SecretName], in store: any SecureStore, _ key: HeldSecret
    ) throws {
        var digests: [SecretName: Set<[UInt8]>] = [:]
        var unreadable: Set<SecretName> = []
        let all = names.flatMap { name in (items(of: name) ?? []).map { (name, $0) } }
        for accessClass in AccessClass.allCases {
            let some = all.filter { $0.1.attributes.accessClass == accessClass }
            do throws(SecureStoreError) {
                try store.readEach(some.map(\.1.name)) { (place, item, value) in
                    digests[some[place].0, default: []].insert(
                        ImportSketch.digest(item.name.field, value, key))
                }
            } catch {
                switch error {
                case .notVerified, .damaged: unreadable.formUnion(some.map(\.0))
                default: throw error
                }
            }
        }
        contents = digests.filter { !unreadable.contains($0.key) }
    }
}

/// The numbers of existing records, by value.
private struct NumbersByContent {
    private struct Key: Hashable {
        let name: SecretName
        let content: Set<[UInt8]>
    }

    private var numbers: [Key: [Int]] = [:]

    mutating func add(_ number: Int, of name: SecretName, _ content: Set<[UInt8]>) {
        numbers[Key(name: name, content: content), default: []].append(number)
    }

    /// Claims the last added number that is free.
    mutating func claim(
        _ content: Set<[UInt8]>, for name: RecordName, _ registry: inout NameRegistry
    ) throws -> Int? {
        let key = Key(name: try name.numbered(1).name, content: content)
        while let number = numbers[key]?.popLast() {
            if try registry.claim(number, of: name) { return number }
        }
        return nil
    }
}

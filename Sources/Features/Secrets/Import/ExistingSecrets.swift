internal import SecretMemory
internal import SecureStorage

/// The secrets of a store whose names occur in a file.
struct ExistingSecrets {
    /// The entries of the store, by the name of their field `password`.
    private(set) var entries: [SecretName: [SecretItem]] = [:]
    /// The entries with a protected field.
    private(set) var protectedEntries: Set<SecretName> = []
    /// Whether each record is an entry.
    let areEntries: Bool
    /// The secrets of each record.
    private var records: [SecretName: [SecretItem]] = [:]
    /// The numbers of digits at the end of existing names, and 0 for none; ascending.
    private var digits = [0]
    /// The digests of the values, by record name; missing if a value cannot be read.
    private(set) var contents: [SecretName: Set<[UInt8]>] = [:]
    /// The numbers of existing records with these values.
    var numbersByContent = NumbersByContent()
    /// The numbers of existing records with this value.
    var numbersByValue = NumbersByContent()
    /// How many names were looked up.
    var lookups = 0

    init(
        _ store: (any SecureStore)?, of sketches: [ImportSketch], asEntries areEntries: Bool,
        _ key: HeldSecret
    ) throws {
        self.areEntries = areEntries
        guard let store else { return }
        for item in try store.list() {
            let entry = try item.name.with(field: SecretName.standardField)
            entries[entry, default: []].append(item)
            if item.attributes.accessClass == .afterVerification { protectedEntries.insert(entry) }
            records[areEntries ? entry : item.name, default: []].append(item)
        }
        // Each record is looked at once, whatever number an account name contains.
        var all = records.keys.map { (name: $0, series: $0, number: 1) }
        var digits: Set<Int> = [0]
        for name in records.keys {
            lookups += 1
            guard let numbered = name.numberInSeries else { continue }
            all.append((name, numbered.series, numbered.number))
            digits.insert(numbered.digits)
        }
        self.digits = digits.sorted()
        let wanted = try Set(sketches.flatMap { try series(of: $0.name) })
        // Descending, because `claim` takes the last number first.
        let found = all.filter { wanted.contains($0.series) }.sorted { $0.number > $1.number }
        try read(Set(found.map(\.name)), in: store, key)
        for (name, series, number) in found {
            let addresses = items(of: name)?.lazy.map { ImportSketch.addressKeys($0.attributes) }
                .first { !$0.isEmpty }
            for key in addresses ?? [] { numbersByValue.add(number, of: series, key) }
            guard let content = contents[name] else { continue }
            numbersByContent.add(number, of: series, content)
            for value in content { numbersByValue.add(number, of: series, [value]) }
        }
    }

    /// The secrets of a record's name; nil if there are none.
    func items(of name: SecretName) -> [SecretItem]? { records[name] }

    /// The series in which existing names of a record may be.
    func series(of name: RecordName) throws -> [SecretName] {
        try digits.map { try name.series(digits: $0) }
    }

    /// Reads the values of the records with these names, and keeps their digests.
    private mutating func read(
        _ names: Set<SecretName>, in store: any SecureStore, _ key: HeldSecret
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
struct NumbersByContent {
    private struct Key: Hashable {
        let series: SecretName
        let content: Set<[UInt8]>
    }

    private var numbers: [Key: [Int]] = [:]

    mutating func add(_ number: Int, of series: SecretName, _ content: Set<[UInt8]>) {
        numbers[Key(series: series, content: content), default: []].append(number)
    }

    /// Claims the last added number that is free, of the first of these series that has one.
    mutating func claim(
        _ content: Set<[UInt8]>, for name: RecordName, in series: [SecretName],
        _ registry: inout NameRegistry
    ) throws -> Int? {
        for series in series {
            let key = Key(series: series, content: content)
            while let number = numbers[key]?.popLast() {
                if try registry.claim(number, of: name) { return number }
            }
        }
        return nil
    }
}

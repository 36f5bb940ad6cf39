internal import SecretMemory
internal import SecureStorage

/// The secrets of a store whose names occur in a file.
struct ExistingSecrets {
    /// The entries of the store, by the name of their field `password`.
    var entries: [SecretName: [SecretItem]] = [:]
    /// Whether each record is an entry.
    let areEntries: Bool
    /// The digests of the values, by record name; missing if a value cannot be read.
    var contents: [SecretName: Set<[UInt8]>] = [:]
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
    func items(of name: SecretName) -> [SecretItem]? {
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
struct NumbersByContent {
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

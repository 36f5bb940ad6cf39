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
        let series = try sketches.map { try existing.series(of: $0.name) }
        var remaining: [Int] = []
        // First the same values, then the same first value.
        var whole = existing.numbersByContent
        for (place, sketch) in sketches.enumerated() {
            let number = try whole.claim(
                sketch.contentKey, for: sketch.name, in: series[place], &registry)
            if let number { records[place].number = number } else { remaining.append(place) }
        }
        var first = existing.numbersByValue
        var rest: [Int] = []
        for place in remaining {
            let sketch = sketches[place]
            let number = try first.claim(
                sketch.firstKey, for: sketch.name, in: series[place], &registry)
            if let number { records[place].number = number } else { rest.append(place) }
        }
        // Then any other value or the URL in common, for example the same TOTP seed with a new
        // password.
        let unlike = try rest.filter { place in
            for key in sketches[place].otherKeys {
                let number = try first.claim(
                    key, for: sketches[place].name, in: series[place], &registry)
                if let number {
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
            let isDescribed = sketch.describes(items, as: named)
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
                || existing.protectedEntries.contains(entry)
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
            let hasAddressField = items.contains(where: \.name.isAddress)
            for item in items {
                var edit =
                    written.contains(item.name) || !existing.areEntries
                    ? SecretEdit()
                    : sketches[place].description(of: item, besidesAddressField: hasAddressField)
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

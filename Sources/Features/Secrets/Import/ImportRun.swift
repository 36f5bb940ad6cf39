internal import SecretMemory
internal import SecureStorage

/// A pass over a file: delivers secrets and makes the report.
struct ImportRun {
    var report: ImportReport
    /// The sketches of the records, in a validating pass.
    private(set) var sketches: [ImportSketch] = []
    private let mode: ImportMode
    private var names = NameRegistry()
    /// The places of titles among those of their lines.
    private var items: [Int: [String: Int]] = [:]
    /// The number of records so far.
    private var count = 0

    init(_ format: ExchangeFormat, _ mode: ImportMode) {
        report = ImportReport(format: format)
        self.mode = mode
    }

    /// The name and class under which a record is saved.
    struct Claim {
        /// The name, with the field of its ``RecordName``.
        let name: SecretName
        let changes: [NameChange]
        let accessClass: AccessClass
        /// Whether the existing entry has a field for its URL.
        let hasAddressField: Bool
    }

    /// Claims a name for the next record.
    ///
    /// - Returns: nil for a skipped record, which is then in the report.
    /// - Throws: `SecureStoreError.invalidName`.
    mutating func claim(
        _ name: RecordName, _ line: Int, _ title: String, _ attributes: SecretAttributes
    ) throws -> Claim? {
        // An imported file must not change reserved secrets, for example trust settings or the text
        // of protected tasks.
        guard try !name.numbered(1).name.isReserved else {
            skip(line, .reserved, title)
            return nil
        }
        defer { count += 1 }
        var planned = ImportPlan.Record(accessClass: attributes.accessClass)
        switch mode {
        case .planned(let plan):
            planned = plan.records[count]
            if let existing = planned.existing, !plan.isReplacing {
                skip(line, .exists(existing), title)
                return nil
            }
        case .check, .whole:
            planned.number = try names.claim(name)
            if case .check = mode { sketches.append(ImportSketch(name, attributes)) }
        }
        let numbered = try name.numbered(planned.number)
        return Claim(
            name: numbered.name,
            changes: numbered.changes + (planned.number > 1 ? [.numbered] : []),
            accessClass: planned.accessClass, hasAddressField: planned.hasAddressField)
    }

    /// Delivers one secret of the claimed record. An error that does not concern this secret ends
    /// the import.
    ///
    /// - Returns: The reason why the secret was not imported; nil if it was.
    mutating func deliver(
        _ secret: ImportedSecret, _ value: borrowing SecretBytes, to receive: SecretReceiver
    ) throws -> SkipReason? {
        do {
            // A refused secret belongs to the record as well.
            if case .check(let key) = mode {
                sketches[count - 1].add(secret.name.field, value, key)
            }
            guard value.count <= SecretLimits.maximumValueSize else {
                throw SecureStoreError.tooLarge(maximum: SecretLimits.maximumValueSize)
            }
            try receive(secret, value)
            report.imported += 1
            return nil
        } catch let error as SecureStoreError where error.concernsOneSecret {
            return .refused(error)
        }
    }

    mutating func skip(_ line: Int, _ reason: SkipReason, _ title: String) {
        report.skipped += remarks(line, [reason], title)
    }

    mutating func reportUnsupported(_ line: Int, _ parts: [UnsupportedPart], _ title: String) {
        report.unsupported += remarks(line, parts, title)
    }

    mutating func reportNameChanges(_ line: Int, _ changes: [NameChange], _ title: String) {
        report.nameChanges += remarks(line, changes, title)
    }

    mutating func reportDoubts(_ line: Int, _ doubts: [ImportDoubt], _ title: String) {
        report.doubts += remarks(line, doubts, title)
    }

    /// One remark for each distinct subject.
    private mutating func remarks<Subject>(
        _ line: Int, _ subjects: [Subject], _ title: String
    ) -> [ImportReport.Remark<Subject>] {
        if subjects.isEmpty { return [] }
        let count = items[line]?.count ?? 0
        let item = items[line]?[title] ?? count
        if item == count {
            items[line, default: [:]][title] = item
            if !title.isEmpty {
                // A record without a title has a place, too.
                while (report.titles[line]?.count ?? 0) < item {
                    report.titles[line, default: []].append("")
                }
                report.titles[line, default: []].append(title)
            }
        }
        return subjects.distinct().map { .init(line: line, item: item, $0) }
    }
}

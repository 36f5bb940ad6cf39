internal import CommandLine
internal import Secrets
internal import SecureStorage
internal import TextCoding

/// Reports the result of an import: counts, and a line for each difference from the file.
struct ImportReporting {
    private let report: ImportReport
    private let console: Console
    /// The entries that an import would make; nil after an import.
    private let entries: [SecretEntry]?
    /// Whether the existing entries are known.
    private let isCompared: Bool
    private var items: ItemReport

    /// Makes the reporting of an import, or of a trial.
    init(
        _ report: ImportReport, of entries: [SecretEntry]? = nil, compared isCompared: Bool = true,
        _ items: ItemReport, _ console: Console
    ) {
        self.report = report
        self.entries = entries
        self.isCompared = isCompared
        self.items = items
        self.console = console
        addItems()
    }

    /// Adds the lines: first what is missing, and last what exists, which a second import has for each item.
    private mutating func addItems() {
        let (missing, others) = (
            report.skipped.filter(\.subject.isFailure),
            report.skipped.filter { !$0.subject.isFailure }
        )
        for remark in missing {
            items.add("\(place(remark)): skipped, \(Self.words(remark.subject).text)")
        }
        for remark in report.nameChanges {
            items.add("\(place(remark)): renamed, \(Self.words(remark.subject).text)")
        }
        for remark in report.unsupported {
            items.add("\(place(remark)): left out, \(Self.words(remark.subject).text)")
        }
        for remark in report.doubts {
            items.add("\(place(remark)): check it, \(Self.words(remark.subject).text)")
        }
        for remark in others {
            items.add("\(place(remark)): skipped, \(Self.words(remark.subject).text)")
        }
    }

    /// Prints the report.
    ///
    /// - Throws: A failure if records could not be read.
    func print() throws {
        if console.isJSON { try printJSON() } else { try printText() }
        try items.write()
        guard report.isIncomplete else { return }
        throw Failure(
            .failure, code: "incomplete_import", "some records cannot be imported",
            hint: "the report names each with its reason; copy them by hand")
    }

    private func printText() throws {
        if let entries, !entries.isEmpty { try console.print(Self.table(entries)) }
        try console.print { output in
            let kinds = RecordKind.allCases.compactMap { kind in
                report.kinds[kind].map { Self.text($0, kind) }
            }
            try output.writeLine(
                "\(entries == nil ? "imported" : "would import") "
                    + "\(counted(report.imported, "secret")) from \(report.format.title)"
                    + (kinds.isEmpty ? "" : ": " + kinds.joined(separator: ", ")))
            try items.show(&output)
            if report.attachedFiles > 0 {
                try output.writeLine(
                    "left out \(counted(report.attachedFiles, "attached file"))")
            }
        }
    }

    /// The title of a record, and its place in the file.
    private func place<Subject>(_ remark: ImportReport.Remark<Subject>) -> String {
        let (line, title) = (remark.line, report.title(of: remark).map { VisibleText.escape($0) })
        let place: String
        switch report.format {
        case .passwordStore: return title ?? ""
        case .onePUX: place = "item \(line)"
        default: place = "line \(line)"
        }
        return title.map { "\($0) (\(place))" } ?? place
    }

    private static func table(_ entries: [SecretEntry]) -> TextTable {
        let hasTags = entries.contains { !$0.tags.isEmpty }
        let titles = ["SERVICE", "ACCOUNT", "FIELDS"] + (hasTags ? ["TAGS"] : [])
        var table = TextTable(titles.map { TextTable.Column($0) })
        for entry in entries {
            table.add(
                [
                    entry.name.service, entry.name.account,
                    entry.fields.map(\.name.field).joined(separator: ", "),
                ] + (hasTags ? [entry.tags.joined(separator: " ")] : []))
        }
        return table
    }

    private func printJSON() throws {
        try console.printJSON { json in
            try json.beginObject()
            try json.member("format", report.format.title)
            try json.member("imported", entries == nil ? report.imported : 0)
            try json.member("would_import", entries == nil ? nil : report.imported)
            try json.member("compared", isCompared)
            try json.key("kinds")
            try json.beginObject()
            for kind in RecordKind.allCases {
                try json.member(kind.rawValue, report.kinds[kind] ?? 0)
            }
            try json.endObject()
            try json.key("entries")
            if let entries {
                try json.beginArray()
                for entry in entries {
                    try json.beginObject()
                    try json.member("service", entry.name.service)
                    try json.member("account", entry.name.account)
                    try json.member("label", entry.label)
                    try json.member("url", entry.url)
                    try json.member("urls", texts: entry.addresses)
                    try json.member("tags", texts: entry.tags)
                    try json.member("fields", texts: entry.fields.map(\.name.field))
                    try json.endObject()
                }
                try json.endArray()
            } else {
                try json.null()
            }
            try json.list("skipped", report.skipped, report) { Self.words($0).code }
            try json.list("renamed", report.nameChanges, report) { Self.words($0).code }
            try json.list("left_out", report.unsupported, report) { Self.words($0).code }
            try json.list("doubtful", report.doubts, report) { Self.words($0).code }
            try json.member("attached_files", report.attachedFiles)
            try json.endObject()
        }
    }

    private static func text(_ count: Int, _ kind: RecordKind) -> String {
        switch kind {
        case .login: counted(count, "login")
        case .note: counted(count, "note")
        case .card: counted(count, "card")
        case .identity: "\(count) \(count == 1 ? "identity" : "identities")"
        case .sshKey: counted(count, "SSH key")
        case .other: "\(count) other \(count == 1 ? "entry" : "entries")"
        }
    }

    private static func words(_ reason: SkipReason) -> (code: String, text: String) {
        switch reason {
        case .emptyRecord: ("empty", "it is empty")
        case .deleted: ("deleted", "it is in the recycle bin")
        case .notDecrypted: ("not_decrypted", "gpg cannot decrypt it")
        case .symbolicLink: ("symbolic_link", "it is a symbolic link")
        case .unreadable: ("unreadable", "it cannot be read")
        case .damagedText:
            ("damaged_text", "its text is damaged: half of a character, or not UTF-8")
        case .cutOff: ("cut_off", "the row ends before a column that a login needs")
        case .notSeed: ("not_a_seed", "it is not an otpauth URI")
        case .exists(.same): ("exists_same", "it already exists with the same values")
        case .exists(.different):
            ("exists_different", "it already exists with another value: --replace")
        case .exists(.attributesDiffer):
            (
                "exists_described_otherwise",
                "it already exists with another address, label, tag or class: --replace"
            )
        case .exists(.unknown): ("exists", "it already exists: --replace")
        case .refused(.duplicate): ("duplicate", "a secret of this name already exists")
        case .refused(.tooLarge): ("too_large", "it is too large")
        case .reserved: ("reserved_name", "it belongs to tasks or to the sign-in")
        case .refused: ("invalid_name", "its name is invalid")
        }
    }

    private static func words(_ doubt: ImportDoubt) -> (code: String, text: String) {
        switch doubt {
        case .entities:
            ("entities", "a value has &amp; or the like, which LastPass writes for & < > \" and '")
        }
    }

    private static func words(_ change: NameChange) -> (code: String, text: String) {
        switch change {
        case .controlCharactersReplaced:
            ("control_characters_replaced", "control characters in the name were replaced")
        case .shortened: ("shortened", "the name was too long")
        case .numbered: ("numbered", "the name occurs twice in the file")
        case .field: ("field", "the name of a field was repeated, empty, or too long")
        }
    }

    private static func words(_ part: UnsupportedPart) -> (code: String, text: String) {
        switch part {
        case .attachment: ("attachment", "attached files")
        case .earlierValues: ("earlier_values", "earlier passwords")
        case .passkey: ("passkey", "a passkey")
        case .link:
            ("link", "a reference to a field that is not there, or that must not be visible")
        case .seed: ("unsupported_seed", "codes: the seed is not supported, and stays a field")
        case .counterSeed:
            ("counter_seed", "codes by a counter (HOTP): not supported, the seed stays a field")
        case .steamSeed:
            ("steam_seed", "the codes of Steam: not supported, the seed stays a field")
        case .addressMatch: ("address_match", "how an address is compared")
        case .description: ("description", "the description of a vault or group")
        case .tag: ("tag", "a tag that is too long")
        case .autoType: ("auto_type", "keystrokes for the login")
        case .other: ("other", "a part of an unknown kind")
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    fileprivate mutating func list<Subject>(
        _ name: String, _ remarks: [ImportReport.Remark<Subject>], _ report: ImportReport,
        _ code: (Subject) -> String
    ) throws {
        try key(name)
        try beginArray()
        for remark in remarks {
            try beginObject()
            try member("line", remark.line)
            try member("title", report.title(of: remark))
            try member("reason", code(remark.subject))
            try endObject()
        }
        try endArray()
    }
}

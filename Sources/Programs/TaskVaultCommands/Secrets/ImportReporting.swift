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

    /// Makes the reporting of an import, or of a trial.
    init(
        _ report: ImportReport, of entries: [SecretEntry]? = nil, compared isCompared: Bool = true,
        _ console: Console
    ) {
        self.report = report
        self.entries = entries
        self.isCompared = isCompared
        self.console = console
    }

    /// Prints the report.
    ///
    /// - Throws: A failure if records could not be read.
    func print() throws {
        if console.isJSON { try printJSON() } else { try printText() }
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
            for skip in report.skipped {
                try output.writeLine(
                    "\(place(skip.line)): skipped, \(Self.words(skip.subject).text)")
            }
            for alteration in report.nameChanges {
                try output.writeLine(
                    "\(place(alteration.line)): renamed, \(Self.words(alteration.subject).text)")
            }
            for omission in report.unsupported {
                try output.writeLine(
                    "\(place(omission.line)): left out, \(Self.words(omission.subject).text)")
            }
            if report.attachedFiles > 0 {
                try output.writeLine(
                    "left out \(counted(report.attachedFiles, "attached file"))")
            }
        }
    }

    /// The place of a record in the file.
    private func place(_ line: Int) -> String {
        switch report.format {
        case .passwordStore: path(line).map { VisibleText.escape($0) } ?? ""
        case .onePUX: "item \(line)"
        default: "line \(line)"
        }
    }

    private func path(_ number: Int) -> String? {
        report.paths.indices.contains(number - 1) ? report.paths[number - 1] : nil
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
            try json.list("skipped", report.skipped, path) { Self.words($0).code }
            try json.list("renamed", report.nameChanges, path) { Self.words($0).code }
            try json.list("left_out", report.unsupported, path) { Self.words($0).code }
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
        case .link: ("link", "a field that refers to another one")
        case .seed: ("unsupported_seed", "codes: the seed is not supported, and stays a field")
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
        _ name: String, _ remarks: [ImportReport.Remark<Subject>], _ path: (Int) -> String?,
        _ code: (Subject) -> String
    ) throws {
        try key(name)
        try beginArray()
        for remark in remarks {
            try beginObject()
            try member("line", remark.line)
            try member("path", path(remark.line))
            try member("reason", code(remark.subject))
            try endObject()
        }
        try endArray()
    }
}

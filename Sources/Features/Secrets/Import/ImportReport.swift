public import SecureStorage

/// An imported secret without its value, which is passed separately in guarded memory.
public struct ImportedSecret: Sendable, Hashable {
    /// The name, unique in the file.
    public let name: SecretName
    /// The label, the class and additional attributes.
    public let attributes: SecretAttributes
    /// The line on which the record starts, or the record's number, from 1
    /// (``ImportReport/Remark/line``).
    public let line: Int
    /// The creation time, in milliseconds since 1970-01-01 UTC; only in TaskVault's formats. A
    /// ``SecureStore`` sets its own times.
    public let created: Int64?
    /// The time of the last change, in milliseconds since 1970-01-01 UTC; only in TaskVault's formats.
    public let modified: Int64?

    /// The times together; nil if the format has none.
    public var times: SecretTimes? {
        guard let created, let modified else { return nil }
        return SecretTimes(created: created, modified: modified)
    }
}

/// The result of an import, with each omission and each change.
public struct ImportReport: Sendable, Hashable {
    /// The format of the file.
    public let format: ExchangeFormat
    /// The number of imported secrets.
    public internal(set) var imported = 0
    /// The number of imported entries by kind; empty for TaskVault's formats.
    public internal(set) var kinds: [RecordKind: Int] = [:]
    /// The secrets or records that were not imported, in file order.
    public internal(set) var skipped: [Remark<SkipReason>] = []
    /// The changed names, in file order.
    public internal(set) var nameChanges: [Remark<NameChange>] = []
    /// The unsupported parts of imported records, in file order.
    public internal(set) var unsupported: [Remark<UnsupportedPart>] = []
    /// The number of attached files in a 1PUX archive. None of them is imported.
    public internal(set) var attachedFiles = 0
    /// The values that look changed by the other program, in file order. They are imported as they are.
    public internal(set) var doubts: [Remark<ImportDoubt>] = []
    /// The titles of the records with remarks, by their lines and ``Remark/item``. For `pass` it is the path in its directory.
    public internal(set) var titles: [Int: [String]] = [:]

    /// A remark about a record.
    public struct Remark<Subject: Sendable & Hashable>: Sendable, Hashable {
        /// The line on which the record starts, from 1. In a 1PUX archive it is the number of the
        /// item, and for `pass` the number of the entry.
        public let line: Int
        /// The place of the record's title among those of the line, from 0. A file may be one line.
        public let item: Int
        /// The subject of the remark.
        public let subject: Subject

        /// Makes a remark.
        public init(line: Int, item: Int = 0, _ subject: Subject) {
            self.line = line
            self.item = item
            self.subject = subject
        }
    }

    /// The title of the record of a remark; nil if it has none.
    public func title<Subject>(of remark: Remark<Subject>) -> String? {
        guard let titles = titles[remark.line], titles.indices.contains(remark.item),
            !titles[remark.item].isEmpty
        else { return nil }
        return titles[remark.item]
    }

    /// Whether records are missing because they could not be read. Existing, empty and removed
    /// records do not count.
    public var isIncomplete: Bool { skipped.contains { $0.subject.isFailure } }
}

/// The kind of an imported record.
public enum RecordKind: String, Sendable, Hashable, CaseIterable {
    case login, note, card, identity
    case sshKey = "ssh_key"
    /// Another kind, such as a licence or a bank account. All its fields are imported.
    case other
}

/// A part of a record that entries do not support.
public enum UnsupportedPart: Sendable, Hashable {
    /// Attached files or a document.
    case attachment
    /// Previous passwords or versions.
    case earlierValues
    /// A passkey.
    case passkey
    /// A reference to another field.
    case link
    /// A one-time password seed of an unsupported kind. It is imported as a field.
    case seed
    /// A seed for codes by a counter (HOTP). It is imported as a field.
    case counterSeed
    /// A seed for Steam's codes. It is imported as a field.
    case steamSeed
    /// The rule for comparing a URL.
    case addressMatch
    /// The description of a vault or group.
    case description
    /// A tag that is too long, or that exceeds the total size.
    case tag
    /// An auto-type sequence for the login.
    case autoType
    /// A part of an unknown kind.
    case other
}

/// The reason why a secret was not imported.
public enum SkipReason: Sendable, Hashable {
    /// All fields of the record are empty.
    case emptyRecord
    /// The record is in the recycle bin or was removed.
    case deleted
    /// `gpg` could not decrypt the entry.
    case notDecrypted
    /// The entry is a symbolic link. Links are not followed.
    case symbolicLink
    /// The entry cannot be opened, or is not a file.
    case unreadable
    /// The text of the record is damaged: it has half of a surrogate pair, or bytes that are not UTF-8.
    case damagedText
    /// The row ends before a column that a login needs.
    case cutOff
    /// The line of a list is not an `otpauth` URI.
    case notSeed
    /// The name is reserved for another part of TaskVault, such as the to-do list.
    case reserved
    /// The store refused the secret: it is a duplicate, is too large, or has an invalid name.
    case refused(SecureStoreError)
    /// The entry exists already.
    case exists(ExistingValues)

    /// Whether the secret is missing because of a failure.
    public var isFailure: Bool {
        switch self {
        case .notDecrypted, .symbolicLink, .unreadable, .damagedText, .cutOff, .notSeed: true
        case .refused(let error): error != .duplicate
        case .emptyRecord, .deleted, .reserved, .exists: false
        }
    }
}

/// The reason why an imported value may differ from the one in the other program.
public enum ImportDoubt: Sendable, Hashable {
    /// It has `&amp;`, `&lt;` or `&gt;`, which LastPass writes for `&`, `<` and `>`.
    case entities
}

/// The comparison of an existing entry's values with a record's.
public enum ExistingValues: Sendable, Hashable {
    case same, different
    /// The values are equal, but the URL, label, tags or class differ.
    case attributesDiffer
    /// The existing values cannot be read.
    case unknown
}

/// A change that made a name valid.
public enum NameChange: Sendable, Hashable {
    /// Control characters, such as line ends, became U+FFFD.
    case controlCharactersReplaced
    /// A long name was cut and ends with an ellipsis.
    case shortened
    /// A number was appended, because the name occurs earlier in the file.
    case numbered
    /// The field has another name than in the file.
    case field
}

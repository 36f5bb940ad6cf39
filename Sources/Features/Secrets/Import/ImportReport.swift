public import SecureStorage

/// The description of an imported secret; its value comes separately in guarded memory.
public struct ImportedSecret: Sendable, Hashable {
    /// The name, unique in the file.
    public let name: SecretName
    /// Label, class and further attributes.
    public let attributes: SecretAttributes
    /// The line of the file on which the record begins, or its number, from 1 (``ImportReport/Remark/line``).
    public let line: Int
    /// When the secret was saved, in milliseconds since 1970-01-01 UTC; only in TaskVault's own formats. A ``SecureStore`` sets its own times.
    public let created: Int64?
    /// When it was changed last, likewise.
    public let modified: Int64?
}

/// The result of an import, with every omission and every change.
public struct ImportReport: Sendable, Hashable {
    /// The format of the file.
    public let format: ExchangeFormat
    /// The number of imported secrets.
    public internal(set) var imported = 0
    /// The number of imported entries by their kind; none in TaskVault's own formats.
    public internal(set) var kinds: [RecordKind: Int] = [:]
    /// The secrets, or whole records, that were not imported, in the order of the file.
    public internal(set) var skipped: [Remark<SkipReason>] = []
    /// The changed names, in the order of the file.
    public internal(set) var altered: [Remark<NameChange>] = []
    /// Parts of imported records that have no place in an entry, in the order of the file.
    public internal(set) var leftOut: [Remark<LeftOutPart>] = []
    /// The number of attached files in a 1PUX archive, none of which is imported.
    public internal(set) var attachedFiles = 0
    /// The path of each entry of ``ExchangeFormat/passwordStore`` in its folder.
    public internal(set) var paths: [String] = []

    /// A remark about a record.
    public struct Remark<Subject: Sendable & Hashable>: Sendable, Hashable {
        /// The line of the file on which the record begins, from 1. In a 1PUX archive the number of the item, and of `pass` the number of the
        /// entry in ``ImportReport/paths``.
        public let line: Int
        /// What is said.
        public let subject: Subject

        /// Makes a remark.
        public init(line: Int, _ subject: Subject) {
            self.line = line
            self.subject = subject
        }
    }

    /// Whether records are missing because they could not be read, unlike those that exist, are empty or were removed.
    public var isIncomplete: Bool { skipped.contains { $0.subject.isFailure } }
}

/// The kind of an imported record.
public enum RecordKind: String, Sendable, Hashable, CaseIterable {
    case login, note, card, identity
    case sshKey = "ssh_key"
    /// Such as a licence or a bank account; all of its fields are imported.
    case other
}

/// A part of a record that has no place in an entry.
public enum LeftOutPart: Sendable, Hashable {
    /// Attached files, or a document.
    case attachment
    /// Earlier passwords or versions.
    case earlierValues
    /// A passkey.
    case passkey
    /// A field that refers to another one.
    case link
    /// A seed of one-time passwords that gives no codes here; it stays as a field.
    case seed
    /// How an address is compared.
    case addressMatch
    /// The description of a vault or group.
    case description
    /// A tag that is too long, or one too many.
    case tag
    /// Keystrokes for the login.
    case autoType
    /// A part of an unknown kind.
    case other
}

/// Why a secret was not imported.
public enum SkipReason: Sendable, Hashable {
    /// All fields of the record are empty.
    case emptyRecord
    /// The record is in the recycle bin or the archive of removed items.
    case deleted
    /// `gpg` could not decrypt the entry.
    case notDecrypted
    /// The entry is a symbolic link, which is not followed.
    case symbolicLink
    /// The entry cannot be opened, or is no file.
    case unreadable
    /// The name belongs to another part of TaskVault, such as the to-do list.
    case reserved
    /// The store refused it: a duplicate, too large, or an invalid name.
    case refused(SecureStoreError)
    /// The entry exists.
    case exists(ExistingValues)

    /// Whether it could not be imported, and is missing now.
    var isFailure: Bool {
        switch self {
        case .notDecrypted, .symbolicLink, .unreadable: true
        case .refused(let error): error != .duplicate
        case .emptyRecord, .deleted, .reserved, .exists: false
        }
    }
}

/// The values of an existing entry beside those of a record.
public enum ExistingValues: Sendable, Hashable {
    case same, different
    /// The values are the same, but address, label, tags or class are not.
    case describedOtherwise
    /// They cannot be read.
    case unknown
}

/// How a name was made valid.
public enum NameChange: Sendable, Hashable {
    /// Control characters, such as line ends, became U+FFFD.
    case controlCharactersReplaced
    /// The end of a long name became an ellipsis.
    case shortened
    /// The name occurred before in the file, so a number was appended.
    case numbered
    /// A field has another name than in the file.
    case field
}

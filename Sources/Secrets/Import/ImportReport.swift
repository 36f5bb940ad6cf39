public import SecureStorage

/// The description of an imported secret; its value comes separately in guarded memory.
public struct ImportedSecret: Sendable, Hashable {
    /// The name, unique in the file.
    public let name: SecretName
    /// Label, class and further attributes.
    public let attributes: SecretAttributes
    /// The line of the file on which the record begins, or its number, from 1 (``ImportReport/Skip/line``).
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
    /// The omissions, in the order of the file.
    public internal(set) var skipped: [Skip] = []
    /// The changed names, in the order of the file.
    public internal(set) var altered: [Alteration] = []
    /// Parts of imported records that have no place in an entry, in the order of the file.
    public internal(set) var leftOut: [Omission] = []
    /// The number of attached files in a 1PUX archive, none of which is imported.
    public internal(set) var attachedFiles = 0
    /// The path of each entry of ``ExchangeFormat/passwordStore`` in its folder.
    public internal(set) var paths: [String] = []

    /// A secret, or a whole record, that was not imported.
    public struct Skip: Sendable, Hashable {
        /// The line of the file on which the record begins, from 1. In a 1PUX archive the number of the item, and of `pass` the number of the
        /// entry in ``ImportReport/paths``.
        public let line: Int
        /// The reason.
        public let reason: SkipReason

        /// Makes an entry.
        public init(line: Int, reason: SkipReason) {
            self.line = line
            self.reason = reason
        }
    }

    /// A change to a name.
    public struct Alteration: Sendable, Hashable {
        /// The line of the file on which the record begins, or its number (``Skip/line``).
        public let line: Int
        /// The change.
        public let change: NameChange

        /// Makes an entry.
        public init(line: Int, change: NameChange) {
            self.line = line
            self.change = change
        }
    }

    /// A part of a record that was not imported.
    public struct Omission: Sendable, Hashable {
        /// The line of the file on which the record begins, or its number (``Skip/line``).
        public let line: Int
        /// The part.
        public let part: LeftOutPart

        /// Makes an entry.
        public init(line: Int, part: LeftOutPart) {
            self.line = line
            self.part = part
        }
    }
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
}

/// How a name was made valid.
public enum NameChange: Sendable, Hashable {
    /// Control characters, such as line ends, became U+FFFD.
    case controlCharactersReplaced
    /// The end of a long name became an ellipsis.
    case shortened
    /// The name occurred before in the file, so a number was appended.
    case numbered
}

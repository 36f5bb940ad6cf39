public import SecureStorage

/// The description of an imported secret; its value comes separately in guarded memory.
public struct ImportedSecret: Sendable, Hashable {
    /// The name, unique in the file.
    public let name: SecretName
    /// Label, class and further attributes.
    public let attributes: SecretAttributes
    /// The line of the file on which the record begins, from 1.
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
    /// The omissions, in the order of the file.
    public internal(set) var skipped: [Skip] = []
    /// The changed names, in the order of the file.
    public internal(set) var altered: [Alteration] = []

    /// A secret, or a whole record, that was not imported.
    public struct Skip: Sendable, Hashable {
        /// The line of the file on which the record begins.
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
        /// The line of the file on which the record begins.
        public let line: Int
        /// The change.
        public let change: NameChange

        /// Makes an entry.
        public init(line: Int, change: NameChange) {
            self.line = line
            self.change = change
        }
    }
}

/// Why a secret was not imported.
public enum SkipReason: Sendable, Hashable {
    /// All fields of the record are empty.
    case emptyRecord
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

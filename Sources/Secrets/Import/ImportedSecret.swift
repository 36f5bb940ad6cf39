public import SecureStorage

/// What describes a secret that is imported; its value comes beside it, in guarded memory.
public struct ImportedSecret: Sendable, Hashable {
    /// The name, different from all other names of the same file.
    public let name: SecretName
    /// Label, class and further attributes.
    public let attributes: SecretAttributes
    /// The line of the file on which the record begins, from 1.
    public let line: Int
    /// When the secret was saved, in milliseconds since 1970-01-01 UTC; only TaskVault's own formats tell.
    ///
    /// A ``SecureStore`` sets its own times when it saves.
    public let created: Int64?
    /// When it was last written, likewise.
    public let modified: Int64?
}

/// What an import did. Nothing is left out or changed without a line here.
public struct ImportReport: Sendable, Hashable {
    /// What the file was.
    public let format: ExchangeFormat
    /// How many secrets the receiver took.
    public internal(set) var imported = 0
    /// What was not imported, in the order of the file.
    public internal(set) var skipped: [Skip] = []
    /// What was imported under a name that is not quite the file's, in the order of the file.
    public internal(set) var altered: [Alteration] = []

    /// A secret, or a whole record, that was not imported.
    public struct Skip: Sendable, Hashable {
        /// The line of the file on which the record begins.
        public let line: Int
        /// Why.
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
        /// What was changed.
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
    /// No field of the record holds anything.
    case emptyRecord
    /// The store refused this one: a duplicate, too large, or a name that it does not accept.
    case refused(SecureStoreError)
}

/// How a name was made acceptable.
public enum NameChange: Sendable, Hashable {
    /// Control characters, line ends for example, became U+FFFD.
    case controlCharactersReplaced
    /// It was too long, so that its end became an ellipsis.
    case shortened
    /// The name occurred before in the file, so that a number was appended.
    case numbered
}

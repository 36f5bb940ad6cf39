package import SecretMemory

/// A secret of a change, in guarded memory.
package final class SecretContent: Sendable {
    package let bytes: SecretBytes

    package init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }
}

/// A record that a command wants to write.
package struct Draft: Sendable {
    /// The content of a draft.
    package enum Content: Sendable {
        case open([UInt8])
        case secret(SecretContent)

        /// The content of ``RecordField/protection`` by which protection ends, at the level *after verification*.
        ///
        /// - Throws: `SecretMemoryError.outOfMemory`.
        package static func notProtected() throws -> Content {
            let flag = RecordContent.flag(false)
            return .secret(SecretContent(try SecretBytes(copying: unsafe flag.span.bytes)))
        }
    }

    let object: ObjectID
    let field: RecordField
    let level: SyncLevel
    let content: Content
    /// A time before sync began; nil for the stamp of the change.
    let modified: Int64?

    /// A record at a level.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - field: The field.
    ///   - level: The level of the part in which it travels.
    ///   - content: The content, secret for ``RecordField/value`` and for everything at the level *after verification*.
    ///   - modified: In the first exchange, the time of the change, in milliseconds since 1970-01-01 UTC.
    package init(
        _ object: ObjectID, _ field: RecordField, _ level: SyncLevel, _ content: Content,
        modified: Int64? = nil
    ) {
        self.object = object
        self.field = field
        self.level = level
        self.content = content
        self.modified = modified
    }

    /// A record that is not secret.
    package init(
        _ object: ObjectID, _ field: RecordField, _ level: SyncLevel, _ content: [UInt8] = [],
        modified: Int64? = nil
    ) {
        self.init(object, field, level, .open(content), modified: modified)
    }
}

public import SecretMemory
public import SecureStorage

/// The text of a protected task as the vault stores it (`Docs/Format.md`, section 11).
///
///     u32 version = 2 ‖ text name ‖ text notes ‖ u32 count ‖ count × (text id ‖ text name) ‖ text further
///
/// The database has the rest of the subtasks (``SubtaskRow``), so that a protected task repeats while the vault is locked.
public enum ProtectedText {
    private static let version: UInt32 = 2

    /// The service of the vault's items with text of tasks. The account is the ``ProtectedTextID``.
    public static let service = SecretName.taskService

    /// The name of the vault's item with a text.
    public static func name(of id: ProtectedTextID) -> SecretName {
        do {
            return try SecretName(service: service, account: id.text)
        } catch {
            preconditionFailure("ids are acceptable as names")
        }
    }

    /// The size of the encoded text in bytes.
    static func size(of text: TaskText) -> Int {
        let whole = 20 + text.name.utf8.count + text.notes.utf8.count + text.further.utf8.count
        return text.subtasks.reduce(whole) {
            $0 + 4 + $1.id.text.utf8.count + 4 + $1.name.utf8.count
        }
    }

    /// Encodes a text.
    ///
    /// - Throws: `SecretMemoryError` if there is out of guarded memory.
    public static func encode(_ text: TaskText) throws -> SecretBytes {
        var writer = ByteWriter()
        writer.integer(version)
        writer.text(text.name)
        writer.text(text.notes)
        writer.integer(UInt32(text.subtasks.count))
        for subtask in text.subtasks {
            writer.text(subtask.id.text)
            writer.text(subtask.name)
        }
        writer.text(text.further)
        return try unsafe SecretBytes(copying: writer.bytes.span.bytes)
    }

    /// Decodes a text.
    ///
    /// - Returns: nil for any other bytes, such as an unknown version, or text that breaks ``TaskTextRule``.
    public static func decode(_ bytes: RawSpan) -> TaskText? {
        ByteReader.reading(bytes) { (reader) -> TaskText? in
            guard reader.integer(UInt32.self) == version, let name = reader.text(),
                let notes = reader.text(), let count = reader.integer(UInt32.self)
            else { return nil }
            var text = TaskText(name: name, notes: notes)
            for _ in 0..<count {
                guard let id = reader.text().flatMap(TaskID.init(stored:)),
                    let name = reader.text()
                else { return nil }
                text.subtasks.append(TodoSubtask(id: id, name: name))
            }
            guard let further = reader.text() else { return nil }
            text.further = further
            return reader.isAtEnd && (try? TaskTextRule.check(text)) != nil ? text : nil
        }
    }
}

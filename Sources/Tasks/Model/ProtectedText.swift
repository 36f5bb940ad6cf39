public import SecretMemory
public import SecureStorage

/// The text of a protected task as the vault stores it (`Docs/Format.md`, section 11).
///
///     u32 version = 1 ‖ text name ‖ text notes ‖ u32 count ‖ count × (text id ‖ u8 done ‖ text name)
public enum ProtectedText {
    private static let version: UInt32 = 1

    /// The service of the vault's items with text of tasks. The account is the ``ProtectedWordsID``.
    public static let service = SecretName.taskService

    /// The name of the vault's item with a text.
    public static func name(of id: ProtectedWordsID) -> SecretName {
        do {
            return try SecretName(service: service, account: id.text)
        } catch {
            preconditionFailure("ids are acceptable as names")
        }
    }

    /// The size of the encoded text in bytes.
    static func size(of text: TaskText) -> Int {
        text.subtasks.reduce(16 + text.name.utf8.count + text.notes.utf8.count) {
            $0 + 4 + $1.id.text.utf8.count + 1 + 4 + $1.name.utf8.count
        }
    }

    /// Encodes a text.
    ///
    /// - Throws: `SecretMemoryError` if there is no guarded memory left.
    public static func encode(_ text: TaskText) throws -> SecretBytes {
        var writer = ByteWriter()
        writer.integer(version)
        writer.text(text.name)
        writer.text(text.notes)
        writer.integer(UInt32(text.subtasks.count))
        for subtask in text.subtasks {
            writer.text(subtask.id.text)
            writer.integer(UInt8(subtask.isDone ? 1 : 0))
            writer.text(subtask.name)
        }
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
                    let done = reader.integer(UInt8.self), done <= 1, let name = reader.text()
                else { return nil }
                text.subtasks.append(TodoSubtask(id: id, name: name, isDone: done == 1))
            }
            return reader.isAtEnd && (try? TaskTextRule.check(text)) != nil ? text : nil
        }
    }
}

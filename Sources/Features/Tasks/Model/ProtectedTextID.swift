/// The id of protected text, the account of its item in the vault: the task's id and eight random characters, such as `k7m2qx.03fz81wc`.
///
/// Each time a task is protected, its text gets a new id. An id is never reused, so the removal of old text cannot hit new text.
public struct ProtectedTextID: Sendable, Hashable, Comparable {
    private static let randomLength = 8

    /// The task.
    public let task: TaskID
    /// The id as it is stored.
    public let text: String

    /// Reads an id as it is stored; nil for any other text.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == TaskID.length + 1 + Self.randomLength,
            bytes[TaskID.length] == UInt8(ascii: "."),
            bytes.dropFirst(TaskID.length + 1).allSatisfy({ TaskID.alphabet.contains($0) }),
            let task = TaskID(String(decoding: bytes.prefix(TaskID.length), as: UTF8.self)),
            text.utf8.starts(with: task.text.utf8)
        else { return nil }
        self.task = task
        self.text = text
    }

    /// Makes a new id for the text of a task, of a random number.
    public init(of task: TaskID, number: UInt64 = .random(in: .min ... .max)) {
        self.task = task
        text = task.text + "." + TaskID.characters(Self.randomLength, of: number)
    }

    /// Orders by the characters.
    public static func < (left: ProtectedTextID, right: ProtectedTextID) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

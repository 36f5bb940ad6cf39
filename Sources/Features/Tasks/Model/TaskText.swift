/// The text of a task. The text of a protected task is in the vault only.
public struct TaskText: Sendable, Hashable {
    /// The name; one line.
    public var name: String
    /// The notes; may be empty, may have several lines.
    public var notes: String
    /// The subtasks, in the order of the owner.
    public var subtasks: [TodoSubtask]
    /// Attributes of another program that TaskVault lacks, as a JSON object; empty if there are none.
    public var further = ""

    /// Makes a text, which is checked when it is stored (``TaskTextRule``).
    public init(name: String, notes: String = "", subtasks: [TodoSubtask] = []) {
        self.name = name
        self.notes = notes
        self.subtasks = subtasks
    }
}

extension TaskText {
    /// Whether the vault stores the same bytes for both. Swift's `String` treats canonically equivalent texts as equal.
    func isStored(as other: TaskText) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && notes.utf8.elementsEqual(other.notes.utf8)
            && further.utf8.elementsEqual(other.further.utf8)
            && subtasks.elementsEqual(other.subtasks) {
                $0.id == $1.id && $0.name.utf8.elementsEqual($1.name.utf8)
            }
    }

    /// The rows that the database needs of the subtasks.
    var subtaskRows: [SubtaskRow] { subtasks.map(\.row).filter(\.isNeeded) }

    /// The text with the rows that the database has of its subtasks.
    func with(_ rows: [SubtaskRow]) -> TaskText {
        if rows.isEmpty { return self }
        var text = self
        let known = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
        for index in text.subtasks.indices {
            if let row = known[text.subtasks[index].id] { text.subtasks[index].row = row }
        }
        return text
    }
}

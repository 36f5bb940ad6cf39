/// What a format cannot tell, and so is not in the file or in the list afterwards.
public enum LeftOut: Sendable, Hashable, CaseIterable {
    /// Tasks whose words only the vault knows, and which the format has no place for.
    case protectedTasks
    /// Tasks whose words were not in the file.
    case missingWords
    /// Tasks that Taskwarrior has deleted.
    case deletedTasks
    /// The patterns from which Taskwarrior makes tasks that come again; the tasks made so far are there.
    case recurringPatterns
    /// Notes.
    case notes
    /// Subtasks.
    case subtasks
    /// Reminders.
    case reminders
    /// Times before 1980 or after 9999-12-30, at which Taskwarrior crashes.
    case times

    /// What it is, for a person.
    public var description: String {
        switch self {
        case .protectedTasks: "protected tasks whose words were not revealed"
        case .missingWords: "protected tasks whose words are not in the file"
        case .deletedTasks: "deleted tasks"
        case .recurringPatterns: "patterns of recurring tasks"
        case .notes: "notes, which the format has no place for"
        case .subtasks: "subtasks, which the format has no place for"
        case .reminders: "reminders, which the format has no place for"
        case .times: "times before 1980 or after 9999-12-30"
        }
    }
}

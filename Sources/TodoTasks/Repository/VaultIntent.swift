/// A note in the database that a protected task's words are being moved, so that what a crash leaves half done can be finished later.
///
/// Database and vault cannot change in one step. The note is written before the first step and goes away with the last one.
public struct VaultIntent: Sendable, Hashable {
    /// What is being done.
    public enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// The words are being saved in the vault, and the row of the task is to follow.
        case saving = 1
        /// The row needs the words in the vault no more, and they are to be removed.
        case discarding = 2
    }

    /// The task.
    public let id: TaskID
    /// What is being done with its words.
    public let kind: Kind

    /// Makes a note.
    public init(_ kind: Kind, _ id: TaskID) {
        self.kind = kind
        self.id = id
    }
}

/// A note in the database that protected words are being moved, so that what a crash leaves half done can be finished later.
///
/// Database and vault cannot change in one step. The note is written before the first step and goes away with the last one. There is one
/// note at most for each words.
public struct VaultIntent: Sendable, Hashable {
    /// What is being done.
    public enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// The words are being saved in the vault, and the row of the task is to follow.
        case saving = 1
        /// No row needs the words any more, and they are to be removed from the vault.
        case discarding = 2
        /// The vault has the words and the row has them no more; what is left of them in the bytes of the database is to be erased. The id is
        /// that of no words.
        case erasing = 3
    }

    /// The words.
    public let words: ProtectedWordsID
    /// What is being done with them.
    public let kind: Kind
    /// When it was begun, by the clock of whoever began it.
    public let time: PointInTime

    /// Makes a note.
    public init(
        _ kind: Kind, _ words: ProtectedWordsID, at time: PointInTime = PointInTime(milliseconds: 0)
    ) {
        self.kind = kind
        self.words = words
        self.time = time
    }

    /// Whether whoever began it has had the time to finish it: more than a minute, by clocks that may differ.
    public func isOld(at now: PointInTime) -> Bool {
        abs(now.milliseconds - time.milliseconds) > 60_000
    }
}

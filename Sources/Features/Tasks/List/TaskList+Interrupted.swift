public import SecureStorage

/// A record in the database that protected text is being moved, so that a later program can finish what a crash left half done.
///
/// The intent is written before the first step and removed with the last one. Each text has one intent at most.
public struct VaultIntent: Sendable, Hashable {
    /// The planned change.
    public enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// The text is being saved in the vault, and the row of the task is to follow.
        case saving = 1
        /// No row needs the text, and it is to be removed from the vault.
        case discarding = 2
        /// The vault has the text, and the bytes that the row left behind are to be erased. The id is that of no text.
        case erasing = 3
    }

    /// The text.
    public let words: ProtectedTextID
    /// The planned change.
    public let kind: Kind
    /// The time of the first step, by the clock of its program.
    public let time: PointInTime

    /// Makes an intent.
    public init(
        _ kind: Kind, _ words: ProtectedTextID, at time: PointInTime = PointInTime(milliseconds: 0)
    ) {
        self.kind = kind
        self.words = words
        self.time = time
    }

    /// Whether its program had time to finish: more than a minute, by clocks that may differ.
    public func isOld(at now: PointInTime) -> Bool {
        abs(now.milliseconds - time.milliseconds) > 60_000
    }
}

extension TaskList {
    /// The unfinished changes of protected text.
    public func interrupted() throws -> [VaultIntent] {
        try repository.intents()
    }

    /// Erases the bytes of text that is in the vault now. Needs no vault.
    ///
    /// - Returns: Whether nothing is left; `false` if other connections prevented it, so that it is to be tried again; nil if the database
    ///   cannot tell.
    @discardableResult
    public func finishErasing() throws -> Bool? {
        let waiting = try interrupted().filter { $0.kind == .erasing }
        if waiting.isEmpty { return true }
        let isErased = try repository.eraseOldBytes()
        if isErased == false { return false }
        try repository.change { writer in
            for intent in waiting { _ = try writer.take(intent) }
        }
        return isErased
    }

    /// Finishes what a crash left half done between database and vault.
    ///
    /// Text that reached the vault and has no row gets one: no text is lost. Text whose row still has it, and text that no row needs, is
    /// removed from the vault. A program that was only slow finds its intent gone and gets ``TaskListError/interrupted(_:)``.
    ///
    /// - Parameter vault: Unlocked; no verification is needed.
    /// - Returns: The recovered tasks.
    /// - Throws: `SecureStoreError`, `DatabaseError`; the next call finishes the rest.
    @discardableResult
    public func finishInterrupted(in vault: any SecureStore) throws -> [TaskID] {
        var recovered: [TaskID] = []
        try finishErasing()
        // A new intent belongs to a program that may still be running.
        let now = now()
        let intents = try interrupted().filter { $0.kind != .erasing && $0.isOld(at: now) }
        if intents.isEmpty { return [] }
        let kept = Set(try vault.list().map(\.name))
        for intent in intents {
            let isKept = kept.contains(ProtectedText.name(of: intent.words))
            let decision =
                intent.kind == .discarding
                ? try confirm(intent.words) : try decide(intent.words, isKept: isKept)
            switch decision {
            case .discard: try discard(intent.words, in: vault)
            case .recovered: recovered.append(intent.words.task)
            case .nothing: break
            }
        }
        return recovered
    }

    private enum Decision {
        case discard, recovered, nothing
    }

    /// Makes sure that no row has text that is to be discarded: text is not lost by a wrong intent.
    private func confirm(_ words: ProtectedTextID) throws -> Decision {
        try repository.change { writer in
            guard try writer.task(words.task)?.textID == words else { return .discard }
            _ = try writer.take(VaultIntent(.discarding, words))
            return .nothing
        }
    }

    /// Gives text that was being saved the row that it lacks, or records that it is to be discarded.
    private func decide(_ words: ProtectedTextID, isKept: Bool) throws -> Decision {
        return try repository.change { writer in
            // Gone if its program finished, or if another one decides.
            guard try writer.take(VaultIntent(.saving, words)) else { return .nothing }
            guard isKept, try writer.task(words.task) == nil else {
                try writer.put(VaultIntent(.discarding, words, at: now()))
                return .discard
            }
            // It has more than the text if it was coming back.
            if let removed = try writer.transaction.removedTask(with: words) {
                try writer.insert(removed, revision: removed.revision + 1)
            } else {
                try writer.insert(
                    TodoTask(id: words.task, content: .protected(words), created: now()))
            }
            return .recovered
        }
    }
}

public import SecureStorage

extension TaskList {
    /// Whether something was begun with protected words that is not finished.
    public func hasInterrupted() throws(TaskListError) -> Bool {
        try !intents().isEmpty
    }

    /// Finishes what a crash left half done between database and vault.
    ///
    /// Words that were on their way into the vault and have no row get one: nothing is lost. Words whose row still has them, and words that no
    /// row needs any more, are removed from the vault. Whoever was merely slow finds the note gone and is told (``TaskListError/interrupted(_:)``).
    ///
    /// - Parameter vault: Unlocked; no verification is needed.
    /// - Returns: The tasks that came back.
    /// - Throws: `vault(.locked)`, `repository`; what is left is finished by the next call.
    @discardableResult
    public func finishInterrupted(in vault: any SecureStore) throws(TaskListError) -> [TaskID] {
        var recovered: [TaskID] = []
        let intents = try intents()
        if intents.isEmpty { return [] }
        let kept = try TaskListError.vault { () throws(SecureStoreError) in
            Set(try vault.list().map(\.name))
        }
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

    /// Makes sure that no row has words that are to be discarded: whatever a note says, they are not lost.
    private func confirm(_ words: ProtectedWordsID) throws(TaskListError) -> Decision {
        try repository.changing { (writer) throws(TaskListError) in
            try TaskListError.repository { () throws(TaskRepositoryError) in
                guard try writer.task(words.task)?.wordsID == words else { return .discard }
                _ = try writer.take(VaultIntent(.discarding, words))
                return .nothing
            }
        }
    }

    /// Gives words that were being saved the row that they lack, or notes that they are to be discarded.
    private func decide(
        _ words: ProtectedWordsID, isKept: Bool
    ) throws(TaskListError) -> Decision {
        let row = TodoTask(id: words.task, content: .protected(words), created: now())
        return try repository.changing { (writer) throws(TaskListError) in
            try TaskListError.repository { () throws(TaskRepositoryError) in
                // Gone if the attempt was not interrupted after all, or if somebody else decides.
                guard try writer.take(VaultIntent(.saving, words)) else { return .nothing }
                guard isKept, try writer.task(words.task) == nil else {
                    try writer.put(VaultIntent(.discarding, words))
                    return .discard
                }
                try writer.insert(row)
                return .recovered
            }
        }
    }

    private func intents() throws(TaskListError) -> [VaultIntent] {
        try TaskListError.repository { () throws(TaskRepositoryError) in
            try repository.intents()
        }
    }
}

public import SecureStorage

extension TaskList {
    /// What was begun with protected words and is not finished.
    public func interrupted() throws(TaskListError) -> [VaultIntent] {
        try TaskListError.repository { () throws(TaskRepositoryError) in
            try repository.intents()
        }
    }

    /// Erases what the database keeps in its bytes of words that are in the vault now. No vault is needed for it.
    ///
    /// - Returns: Whether it is gone: false where others keep the database from it, so that it is to be tried again; nil where nobody can know.
    /// - Throws: `repository`.
    @discardableResult
    public func finishErasing() throws(TaskListError) -> Bool? {
        let waiting = try interrupted().filter { $0.kind == .erasing }
        if waiting.isEmpty { return true }
        let isErased = try TaskListError.repository { () throws(TaskRepositoryError) in
            try repository.eraseOldBytes()
        }
        if isErased == false { return false }
        try changing { (writer) throws(TaskRepositoryError) in
            for intent in waiting { _ = try writer.take(intent) }
        }
        return isErased
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
        try finishErasing()
        // What has just begun is left to whoever began it.
        let now = now()
        let intents = try interrupted().filter { $0.kind != .erasing && $0.isOld(at: now) }
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
        try changing { (writer) throws(TaskRepositoryError) in
            guard try writer.task(words.task)?.wordsID == words else { return .discard }
            _ = try writer.take(VaultIntent(.discarding, words))
            return .nothing
        }
    }

    /// Gives words that were being saved the row that they lack, or notes that they are to be discarded.
    private func decide(
        _ words: ProtectedWordsID, isKept: Bool
    ) throws(TaskListError) -> Decision {
        let row = TodoTask(id: words.task, content: .protected(words), created: now())
        return try changing { (writer) throws(TaskRepositoryError) in
            // Gone if the attempt was not interrupted after all, or if somebody else decides.
            guard try writer.take(VaultIntent(.saving, words)) else { return .nothing }
            guard isKept, try writer.task(words.task) == nil else {
                try writer.put(VaultIntent(.discarding, words, at: now()))
                return .discard
            }
            try writer.insert(row)
            return .recovered
        }
    }
}

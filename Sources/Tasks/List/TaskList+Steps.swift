internal import SecretMemory
internal import SecureStorage

// The steps of changes that database and vault make together.
extension TaskList {
    /// Saves words in the vault and, in the transaction that takes the note away again, what `body` does with the database.
    func saving(
        _ text: TaskText, of task: TaskID, in vault: any SecureStore,
        _ body: (ProtectedWordsID, any TaskWriter) throws(TaskRepositoryError) -> TodoTask
    ) throws(TaskListError) -> TodoTask {
        let words = ProtectedWordsID(of: task)
        let value = try encoded(text)
        try changing { (writer) throws(TaskRepositoryError) in
            try writer.put(VaultIntent(.saving, words, at: now()))
        }
        do throws(TaskListError) {
            try TaskListError.vault { () throws(SecureStoreError) in
                _ = try vault.save(
                    value, as: ProtectedText.name(of: words),
                    SecretAttributes(accessClass: .afterVerification))
            }
            return try repository.changing { (writer) throws(TaskListError) in
                try TaskListError.repository { () throws(TaskRepositoryError) -> TodoTask? in
                    if try writer.take(VaultIntent(.saving, words)) {
                        return try body(words, writer)
                    }
                    // Somebody took this attempt for a dead one. What was to be added has a row then, which lacks the rest.
                    guard let row = try writer.task(task), row.wordsID == words else { return nil }
                    try writer.remove(task, expecting: row.revision)
                    return try body(words, writer)
                }.orThrow(.interrupted(task))
            }
        } catch {
            // Where the outcome is not known, the note stays for whoever comes next.
            if error != .repository(.outcomeUnknown) { try? abandon(words, in: vault) }
            throw error
        }
    }

    /// Takes back what was begun with words, unless a row has them: somebody recovered them, or a commit is there whose sync failed.
    private func abandon(
        _ words: ProtectedWordsID, in vault: any SecureStore
    ) throws(TaskListError) {
        let isUnneeded = try changing { (writer) throws(TaskRepositoryError) in
            guard try writer.task(words.task)?.wordsID != words else { return false }
            try writer.put(VaultIntent(.discarding, words, at: now()))
            return true
        }
        if isUnneeded { try discard(words, in: vault) }
    }

    func update(
        _ text: TaskText, _ id: ProtectedWordsID, expecting revision: UInt64?,
        in vault: any SecureStore
    ) throws(TaskListError) {
        let value = try encoded(text)
        do throws(SecureStoreError) {
            try vault.update(ProtectedText.name(of: id), to: value, expecting: revision)
        } catch .notFound {
            throw try whyMissing(id)
        } catch {
            throw .vault(error)
        }
    }

    /// Why the vault does not have words that a row had: their row says that they are needed no more before they leave the vault.
    func whyMissing(_ words: ProtectedWordsID) throws(TaskListError) -> TaskListError {
        let row = try current(words.task)
        return row.wordsID == words
            ? .wordsMissing(row.id) : .repository(.conflict(row.id, found: row.revision))
    }

    private func encoded(_ text: TaskText) throws(TaskListError) -> SecretBytes {
        do {
            return try ProtectedText.encode(text)
        } catch {
            throw .vault(SecureStoreError(error))
        }
    }

    /// Removes words from the vault that no row needs, and the note that says so.
    func discard(
        _ words: ProtectedWordsID, in vault: any SecureStore
    ) throws(TaskListError) {
        do throws(SecureStoreError) {
            try vault.remove(ProtectedText.name(of: words))
        } catch {
            guard error == .notFound else { throw .vault(error) }
        }
        try changing { (writer) throws(TaskRepositoryError) in
            _ = try writer.take(VaultIntent(.discarding, words))
        }
    }
}

extension Optional {
    fileprivate func orThrow(_ error: TaskListError) throws(TaskListError) -> Wrapped {
        guard let self else { throw error }
        return self
    }
}

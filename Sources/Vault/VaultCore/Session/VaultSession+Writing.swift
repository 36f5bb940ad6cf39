internal import VaultStorage

extension VaultSession {
    /// Runs `body` in a transaction of the storage, adds its changes to the verified index, and records the commit.
    ///
    /// If the transaction fails, the vault is unchanged. If only the rollback record cannot be written, the change is stored.
    /// Copies of values that no row has any more are erased from the storage's log, too. If a reader prevents that for two seconds, the next
    /// change and ``hasOldValues()`` try again.
    func write<Result>(
        _ body: (VaultChanges) throws -> Result
    ) throws -> Result {
        let result = try commit(body)
        defer { eraseOldBytes { try $0.eraseOldBytes() } }
        try recordCommit()
        return result
    }

    /// Whether copies of erased values are still in the storage's log, after a last attempt that does not wait.
    func hasOldValues() -> Bool {
        eraseOldBytes { try $0.eraseOldBytesAtOnce() }
        return hasOldBytes
    }

    private func eraseOldBytes(_ erase: (any RecordStorage) throws -> Bool?) {
        guard hasOldBytes else { return }
        do {
            hasOldBytes = try erase(storage) == false
        } catch {
            // The change is durable: this is no failure of it.
        }
    }

    /// As ``write(_:)``, without recording the commit.
    func commit<Result>(
        _ body: (VaultChanges) throws -> Result
    ) throws -> Result {
        var attempted: VaultChanges.Outcome?
        var result: Result?
        do {
            try catchingUp {
                try storage.write { writer in
                    attempted = nil
                    let storedHeader = try refresh(writer)
                    guard let index else { throw VaultError.damaged(.stateMissing) }
                    guard try currentHeader(storedHeader) == header else {
                        throw VaultError.damaged(.stateSeal)
                    }
                    let changes = VaultChanges(self, writer, index)
                    result = try body(changes)
                    attempted = try changes.finish()
                }
            }
        } catch {
            // Before the commit, the index still matches the stored state.
            guard let attempted else { throw error }
            // A failed commit may have taken effect: compare with the stored state.
            guard isStored(attempted) else {
                index = nil
                throw error
            }
        }
        guard let attempted, let result else { throw VaultError.damaged(.stateMissing) }
        header = attempted.header
        newest = attempted.seen
        if attempted.erasesValues { hasOldBytes = true }
        // Move the index out and back, so that its dictionaries are changed in place.
        if var current = index {
            index = nil
            attempted.apply(to: &current)
            index = current
        }
        return result
    }

    /// Whether the changes of a transaction are stored.
    func isStored(_ attempted: VaultChanges.Outcome) -> Bool {
        let stored = try? storage.read { reader in try reader.state() }
        return stored == attempted.seen.record
    }
}

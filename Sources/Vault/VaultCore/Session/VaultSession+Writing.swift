internal import VaultStorage

extension VaultSession {
    /// Runs `body` in a transaction of the storage, adds its changes to the verified index, and records the commit.
    ///
    /// If the transaction fails, the vault is unchanged. If only the rollback record cannot be written, the change is stored.
    /// Copies of erased values in the storage's log are erased, too; if a reader prevents that, the next change tries again.
    func write<Result>(
        _ body: (VaultChanges) throws -> Result
    ) throws -> Result {
        let result = try commit(body)
        defer { eraseOldBytes() }
        try recordCommit()
        return result
    }

    private func eraseOldBytes() {
        guard hasOldBytes else { return }
        do {
            hasOldBytes = try storage.eraseOldBytes() == false
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

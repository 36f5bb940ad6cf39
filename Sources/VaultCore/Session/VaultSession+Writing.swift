internal import VaultStorage

extension VaultSession {
    /// Runs `body` in a transaction of the storage and adds its changes to the verified index.
    ///
    /// If it throws, the vault is unchanged.
    func write<Result>(
        _ body: (VaultChanges) throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        var attempted: VaultChanges.Outcome?
        var result: Result?
        do {
            try storage.write { writer in
                attempted = nil
                try refresh(writer)
                guard let index else { throw VaultError.damaged(.stateMissing) }
                guard try currentHeader(writer) == header else {
                    throw VaultError.damaged(.stateSeal)
                }
                let changes = VaultChanges(self, writer, index)
                result = try body(changes)
                attempted = try changes.finish()
            }
        } catch let error as VaultError {
            throw error
        } catch {
            // A failed commit may still have taken effect: compare with the stored state.
            guard let attempted, isStored(attempted) else {
                index = nil
                throw VaultError(translating: error)
            }
        }
        guard let attempted, let result else { throw .damaged(.stateMissing) }
        header = attempted.header
        newest = SeenState(state: attempted.state, record: attempted.stateRecord)
        // Move the index out and back, to change its dictionaries in place.
        if var current = index {
            index = nil
            attempted.apply(to: &current)
            index = current
        }
        raiseMarkSometimes()
        return result
    }

    /// Whether the changes of a transaction are stored.
    func isStored(_ attempted: VaultChanges.Outcome) -> Bool {
        let stored = try? storage.read { reader in try reader.state() }
        return stored == attempted.stateRecord
    }
}

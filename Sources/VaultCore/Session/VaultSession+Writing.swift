internal import VaultStorage

extension VaultSession {
    /// Runs `body` in a transaction of the storage and makes its changes part of the verified whole.
    ///
    /// When it throws, nothing has changed.
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
            // A commit that failed may have happened all the same: what is stored now decides.
            guard let attempted, isStored(attempted) else {
                index = nil
                throw VaultError(translating: error)
            }
        }
        guard let attempted, let result else { throw .damaged(.stateMissing) }
        header = attempted.header
        newest = SeenState(state: attempted.state, record: attempted.stateRecord)
        // Moved out and back, so that the dictionaries are changed in place.
        if var current = index {
            index = nil
            attempted.apply(to: &current)
            index = current
        }
        raiseMarkSometimes()
        return result
    }

    /// Whether what a transaction wrote is there.
    func isStored(_ attempted: VaultChanges.Outcome) -> Bool {
        let stored = try? storage.read { reader in try reader.state() }
        return stored == attempted.stateRecord
    }
}

internal import SecretMemory

extension AuthenticatedVault {
    /// Starts a new lineage: what a restored backup does before it takes the place of a vault.
    ///
    /// Checks everything first. Programs that had the vault open end their sessions, and every copy of the old lineage is older.
    ///
    /// - Parameter counter: The new counter is above this one and above the vault's own.
    /// - Throws: `damaged` if anything in the vault is; `storage`, `conflict`, `outOfMemory`.
    public borrowing func startLineage(above counter: UInt64) throws(VaultError) {
        try session.write { (changes) throws(VaultError) in
            try changes.session.verifyAll(changes.writer)
            guard counter < .max else { throw .countedToTheEnd }
            changes.state.counter = counter + 1
            changes.state.lineage = changes.session.environment.random.bytes(count: 16)
        }
        session.raiseMark()
    }

    /// The counter of the newest state that was read.
    public var counter: UInt64 { session.newest?.state.counter ?? 0 }

    /// The number of items in the newest state that was read.
    public var itemCount: Int { Int(clamping: session.newest?.state.itemCount ?? 0) }
}

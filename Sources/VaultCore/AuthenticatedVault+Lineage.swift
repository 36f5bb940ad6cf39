internal import SecretMemory

extension AuthenticatedVault {
    /// Starts a new lineage, as a restored backup requires before it replaces a vault.
    ///
    /// Verifies the whole vault first. Other programs' sessions end, and every copy of the old lineage counts as older.
    ///
    /// - Parameter counter: A lower bound: the new counter exceeds this one and the vault's own.
    /// - Throws: `damaged` if any part of the vault is damaged; `storage`, `conflict`, `outOfMemory`.
    public borrowing func startLineage(above counter: UInt64) throws(VaultError) {
        try session.write { (changes) throws(VaultError) in
            try changes.session.verifyAll(changes.writer)
            guard counter < .max else { throw .countedToTheEnd }
            changes.state.counter = counter + 1
            changes.state.lineage = changes.session.environment.random.bytes(count: 16)
        }
        session.raiseMark()
    }

    /// The counter of the newest state read.
    public var counter: UInt64 { session.newest?.state.counter ?? 0 }

    /// The number of items in the newest state read.
    public var itemCount: Int { Int(clamping: session.newest?.state.itemCount ?? 0) }
}

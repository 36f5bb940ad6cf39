internal import VaultStorage

extension VaultSession {
    /// The shortest interval between updates of the rollback record in a session, in milliseconds.
    private static let markInterval: Int64 = 1_000

    /// This machine's rollback record, or nil if it has no readable one.
    func knownMark() throws -> RollbackMark? {
        try environment.knownMark(of: header.vaultID, refusingDamaged: !environment.acceptsOlder)
    }

    /// Refuses a state older than this machine's rollback record, unless the owner accepts it; the record is then reset to it.
    func check(
        _ state: VaultState, record: [UInt8], against known: RollbackMark?
    ) throws {
        let found = RollbackMark(vaultID: header.vaultID, state: state, record: record)
        if let known, found.isAtLeast(known) { return }
        if let known, !environment.acceptsOlder {
            throw VaultError.rolledBack(found: state.counter, seen: known.counter)
        }
        if environment.acceptsOlder {
            try? environment.marks.remember(found, force: true)
        }
    }

    /// The rollback record for the newest state of this session, and its destination.
    var newestMark: (mark: RollbackMark, marks: any RollbackMarks)? {
        guard let newest else { return nil }
        let mark = RollbackMark(
            vaultID: header.vaultID, state: newest.state, record: newest.record)
        return (mark, environment.marks)
    }

    /// Updates the rollback record to the newest state of this session; failures are ignored.
    func raiseMark() {
        guard let newestMark else { return }
        try? newestMark.marks.remember(newestMark.mark, force: false)
    }

    /// Updates the rollback record, at most once per second.
    func raiseMarkSometimes() {
        let now = environment.now()
        // A clock that was set back must not prevent updates.
        if now >= lastMarkTime, now &- lastMarkTime < Self.markInterval { return }
        lastMarkTime = now
        raiseMark()
    }
}

extension VaultEnvironment {
    /// This machine's rollback record of a vault, or nil if it has no readable one.
    ///
    /// Without readable records no rollback is detected. If writing them fails too, the program reports it.
    ///
    /// - Throws: `storage(.unsafeLocation)` if other users can change the records; `damaged`.
    func knownMark(of vaultID: [UInt8], refusingDamaged: Bool) throws -> RollbackMark? {
        do {
            return try marks.mark(of: vaultID)
        } catch {
            switch error {
            case .unsafe(let path, let reason):
                throw VaultError.storage(.unsafeLocation(path: path, reason: reason))
            case .damaged where refusingDamaged: throw VaultError.damaged(.markDamaged)
            case .damaged, .unavailable: return nil
            }
        }
    }
}

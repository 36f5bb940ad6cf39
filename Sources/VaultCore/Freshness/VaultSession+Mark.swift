internal import VaultStorage

extension VaultSession {
    /// How often a long session raises its mark, in milliseconds.
    private static let markInterval: Int64 = 1_000

    /// This machine's mark, or nil where it has none that it can read.
    func knownMark() throws(VaultError) -> RollbackMark? {
        do throws(RollbackMarkError) {
            return try environment.marks.mark(of: header.vaultID)
        } catch {
            // A machine that cannot read its marks cannot tell; the program says so when it cannot raise them either.
            guard error == .damaged, !environment.acceptsOlder else { return nil }
            throw .damaged(.markDamaged)
        }
    }

    /// Refuses a state older than this machine's mark, unless the owner accepts it; the mark is then set to it.
    func check(
        _ state: VaultState, record: [UInt8], against known: RollbackMark?
    ) throws(VaultError) {
        let found = RollbackMark(vaultID: header.vaultID, state: state, record: record)
        if let known, found.isAtLeast(known) { return }
        if let known, !environment.acceptsOlder {
            throw .rolledBack(found: state.counter, seen: known.counter)
        }
        if environment.acceptsOlder {
            try? environment.marks.remember(found, force: true)
        }
    }

    /// The mark of what this session saw last, and where to keep it.
    var newestMark: (mark: RollbackMark, marks: any RollbackMarks)? {
        guard let newest else { return nil }
        let mark = RollbackMark(
            vaultID: header.vaultID, state: newest.state, record: newest.record)
        return (mark, environment.marks)
    }

    /// Raises the mark to what this session saw last, as far as this machine can.
    func raiseMark() {
        guard let newestMark else { return }
        try? newestMark.marks.remember(newestMark.mark, force: false)
    }

    /// Raises the mark unless that was done less than a second ago.
    func raiseMarkSometimes() {
        let now = environment.now()
        // A clock that was set back must not stop it.
        if now >= lastMarkTime, now &- lastMarkTime < Self.markInterval { return }
        lastMarkTime = now
        raiseMark()
    }
}

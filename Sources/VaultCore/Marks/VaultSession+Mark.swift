internal import VaultStorage

extension VaultSession {
    /// How often a long session raises its mark, in milliseconds.
    private static let markInterval: Int64 = 1_000

    /// Refuses a state older than this machine's mark, unless the owner accepts it.
    func checkMark(_ state: VaultState, record: [UInt8]) throws(VaultError) {
        let found = RollbackMark(vaultID: header.vaultID, state: state, record: record)
        let known: RollbackMark?
        do throws(RollbackMarkError) {
            known = try environment.marks.mark(of: header.vaultID)
        } catch .damaged where environment.acceptsOlder {
            known = nil
        } catch .damaged {
            throw .damaged(.markDamaged)
        } catch {
            // A machine that cannot read its marks cannot tell; the program says so when it cannot raise them either.
            known = nil
        }
        if let known, !found.isAtLeast(known), !environment.acceptsOlder {
            throw .rolledBack(found: state.counter, seen: known.counter)
        }
        if environment.acceptsOlder {
            try? environment.marks.remember(found, force: true)
        }
    }

    /// Raises the mark to what this session saw last.
    ///
    /// - Returns: Why it could not be kept, or nil.
    @discardableResult
    func raiseMark() -> RollbackMarkError? {
        guard let newest else { return nil }
        let mark = RollbackMark(
            vaultID: header.vaultID, state: newest.state, record: newest.record)
        do throws(RollbackMarkError) {
            try environment.marks.remember(mark, force: false)
            return nil
        } catch {
            return error
        }
    }

    /// Raises the mark unless that was done less than a second ago.
    func raiseMarkSometimes() {
        let now = environment.now()
        // A clock that was set back must not stop it.
        if now >= lastMarkTime, now - lastMarkTime < Self.markInterval { return }
        lastMarkTime = now
        raiseMark()
    }
}

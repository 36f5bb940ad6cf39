internal import Sealing
internal import VaultStorage

extension VaultSession {
    /// Counts a commit and stores its link, and removes the links that are too old.
    ///
    /// The new state is complete but for counter and history, and its counter is a lower bound. A commit may skip counters, above those of a
    /// vault that it replaces; each skipped one gets a link too, as far as links are kept.
    func advance(
        _ state: inout VaultState, from old: UInt64, _ writer: any RecordWriter
    ) throws {
        guard old < LinkRecord.largestCounter, state.counter <= LinkRecord.largestCounter else {
            throw VaultError.countedToTheEnd
        }
        let counter = max(state.counter, old + 1)
        let oldest = counter > environment.keptLinks ? counter - environment.keptLinks + 1 : 1
        for number in max(old + 1, oldest)...counter {
            state.counter = number
            let link = CommitLink(state, under: keys.rowHash, random: environment.random)
            state.history = link.history(after: state.history, counter: number)
            try writer.putLink(
                link.sealed(
                    counter: number, under: keys.state, vaultID: header.vaultID,
                    random: environment.random))
        }
        if oldest > 1 { try writer.removeLinks(upTo: oldest - 1) }
    }

    /// The counters whose links a sound vault has.
    func keptLinks(of state: VaultState) -> ClosedRange<UInt64> {
        let oldest =
            state.counter > environment.keptLinks ? state.counter - environment.keptLinks + 1 : 1
        return oldest...state.counter
    }

    /// Seals all links under the keys of another session.
    func resealLinks(for fresh: VaultSession, _ writer: any RecordWriter) throws {
        // Replacing a row keeps its place in the order of the counters.
        try writer.forEachLink(1...LinkRecord.largestCounter) { record in
            let link = try CommitLink(record, under: keys.state, vaultID: header.vaultID)
            try writer.putLink(
                link.sealed(
                    counter: record.counter, under: fresh.keys.state, vaultID: header.vaultID,
                    random: environment.random))
        }
    }

    /// Replaces links that are missing or do not open by new ones, which lead nowhere: a machine that needs them must confirm the vault.
    func mendLinks(of state: VaultState, _ writer: any RecordWriter) throws {
        var missing = Set(keptLinks(of: state))
        try writer.forEachLink(keptLinks(of: state)) { record in
            let link = try? CommitLink(record, under: keys.state, vaultID: header.vaultID)
            if link != nil { missing.remove(record.counter) }
        }
        for counter in missing {
            let link = CommitLink(state, under: keys.rowHash, random: environment.random)
            try writer.putLink(
                link.sealed(
                    counter: counter, under: keys.state, vaultID: header.vaultID,
                    random: environment.random))
        }
    }
}

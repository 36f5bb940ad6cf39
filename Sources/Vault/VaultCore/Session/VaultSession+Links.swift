internal import Sealing
internal import VaultStorage

extension VaultSession {
    /// Increments the counter, stores the link of the commit, and removes links that are too old.
    ///
    /// The counter of the given state is a lower bound; history and counter are set here. A commit may skip counters to exceed those of a
    /// vault that it replaces. Each skipped counter gets a link too, as far as links are kept.
    func advance(
        _ state: inout VaultState, from old: UInt64, _ writer: any RecordWriter
    ) throws {
        guard old < LinkRecord.largestCounter, state.counter <= LinkRecord.largestCounter else {
            throw VaultError.counterExhausted
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
        if oldest > 1 { try writer.removeLinks(1...(oldest - 1)) }
    }

    /// The counters whose links a sound vault has.
    func keptLinks(of state: VaultState) -> ClosedRange<UInt64> {
        let oldest =
            state.counter > environment.keptLinks ? state.counter - environment.keptLinks + 1 : 1
        return oldest...state.counter
    }

    /// Reseals the links of a state under the keys of another session, and removes all others.
    func resealLinks(
        of state: VaultState, for fresh: VaultSession, _ writer: any RecordWriter
    ) throws {
        let kept = keptLinks(of: state)
        try removeLinks(exceptOf: kept, writer)
        // Replacing a row keeps its position in the order of counters.
        try writer.forEachLink(kept) { record in
            let link = try CommitLink(record, under: keys.state, vaultID: header.vaultID)
            try writer.putLink(
                link.sealed(
                    counter: record.counter, under: fresh.keys.state, vaultID: header.vaultID,
                    random: environment.random))
        }
    }

    private func removeLinks(
        exceptOf kept: ClosedRange<UInt64>, _ writer: any RecordWriter
    ) throws {
        if kept.lowerBound > 1 { try writer.removeLinks(1...(kept.lowerBound - 1)) }
        guard kept.upperBound < LinkRecord.largestCounter else { return }
        try writer.removeLinks((kept.upperBound + 1)...LinkRecord.largestCounter)
    }

    /// Replaces missing or unreadable links by random ones. They prove nothing: a machine that needs them must confirm the vault.
    func repairLinks(of state: VaultState, _ writer: any RecordWriter) throws {
        let kept = keptLinks(of: state)
        try removeLinks(exceptOf: kept, writer)
        var missing = Set(kept)
        try writer.forEachLink(kept) { record in
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

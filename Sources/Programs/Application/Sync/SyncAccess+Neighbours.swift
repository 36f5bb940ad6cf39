internal import Platform
internal import SyncStorage
internal import TextCoding
internal import VaultAgent

/// The rank of a restored copy in the group.
enum RestoredState {
    /// Old: what the devices changed since comes back.
    case rejoining
    /// The newest state: each difference is a change.
    case adopted
}

// Sync as other operations see it.
extension SyncAccess {
    /// Notes that an older copy of vault and list is about to be put in their place. The next round after a verification brings the state of all
    /// devices back, and takes no old content for a change; or it takes each difference for a change of now.
    ///
    /// - Parameter isAdopting: Whether the older copy becomes the state of all devices.
    /// - Throws: `SystemFailure`, `UnusableFile`.
    func beginRejoining(adopting isAdopting: Bool) throws {
        let place = try place
        // What a former device left does not belong to older copies.
        for path in [SyncDatabase.Chain.list, .secrets].map({ place.former($0) })
        where FileSystem.exists(path) {
            try SyncPlace.removeStore(path)
        }
        guard isEnabled else { return }
        try FileSystem.replace(place.rejoining, with: isAdopting ? Self.adopting : "")
    }

    /// Writes records of what changed here since the last round, before an older copy of vault and list takes their place.
    ///
    /// - Returns: What could be read for that. In a locked vault it is nothing, and without a verification all that needs none.
    package func keepUnsent() -> SyncRound.Scope {
        guard isEnabled else { return .verified }
        // Also for a command that opens the vault by itself.
        let agent = (try? vault.agent()).flatMap { agent in
            (try? agent.status().isUnlocked) == true ? agent : nil
        }
        return captureRest(agent.map { OpenStore(secrets: $0, agent: $0) }) ?? .list
    }

    private static let adopting = "adopt\n"

    /// The rank of a copy that was restored before the next round; nil without one.
    func restored(_ place: SyncPlace) -> RestoredState? {
        FileSystem.content(place.rejoining, limit: 16).map {
            $0 == Array(Self.adopting.utf8) ? .adopted : .rejoining
        }
    }

    /// Takes the note back, because nothing was replaced.
    func cancelRejoining() {
        guard let place = try? place else { return }
        try? FileSystem.remove(place.rejoining)
    }

    /// Whether the next round brings the state of all devices back.
    package var isRejoining: Bool {
        (try? place).map { FileSystem.exists($0.rejoining) } ?? false
    }

    /// Removes what this machine keeps of sync, after its vault was destroyed.
    ///
    /// - Returns: Whether this home took part in sync.
    package func forget() -> Bool {
        guard isEnabled, let place = try? place else { return false }
        try? place.clear()
        return true
    }

    /// Warns of what the last round found and does not mend itself.
    package func warnOfFaults() {
        guard isEnabled, let place = try? place, let round = SyncRound(at: place) else { return }
        for problem in round.problems where problem.isFault {
            owner.warn(problem.code, problem.text)
        }
    }

    /// The problems of the last round; nil if this home does not sync.
    package var problems: [SyncProblem]? {
        guard isEnabled, let place = try? place else { return nil }
        return SyncRound(at: place)?.problems ?? []
    }
}

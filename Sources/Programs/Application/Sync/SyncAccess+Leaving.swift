internal import Platform
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import SyncMirrors
internal import SyncStorage
internal import TextCoding

/// The device that this home was before it left a group.
struct FormerMembership {
    let group: GroupID
    /// Its id in each chain of which the records wait for the next device.
    var list: DeviceID
    var secrets: DeviceID

    /// Reads the file; nil if there is none.
    init?(at place: SyncPlace) {
        guard let bytes = FileSystem.content(place.former, limit: 256) else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 3, let group = GroupID(text: String(words[0])),
            let list = DeviceID(text: String(words[1])),
            let secrets = DeviceID(text: String(words[2]))
        else { return nil }
        self.group = group
        self.list = list
        self.secrets = secrets
    }

    init(_ device: SyncDevice) {
        group = device.group
        list = device.id
        secrets = device.id
    }

    func write(at place: SyncPlace) throws {
        try FileSystem.replace(
            place.former, with: "\(group.text) \(list.text) \(secrets.text)\n")
    }
}

// What a home keeps between two devices: after the end of sync, and before it joins anew.
extension SyncAccess {
    /// Ends the device. What it had in common with the group stays, without contents, so that the next device of this home goes on there.
    ///
    /// - Throws: `SystemFailure`.
    func leave(_ place: SyncPlace) throws {
        guard let device = try? SyncDevice(at: place) else {
            return try place.clear(keepingRecords: FormerMembership(at: place) != nil)
        }
        var former = FormerMembership(device)
        // A first round that never came leaves the device before as the last one that had anything.
        if let earlier = FormerMembership(at: place), earlier.group == device.group {
            if FileSystem.exists(place.former(.list)) { former.list = earlier.list }
            if FileSystem.exists(place.former(.secrets)) { former.secrets = earlier.secrets }
        }
        try former.write(at: place)
        try place.clear(keepingRecords: true)
        for (path, chain) in [(place.list, SyncDatabase.Chain.list), (place.secrets, .secrets)] {
            let id = chain == .list ? device.id : device.id.secretsChain
            do {
                let database = try SyncDatabase.open(at: path, chain, device: id, keys: [:])
                defer { database.close() }
                try database.retire()
            } catch {
                // Without it, the home joins as one that was never there.
                try SyncPlace.removeStore(path)
            }
        }
        try place.setAside()
    }

    /// Writes records of what changed here and was not captured yet, as far as what is open now allows. Sends nothing.
    ///
    /// - Returns: What was open; nil if nothing could be captured.
    func captureRest(_ store: OpenStore?) -> SyncRound.Scope? {
        try? withSession(store) { session in
            // Old content is no change; and what a former device left is captured with what the group has.
            guard restored(session.place) == nil, !isResuming(session.place) else { return .list }
            let members = try knownMembership(session)
            try withList(session, members) { _, mirror in _ = try mirror.capture(isLast: true) }
            try withSecrets(session, members) { _, mirror in
                let items = try session.store?.secrets.list() ?? []
                _ = try keepBackFiles(among: items, mirror)
                _ = try mirror.capture(of: items)
            }
            return session.scope
        }
    }

    /// Whether the first round of a device that goes on where a former one ended is still to come.
    func isResuming(_ place: SyncPlace) -> Bool {
        FileSystem.exists(place.former(.list)) || FileSystem.exists(place.former(.secrets))
    }

    /// The state of the former device in a chain; nil without one, or if it cannot be read.
    func former(_ chain: SyncDatabase.Chain, _ session: SyncSession) -> FormerDevice? {
        let path = session.place.former(chain)
        guard FileSystem.exists(path), let former = FormerMembership(at: session.place),
            former.group == session.device.group
        else { return nil }
        do {
            var keys: [SyncLevel: StoreKey] = [:]
            if chain == .secrets, let store = session.store?.secrets {
                keys[.whileUnlocked] = try SyncVaultKeys.formerKey(of: former.secrets, in: store)
            }
            let id = chain == .list ? former.list : former.secrets.secretsChain
            let database = try SyncDatabase.open(at: path, chain, device: id, keys: keys)
            defer { database.close() }
            return try database.former()
        } catch {
            return nil
        }
    }

    /// Removes the state of the former device in a chain: the next one has gone on from it.
    func removeFormer(_ chain: SyncDatabase.Chain, _ session: SyncSession) throws {
        try SyncPlace.removeStore(session.place.former(chain))
        if chain == .secrets, let store = session.store?.secrets {
            try SyncVaultKeys.removeFormer(from: store)
        }
    }
}

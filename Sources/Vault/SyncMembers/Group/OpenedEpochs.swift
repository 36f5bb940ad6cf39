package import Sync

/// The keys of epochs that one device opened.
package struct OpenedEpochs: Sendable {
    /// The keys, as far as their levels were there. The epoch for new segments is the first, if there is one.
    package let keys: [EpochKeys]
    /// The id of the epoch for new segments; nil if a member must make one first, or deliver it.
    package let sealing: [UInt8]?
    /// The epochs whose key of a level did not open, although statements say that it should.
    package let failures: [[UInt8]: EpochFailure]
    /// The epochs that the device has no box for.
    package let missing: Set<[UInt8]>
}

extension GroupState {
    /// Opens the keys of all epochs.
    ///
    /// - Parameter secrets: The secrets of one device whose levels are there now.
    /// - Returns: The keys.
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package func openEpochs(with secrets: [LevelSecrets]) throws -> OpenedEpochs {
        var opened: [EpochKeys] = []
        var failures: [[UInt8]: EpochFailure] = [:]
        var missing: Set<[UInt8]> = []
        let unordered = epochs.values.sorted { $0.id.lexicographicallyPrecedes($1.id) }
        let usable = Set(usableEpochs.map(\.id))
        for epoch in usableEpochs + unordered.filter({ !usable.contains($0.id) }) {
            var keys: [SyncLevel: LevelKey] = [:]
            for secrets in secrets {
                do {
                    keys[secrets.level] = try epoch.key(with: secrets)
                } catch EpochFailure.boxMissing {
                    missing.insert(epoch.id)
                } catch let failure as EpochFailure {
                    failures[epoch.id] = failure
                }
            }
            if !keys.isEmpty { opened.append(EpochKeys(id: epoch.id, keys: keys)) }
        }
        let sealing = opened.first { usable.contains($0.id) && $0[.list] != nil }?.id
        return OpenedEpochs(
            keys: opened.sorted { $0.id == sealing && $1.id != sealing }, sealing: sealing,
            failures: failures, missing: missing)
    }

    /// The name of a member or of a former one; nil without the key of its epoch.
    package func name(of device: DeviceID, _ epochs: OpenedEpochs) -> String? {
        let member = members[device] ?? recoveryMembers[device] ?? removed[device]?.member
        return member?.name.text(of: device, in: group, epochs.keys)
    }
}

extension GroupState.Epoch {
    /// Opens the key of a level: the box of the statement, or else any that was delivered.
    fileprivate func key(with secrets: LevelSecrets) throws -> LevelKey {
        let device = secrets.device
        var result = Result { try statement.key(secrets.level, for: device, with: secrets.box) }
        for boxes in delivered[device] ?? [] {
            if case .success = result { break }
            result = Result {
                try statement.key(
                    secrets.level, for: device, with: secrets.box, delivered: boxes)
            }
        }
        return try result.get()
    }
}

internal import Platform
package import Sealing
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import TextCoding

// The recovery code: a member without a device, whose keys a blob at the remote has.
extension SyncAccess {
    /// Lets a new recovery code of the vault open the group, too, in place of an earlier one.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - store: The verified vault.
    /// - Throws: The errors of vault, folder and members.
    package func use(_ code: borrowing RecoveryCode, _ store: OpenStore) throws {
        try withSession(store) { session in
            let heads = try heads(session)
            let state = try write(session) { author in
                // The blob first: the statements make sense only with it.
                let blob = try author.addRecoveryMember(code, heads: heads)
                try keep(blob, session.place)
                _ = try session.groupRemote.put(blob)
            }
            try exchangeRecovery(state, session)
        }
    }

    /// Removes the members that recovery codes open, and makes new keys: no code opens what the group writes from now on.
    ///
    /// - Parameter store: The verified vault.
    /// - Throws: The errors of vault, folder and members.
    package func revokeRecoveryCode(_ store: OpenStore) throws {
        try withSession(store) { session in
            let state = try write(session) { author in
                let former = author.state.recoveryMembers.keys.sorted()
                if !former.isEmpty { try author.remove(former, heads: [:]) }
            }
            try exchangeRecovery(state, session)
        }
    }

    private func keep(_ blob: RecoveryBlob, _ place: SyncPlace) throws {
        let file = try NewFile(at: place.recovery, replacing: true)
        unsafe try Descriptor.write(blob.bytes.span.bytes, to: file.descriptor)
        try file.publish()
    }

    /// Keeps a copy of the recovery member's blob here, puts it again if the remote has lost it, and removes those of former ones.
    func exchangeRecovery(_ state: GroupState, _ session: SyncSession) throws {
        let remote = session.groupRemote
        let former = state.removed.values.filter { $0.member.role == .recovery }
        if !former.isEmpty {
            // Also later: a device that did not know of the removal may have put its copy again.
            let names = Set(former.map(\.member.id.text))
            for name in try remote.names(in: .recovery) where names.contains(name) {
                try remote.delete(name, in: .recovery)
            }
        }
        let kept = FileSystem.content(session.place.recovery, limit: RecoveryBlob.size)
            .flatMap { RecoveryBlob($0) }
        guard let member = state.recoveryMember?.id else {
            return try FileSystem.remove(session.place.recovery)
        }
        if let kept, kept.member == member {
            _ = try remote.put(kept)
        } else if let blob = try remote.get(member.text, in: .recovery)
            .flatMap({ RecoveryBlob($0) }), blob.member == member
        {
            try keep(blob, session.place)
        }
    }

    /// Joins a group by its recovery code alone, as after the loss of all devices.
    ///
    /// The remote may show an older state of the group: no other device can say so.
    ///
    /// - Parameters:
    ///   - folder: The folder; nil for the account that is signed in.
    ///   - name: The name of this device; nil for that of the machine.
    ///   - code: The code.
    ///   - store: The verified vault.
    /// - Returns: The device.
    /// - Throws: A failure, such as for another code; the errors of vault and folder.
    package func join(
        _ folder: String?, as name: String?, with code: borrowing RecoveryCode, _ store: OpenStore
    ) throws -> EnabledDevice {
        try requireNotEnabled()
        try requireFiles()
        let wished = try deviceName(name)
        let connection = try connection(to: folder, store)
        let group = try group(of: connection, folder)
        let place = try place
        let secrets = try DeviceSecrets.random(from: .system)
        let remote = connection.members(of: group, secrets.device)
        let state = GroupState(group, try remote.exchangeStatements(known: []).received)
        var found: DeviceSecrets?
        for member in state.recoveryMembers.keys.sorted() {
            guard
                let blob = try remote.get(member.text, in: .recovery)
                    .flatMap({ RecoveryBlob($0) })
            else { continue }
            found = try blob.open(with: code) ?? found
        }
        guard let recovery = found, state.recoveryMembers[recovery.device] != nil else {
            throw Failure(
                .wrongPassphrase, code: "wrong_recovery_code",
                "this recovery code does not open the group of \(connection.described(as: folder))",
                hint:
                    "only the code counts that recovery show-new printed last on a device of the group, after sync enable; a folder that is still being copied may lack it"
            )
        }
        var author = GroupAuthor(
            recovery, state, now: now().milliseconds, random: .system)
        let epochs = try state.openEpochs(with: recovery.all)
        let name = SyncMembership(state, epochs).freeName(wished)
        try author.add(Newcomer(secrets, as: .device, to: group), name: name)
        try place.exclusively(within: Self.patience) {
            try requireNotEnabled()
            try saveKeys(secrets, store)
            try begin(
                SyncDevice(group, at: connection.remote, secrets[.list]), connection,
                author.state.kept, place)
        }
        try round(within: Self.patience, store)
        return EnabledDevice(
            remote: connection.remote, group: group.text, id: secrets.device.text, name: name)
    }
}

internal import Sync
internal import SyncMembers
internal import TextCoding

// The same group at another place.
extension SyncAccess {
    /// Goes on at another remote: all that this device has sent, the statements, the recovery blob and the contents of files are put there.
    ///
    /// The other devices follow by themselves, in any order. Each puts what it has; nothing is deleted at the old place.
    ///
    /// - Parameter folder: The folder, or nil for the account that is signed in. It has no group, or this one.
    /// - Returns: The absolute path or the server's address, and the report of the first round there.
    /// - Throws: A failure; the errors of vault, list, store and remote. After a failed round the device uses the new remote.
    package func move(to folder: String?) throws -> (remote: String, round: SyncRound) {
        let group = try device().group
        let connection: SyncConnection =
            if let folder {
                .folder(try chosenFolder(folder))
            } else {
                try vault.withStore(.changing) { try self.connection(to: nil, $0) }
            }
        guard try connection.groups().allSatisfy({ $0 == group }) else {
            throw Failure(
                .alreadyExists, code: "group_exists",
                "\(connection.described(as: folder)) has another group",
                hint: errors.command("sync move --folder DIR") + " with an empty folder")
        }
        try copyFiles(of: group, to: connection)
        let place = try place
        try place.exclusively(within: Self.patience) {
            let device = try device()
            try connection.keep()
            try SyncDevice(device.group, at: connection.remote, device.secrets).write(at: place)
        }
        return (connection.remote, try round())
    }

    /// Copies the contents of files: of some this machine may have nothing but their entry.
    ///
    /// - Throws: `RemoteFailure` of the new remote. If the old one is gone, devices put what they have.
    private func copyFiles(of group: GroupID, to new: SyncConnection) throws {
        let device = try device()
        let source = connection(of: device, try place, nil).members(of: group, device.id)
        let target = new.members(of: group, device.id)
        guard let names = try? source.names(in: .files), !names.isEmpty else { return }
        for name in Set(names).subtracting(try target.names(in: .files)).sorted() {
            guard let part = try? source.get(name, in: .files) else { continue }
            _ = try target.put(part, as: name, in: .files)
        }
    }
}

internal import Sync
internal import TextCoding

// The same group at another place.
extension SyncAccess {
    /// Goes on with another folder: all that this device has sent, the statements and the recovery blob are put there.
    ///
    /// The other devices follow by themselves, in any order. Each puts what it has; nothing is deleted at the old place.
    ///
    /// - Parameter folder: The folder. It has no group, or this one.
    /// - Returns: The resolved path, and the report of the first round there.
    /// - Throws: A failure; the errors of vault, list, store and remote. After a failed round the device uses the new folder.
    package func move(to folder: String) throws -> (folder: String, round: SyncRound) {
        let path = try self.folder(folder)
        let group = try device().group
        guard try FolderRemote.groups(at: path).allSatisfy({ $0 == group }) else {
            throw Failure(
                .alreadyExists, code: "group_exists",
                "the folder \(folder) has another group", hint: "choose an empty folder")
        }
        let place = try place
        try place.exclusively(within: Self.patience) {
            let device = try device()
            try SyncDevice(device.group, in: path, device.secrets).write(at: place)
        }
        return (path, try round())
    }
}

package import Sync

/// The part of a folder for a group: `group/members`, `group/mailbox`, `group/recovery` and `group/files`, beside the segments of ``FolderRemote``.
package struct FolderGroupRemote: GroupRemote {
    private let path: String
    private let group: GroupID
    private let device: DeviceID

    /// - Parameters:
    ///   - path: The folder.
    ///   - group: The group.
    ///   - device: This device, also before it is a member.
    package init(at path: String, group: GroupID, device: DeviceID) {
        self.path = path
        self.group = group
        self.device = device
    }

    package func names(in area: GroupArea) throws(RemoteFailure) -> [String] {
        try folder(area).contents().filter { area.isName($0) }
    }

    package func get(_ name: String, in area: GroupArea) throws(RemoteFailure) -> [UInt8]? {
        guard area.isName(name) else { return nil }
        return try folder(area).content(name, limit: area.limit)
    }

    package func put(
        _ bytes: [UInt8], as name: String, in area: GroupArea
    ) throws(RemoteFailure) -> PutResult {
        precondition(area.isName(name) && bytes.count <= area.limit)
        return try folder(area).put(bytes, as: name, limit: area.limit)
    }

    package func delete(_ name: String, in area: GroupArea) throws(RemoteFailure) {
        precondition(area.isName(name))
        try folder(area).delete(name)
    }

    /// The devices share these folders, so each has a temporary name of its own.
    private func folder(_ area: GroupArea) -> RemoteFolder {
        RemoteFolder(
            at: path, [group.text, area.rawValue],
            temporaryName: ".taskvault-new-\(device.text)")
    }
}

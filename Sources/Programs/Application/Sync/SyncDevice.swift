internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import TextCoding

/// This home as a device of a group, with the keys that lie beside the list: a file of mode 0600 in the state folder.
///
/// Anyone with the disk of the locked machine can read this file, as the list itself.
struct SyncDevice {
    private static let magic: StaticString = "TVSD"
    private static let format: UInt32 = 1
    static let largest = 65_536

    let group: GroupID
    /// The remote: the absolute path of a folder, or the address of the account's server.
    let remote: String
    /// The folder that is the remote, absolute; nil for the account.
    var folder: String? { SyncConnection.isFolder(remote) ? remote : nil }
    /// The keys of the level *list*.
    let secrets: LevelSecrets

    /// The id of the device, which is that of its list.
    var id: DeviceID { secrets.device }

    init(_ group: GroupID, at remote: String, _ secrets: LevelSecrets) {
        self.group = group
        self.remote = remote
        self.secrets = secrets
    }

    /// Reads the file; nil if the home does not take part in sync.
    ///
    /// - Throws: A failure if the file is damaged; `SystemFailure`, `UnusableFile`.
    init?(at place: SyncPlace) throws {
        guard place.isUsed else { return nil }
        let file = try TrustedFile(place.device, limit: Self.largest)
        let parts = file.content.withBytes { bytes in
            ByteReader.reading(bytes) { reader -> (GroupID, String, Int)? in
                guard reader.magic(Self.magic) == true,
                    reader.integer(UInt32.self) == Self.format,
                    let group = reader.id(of: SyncSubject.Group.self), let remote = reader.text()
                else { return nil }
                let offset = reader.offset
                guard reader.skip(LevelSecrets.size), reader.isAtEnd else { return nil }
                return (group, remote, offset)
            }
        }
        guard let (group, remote, offset) = parts,
            let secrets = try LevelSecrets(
                file.content.copy(from: offset, count: LevelSecrets.size)),
            secrets.level == .list
        else {
            throw Failure(
                .damaged, code: "sync_device_damaged", "the file \(place.device) is damaged",
                hint: "taskvault sync disable, then sync join beside another device")
        }
        self.init(group, at: remote, secrets)
    }

    /// Writes the file and replaces an earlier one.
    ///
    /// - Parameters:
    ///   - place: The folder of sync.
    ///   - path: Another file there, until the device takes the place of the present one.
    /// - Throws: `SystemFailure`, `UnusableFile`.
    func write(at place: SyncPlace, as path: String? = nil) throws {
        try place.make()
        var writer = ByteWriter()
        writer.magic(Self.magic)
        writer.integer(Self.format)
        writer.id(group)
        writer.text(remote)
        let head = writer.bytes
        let keys = try secrets.encoded()
        let file = try NewFile(at: path ?? place.device, replacing: true)
        unsafe try Descriptor.write(head.span.bytes, to: file.descriptor)
        try keys.withBytes { try Descriptor.write($0, to: file.descriptor) }
        try file.publish()
    }
}

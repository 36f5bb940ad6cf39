internal import Platform
package import Sync

/// A folder as remote, which another program may copy: `group/device/number`, one file for each segment, and `group/device/name` for each blob.
///
/// A file is written under another name, synced and then renamed. Only this device's folder is written to. Copies of a file that a
/// program made because of a conflict (`7.sync-conflict-…`, Syncthing) count as candidates for its number; other names are ignored.
package struct FolderRemote: SyncRemote {
    private static let temporaryName = ".taskvault-new"
    private static let conflict = ".sync-conflict-"

    private let path: String
    private let group: GroupID
    private let device: DeviceID

    /// - Parameters:
    ///   - path: The folder.
    ///   - group: The group.
    ///   - device: This device.
    package init(at path: String, group: GroupID, device: DeviceID) {
        self.path = path
        self.group = group
        self.device = device
    }

    /// The groups that have a folder there, ascending.
    package static func groups(at path: String) throws(RemoteFailure) -> [GroupID] {
        try RemoteFolder.translating(path) {
            try FileSystem.names(in: path).compactMap { GroupID(text: $0) }.sorted()
        }
    }

    package var isExposed: Bool { true }

    package func list(_ device: DeviceID) throws(RemoteFailure) -> [RemoteSegment] {
        try folder(of: device).contents().compactMap { name in
            Self.number(of: name).map { RemoteSegment(Dot(device, $0), name: name) }
        }.sorted { ($0.dot.number, $0.name) < ($1.dot.number, $1.name) }
    }

    package func get(_ segment: RemoteSegment) throws(RemoteFailure) -> [UInt8]? {
        try folder(of: segment.dot.device).content(segment.name, limit: Segment.limit)
    }

    package func put(_ bytes: [UInt8], number: UInt64) throws(RemoteFailure) -> PutResult {
        try folder(of: device).put(bytes, as: String(number), limit: Segment.limit)
    }

    package func delete(_ name: String) throws(RemoteFailure) {
        precondition(Self.number(of: name) != nil)
        try folder(of: device).delete(name)
    }

    package func blobs(of device: DeviceID) throws(RemoteFailure) -> [BlobName] {
        try folder(of: device).contents().compactMap { BlobName(text: $0) }
    }

    package func blob(
        _ name: BlobName, of device: DeviceID
    ) throws(RemoteFailure) -> [UInt8]? {
        let bytes = try folder(of: device).content(name.text, limit: Segment.limit)
        return bytes.flatMap { BlobName(of: $0) == name ? $0 : nil }
    }

    package func putBlob(_ bytes: [UInt8]) throws(RemoteFailure) {
        let folder = folder(of: device)
        let name = BlobName(of: bytes).text
        guard case .occupied = try folder.put(bytes, as: name, limit: Segment.limit) else {
            return
        }
        try folder.delete(name)
        guard case .occupied = try folder.put(bytes, as: name, limit: Segment.limit) else {
            return
        }
        throw RemoteFailure(path, "another file takes the name \(name) again and again")
    }

    package func deleteBlob(_ name: BlobName) throws(RemoteFailure) {
        try folder(of: device).delete(name.text)
    }

    private func folder(of device: DeviceID) -> RemoteFolder {
        RemoteFolder(
            at: path, [group.text, device.text], temporaryName: Self.temporaryName)
    }

    /// The number of a file's name; nil if it is no name of a segment.
    private static func number(of name: String) -> UInt64? {
        let digits = name.utf8.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        let rest = name.utf8.dropFirst(digits.count)
        guard digits.first != UInt8(ascii: "0"), rest.isEmpty || rest.starts(with: conflict.utf8)
        else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self)).flatMap { $0 < .max ? $0 : nil }
    }
}

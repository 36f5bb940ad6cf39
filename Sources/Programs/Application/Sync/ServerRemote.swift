internal import Sync
internal import SyncMembers

/// The segments and blobs of a group at the account's server.
struct ServerRemote: SyncRemote {
    private let server: SyncServer
    private let group: GroupID
    private let device: DeviceID

    /// - Parameters:
    ///   - server: The server.
    ///   - group: The group.
    ///   - device: This device, in the chain.
    init(_ server: SyncServer, _ group: GroupID, _ device: DeviceID) {
        self.server = server
        self.group = group
        self.device = device
    }

    func list(_ device: DeviceID) throws(RemoteFailure) -> [RemoteSegment] {
        try server.names(in: device.text, of: group).compactMap { name in
            // As the number is written, so that one segment has one name.
            guard let number = UInt64(name), number > 0, number < .max, String(number) == name
            else { return nil }
            return RemoteSegment(Dot(device, number), name: name)
        }.sorted { $0.dot.number < $1.dot.number }
    }

    func get(_ segment: RemoteSegment) throws(RemoteFailure) -> [UInt8]? {
        try server.get(
            segment.name, in: segment.dot.device.text, of: group, limit: Segment.limit)
    }

    func put(_ bytes: [UInt8], number: UInt64) throws(RemoteFailure) -> PutResult {
        try server.put(
            bytes, as: String(number), in: device.text, of: group, limit: Segment.limit)
    }

    func delete(_ name: String) throws(RemoteFailure) {
        try server.remove(name, in: device.text, of: group)
    }

    func blobs(of device: DeviceID) throws(RemoteFailure) -> [BlobName] {
        try server.names(in: device.text, of: group).compactMap { BlobName(text: $0) }
    }

    func blob(
        _ name: BlobName, of device: DeviceID
    ) throws(RemoteFailure) -> [UInt8]? {
        let bytes = try server.get(
            name.text, in: device.text, of: group, limit: Segment.limit)
        return bytes.flatMap { BlobName(of: $0) == name ? $0 : nil }
    }

    func putBlob(_ bytes: [UInt8]) throws(RemoteFailure) {
        let name = BlobName(of: bytes).text
        for _ in 0..<2 {
            let result = try server.put(
                bytes, as: name, in: device.text, of: group, limit: Segment.limit)
            guard case .occupied = result else { return }
            try server.remove(name, in: device.text, of: group)
        }
        throw RemoteFailure(server.address, "it has other bytes under the name \(name)")
    }

    func deleteBlob(_ name: BlobName) throws(RemoteFailure) {
        try server.remove(name.text, in: device.text, of: group)
    }
}

/// Statements, messages of joining and recovery blobs of a group at the account's server.
struct ServerGroupRemote: GroupRemote {
    private let server: SyncServer
    private let group: GroupID

    init(_ server: SyncServer, _ group: GroupID) {
        self.server = server
        self.group = group
    }

    func names(in area: GroupArea) throws(RemoteFailure) -> [String] {
        try server.names(in: area.rawValue, of: group).filter { area.isName($0) }.sorted()
    }

    func get(_ name: String, in area: GroupArea) throws(RemoteFailure) -> [UInt8]? {
        guard area.isName(name) else { return nil }
        return try server.get(name, in: area.rawValue, of: group, limit: area.limit)
    }

    func put(
        _ bytes: [UInt8], as name: String, in area: GroupArea
    ) throws(RemoteFailure) -> PutResult {
        precondition(area.isName(name) && bytes.count <= area.limit)
        return try server.put(bytes, as: name, in: area.rawValue, of: group, limit: area.limit)
    }

    /// Statements stay at a server: a device that was removed there and still has a token cannot take them away.
    func delete(_ name: String, in area: GroupArea) throws(RemoteFailure) {
        precondition(area.isName(name))
        if area == .members { return }
        try server.remove(name, in: area.rawValue, of: group)
    }
}

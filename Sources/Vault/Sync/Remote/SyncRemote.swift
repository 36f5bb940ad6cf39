/// One file or blob at a remote that may be a segment.
package struct RemoteSegment: Hashable, Sendable {
    /// The segment that it claims to be.
    package let dot: Dot
    /// The name under which the remote has it. A folder that another program copies can have several for one segment.
    package let name: String

    package init(_ dot: Dot, name: String) {
        self.dot = dot
        self.name = name
    }

    /// Whether the name is the number alone: it is no copy that a program made because of a conflict.
    package var isPlain: Bool { name == String(dot.number) }
}

/// Carries segments and blobs between devices. It is not trusted: it may read, withhold, delay, reorder, repeat, fork and delete them.
///
/// The contract of every implementation: no segment is ever overwritten, a device writes and deletes only its own segments and blobs, and
/// what was put is durable and complete when ``put(_:number:)`` and ``putBlob(_:)`` return. There are no locks.
package protocol SyncRemote {
    /// Whether programs of others can damage what was put, so that it is worth to compare it.
    var isExposed: Bool { get }

    /// The segments of a device that the remote has, by ascending number. Names that are no segments are left out.
    func list(_ device: DeviceID) throws(RemoteFailure) -> [RemoteSegment]

    /// The bytes of a segment; nil if it is gone, exceeds ``Segment/limit``, or is nothing that can be read.
    func get(_ segment: RemoteSegment) throws(RemoteFailure) -> [UInt8]?

    /// Stores a segment of this device.
    func put(_ bytes: [UInt8], number: UInt64) throws(RemoteFailure) -> PutResult

    /// Deletes a segment of this device by its name, if it is there.
    func delete(_ name: String) throws(RemoteFailure)

    /// The names of a device's blobs, ascending; also of those that are not whole.
    func blobs(of device: DeviceID) throws(RemoteFailure) -> [BlobName]

    /// The bytes of a blob, at most ``Segment/limit``; nil if it is gone or not whole.
    func blob(_ name: BlobName, of device: DeviceID) throws(RemoteFailure) -> [UInt8]?

    /// Stores a blob of this device under its name, in place of one that is not whole.
    func putBlob(_ bytes: [UInt8]) throws(RemoteFailure)

    /// Deletes a blob of this device, if it is there.
    func deleteBlob(_ name: BlobName) throws(RemoteFailure)
}

extension SyncRemote {
    package var isExposed: Bool { false }
}

/// The result of putting a segment.
package enum PutResult: Hashable, Sendable {
    case stored
    /// The remote had the same bytes under this number.
    case present
    /// The remote has other bytes under this number.
    case occupied([UInt8])
}

/// A remote cannot be used now.
package struct RemoteFailure: Error, Sendable, Hashable {
    /// The remedy.
    package enum Kind: Sendable, Hashable {
        /// A person, who must look at the folder or the server.
        case unusable
        /// Time: a server cannot be reached, or answers for another one.
        case unreachable
        /// Signing in again.
        case rejected
        /// More room.
        case full
    }

    /// The path or the address.
    package let place: String
    /// The reason, as a text of the system or of the server.
    package let reason: String
    package let kind: Kind

    package init(_ place: String, _ reason: String, kind: Kind = .unusable) {
        self.place = place
        self.reason = reason
        self.kind = kind
    }
}

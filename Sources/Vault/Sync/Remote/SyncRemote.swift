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
}

/// Carries segments between devices. It is not trusted: it may read, withhold, delay, reorder, repeat, fork and delete them.
///
/// The contract of every implementation: nothing is ever overwritten, a device writes and deletes only its own segments, and a segment
/// that was put is durable and complete when ``put(_:number:)`` returns. There are no locks.
package protocol SyncRemote {
    /// The segments of a device that the remote has, by ascending number. Names that are no segments are left out.
    func list(_ device: DeviceID) throws(RemoteFailure) -> [RemoteSegment]

    /// The bytes of a segment; nil if it is gone, exceeds ``Segment/limit``, or is nothing that can be read.
    func get(_ segment: RemoteSegment) throws(RemoteFailure) -> [UInt8]?

    /// Stores a segment of this device.
    func put(_ bytes: [UInt8], number: UInt64) throws(RemoteFailure) -> PutResult

    /// Deletes a segment of this device, if it is there.
    func delete(number: UInt64) throws(RemoteFailure)
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

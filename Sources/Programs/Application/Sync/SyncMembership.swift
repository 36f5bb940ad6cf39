internal import Platform
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import TextCoding

/// The members of the group, and its keys as far as they are there now.
struct SyncMembership {
    let state: GroupState
    let epochs: OpenedEpochs

    init(_ state: GroupState, _ session: SyncSession) throws {
        self.init(state, try state.openEpochs(with: session.secrets))
    }

    init(_ state: GroupState, _ epochs: OpenedEpochs) {
        self.state = state
        self.epochs = epochs
    }

    /// The keys that verify the segments of a chain: those of the members and, up to its last head that counts, of each former one.
    func keys(of chain: SyncChain) -> [DeviceID: [UInt8]] {
        var keys = state.segmentKeys(of: chain)
        for (device, removed) in state.removed where removed.member.role == .device {
            keys[chain.id(of: device)] = removed.member.keys.segmentKey(of: chain)
        }
        return keys
    }

    /// The numbers up to which the segments of former members count, by the ids of a chain.
    func limits(of chain: SyncChain) -> [DeviceID: UInt64] {
        var limits: [DeviceID: UInt64] = [:]
        for (device, removed) in state.removed where removed.member.role == .device {
            let id = chain.id(of: device)
            limits[id] = removed.heads[id]?.number ?? 0
        }
        return limits
    }

    /// The former members that matter for each epoch.
    var audiences: [[UInt8]: EpochAudience] {
        let removed = Set(state.removed.keys)
        return removed.isEmpty
            ? [:]
            : state.epochs.mapValues {
                EpochAudience(
                    admitted: $0.openers.intersection(removed),
                    excluded: $0.excluded.intersection(removed))
            }
    }

    /// The names of members and former members.
    var names: [DeviceID: String] {
        var names: [DeviceID: String] = [:]
        for device in Set(state.members.keys).union(state.removed.keys) {
            names[device] = state.name(of: device, epochs) ?? ""
        }
        return names
    }
}

extension SyncMembership {
    /// A name that no other member has: the wished one, or with a number behind it.
    func freeName(_ wished: String, for device: DeviceID? = nil) -> String {
        let taken = Set(state.members.keys.filter { $0 != device }.compactMap { names[$0] })
        var name = wished
        var number = 1
        while taken.contains(name) {
            number += 1
            let suffix = " \(number)"
            name = wished
            while name.utf8.count + suffix.utf8.count > SealedName.limit { name.removeLast() }
            name += suffix
        }
        return name
    }
}

/// A remote that does not list the segments which a former member wrote after its removal.
final class LimitedRemote: SyncRemote {
    let remote: any SyncRemote
    var limits: [DeviceID: UInt64]

    init(_ remote: any SyncRemote, limits: [DeviceID: UInt64]) {
        self.remote = remote
        self.limits = limits
    }

    var isExposed: Bool { remote.isExposed }

    func list(_ device: DeviceID) throws(RemoteFailure) -> [RemoteSegment] {
        let segments = try remote.list(device)
        guard let limit = limits[device] else { return segments }
        return segments.filter { $0.dot.number <= limit }
    }

    func get(_ segment: RemoteSegment) throws(RemoteFailure) -> [UInt8]? {
        try remote.get(segment)
    }

    func put(_ bytes: [UInt8], number: UInt64) throws(RemoteFailure) -> PutResult {
        try remote.put(bytes, number: number)
    }

    func delete(_ name: String) throws(RemoteFailure) { try remote.delete(name) }

    func blobs(of device: DeviceID) throws(RemoteFailure) -> [BlobName] {
        try remote.blobs(of: device)
    }

    func blob(_ name: BlobName, of device: DeviceID) throws(RemoteFailure) -> [UInt8]? {
        try remote.blob(name, of: device)
    }

    func putBlob(_ bytes: [UInt8]) throws(RemoteFailure) { try remote.putBlob(bytes) }

    func deleteBlob(_ name: BlobName) throws(RemoteFailure) { try remote.deleteBlob(name) }
}

extension Replica {
    /// Collects what the others wrote. Segments of a former member count up to the number that its removal names, and beyond it if a member
    /// had seen them.
    ///
    /// - Returns: What was applied, and what waits.
    /// - Throws: As `collect()`.
    func collectFromMembers() throws -> SyncReport {
        var report = try collect()
        while let remote = remote as? LimitedRemote {
            let needed = report.waiting.values.compactMap { reason -> Dot? in
                guard case .needs(let dot) = reason, let limit = remote.limits[dot.device],
                    dot.number > limit
                else { return nil }
                return dot
            }
            if needed.isEmpty { break }
            for dot in needed { remote.limits[dot.device] = dot.number }
            let more = try collect()
            report.applied += more.applied
            report.waiting = more.waiting
            report.ignoredParts.merge(more.ignoredParts) { $1 }
            report.ahead.merge(more.ahead) { $1 }
        }
        try settle()
        return report
    }
}

/// The statements that this machine knows: a file for each in the state folder, named by the id of the statement.
struct KnownStatements {
    private let folder: String

    init(_ place: SyncPlace) { folder = place.statements }

    /// All statements of a group that are there. A file that is none is ignored: the remote has the statement, too.
    func all(of group: GroupID) throws -> Set<Statement> {
        guard FileSystem.exists(folder) else { return [] }
        var found: Set<Statement> = []
        for name in try FileSystem.names(in: folder) {
            guard let id = StatementID(text: name),
                let bytes = FileSystem.content(folder + "/" + name, limit: Statement.limit),
                let statement = try? Statement(bytes), statement.id == id,
                statement.group == group
            else { continue }
            found.insert(statement)
        }
        return found
    }

    /// Keeps statements, durably.
    ///
    /// - Throws: `SystemFailure`, `UnusableFile`.
    func add(_ statements: some Sequence<Statement>) throws {
        try SafeFolder.create(folder)
        for statement in statements {
            let path = folder + "/" + statement.id.text
            if FileSystem.size(path) == Int64(statement.bytes.count) { continue }
            let file = try NewFile(at: path, replacing: true)
            unsafe try Descriptor.write(statement.bytes.span.bytes, to: file.descriptor)
            try file.publish()
        }
    }
}

public import SecretMemory
public import TextCoding

/// The holder of a token of sync.
public struct SyncCaller: Sendable, Hashable {
    /// The account.
    public let account: AccountID
    /// The hash of the token.
    public let token: TokenHash
}

/// The blobs of sync: the devices of an account put, list and get them, and nothing is ever overwritten (`Docs/Sync.md`). Thread-safe.
public struct SyncService: Sendable {
    /// The largest number of names in one list.
    public static let pageSize = 1_000

    /// Whether a blob is new.
    public enum PutResult: Sendable, Hashable {
        /// It was stored.
        case stored
        /// The place had the same bytes.
        case present
    }

    let repository: AccountRepository
    let limits: SyncLimits
    let random: RandomSource

    /// Makes the service.
    public init(
        repository: AccountRepository, limits: SyncLimits = SyncLimits(),
        random: RandomSource = .system
    ) {
        self.repository = repository
        self.limits = limits
        self.random = random
    }

    /// The room of an account for its blobs, in bytes; 0 is no limit.
    public var quota: Int64 { limits.quota }

    /// Makes a token that permits nothing but blobs, in place of an earlier one of the same device.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - session: The session that gets the token. It ends with it; see `AccountTransaction.endSessions`.
    ///   - now: The time.
    /// - Returns: The token, of which only the hash is stored.
    /// - Throws: An error of the database.
    public func makeToken(
        of account: AccountID, for session: SessionID, at now: PointInTime
    ) throws -> String {
        let token = SecretToken(.syncing, random: random)
        try repository.change { transaction in
            let first = try transaction.device(of: session)?.first ?? session
            try transaction.setSyncToken(token.hash, of: account, for: first, at: now)
        }
        return token.text
    }

    /// The hash of a sent token; nil for text that is no token of sync.
    public static func hash(_ token: String) -> TokenHash? {
        guard let sent = SecretToken(token), sent.kind == .syncing else { return nil }
        return sent.hash
    }

    /// The holder of a token.
    ///
    /// - Throws: `tokenRejected`; an error of the database.
    public func caller(_ token: String) throws -> SyncCaller {
        guard let hash = Self.hash(token),
            let account = try repository.read({ try $0.syncAccount(hash) })
        else { throw BlobError.tokenRejected }
        return SyncCaller(account: account, token: hash)
    }

    /// Checks that the token is still valid: the session may have ended, and the account may have been disabled.
    ///
    /// - Throws: `tokenRejected`; an error of the database.
    public func requireCurrent(_ caller: SyncCaller) throws {
        guard try repository.read({ try $0.syncAccount(caller.token) }) == caller.account else {
            throw BlobError.tokenRejected
        }
    }

    /// The groups of an account, ascending, and what its blobs count.
    ///
    /// - Throws: An error of the database.
    public func groups(
        of caller: SyncCaller
    ) throws -> (groups: [PushID], usage: SyncUsage) {
        try repository.read { transaction in
            (
                try transaction.syncGroups(of: caller.account),
                try transaction.syncUsage(of: caller.account)
            )
        }
    }

    /// The number of the last change of a group; 0 for an unknown one.
    ///
    /// - Throws: An error of the database.
    public func lastChange(of group: PushID, _ caller: SyncCaller) throws -> Int64 {
        try repository.read { try $0.syncChange(of: group, caller.account) }
    }

    /// A group as `AccountTransaction.changed(after:limit:)` names it.
    public static func subject(of group: PushID, _ caller: SyncCaller) -> String {
        caller.account.text + group.text
    }

    /// The names of an area after a name, in the order of their bytes, at most ``pageSize``.
    ///
    /// - Throws: An error of the database.
    public func names(
        in area: BlobArea, of group: PushID, after name: String, _ caller: SyncCaller
    ) throws -> [String] {
        try repository.read {
            try $0.blobNames(caller.account, group, area, after: name, limit: Self.pageSize)
        }
    }

    /// The names of all areas but `files` as `AREA/NAME`, after one of them, by the bytes of area and name, at most ``pageSize``.
    ///
    /// Most rounds need no names of `files`, of which there may be many.
    ///
    /// - Throws: An error of the database.
    public func paths(
        of group: PushID, after path: String, _ caller: SyncCaller
    ) throws -> [String] {
        let parts = path.split(separator: "/", maxSplits: 1).map { String($0) }
        let after = (area: parts.first ?? "", name: parts.count == 2 ? parts[1] : "")
        return try repository.read { transaction in
            let files = BlobArea.files.text
            var places: [(area: String, name: String)] = []
            // Areas and names are below a tilde.
            for (first, end) in [(("", ""), files), ((files, "~"), "~")] {
                places += try transaction.blobPlaces(
                    caller.account, group, after: after > first ? after : first, before: end,
                    limit: Self.pageSize - places.count)
            }
            return places.map { $0.area + "/" + $0.name }
        }
    }

    /// The bytes of a blob.
    ///
    /// - Throws: `missing`; an error of the database.
    public func content(at place: BlobPlace, _ caller: SyncCaller) throws -> [UInt8] {
        guard let bytes = try repository.read({ try $0.blob(caller.account, place) }) else {
            throw BlobError.missing
        }
        return bytes
    }

    /// Stores a blob, durably. The same bytes again change nothing, so a put without an answer is repeated.
    ///
    /// - Throws: `tooLarge`, `occupied`, `full`; `tokenRejected` if the token has ended meanwhile; an error of the database.
    public func put(
        _ bytes: [UInt8], at place: BlobPlace, _ caller: SyncCaller
    ) throws -> PutResult {
        guard bytes.count <= place.area.maximumSize else {
            throw BlobError.tooLarge(limit: place.area.maximumSize)
        }
        // A repeated put needs no transaction of a writer.
        if let result = try Self.compare(
            bytes, repository.read { try $0.blob(caller.account, place) })
        {
            return result
        }
        let result = try repository.change { transaction -> PutResult in
            guard try transaction.syncAccount(caller.token) == caller.account else {
                throw BlobError.tokenRejected
            }
            if let result = try Self.compare(bytes, transaction.blob(caller.account, place)) {
                return result
            }
            var usage = try transaction.syncUsage(of: caller.account)
            let size = SyncLimits.count(bytes.count)
            guard limits.hasRoom(for: size, in: place.area, beside: usage) else {
                throw BlobError.full
            }
            usage.add(size, in: place.area)
            try transaction.insertBlob(bytes, caller.account, place)
            try transaction.setSyncUsage(usage, of: caller.account)
            try transaction.setSyncChange(
                transaction.beginChanges(1), of: place.group, caller.account)
            return .stored
        }
        if result == .stored { repository.signalInboxes() }
        return result
    }

    /// Removes a segment, a message or a recovery blob, if it is there.
    ///
    /// - Throws: `permanent` for a statement; an error of the database.
    public func remove(_ place: BlobPlace, _ caller: SyncCaller) throws {
        guard place.area != .members else { throw BlobError.permanent }
        guard try repository.read({ try $0.blobSize(caller.account, place) }) != nil else { return }
        try repository.change { transaction in
            guard try transaction.syncAccount(caller.token) == caller.account else {
                throw BlobError.tokenRejected
            }
            guard let size = try transaction.blobSize(caller.account, place) else { return }
            var usage = try transaction.syncUsage(of: caller.account)
            usage.add(-SyncLimits.count(size), in: place.area)
            try transaction.removeBlob(caller.account, place)
            try transaction.setSyncUsage(usage, of: caller.account)
        }
    }

    /// Removes a group with all its blobs, if it is there. A device that still takes part puts again what it has.
    ///
    /// - Throws: An error of the database.
    public func removeGroup(_ group: PushID, of account: AccountID) throws {
        try repository.change { transaction in
            var usage = try transaction.syncUsage(of: account)
            for (area, size) in try transaction.removeBlobs(of: group, account) {
                usage.add(-size, in: area)
            }
            try transaction.setSyncUsage(usage, of: account)
        }
    }

    private static func compare(_ bytes: [UInt8], _ present: [UInt8]?) throws -> PutResult? {
        guard let present else { return nil }
        guard present == bytes else { throw BlobError.occupied }
        return .present
    }
}

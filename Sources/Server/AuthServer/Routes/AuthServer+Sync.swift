internal import Accounts
public import HTTPServer
internal import TextCoding

/// The blobs by which the devices of an account sync (`Docs/AuthProtocol.md`). Making a token and removing a group need an access token, all other
/// routes a token of sync; they accept no other.
extension AuthServer {
    /// The largest number of polls of one group: each of its devices, with some that ended without a word.
    private static let mostPollsOfGroup = 32

    /// Makes a token of sync for the caller's session.
    func makeSyncToken(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        return later(.storage, .problem) { [self] in
            let caller = try service.authenticate(token, at: now())
            let issued = try syncing.makeToken(
                of: caller.account.id, for: caller.session.id, at: now())
            return .now(.object(status: 201) { json in json.member("sync_token", issued) })
        }
    }

    /// Removes a group with all its blobs, statements included.
    func removeSyncGroup(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        guard let text = try members(of: request, ["group"]).text("group") else {
            throw RequestError.malformed("group is missing")
        }
        return later(.storage, .problem) { [self] in
            let account = try service.authenticate(token, at: now()).account
            guard let group = PushID(text) else { throw RequestError.notFound }
            try syncing.removeGroup(group, of: account.id)
            return .now(.empty(status: 204))
        }
    }

    /// Lists the groups of the account, and what its blobs count.
    func listSyncGroups(_ request: HTTPRequest) throws -> HTTPAnswer {
        try syncing(request) { [self] caller in
            let (groups, usage) = try syncing.groups(of: caller)
            return .object { json in
                json.member("groups", groups.map(\.text))
                json.member("used", usage.chains + usage.others)
                json.member("quota", syncing.quota)
            }
        }
    }

    /// Lists the names in an area.
    func listBlobs(_ request: HTTPRequest, _ path: String) throws -> HTTPAnswer {
        let parts = path.split(separator: "/").map { String($0) }
        let after = try Self.parameters(of: request, ["after"])["after"] ?? ""
        return try syncing(request) { [self] caller in
            guard parts.count == 2, let group = PushID(parts[0]), let area = BlobArea(parts[1])
            else { throw RequestError.notFound }
            return .names(try syncing.names(in: area, of: group, after: after, caller))
        }
    }

    /// Lists the names in all areas but `files`.
    func listGroupBlobs(_ request: HTTPRequest, _ path: String) throws -> HTTPAnswer {
        let after = try Self.parameters(of: request, ["after"])["after"] ?? ""
        return try syncing(request) { [self] caller in
            guard let group = PushID(path) else { throw RequestError.notFound }
            return .names(try syncing.paths(of: group, after: after, caller))
        }
    }

    /// Reads a blob.
    func readBlob(_ request: HTTPRequest, _ path: String) throws -> HTTPAnswer {
        try syncing(request) { [self] caller in
            guard let place = BlobPlace(path: path) else { throw RequestError.notFound }
            return .content(
                try syncing.content(at: place, caller), type: "application/octet-stream")
        }
    }

    /// Stores a blob.
    func putBlob(_ request: HTTPRequest, _ path: String) throws -> HTTPAnswer {
        guard MediaType.bytes.isContent(of: request) else {
            throw RequestError.unsupportedBlobType
        }
        let content = request.body
        return try syncing(request) { [self] caller in
            guard let place = BlobPlace(path: path) else { throw RequestError.notFound }
            do {
                let result = try syncing.put(content.withBytes { $0.array }, at: place, caller)
                if result == .stored {
                    metrics.note(.blobStored)
                    deliver()
                }
                return .empty(status: result == .stored ? 201 : 200)
            } catch BlobError.full {
                metrics.note(.syncFull)
                throw BlobError.full
            }
        }
    }

    /// Removes a blob.
    func removeBlob(_ request: HTTPRequest) throws -> HTTPAnswer {
        let members = try members(of: request, ["blob"])
        return try syncing(request) { [self] caller in
            guard let text = members.text("blob") else {
                throw RequestError.malformed("blob is missing")
            }
            guard let place = BlobPlace(path: text) else { throw RequestError.notFound }
            try syncing.remove(place, caller)
            return .empty(status: 204)
        }
    }

    /// Answers when a group has changed.
    func awaitSyncChange(_ request: HTTPRequest, _ group: String) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        let parameters = try PollParameters(request.query)
        return reading(.problem) { [self] in
            let caller = try syncCaller(token)
            guard let group = PushID(group) else { throw RequestError.notFound }
            let change = try syncing.lastChange(of: group, caller)
            // A number that was never given means that an older copy of the database was restored.
            guard change == parameters.after, parameters.wait > .zero else {
                return .now(.syncChange(change))
            }
            try polls.begin { try inboxes.lastChange() }
            return .deferred { [self] answer in
                let poll = WaitingPolls.Poll(
                    SyncService.subject(of: group, caller), most: Self.mostPollsOfGroup,
                    wait: parameters.wait, answer, empty: .syncChange(change)
                ) { [self] in
                    let current = try syncing.lastChange(of: group, caller)
                    guard current != change else { return nil }
                    try syncing.requireCurrent(caller)
                    return .syncChange(current)
                }
                polls.add(poll)
                // The group may have changed before the poll was added.
                deliver(to: poll)
            }
        }
    }

    /// Decides about the content of a blob before it is read: only the form of its token is known then.
    public func admission(of request: HTTPRequest, size: Int) -> HTTPAdmission {
        guard size <= SyncLimits.maximumSize, request.method == "POST",
            Route.find(request.path)?.route == .blob,
            case .bearer(let token) = Authorization(of: request),
            let hash = SyncService.hash(token)
        else { return .tooLarge }
        return largeContents.place(for: hash).map { .admitted($0) } ?? .busy
    }

    /// Runs a step with the holder of the request's token, on the lane of storage.
    private func syncing(
        _ request: HTTPRequest, _ body: @escaping @Sendable (SyncCaller) throws -> HTTPResponse
    ) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        return later(.storage, .problem) { [self] in .now(try body(syncCaller(token))) }
    }

    private func syncCaller(_ token: String) throws -> SyncCaller {
        do {
            let caller = try syncing.caller(token)
            largeContents.note(caller.token)
            return caller
        } catch BlobError.tokenRejected {
            if let hash = SyncService.hash(token) { largeContents.forget(hash) }
            throw BlobError.tokenRejected
        }
    }

    /// The parameters of a query, each at most once.
    private static func parameters(
        of request: HTTPRequest, _ known: [String]
    ) throws -> [String: String] {
        var found: [String: String] = [:]
        for part in (request.query ?? "").split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1).map { String($0) }
            guard pair.count == 2, known.contains(pair[0]), found[pair[0]] == nil else {
                throw RequestError.malformed("the parameters are \(known.joined(separator: ", "))")
            }
            found[pair[0]] = pair[1]
        }
        return found
    }
}

extension BlobPlace {
    /// Reads `GROUP/AREA/NAME`; nil for other text.
    fileprivate init?(path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 3, let group = PushID(parts[0]), let area = BlobArea(parts[1]) else {
            return nil
        }
        self.init(group, area, parts[2])
    }
}

extension HTTPResponse {
    /// A page of names.
    fileprivate static func names(_ names: [String]) -> HTTPResponse {
        .object { json in
            json.member("names", names)
            json.member("next", names.count < SyncService.pageSize ? nil : names.last)
        }
    }

    /// The number of a group's last change.
    fileprivate static func syncChange(_ change: Int64) -> HTTPResponse {
        .object { json in json.member("next", change) }
    }
}

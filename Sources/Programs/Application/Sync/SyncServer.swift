internal import HTTPClient
internal import Platform
internal import SecretMemory
internal import SignIn
internal import Sync
internal import SyncMembers
internal import TextCoding

/// The account's server as remote: its blobs, over the token that lies in the state folder, so that the list syncs while the vault is locked
/// (`Docs/AuthProtocol.md`). It connects at the first request. Not thread-safe.
final class SyncServer {
    /// How long the server may take for one exchange, beyond a wait that was asked for.
    private static let patience: Duration = .seconds(60)
    private static let connectingPatience: Duration = .seconds(5)
    /// The largest number of names in an area: far more than a quota has room for.
    private static let mostNames = 1_000_000

    /// The address, for the device's file and for messages.
    let address: String
    private let folder: String
    private let renew: (() throws -> ServerTokenFile)?
    private let stop: Int32
    private var file: ServerTokenFile?
    /// The connections for requests, and for those that wait, which have another limit of time.
    private var http: HTTPClient?
    private var waitingHTTP: HTTPClient?
    private var isKept: Bool
    /// The names in all areas of a group but files, from one list; see ``listOnce(_:)``.
    private var listed: (group: GroupID, areas: [String: Set<String>])?

    /// The server of a device.
    ///
    /// - Parameters:
    ///   - address: The server's address.
    ///   - folder: The folder with the file of the token.
    ///   - renew: Gets another token after the file's was refused; nil while the vault is locked.
    ///   - stop: A descriptor that ends an exchange when it becomes readable; -1 for none.
    init(
        _ address: String, in folder: String, renew: (() throws -> ServerTokenFile)?,
        until stop: Int32 = -1
    ) {
        self.address = address
        self.folder = folder
        self.renew = renew
        self.stop = stop
        isKept = true
    }

    /// Makes the same server for another thread: with connections of its own, and with the token that was kept. It gets no other token.
    var further: @Sendable () -> SyncServer {
        let (address, folder, stop) = (address, folder, stop)
        return { SyncServer(address, in: folder, renew: nil, until: stop) }
    }

    /// The server of a new device, whose token is not kept before ``keep()``.
    init(_ file: consuming ServerTokenFile, in folder: String) {
        address = file.issuer.text
        self.folder = folder
        renew = nil
        stop = -1
        self.file = .some(file)
        isKept = false
    }

    /// Writes the token of a new device into its file.
    ///
    /// - Throws: A failure.
    func keep() throws {
        isKept = true
        switch file {
        case .some(let file): try file.write(in: folder)
        case .none: break
        }
    }

    /// Gets a token of sync for the account that is signed in.
    ///
    /// - Parameters:
    ///   - place: The vault and the server.
    ///   - access: An access token.
    /// - Returns: The token with the server.
    /// - Throws: `SignInError`, `unsupported` for a server without sync.
    static func token(
        _ place: SignInPlace, _ access: borrowing SecretBytes
    ) throws -> ServerTokenFile {
        let response: ClientResponse
        do {
            response = try place.http.send(
                ClientRequest(
                    post: try WebURL(place.server + "/sync/token"),
                    authorization: try bearer(access), contentType: "application/json",
                    content: try SecretBytes(count: 0)))
        } catch let error as HTTPClientError {
            throw SignInError(error)
        }
        guard response.status == 201 else { throw ErrorResponse(response).accountError }
        return try response.content.withBytes { (bytes) throws in
            guard let object = JSONObject(answer: bytes),
                let token = try object.token("sync_token", in: bytes)
            else { throw SignInError.broken(detail: "its answer has no token of sync") }
            return try ServerTokenFile(place, .sync, token)
        }
    }

    /// Removes a group from the account that is signed in, with all that the server has of it.
    ///
    /// - Parameters:
    ///   - group: The group.
    ///   - place: The vault and the server.
    ///   - access: An access token.
    /// - Throws: `SignInError`, `unsupported` for a server that cannot.
    static func remove(
        _ group: GroupID, _ place: SignInPlace, _ access: borrowing SecretBytes
    ) throws {
        let content = Array(#"{"group":"\#(group.text)"}"#.utf8)
        let response: ClientResponse
        do {
            response = try place.http.send(
                ClientRequest(
                    post: try WebURL(place.server + "/sync/groups/remove"),
                    authorization: try bearer(access), contentType: "application/json",
                    content: unsafe SecretBytes(copying: content.span.bytes)))
        } catch let error as HTTPClientError {
            throw SignInError(error)
        }
        guard response.status == 204 else { throw ErrorResponse(response).accountError }
    }

    private static func bearer(_ token: borrowing SecretBytes) throws -> SecretBytes {
        let scheme = Array("Bearer ".utf8)
        return try (unsafe SecretBytes(copying: scheme.span.bytes)).joined(with: token)
    }
}

// Requests.
extension SyncServer {
    /// The groups of the account, ascending.
    func groups() throws(RemoteFailure) -> [GroupID] {
        let answer = try get("/sync/groups")
        guard answer.status == 200,
            let names = answer.content.withBytes({ Self.texts("groups", $0) })
        else { throw failure(answer) }
        return names.compactMap { GroupID(text: $0) }.sorted()
    }

    /// The room that the account has left, in bytes; nil if it has no limit.
    func room() throws(RemoteFailure) -> UInt64? {
        let answer = try get("/sync/groups")
        let numbers = answer.content.withBytes { bytes -> (used: Int64, quota: Int64)? in
            guard let object = JSONObject(answer: bytes),
                let used = object.number("used", in: bytes),
                let quota = object.number("quota", in: bytes)
            else { return nil }
            return (used, quota)
        }
        guard answer.status == 200, let (used, quota) = numbers else { throw failure(answer) }
        return quota == 0 ? nil : UInt64(clamping: quota.subtractingReportingOverflow(used).0)
    }

    /// Lists all areas of a group but files in one request. From then on ``names(in:of:)`` asks no more for them, and counts what this object puts
    /// and removes: a round sees one state of the server, in one exchange instead of one for each chain.
    func listOnce(_ group: GroupID) throws(RemoteFailure) {
        var areas: [String: Set<String>] = [:]
        for path in try pages("/sync/blobs/" + group.text) {
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            areas[String(parts[0]), default: []].insert(String(parts[1]))
        }
        listed = (group, areas)
    }

    /// The names in an area, in any order.
    func names(in area: String, of group: GroupID) throws(RemoteFailure) -> [String] {
        if let listed, listed.group == group, area != GroupArea.files.rawValue {
            return Array(listed.areas[area] ?? [])
        }
        return try pages("/sync/blobs/\(group.text)/\(area)")
    }

    /// The names of all pages of a list.
    private func pages(_ target: String) throws(RemoteFailure) -> [String] {
        var all: [String] = []
        var after = ""
        while all.count < Self.mostNames {
            let answer = try get(after.isEmpty ? target : target + "?after=" + after)
            guard answer.status == 200,
                let names = answer.content.withBytes({ Self.texts("names", $0) })
            else { throw failure(answer) }
            all += names
            let next = answer.content.withBytes { bytes in
                JSONObject(answer: bytes)?.text("next", in: bytes)
            }
            guard let next else { return all }
            // A server whose lists do not advance would keep this loop running.
            guard next == names.last, next > after, Self.isName(next) else { break }
            after = next
        }
        throw broken("its lists have no end")
    }

    /// The bytes of a blob; nil if there is none, or if it exceeds a limit.
    func get(
        _ name: String, in area: String, of group: GroupID, limit: Int
    ) throws(RemoteFailure) -> [UInt8]? {
        let answer = try get("/sync/blobs/\(group.text)/\(area)/\(name)")
        switch answer.status {
        case 200 where answer.contentType == "application/octet-stream":
            return answer.content.count <= limit ? answer.content.withBytes { $0.array } : nil
        case 404 where ErrorResponse(answer).accountError == .unsupported: return nil
        default: throw failure(answer)
        }
    }

    /// Stores a blob.
    func put(
        _ bytes: [UInt8], as name: String, in area: String, of group: GroupID, limit: Int
    ) throws(RemoteFailure) -> PutResult {
        let answer = try send(
            "/sync/blobs/\(group.text)/\(area)/\(name)", bytes, "application/octet-stream")
        switch answer.status {
        case 201:
            listed?.areas[area, default: []].insert(name)
            return .stored
        case 200: return .present
        case 409: return .occupied(try get(name, in: area, of: group, limit: limit) ?? [])
        case 413:
            throw RemoteFailure(
                address, "it, or a proxy before it, takes no content of \(bytes.count) bytes")
        case 507:
            throw RemoteFailure(
                address, "the account has no room for more", kind: .full)
        default: throw failure(answer)
        }
    }

    /// Removes a blob, if it is there.
    func remove(_ name: String, in area: String, of group: GroupID) throws(RemoteFailure) {
        let answer = try send(
            "/sync/remove", Array(#"{"blob":"\#(group.text)/\#(area)/\#(name)"}"#.utf8),
            "application/json")
        guard answer.status == 204 else { throw failure(answer) }
        listed?.areas[area]?.remove(name)
    }

    /// Waits until another device has changed the group.
    ///
    /// - Parameters:
    ///   - group: The group.
    ///   - change: The number that the last call returned; 0 at first.
    ///   - seconds: The longest wait, at most 300; the same in all calls.
    /// - Returns: The number of the last change; that of the call if nothing has changed.
    /// - Throws: `RemoteFailure`.
    func change(
        of group: GroupID, after change: Int64, within seconds: Int
    ) throws(RemoteFailure) -> Int64 {
        let answer = try send(
            "/sync/changes/\(group.text)?after=\(change)&wait=\(seconds)", nil, "",
            waiting: .seconds(seconds))
        let next = answer.content.withBytes { bytes in
            JSONObject(answer: bytes)?.number("next", in: bytes)
        }
        guard answer.status == 200, let next else { throw failure(answer) }
        return next
    }

    private static func texts(_ name: String, _ bytes: RawSpan) -> [String]? {
        guard let object = JSONObject(answer: bytes),
            let ranges = object.elements(name, in: bytes)
        else { return nil }
        let texts = ranges.compactMap { JSONObject.text(at: $0, in: bytes) }
        return texts.count == ranges.count ? texts : nil
    }

    /// Whether a name can be a part of a query as it is.
    private static func isName(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "/")
        }
    }
}

// One exchange, and its failures.
extension SyncServer {
    private func get(_ target: String) throws(RemoteFailure) -> ClientResponse {
        try send(target, nil, "")
    }

    /// Sends a request. After a refused token or certificate, once more with another token and the vault's present settings.
    private func send(
        _ target: String, _ content: [UInt8]?, _ type: String, waiting: Duration = .zero
    ) throws(RemoteFailure) -> ClientResponse {
        do {
            if file == nil { file = try ServerTokenFile(.sync, in: folder) }
            let isFresh = file == nil
            if isFresh { try takeToken() }
            do {
                let answer = try exchange(target, content, type, waiting)
                guard answer.status == 401, !isFresh, renew != nil else { return answer }
            } catch let error as HTTPClientError {
                guard case .certificate = error, !isFresh, renew != nil else { throw error }
            }
            try takeToken()
            return try exchange(target, content, type, waiting)
        } catch {
            throw translated(error)
        }
    }

    private func exchange(
        _ target: String, _ content: [UInt8]?, _ type: String, _ waiting: Duration
    ) throws -> ClientResponse {
        switch file {
        case .some(let file):
            var options = try file.options()
            options.connectingTimeout = Self.connectingPatience
            options.timeout = Self.patience + waiting
            options.stopDescriptor = stop
            let isWaiting = waiting != .zero
            let client = try (isWaiting ? waitingHTTP : http) ?? HTTPClient(options)
            if isWaiting { waitingHTTP = client } else { http = client }
            let url = try WebURL(address + target)
            let authorization = try Self.bearer(file.token)
            guard let content else {
                return try Self.send(
                    ClientRequest(get: url, authorization: authorization), client)
            }
            return try Self.send(
                ClientRequest(
                    post: url, authorization: authorization, contentType: type,
                    sealed: content), client)
        case .none:
            preconditionFailure("a token was taken before")
        }
    }

    /// Sends a request, once more if the connection ended before the answer: a server or a proxy may end an idle connection while a request is
    /// on its way. Each request of sync can be repeated, because a second put of the same bytes changes nothing.
    private static func send(
        _ request: borrowing ClientRequest, _ client: HTTPClient
    ) throws -> ClientResponse {
        do {
            return try client.send(request)
        } catch HTTPClientError.connectionLost {
            return try client.send(request)
        }
    }

    private func takeToken() throws {
        guard let renew else {
            throw RemoteFailure(
                address, "this machine has no valid token of the account", kind: .rejected)
        }
        let new = try renew()
        guard new.issuer.text == address else {
            throw RemoteFailure(
                address, "the vault names another server now", kind: .rejected)
        }
        if isKept { try new.write(in: folder) }
        file = .some(new)
        (http, waitingHTTP) = (nil, nil)
    }

    private func translated(_ error: any Error) -> RemoteFailure {
        switch error {
        case let failure as RemoteFailure: failure
        case let error as HTTPClientError: failure(SignInError(error))
        case let error as SignInError: failure(error)
        case let error as Failure:
            RemoteFailure(
                address, reason(error.message),
                kind: error.exitCode == .serverUnreachable ? .unreachable : .rejected)
        default: RemoteFailure(address, "\(error)")
        }
    }

    /// The text without the address at its beginning, which stands before it already.
    private func reason(_ message: String) -> String {
        guard message.hasPrefix(address) else { return message }
        return String(message.dropFirst(address.count).drop { $0 == ":" || $0 == " " })
    }

    private func failure(_ answer: borrowing ClientResponse) -> RemoteFailure {
        (200...299).contains(answer.status)
            ? broken("its answer is not that of sync") : failure(ErrorResponse(answer).accountError)
    }

    private func broken(_ reason: String) -> RemoteFailure {
        RemoteFailure(address, reason, kind: .unreachable)
    }

    private func failure(_ error: SignInError) -> RemoteFailure {
        switch error {
        case .rejected, .notAccepted:
            RemoteFailure(
                address, "the session of this machine was ended, or the account is disabled",
                kind: .rejected)
        case .unreachable(let detail, _), .broken(let detail): broken(detail)
        case .throttled: broken("it limits requests")
        case .untrusted(let detail, _): RemoteFailure(address, "not trusted: " + detail)
        case .unsupported: RemoteFailure(address, "this server does not offer sync")
        case .refused(.other(let detail)): RemoteFailure(address, detail)
        default: RemoteFailure(address, "it refused the request")
        }
    }
}

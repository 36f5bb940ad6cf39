internal import HTTPServer
internal import Passkeys
internal import Platform
internal import SecretMemory
internal import Application
internal import TextCoding

/// Handles the requests of pages. Thread-safe.
final class LocalApp: HTTPHandler {
    /// The size of a challenge of ``PageSessions/Page/proof(of:)``, in bytes.
    private static let challengeSize = 32

    let origin: PageOrigin
    let sessions: PageSessions
    let events: EventQueue
    /// Whether a request was answered since the value was last reset.
    let hasAnswered = Monitor(false)
    private let rules: RequestRules
    private let files = PageFiles()
    private let runner: any OperationRunner
    private let uploads: Uploads

    /// The routes of all actions.
    static let routes: [PageRoute] =
        PageRoute.vault + PageRoute.passkeys + PageRoute.tasks + PageRoute.secrets + PageRoute.files
        + PageRoute.inbox
        + PageRoute.checklists + PageRoute.settings + PageRoute.account + PageRoute.transfers
        + PageRoute.devices

    /// Makes the app of a page's origin.
    init(
        _ runner: any OperationRunner, _ origin: PageOrigin, _ sessions: PageSessions,
        _ events: EventQueue
    ) {
        self.runner = runner
        self.origin = origin
        self.sessions = sessions
        self.events = events
        rules = RequestRules(origin)
        uploads = Uploads(runner)
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        do {
            if request.path == "/open" { return .now(open(request)) }
            guard request.path.hasPrefix("/api/") else { return .now(file(request)) }
            return try act(request)
        } catch let error as PageRequestError {
            return .now(.failure(error))
        } catch {
            return .now(.failure(.unexpected))
        }
    }

    func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse {
        .failure(PageRequestError("the request was refused", status: status))
    }

    func didAnswer(_ exchange: HTTPExchange) { hasAnswered.update { $0 = true } }

    private func file(_ request: HTTPRequest) -> HTTPResponse {
        guard rules.allow(request, .file) else { return .closed }
        guard let file = files.file(request.path) else { return .failure(.notFound) }
        return .page(200, file.mediaType, file.content)
    }

    /// Responds to the form of the start file with a page. The page gets another token in exchange
    /// for the form's.
    private func open(_ request: HTTPRequest) -> HTTPResponse {
        guard rules.allow(request, .opening) else { return .closed }
        let form = request.body.withBytes { $0.text() } ?? ""
        let name = "token="
        let token =
            form.hasPrefix(name) ? sessions.exchange(String(form.dropFirst(name.count))) : nil
        let page = files.page(with: token ?? "")
        return .page(200, page.mediaType, page.content)
    }

    private func act(_ request: HTTPRequest) throws -> HTTPAnswer {
        guard rules.allow(request, .action) else { throw PageRequestError.forbidden }
        let segments = try request.path.dropFirst("/api/".utf8.count)
            .split(separator: "/", omittingEmptySubsequences: false)
            .map { try Members.decode(Substring($0.substituting("+", for: "%2B"))) }
        if segments == ["session"], request.method == "POST" { return .now(try begin(request)) }
        guard let page = page(of: request) else {
            throw PageRequestError("the page is not open", status: 401, code: "unauthorized")
        }
        events.notePage()
        // The id of an upload is known to the page that began it.
        if page.isHeld, segments.first != "uploads" || segments.count == 1,
            !Self.requestsOfHeld.contains(segments.joined(separator: "/"))
        {
            throw PageRequestError("the page is locked", status: 403, code: "locked")
        }
        switch (request.method, segments) {
        case ("POST", ["challenge"]): return .now(try prove(request, page))
        case ("POST", ["goodbye"]):
            sessions.close(page)
            return .now(.result("null"))
        case ("GET", ["events"]):
            let text = try Members(request).text("after")
            return .deferred { [events] in events.give(after: text.flatMap { Int($0) }, to: $0) }
        case ("PUT", _) where segments.count == 2 && segments[0] == "uploads":
            return later { try self.add(request, to: segments[1]) }
        default: return try route(request, segments, page)
        }
    }

    /// Opens a page with a token, or again with the key of its reload.
    private func begin(_ request: HTTPRequest) throws -> HTTPResponse {
        let members = try Members(request)
        let reopened = try members.text("again").map { sessions.reopen($0) }
        guard let page = try reopened ?? sessions.open(members.text("token") ?? "") else {
            throw PageRequestError("the token is not valid", status: 401, code: "bad_token")
        }
        events.notePage()
        let shown = page.shown.map { #""\#($0)""# } ?? "null"
        return .result(
            #"{"bearer":"\#(page.bearer)","key_base64":"\#(Base64.text(of: page.key))","again":"\#(page.reloadKey)","held":\#(page.isHeld),"show":\#(shown),"sequence":\#(events.sequence)}"#
        )
    }

    private func prove(_ request: HTTPRequest, _ page: PageSessions.Page) throws -> HTTPResponse {
        guard let text = try Members(request).secret("challenge_base64"),
            let challenge = try text.withBytes({ try Base64.secret(of: $0) }),
            challenge.count == Self.challengeSize
        else { throw PageRequestError("challenge_base64 is no challenge") }
        let proof = page.proof(of: challenge.withBytes { $0.array })
        return .result(#"{"proof_base64":"\#(Base64.text(of: proof))"}"#)
    }

    private func add(_ request: HTTPRequest, to id: String) throws -> HTTPResponse {
        guard let query = request.query, query.hasPrefix("offset="),
            let offset = Int(query.dropFirst("offset=".utf8.count))
        else { throw PageRequestError("offset is missing") }
        guard let received = try uploads.add(request.body, to: id, at: offset) else {
            throw PageRequestError.noUpload
        }
        return .result(#"{"received":\#(received)}"#)
    }

    /// The requests of a page that is held: what the start screen needs. A backup is restored with its passphrase and that of the vault.
    private static let requestsOfHeld: Set = [
        "challenge", "events", "goodbye", "state", "session", "vault/strength", "vault/create",
        "session/unlock", "session/lock", "passkeys/challenge", "passkeys/unlock", "restore/upload",
        "restore",
    ]
    /// Those that prove who the person is.
    private static let requestsThatRelease: Set = [
        "vault/create", "session/unlock", "passkeys/unlock",
    ]

    private func route(
        _ request: HTTPRequest, _ segments: [String], _ page: PageSessions.Page
    ) throws -> HTTPAnswer {
        for route in Self.routes where route.method == request.method {
            guard let parameters = route.parameters(segments) else { continue }
            let members = try Members(request)
            if let unknown = members.names.first(where: { !route.members.contains($0) }) {
                // The error does not repeat the name, because it may have any form.
                throw PageRequestError("member \(unknown.utf8.count) bytes long is unknown")
            }
            let wanted = AppRequest(
                http: request, members: members, parameters: parameters, runner: runner,
                uploads: uploads, origin: origin)
            return later {
                let response = try route.work(wanted)
                if response.status == 200,
                    Self.requestsThatRelease.contains(segments.joined(separator: "/"))
                {
                    page.release()
                }
                return response
            }
        }
        throw PageRequestError.notFound
    }

    /// Runs work on another thread.
    private func later(_ body: @escaping @Sendable () throws -> HTTPResponse) -> HTTPAnswer {
        .later(
            .storage,
            {
                do {
                    return .now(try body())
                } catch let error as PageRequestError {
                    return .now(.failure(error))
                } catch {
                    return .now(.failure(.unexpected))
                }
            }, overload: .failure(PageRequestError("too many requests", status: 503, code: "busy")))
    }

    /// The page whose bearer token the request has.
    private func page(of request: HTTPRequest) -> PageSessions.Page? {
        let values = request.headers.values("Authorization")
        let scheme = "Bearer "
        guard values.count == 1, values[0].hasPrefix(scheme) else { return nil }
        return sessions.page(String(values[0].dropFirst(scheme.count)))
    }
}

extension HTTPResponse {
    /// The response to a request from anywhere but the page.
    fileprivate static let closed = page(
        403, "text/plain; charset=utf-8", Array("Open TaskVault again: taskvault app\n".utf8))
}

extension PageRequestError {
    static let forbidden = PageRequestError(
        "the request is not from the page", status: 403, code: "forbidden")
    static let notFound = PageRequestError(
        "there is no such address", status: 404, code: "not_found")
    static let unexpected = PageRequestError("unexpected error", status: 500, code: "unexpected")
}

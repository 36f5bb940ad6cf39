internal import Accounts
internal import HTTPServer
internal import TextCoding

/// The caller's own inboxes and subscriptions.
extension AuthServer {
    /// Creates an inbox, or new tokens of one.
    func makeInbox(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        let members = try request.body.count == 0 ? nil : members(of: request, ["inbox"])
        let text = members?.text("inbox")
        let renewed = text.flatMap { PushID($0) }
        return later(.storage, .problem) { [self] in
            let caller = try service.authenticate(token, at: now())
            guard text == nil || renewed != nil else { throw RequestError.notFound }
            let issued = try inboxes.makeInbox(
                of: caller.account.id, for: caller.session.id, renewing: renewed, at: now())
            return .now(
                .object(status: renewed == nil ? 201 : 200) { json in
                    json.member("id", issued.inbox.id.text)
                    json.member("receive_token", issued.receiving)
                    json.member("acknowledge_token", issued.acknowledging)
                    json.member("created", milliseconds: issued.inbox.created.milliseconds)
                })
        }
    }

    /// Lists the inboxes of the account. A worker runs the queries, because they would delay other
    /// connections of an I/O thread.
    func listInboxes(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        return later(.storage, .problem) { [self] in
            let account = try service.authenticate(token, at: now()).account
            let found = try inboxes.inboxes(of: account.id, at: now())
            return .now(
                .object { json in
                    json.member("inboxes", found) { json, details in
                        json.member("id", details.inbox.id.text)
                        json.member("created", milliseconds: details.inbox.created.milliseconds)
                        json.member("waiting", details.waiting)
                        json.member("subscriptions", details.subscriptions) { json, entry in
                            Self.write(entry.subscription, to: &json)
                            json.member("waiting", entry.waiting)
                            json.member(
                                "last_push",
                                entry.subscription.pushed.map {
                                    Timestamp.rfc3339(milliseconds: $0.milliseconds)
                                })
                        }
                    }
                })
        }
    }

    /// Removes an inbox.
    func removeInbox(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        let id = try id("inbox", try members(of: request, ["inbox"]))
        return later(.storage, .problem) { [self] in
            let account = try service.authenticate(token, at: now()).account
            guard let id else { throw RequestError.notFound }
            try inboxes.removeInbox(id, of: account.id, at: now())
            return .now(.empty(status: 204))
        }
    }

    /// Creates a subscription.
    func subscribe(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        let members = try members(of: request, ["inbox", "vapid_key"])
        let inbox = try id("inbox", members)
        let text = members.text("vapid_key")
        return later(.storage, .problem) { [self] in
            let account = try service.authenticate(token, at: now()).account
            guard let inbox else { throw RequestError.notFound }
            var key: SenderKey?
            if let text {
                key = try Base64.bytes(of: text, .url).flatMap { try SenderKey($0) }
                if key == nil { throw RequestError.senderKey }
            }
            let issued = try inboxes.subscribe(
                to: inbox, of: account.id, key: key?.bytes, at: now())
            return .now(
                .object(status: 201) { json in
                    Self.write(issued.subscription, to: &json)
                    json.member("endpoint", options.issuer + "/push/" + issued.endpoint)
                })
        }
    }

    /// Ends a subscription.
    func endSubscription(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        let id = try id("subscription", try members(of: request, ["subscription"]))
        return later(.storage, .problem) { [self] in
            let account = try service.authenticate(token, at: now()).account
            guard let id else { throw RequestError.notFound }
            try inboxes.endSubscription(id, of: account.id, at: now())
            return .now(.empty(status: 204))
        }
    }

    private static func write(_ subscription: PushSubscription, to json: inout JSONContent) {
        json.member("id", subscription.id.text)
        json.member("created", milliseconds: subscription.created.milliseconds)
        json.member(
            "vapid_key",
            subscription.key.map { Base64.urlText(of: $0) })
    }

    /// The id in a member; nil for any other text.
    private func id(_ name: String, _ members: JSONMembers) throws -> PushID? {
        guard let text = members.text(name) else {
            throw RequestError.malformed("\(name) is missing")
        }
        return PushID(text)
    }
}

/// Checklists.
extension AuthServer {
    /// Lists the checklists.
    func listChecklists(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        return reading(.problem) { [self] in
            _ = try service.authenticate(token, at: now())
            let checklists = try repository.read { try $0.checklists() }
            let body = JSONContent.object { json in
                json.member("checklists", checklists) { json, checklist in
                    Self.write(checklist, to: &json)
                    json.member("items", checklist.count)
                }
            }
            return .now(.revalidated(body, request))
        }
    }

    /// Reads a checklist.
    func readChecklist(_ request: HTTPRequest, _ id: String) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        return reading(.problem) { [self] in
            _ = try service.authenticate(token, at: now())
            guard PublishedChecklist.isID(id),
                let checklist = try repository.read({ try $0.checklist(id) })
            else {
                throw RequestError.notFound
            }
            return .now(.revalidated(Self.content(of: checklist), request))
        }
    }

    /// The JSON with which `GET /checklists/ID` is answered.
    static func content(of checklist: PublishedChecklist) -> [UInt8] {
        JSONContent.object { json in
            json.member("format", PublishedChecklist.format)
            json.member("version", 1)
            write(checklist, to: &json)
            json.member("items", json: checklist.items)
        }
    }

    private static func write(_ checklist: PublishedChecklist, to json: inout JSONContent) {
        json.member("id", checklist.id)
        json.member("revision", checklist.revision)
        json.member("title", checklist.title)
        json.member("summary", checklist.summary)
        json.member("picture", checklist.picture)
        json.member("published", milliseconds: checklist.published.milliseconds)
    }
}

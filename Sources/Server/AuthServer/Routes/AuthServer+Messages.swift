internal import Accounts
internal import HTTPServer
internal import TextCoding

/// Sending messages (RFC 8030, section 5).
extension AuthServer {
    /// Accepts a message for the vault of a subscription.
    func push(_ request: HTTPRequest, to endpoint: String) throws -> HTTPAnswer {
        let push = try InboxService.Push(request, to: endpoint)
        guard let signature = SenderSignature(of: request) else { return stored(push) }
        return later(.storage, .problem) { [self] in
            var push = push
            if let key = try inboxes.key(of: push.endpoint) {
                guard try signature.isValid(by: key, at: options.issuer, now()) else {
                    throw RequestError.signature
                }
                push.signer = key
            }
            return stored(push)
        }
    }

    /// The answer of a push that is stored together with others.
    private func stored(_ push: InboxService.Push) -> HTTPAnswer {
        .deferred { [self] answer in
            let hasRoom = pushes.add((change: push, answer: answer)) { [self] in store($0) }
            if !hasRoom { answer.give(RequestError.Form.problem.overloadResponse) }
        }
    }

    private func store(_ batch: [BatchQueue<InboxService.Push>.Entry]) {
        do {
            let results = try inboxes.push(batch.map(\.change), at: now())
            for (entry, result) in zip(batch, results) {
                switch result {
                case .success(let message): entry.answer.give(accepted(message, entry.change))
                case .failure(let error): entry.answer.give(RequestError(error).response)
                }
            }
        } catch {
            let response = requestError(error, .problem).response
            for entry in batch { entry.answer.give(response) }
            return
        }
        deliver()
    }

    private func accepted(_ message: PushMessage, _ push: InboxService.Push) -> HTTPResponse {
        HTTPResponse.empty(status: 201).adding([
            HTTPHeaders.Field(
                "Location", options.issuer + Route.messages.rawValue + "/" + message.id.text),
            HTTPHeaders.Field("TTL", String(inboxes.granted(push.life))),
        ])
    }
}

/// Receiving messages.
extension AuthServer {
    /// The largest number of polls of one inbox.
    private static let mostPollsOfInbox = 8

    /// Reads the waiting messages. Without messages, the answer may wait for one.
    func receive(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        let parameters = try PollParameters(request.query)
        return reading(.problem) { [self] in
            let inbox = try inboxes.inbox(receiving: token)
            // A number above the last one means that an older copy of the database was restored.
            let after = parameters.after > inbox.last ? 0 : parameters.after
            let messages = try inboxes.messages(of: inbox.id, after: after, at: now())
            guard messages.isEmpty, parameters.wait > .zero else {
                return .now(.messages(messages, after: after))
            }
            try polls.begin { try inboxes.lastChange() }
            return .deferred { [self] answer in
                let poll = WaitingPolls.Poll(
                    inbox.id.text, most: Self.mostPollsOfInbox, wait: parameters.wait, answer,
                    empty: .messages([], after: after)
                ) { [self] in
                    let messages = try inboxes.messages(of: inbox.id, after: after, at: now())
                    guard !messages.isEmpty else { return nil }
                    // The session may have ended, or an operator disabled the account, while the poll waited.
                    try inboxes.requireCurrent(inbox)
                    return .messages(messages, after: after)
                }
                polls.add(poll)
                // A message may have arrived before the poll was added.
                deliver(to: poll)
            }
        }
    }

    /// Removes messages that the vault has stored.
    func acknowledge(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        guard MediaType.json.isContent(of: request) else {
            throw RequestError.unsupportedMediaType
        }
        let ids = try Self.messageIDs(request.body)
        return later(.storage, .problem) { [self] in
            let count = try inboxes.acknowledge(ids, with: token)
            return .now(.object { json in json.member("acknowledged", count) })
        }
    }

    /// Delivers what is new to the polls that wait for it. Runs after each commit of this server,
    /// and after each signal of another server.
    func deliver() {
        guard var position = polls.position else { return }
        do {
            // A smaller number means that an older copy of the database was restored.
            if try inboxes.lastChange() < position { position = 0 }
            while true {
                let changed = try inboxes.changed(after: position)
                for (subject, change) in changed {
                    for poll in polls.polls(of: subject) { deliver(to: poll) }
                    position = change
                }
                polls.setPosition(position)
                if changed.count < InboxService.pageSize { return }
            }
        } catch {
            // The polls end at their time limits, and the next ones find the messages.
            note("failure", error)
        }
    }

    /// Ends a poll with what has come, or with an error: an unreadable inbox must not delay the others.
    func deliver(to poll: WaitingPolls.Poll) {
        let response: HTTPResponse
        do {
            guard let found = try poll.response() else { return }
            response = found
        } catch {
            response = requestError(error, .problem).response
        }
        polls.remove(poll)
        poll.answer.give(response)
    }
}

extension HTTPResponse {
    /// Messages, and the number for the next request.
    static func messages(_ messages: [PushMessage], after number: Int64) -> HTTPResponse {
        .object { json in
            json.member("messages", messages) { json, message in
                json.member("id", message.id.text)
                json.member("number", message.number)
                json.member("subscription", message.subscription.text)
                json.member("received", milliseconds: message.received.milliseconds)
                json.member("expires", milliseconds: message.expires.milliseconds)
                json.member("urgency", message.urgency.text)
                json.member("topic", message.topic)
                json.member("body_base64", Base64.text(of: message.body))
            }
            json.member("next", messages.last?.number ?? number)
        }
    }
}

extension InboxService.Push {
    /// Reads the header fields of a request, and checks the size of its content.
    fileprivate init(_ request: HTTPRequest, to endpoint: String) throws {
        let size = request.body.count
        guard size <= PushLimits.maximumSize else { throw RequestError.tooLarge }
        guard size > 0 else { throw RequestError.malformed("the message is empty") }
        guard try Self.value("Content-Encoding", request)?.lowercased() == "aes128gcm" else {
            throw RequestError.malformed("Content-Encoding must be aes128gcm")
        }
        guard let text = try Self.value("TTL", request), let life = Self.seconds(text) else {
            throw RequestError.malformed("TTL must be a number of seconds")
        }
        let name = try Self.value("Urgency", request)?.lowercased() ?? "normal"
        guard let urgency = PushMessage.Urgency.allCases.first(where: { $0.text == name }) else {
            throw RequestError.malformed("Urgency must be very-low, low, normal or high")
        }
        let topic = try Self.value("Topic", request)
        guard topic.map(Self.isTopic) ?? true else {
            throw RequestError.malformed("Topic must be 1 to 32 characters of Base64 for URLs")
        }
        self.init(
            endpoint: try InboxService.endpoint(endpoint), life: life, urgency: urgency,
            topic: topic, body: request.body.withBytes { $0.array })
    }

    /// The value of a field; nil if it is missing.
    private static func value(_ name: String, _ request: HTTPRequest) throws -> String? {
        let values = request.headers.values(name)
        guard values.count <= 1 else { throw RequestError.malformed("\(name) is repeated") }
        return values.first
    }

    /// Reads digits; a number above 2^31 becomes 2^31 (RFC 9111, section 1.2.2).
    private static func seconds(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return min(Int64(text) ?? .max, 1 << 31)
    }

    private static func isTopic(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "-_".utf8.contains(byte)
                }
            }
    }
}

/// The parameters of a poll.
struct PollParameters {
    private static let longestWait: Int64 = 300

    /// The number of the last message or change that the client knows.
    private(set) var after: Int64 = 0
    /// The longest wait for the answer.
    private(set) var wait = Duration.zero

    /// Reads `after=N&wait=SECONDS`, both optional.
    init(_ query: String?) throws {
        var seen: Set<String> = []
        for part in (query ?? "").split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1).map { String($0) }
            guard pair.count == 2, seen.insert(pair[0]).inserted, let number = Int64(pair[1]),
                number >= 0
            else { throw RequestError.malformed("the parameters are after and wait, with numbers") }
            switch pair[0] {
            case "after": after = number
            case "wait" where number <= Self.longestWait: wait = .seconds(number)
            case "wait": throw RequestError.malformed("wait is at most 300")
            default: throw RequestError.malformed("the parameters are after and wait")
            }
        }
    }
}

extension AuthServer {
    /// The largest number of messages that one request acknowledges.
    private static let maximumAcknowledged = 256
    /// The largest number of members of its content.
    private static let maximumMembers = 16

    /// Reads the content of an acknowledgement, `{"messages":[…]}`.
    private static func messageIDs(_ body: RequestBody) throws -> [PushID] {
        try body.withBytes { bytes -> [PushID] in
            let object = try JSONObject(bytes, limit: maximumMembers, ContentError.self)
            if let name = object.names.first(where: { $0 != "messages" }) {
                throw ContentError.unknown(name)
            }
            guard [nil, .array].contains(object.kind(of: "messages")) else {
                throw ContentError.malformed
            }
            guard let ranges = object.elements("messages", in: bytes), !ranges.isEmpty else {
                throw RequestError.malformed("messages is missing or empty")
            }
            return try ranges.enumerated().map { number, range in
                guard let text = JSONObject.text(at: range, in: bytes) else {
                    throw ContentError.malformed
                }
                guard number < maximumAcknowledged, let id = PushID(text) else {
                    throw RequestError.malformed("messages must be at most 256 ids")
                }
                return id
            }
        }
    }
}

internal import Accounts
internal import Testing
internal import TextCoding

/// The sessions of a server for one account, in the simplest form: every issued token, and its state.
struct SessionModel {
    struct Token {
        let text: String
        let session: Int
        let kind: TokenDescription.Kind
        let issued: Duration
        let expires: Duration
        /// The refresh token with which it was issued.
        var predecessor: Int?
        var replaced: Duration?
        var isRevoked = false
        /// Whether it was removed, by a purge or by the limit.
        var isPurged = false
    }

    struct Session {
        let id: String
        var used: Duration
        let expires: Duration
        var isOver = false
    }

    static let maximumSessions = 3
    static let maximumAccessTokens = 3
    static let maximumReplacedTokens = 5

    var tokens: [Token] = []
    var sessions: [Session] = []
    var password = 0
    var isDisabled = false

    /// The expected result of an attempt.
    enum Answer: Equatable {
        case tokens
        case refusal(AccountError)
        case revocation(isRevoked: Bool)
        case done
    }

    func isGood(_ number: Int, at now: Duration) -> Bool {
        let token = tokens[number]
        return isStored(number) && token.replaced == nil && now < token.expires
            && now < sessions[token.session].expires && !isDisabled
    }

    /// Whether the server still knows the token, valid or not.
    func isStored(_ number: Int) -> Bool {
        let token = tokens[number]
        return !sessions[token.session].isOver && !token.isRevoked && !token.isPurged
    }

    mutating func begin(_ issued: IssuedTokens, at now: Duration) -> Int {
        let live = sessions.indices.filter { !sessions[$0].isOver }.sorted { first, second in
            (sessions[first].used, sessions[first].id) > (
                sessions[second].used, sessions[second].id
            )
        }
        for number in live.dropFirst(Self.maximumSessions - 1) { sessions[number].isOver = true }
        sessions.append(Session(id: issued.session.text, used: now, expires: now + .days(180)))
        return sessions.count - 1
    }

    /// The stored tokens of a session, in descending order of time, then of hash.
    private func stored(_ session: Int, by time: (Token) -> Duration?) -> [Int] {
        func order(_ number: Int) -> [UInt8] { TokenHash(of: tokens[number].text).bytes }
        return tokens.indices
            .filter { tokens[$0].session == session && isStored($0) && time(tokens[$0]) != nil }
            .sorted { first, second in
                let times = (time(tokens[first]) ?? .zero, time(tokens[second]) ?? .zero)
                return times.0 == times.1
                    ? order(second).lexicographicallyPrecedes(order(first)) : times.0 > times.1
            }
    }

    mutating func give(
        _ issued: IssuedTokens, in session: Int, for predecessor: Int? = nil, at now: Duration
    ) {
        let end = sessions[session].expires
        let access = stored(session) { $0.kind == .access ? $0.issued : nil }
        for number in access.dropFirst(Self.maximumAccessTokens - 1) {
            tokens[number].isPurged = true
        }
        tokens.append(
            Token(
                text: issued.access, session: session, kind: .access, issued: now,
                expires: min(end, now + .minutes(15))))
        tokens.append(
            Token(
                text: issued.refresh, session: session, kind: .refresh, issued: now,
                expires: min(end, now + .days(30)), predecessor: predecessor))
    }

    /// The current refresh token of a session.
    func current(of session: Int) -> Int? {
        tokens.indices.last { tokens[$0].session == session && tokens[$0].kind == .refresh }
    }

    /// The expected result of a refresh; ends the session if required.
    mutating func refresh(_ number: Int, at now: Duration) -> Answer {
        let token = tokens[number]
        let refusal = Answer.refusal(.rejected)
        guard token.kind == .refresh, isStored(number), now < token.expires,
            now < sessions[token.session].expires, !isDisabled,
            let current = current(of: token.session)
        else { return refusal }
        var isAccepted = number == current
        if let replaced = token.replaced, now <= replaced + .seconds(30),
            tokens[current].predecessor == number, !tokens[current].isPurged
        {
            isAccepted = true
        }
        if isAccepted, number != current || !isInHurry(token.session, at: now) { return .tokens }
        sessions[token.session].isOver = true
        return refusal
    }

    /// Whether the limit of tokens replaced within an hour is reached; forgets tokens beyond the limit.
    private mutating func isInHurry(_ session: Int, at now: Duration) -> Bool {
        let replaced = stored(session) { $0.replaced }
        let removed = replaced.dropFirst(Self.maximumReplacedTokens - 1)
        for number in removed { tokens[number].isPurged = true }
        guard let last = removed.first.flatMap({ tokens[$0].replaced }) else { return false }
        return now < last + .hours(1)
    }

    mutating func noteRefresh(_ number: Int, _ issued: IssuedTokens, at now: Duration) {
        let session = tokens[number].session
        sessions[session].used = now
        let current = current(of: session)
        if current == number { tokens[number].replaced = now }
        give(issued, in: session, for: number, at: now)
        // The same successor again.
        if current != number { tokens.removeLast() }
    }

    mutating func revoke(_ number: Int) -> Answer {
        guard isStored(number) else { return .revocation(isRevoked: false) }
        if tokens[number].kind == .access {
            tokens[number].isRevoked = true
        } else {
            sessions[tokens[number].session].isOver = true
        }
        return .revocation(isRevoked: true)
    }

    mutating func endAll() {
        for number in sessions.indices { sessions[number].isOver = true }
    }

    mutating func purge(at now: Duration) {
        for number in tokens.indices where tokens[number].expires < now {
            tokens[number].isPurged = true
        }
        for number in sessions.indices where sessions[number].expires < now {
            sessions[number].isOver = true
        }
    }
}

package import Accounts
package import Database
package import TextCoding
internal import Synchronization

/// A repository that forwards everything but changes to another one.
package protocol ForwardingRepository: AccountRepository {
    var repository: any AccountRepository { get }
}

extension ForwardingRepository {
    package func canRetry(after error: any Error) -> Bool { repository.canRetry(after: error) }

    package func check() throws { try repository.check() }

    package func close() { repository.close() }

    package func account(_ id: AccountID) throws -> Account? { try repository.account(id) }

    package func account(_ email: EmailAddress) throws -> Account? {
        try repository.account(email)
    }

    package func accounts(after email: EmailAddress?, limit: Int) throws -> [Account] {
        try repository.accounts(after: email, limit: limit)
    }

    package func accessToken(_ hash: TokenHash) throws -> FoundAccessToken? {
        try repository.accessToken(hash)
    }

    package func refreshToken(_ hash: TokenHash) throws -> RefreshToken? {
        try repository.refreshToken(hash)
    }

    package func session(_ id: SessionID) throws -> SignInSession? { try repository.session(id) }

    package func sessions(of account: AccountID) throws -> [SignInSession] {
        try repository.sessions(of: account)
    }

    package func device(of session: SessionID) throws -> SessionDevice? {
        try repository.device(of: session)
    }

    package func devices(of account: AccountID) throws -> [SessionDevice] {
        try repository.devices(of: account)
    }

    package func invitation(_ code: TokenHash) throws -> Invitation? {
        try repository.invitation(code)
    }

    package func invitations() throws -> [Invitation] { try repository.invitations() }

    package func attempts(_ key: AttemptKey) throws -> AttemptRecord? {
        try repository.attempts(key)
    }

    package func knownDevice(_ hash: TokenHash) throws -> KnownDevice? {
        try repository.knownDevice(hash)
    }

    package func knownDevices(of account: AccountID) throws -> [KnownDevice] {
        try repository.knownDevices(of: account)
    }

    package func inbox(_ id: PushID) throws -> Inbox? { try repository.inbox(id) }

    package func inbox(receiving token: TokenHash) throws -> Inbox? {
        try repository.inbox(receiving: token)
    }

    package func inbox(acknowledging token: TokenHash) throws -> Inbox? {
        try repository.inbox(acknowledging: token)
    }

    package func inboxes(of account: AccountID) throws -> [Inbox] {
        try repository.inboxes(of: account)
    }

    package func subscription(_ endpoint: TokenHash) throws -> PushSubscription? {
        try repository.subscription(endpoint)
    }

    package func subscription(_ id: PushID) throws -> PushSubscription? {
        try repository.subscription(id)
    }

    package func subscriptions(of inbox: PushID) throws -> [PushSubscription] {
        try repository.subscriptions(of: inbox)
    }

    package func messages(
        of inbox: PushID, after number: Int64, at now: PointInTime, limit: Int
    ) throws -> [PushMessage] {
        try repository.messages(of: inbox, after: number, at: now, limit: limit)
    }

    package func countMessagesBySubscription(
        of inbox: PushID, at now: PointInTime
    ) throws -> [PushID: Int] {
        try repository.countMessagesBySubscription(of: inbox, at: now)
    }

    package func lastChange() throws -> Int64 { try repository.lastChange() }

    package func changedInboxes(
        after change: Int64, limit: Int
    ) throws -> [(inbox: PushID, change: Int64)] {
        try repository.changedInboxes(after: change, limit: limit)
    }

    package func checklist(_ id: String) throws -> Checklist? { try repository.checklist(id) }

    package func checklists() throws -> [Checklist] { try repository.checklists() }
}

/// A repository whose next changes fail before they begin.
package final class FailingRepository: ForwardingRepository {
    package let repository: any AccountRepository
    /// The failures of the next changes; nil for one that succeeds.
    private let failures = Mutex<[DatabaseError?]>([])

    package init(_ repository: any AccountRepository) {
        self.repository = repository
    }

    /// Lets the next `times` changes fail, after `others` that succeed.
    package func fail(_ times: Int, with error: DatabaseError = .busy, after others: Int = 0) {
        failures.withLock { failures in
            failures += Array(repeating: nil, count: others)
            failures += Array(repeating: error, count: times)
        }
    }

    /// The number of failures that are left.
    package var failuresLeft: Int { failures.withLock { $0.count { $0 != nil } } }

    package func change<Result>(_ body: (any AccountWriter) throws -> Result) throws -> Result {
        let failure = failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let failure { throw failure }
        return try repository.change(body)
    }
}

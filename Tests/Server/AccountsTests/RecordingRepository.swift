import Accounts
import AccountStorage
import Database
import Synchronization
import TestSupport
import TextCoding

/// A repository that records the calls inside transactions; queries outside of one are not recorded.
final class RecordingRepository: ForwardingRepository {
    let repository: any AccountRepository
    private let calls = Mutex<[String]>([])

    init() throws {
        repository = try StoredAccounts.openOrCreate(.memory)
    }

    /// Takes the calls since the last time.
    func take() -> [String] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    func change<Result>(_ body: (any AccountWriter) throws -> Result) throws -> Result {
        try repository.change { writer in
            let recorder = RecordingWriter(writer)
            defer {
                let recorded = ["begin"] + recorder.calls
                calls.withLock { $0 += recorded }
            }
            return try body(recorder)
        }
    }
}

/// Records calls, and forwards them.
final class RecordingWriter: AccountWriter {
    fileprivate let writer: any AccountWriter
    private(set) var calls: [String] = []

    init(_ writer: any AccountWriter) {
        self.writer = writer
    }

    func account(_ id: AccountID) throws -> Account? {
        calls.append("account AccountID")
        return try writer.account(id)
    }

    func account(_ email: EmailAddress) throws -> Account? {
        calls.append("account EmailAddress")
        return try writer.account(email)
    }

    func accounts(after email: EmailAddress?, limit: Int) throws -> [Account] {
        calls.append("accounts EmailAddress?")
        return try writer.accounts(after: email, limit: limit)
    }

    func accessToken(_ hash: TokenHash) throws -> FoundAccessToken? {
        calls.append("accessToken TokenHash")
        return try writer.accessToken(hash)
    }

    func refreshToken(_ hash: TokenHash) throws -> RefreshToken? {
        calls.append("refreshToken TokenHash")
        return try writer.refreshToken(hash)
    }

    func session(_ id: SessionID) throws -> SignInSession? {
        calls.append("session SessionID")
        return try writer.session(id)
    }

    func sessions(of account: AccountID) throws -> [SignInSession] {
        calls.append("sessions AccountID")
        return try writer.sessions(of: account)
    }

    func device(of session: SessionID) throws -> SessionDevice? {
        calls.append("device SessionID")
        return try writer.device(of: session)
    }

    func devices(of account: AccountID) throws -> [SessionDevice] {
        calls.append("devices AccountID")
        return try writer.devices(of: account)
    }

    func insert(_ device: SessionDevice, keeping limit: Int) throws {
        calls.append("insert SessionDevice")
        try writer.insert(device, keeping: limit)
    }

    func removeDevice(of session: SessionID) throws {
        calls.append("removeDevice SessionID")
        try writer.removeDevice(of: session)
    }

    func invitation(_ code: TokenHash) throws -> Invitation? {
        calls.append("invitation TokenHash")
        return try writer.invitation(code)
    }

    func invitations() throws -> [Invitation] {
        calls.append("invitations ")
        return try writer.invitations()
    }

    func attempts(_ key: AttemptKey) throws -> AttemptRecord? {
        calls.append("attempts AttemptKey")
        return try writer.attempts(key)
    }

    func knownDevice(_ hash: TokenHash) throws -> KnownDevice? {
        calls.append("knownDevice TokenHash")
        return try writer.knownDevice(hash)
    }

    func knownDevices(of account: AccountID) throws -> [KnownDevice] {
        calls.append("knownDevices AccountID")
        return try writer.knownDevices(of: account)
    }

    func insert(_ account: Account) throws {
        calls.append("insert Account")
        try writer.insert(account)
    }

    func update(_ account: Account) throws {
        calls.append("update Account")
        try writer.update(account)
    }

    func remove(_ account: AccountID) throws {
        calls.append("remove AccountID")
        try writer.remove(account)
    }

    func insert(_ session: SignInSession) throws {
        calls.append("insert SignInSession")
        try writer.insert(session)
    }

    func setRefreshed(_ session: SessionID, at time: PointInTime) throws {
        calls.append("setRefreshed SessionID")
        try writer.setRefreshed(session, at: time)
    }

    func end(_ session: SessionID) throws {
        calls.append("end SessionID")
        try writer.end(session)
    }

    func endSessions(of account: AccountID) throws -> Int {
        calls.append("endSessions AccountID")
        return try writer.endSessions(of: account)
    }

    func endSessions(of account: AccountID, keeping limit: Int) throws {
        calls.append("endSessions Int")
        try writer.endSessions(of: account, keeping: limit)
    }

    func removeAccessTokens(
        of session: SessionID, keeping limit: Int
    ) throws {
        calls.append("removeAccessTokens Int")
        try writer.removeAccessTokens(of: session, keeping: limit)
    }

    func removeReplacedTokens(
        of session: SessionID, keeping limit: Int
    ) throws -> RefreshToken? {
        calls.append("removeReplacedTokens Int")
        return try writer.removeReplacedTokens(of: session, keeping: limit)
    }

    func insert(_ token: AccessToken) throws {
        calls.append("insert AccessToken")
        try writer.insert(token)
    }

    func removeAccessToken(_ hash: TokenHash) throws {
        calls.append("removeAccessToken TokenHash")
        try writer.removeAccessToken(hash)
    }

    func currentRefreshToken(of session: SessionID) throws -> RefreshToken? {
        calls.append("currentRefreshToken SessionID")
        return try writer.currentRefreshToken(of: session)
    }

    func insert(_ token: RefreshToken) throws {
        calls.append("insert RefreshToken")
        try writer.insert(token)
    }

    func setReplaced(_ token: TokenHash, at time: PointInTime) throws {
        calls.append("setReplaced TokenHash")
        try writer.setReplaced(token, at: time)
    }

    func put(_ invitation: Invitation) throws {
        calls.append("put Invitation")
        try writer.put(invitation)
    }

    func removeInvitation(_ code: TokenHash) throws -> Bool {
        calls.append("removeInvitation TokenHash")
        return try writer.removeInvitation(code)
    }

    func put(_ attempts: AttemptRecord) throws {
        calls.append("put AttemptRecord")
        try writer.put(attempts)
    }

    func removeAttempts(_ key: AttemptKey) throws {
        calls.append("removeAttempts AttemptKey")
        try writer.removeAttempts(key)
    }

    func countAttempts() throws -> Int {
        calls.append("countAttempts ")
        return try writer.countAttempts()
    }

    func removeAttempts(restingAt time: PointInTime) throws {
        calls.append("removeAttempts PointInTime")
        try writer.removeAttempts(restingAt: time)
    }

    func insert(_ event: AuditEvent) throws {
        calls.append("insert AuditEvent")
        try writer.insert(event)
    }

    func takeAuditEvents(limit: Int) throws -> [AuditEvent] {
        calls.append("takeAuditEvents Int")
        return try writer.takeAuditEvents(limit: limit)
    }

    func put(_ device: KnownDevice, keeping limit: Int) throws {
        calls.append("put KnownDevice")
        try writer.put(device, keeping: limit)
    }

    func purge(
        expiredBefore time: PointInTime, devicesBefore devices: PointInTime
    ) throws -> Int {
        calls.append("purge PointInTime")
        return try writer.purge(expiredBefore: time, devicesBefore: devices)
    }
}

/// Inboxes and checklists, which are not recorded.
extension RecordingWriter {
    func inbox(_ id: PushID) throws -> Inbox? { try writer.inbox(id) }

    func inbox(receiving token: TokenHash) throws -> Inbox? {
        try writer.inbox(receiving: token)
    }

    func inbox(acknowledging token: TokenHash) throws -> Inbox? {
        try writer.inbox(acknowledging: token)
    }

    func inboxes(of account: AccountID) throws -> [Inbox] {
        try writer.inboxes(of: account)
    }

    func subscription(_ endpoint: TokenHash) throws -> PushSubscription? {
        try writer.subscription(endpoint)
    }

    func subscription(_ id: PushID) throws -> PushSubscription? {
        try writer.subscription(id)
    }

    func subscriptions(of inbox: PushID) throws -> [PushSubscription] {
        try writer.subscriptions(of: inbox)
    }

    func messages(
        of inbox: PushID, after number: Int64, at now: PointInTime, limit: Int
    ) throws -> [PushMessage] {
        try writer.messages(of: inbox, after: number, at: now, limit: limit)
    }

    func countMessagesBySubscription(
        of inbox: PushID, at now: PointInTime
    ) throws -> [PushID: Int] {
        try writer.countMessagesBySubscription(of: inbox, at: now)
    }

    func lastChange() throws -> Int64 { try writer.lastChange() }

    func changedInboxes(
        after change: Int64, limit: Int
    ) throws -> [(inbox: PushID, change: Int64)] {
        try writer.changedInboxes(after: change, limit: limit)
    }

    func checklist(_ id: String) throws -> Checklist? { try writer.checklist(id) }

    func checklists() throws -> [Checklist] { try writer.checklists() }

    func insert(_ inbox: Inbox) throws { try writer.insert(inbox) }

    func remove(_ inbox: PushID, at time: PointInTime) throws {
        try writer.remove(inbox, at: time)
    }

    func insert(_ subscription: PushSubscription) throws { try writer.insert(subscription) }

    func end(_ subscription: PushSubscription, at time: PointInTime) throws {
        try writer.end(subscription, at: time)
    }

    func insert(_ message: PushMessage) throws { try writer.insert(message) }

    func update(_ inbox: Inbox, change: Int64?) throws { try writer.update(inbox, change: change) }

    func update(_ subscription: PushSubscription) throws { try writer.update(subscription) }

    func removeMessages(
        of subscription: PushSubscription, topic: String, at now: PointInTime
    ) throws -> Int {
        try writer.removeMessages(of: subscription, topic: topic, at: now)
    }

    func removeMessages(_ ids: [PushID], of inbox: PushID) throws -> Int {
        try writer.removeMessages(ids, of: inbox)
    }

    func beginChanges(_ count: Int) throws -> Int64 { try writer.beginChanges(count) }

    func purgeInboxes(
        expiredBefore time: PointInTime, endedBefore ended: PointInTime
    ) throws -> Int {
        try writer.purgeInboxes(expiredBefore: time, endedBefore: ended)
    }

    func put(_ checklist: Checklist) throws { try writer.put(checklist) }

    func removeChecklist(_ id: String) throws -> Bool { try writer.removeChecklist(id) }
}

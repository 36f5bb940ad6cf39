internal import Accounts
internal import TextCoding

/// Inboxes of sample accounts, with subscriptions.
struct SampleInboxes {
    /// The tokens that read messages, one of each inbox.
    private(set) var receiving: [String] = []
    /// The last parts of the URLs of all subscriptions.
    private(set) var endpoints: [String] = []

    /// Puts inboxes into a database that has the accounts.
    init(
        count: Int, subscriptions: Int, of accounts: SampleAccounts,
        in repository: AccountRepository
    ) throws {
        let service = InboxService(repository: repository)
        let now = PointInTime.now
        for number in 0..<count {
            let entry = accounts.entries[number % accounts.entries.count]
            guard let email = EmailAddress(entry.email),
                let account = try repository.read({ try $0.account(email) })
            else { throw BenchmarkFailure("no account") }
            let issued = try service.makeInbox(of: account.id, at: now)
            receiving.append(issued.receiving)
            for _ in 0..<subscriptions {
                endpoints.append(
                    try service.subscribe(
                        to: issued.inbox.id, of: account.id, key: nil, at: now
                    ).endpoint)
            }
        }
    }
}

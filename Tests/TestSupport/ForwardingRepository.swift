package import Accounts

/// A repository that forwards reads to another one.
package protocol ForwardingRepository: AccountRepository {
    var repository: any AccountRepository { get }
}

extension ForwardingRepository {
    package func check() throws(AccountRepositoryError) { try repository.check() }

    package func close() { repository.close() }

    package func account(_ id: AccountID) throws(AccountRepositoryError) -> Account? {
        try repository.account(id)
    }

    package func account(_ email: EmailAddress) throws(AccountRepositoryError) -> Account? {
        try repository.account(email)
    }

    package func accounts(after email: EmailAddress?, limit: Int) throws(AccountRepositoryError)
        -> [Account]
    {
        try repository.accounts(after: email, limit: limit)
    }

    package func accessToken(_ hash: TokenHash) throws(AccountRepositoryError) -> FoundAccessToken?
    {
        try repository.accessToken(hash)
    }

    package func refreshToken(_ hash: TokenHash) throws(AccountRepositoryError) -> RefreshToken? {
        try repository.refreshToken(hash)
    }

    package func session(_ id: SessionID) throws(AccountRepositoryError) -> SignInSession? {
        try repository.session(id)
    }

    package func sessions(of account: AccountID) throws(AccountRepositoryError) -> [SignInSession] {
        try repository.sessions(of: account)
    }

    package func invitation(_ code: TokenHash) throws(AccountRepositoryError) -> Invitation? {
        try repository.invitation(code)
    }

    package func invitations() throws(AccountRepositoryError) -> [Invitation] {
        try repository.invitations()
    }

    package func attempts(_ key: AttemptKey) throws(AccountRepositoryError) -> AttemptRecord? {
        try repository.attempts(key)
    }

    package func knownPlaces(of account: AccountID) throws(AccountRepositoryError) -> [KnownPlace] {
        try repository.knownPlaces(of: account)
    }
}

internal import Accounts

extension AccountServiceError {
    /// What happened, for whoever reads the log. It has no secrets, because none of these errors has any.
    var explanation: String {
        switch self {
        case .rejected: "the name or the password is wrong"
        case .tokenRejected: "the token is not good"
        case .tooManyAttempts: "too many attempts"
        case .invitationRejected: "the invitation is not good"
        case .alreadyExists: "there is such an account already"
        case .missing: "there is no such account"
        case .outOfMemory: "not enough memory for the password's hash"
        case .repository(let error): error.explanation
        }
    }
}

extension AccountRepositoryError {
    /// What happened to the database.
    fileprivate var explanation: String {
        switch self {
        case .missing, .alreadyExists: "another program changed the account meanwhile"
        case .foreign(let reason): "the database has no accounts of TaskVault: \(reason)"
        case .newerVersion(let version):
            "the database was written by a newer version of TaskVault (accounts \(version))"
        case .unsafeLocation(let path, let reason): "\(path) is not safe to use: \(reason)"
        case .damaged(let reason): "the database is damaged: \(reason)"
        case .unreachable(let reason): "the database cannot be used: \(reason)"
        case .outcomeUnknown:
            "the connection to the database was lost in the last moment: it is not known whether the change was made"
        case .readOnly: "the database cannot be written"
        case .full: "no space left for the database"
        case .busy: "another program is using the database for too long"
        case .closed: "the database was closed"
        case .outOfMemory: "no memory left"
        case .failed(let detail): detail
        }
    }
}

public import Accounts
public import VaultStorage

extension AccountRepositoryError {
    /// What a failure of the file or the server means.
    public init(_ error: DatabaseError) {
        self =
            switch error {
            case .missing: .missing
            case .alreadyExists: .alreadyExists
            case .notFound: .failed(detail: "the database is gone")
            case .foreign(let reason): .foreign(reason: reason)
            case .newerVersion(let version): .newerVersion(version)
            case .unsafeLocation(let path, let reason): .unsafeLocation(path: path, reason: reason)
            case .damaged(let reason): .damaged(reason: reason)
            case .unreachable(let reason): .unreachable(reason: reason)
            case .outcomeUnknown: .outcomeUnknown
            case .readOnly: .readOnly
            case .full: .full
            case .busy: .busy
            case .closed: .closed
            case .outOfMemory: .outOfMemory
            case .inputOutput(let operation, let code):
                .failed(detail: "\(operation) failed with code \(code)")
            }
    }

    /// What a failure to open a file means: nothing was to be added or changed yet.
    init(opening error: DatabaseError) {
        self =
            switch error {
            case .notFound: .failed(detail: "there is no such folder")
            case .missing, .alreadyExists: .failed(detail: "the file changed while it was opened")
            default: AccountRepositoryError(error)
            }
    }

    /// Runs what fails with the errors of a storage.
    static func mapping<Value>(
        _ body: () throws(DatabaseError) -> Value
    ) throws(AccountRepositoryError) -> Value {
        do {
            return try body()
        } catch {
            throw AccountRepositoryError(error)
        }
    }
}

extension AccountRepositoryFailure {
    init(_ failure: StorageFailure<Body>) {
        self =
            switch failure {
            case .body(let error): .body(error)
            case .storage(let error): .repository(AccountRepositoryError(error))
            }
    }
}

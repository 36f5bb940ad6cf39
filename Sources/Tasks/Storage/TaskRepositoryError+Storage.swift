public import VaultStorage

extension TaskRepositoryError {
    /// What a failure of the file means.
    public init(_ error: DatabaseError) {
        self =
            switch error {
            case .notFound: .failed(detail: "the file is gone")
            case .foreign(let reason): .foreign(reason: reason)
            case .newerVersion(let version): .newerVersion(version)
            case .unsafeLocation(let path, let reason): .unsafeLocation(path: path, reason: reason)
            case .damaged(let reason): .damaged(reason: reason)
            case .readOnly: .readOnly
            case .unreachable(let reason): .unreachable(reason: reason)
            case .outcomeUnknown: .outcomeUnknown
            case .full: .full
            case .busy: .busy
            case .closed: .closed
            case .outOfMemory: .outOfMemory
            case .alreadyExists, .missing: .failed(detail: "the file changed while it was opened")
            case .inputOutput(let operation, let code):
                .failed(detail: "\(operation) failed with code \(code)")
            }
    }
}

package import Accounts
internal import Synchronization

/// A repository whose next changes fail before anything is done.
package final class FailingRepository: ForwardingRepository {
    package let repository: any AccountRepository
    /// What becomes of the next changes.
    private let failures = Mutex<[AccountRepositoryError?]>([])

    package init(_ repository: any AccountRepository) {
        self.repository = repository
    }

    /// Lets so many changes fail, after some that do not.
    package func fail(
        _ times: Int, with error: AccountRepositoryError = .busy, after others: Int = 0
    ) {
        failures.withLock { failures in
            failures += Array(repeating: nil, count: others)
            failures += Array(repeating: error, count: times)
        }
    }

    /// How many changes are to fail yet.
    package var failuresLeft: Int { failures.withLock { $0.count { $0 != nil } } }

    package func change<Result, Failure: Error>(
        _ body: (any AccountWriter) throws(Failure) -> Result
    ) throws(AccountRepositoryFailure<Failure>) -> Result {
        let failure = failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let failure { throw .repository(failure) }
        return try repository.change(body)
    }
}

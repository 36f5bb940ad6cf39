package import Accounts
internal import Synchronization

/// A repository whose next changes can fail at once.
package final class FailingRepository: ForwardingRepository {
    package let repository: any AccountRepository
    /// The results of the next changes; nil succeeds.
    private let failures = Mutex<[AccountRepositoryError?]>([])

    package init(_ repository: any AccountRepository) {
        self.repository = repository
    }

    /// Makes changes fail, after others that succeed.
    package func fail(
        _ times: Int, with error: AccountRepositoryError = .busy, after others: Int = 0
    ) {
        failures.withLock { failures in
            failures += Array(repeating: nil, count: others)
            failures += Array(repeating: error, count: times)
        }
    }

    /// The number of changes still to fail.
    package var failuresLeft: Int { failures.withLock { $0.count { $0 != nil } } }

    package func change<Result, Failure: Error>(
        _ body: (any AccountWriter) throws(Failure) -> Result
    ) throws(AccountRepositoryFailure<Failure>) -> Result {
        let failure = failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let failure { throw .repository(failure) }
        return try repository.change(body)
    }
}

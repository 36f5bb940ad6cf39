extension AccountRepository {
    /// Runs a transaction whose refusals are values: what it changed before one is committed.
    func transaction<Value>(
        _ body: (any AccountWriter) throws(AccountRepositoryError) -> Value
    ) throws(AccountServiceError) -> Value {
        do throws(AccountRepositoryFailure<AccountRepositoryError>) {
            return try change(body)
        } catch {
            switch error {
            case .repository(let error), .body(let error): throw .repository(error)
            }
        }
    }

    /// Reads outside of a transaction.
    func reading<Value>(
        _ body: (any AccountReader) throws(AccountRepositoryError) -> Value
    ) throws(AccountServiceError) -> Value {
        do throws(AccountRepositoryError) {
            return try body(self)
        } catch {
            throw .repository(error)
        }
    }
}

public import TextCoding

extension AccountService {
    /// Takes attempts back that could not be taken back when they turned out to be no guesses. Each sign-in does so as well; this is for a server
    /// that has nothing else to do, and shares its database with others.
    ///
    /// - Throws: `repository`.
    public func settle(at now: PointInTime) throws(AccountServiceError) {
        guard !unsettled.isEmpty else { return }
        try transaction(at: now) { (_) throws(AccountRepositoryError) in }
    }

    /// Takes an attempt back, now or as soon as the database can be written again.
    ///
    /// - Throws: `repository` if not now.
    func takeBack(
        _ attempt: AttemptLimiter.Counted, at now: PointInTime
    ) throws(AccountServiceError) {
        unsettled.add(attempt)
        try settle(at: now)
    }

    /// Runs a transaction, and takes back in it what could not be taken back before.
    func transaction<Value>(
        at now: PointInTime,
        _ body: (any AccountWriter) throws(AccountRepositoryError) -> Value
    ) throws(AccountServiceError) -> Value {
        let attempts = unsettled.take()
        do throws(AccountServiceError) {
            return try repository.transaction { (writer) throws(AccountRepositoryError) in
                for attempt in attempts { try limiter.takeBack(attempt, at: now, in: writer) }
                return try body(writer)
            }
        } catch {
            unsettled.keep(attempts, after: error)
            throw error
        }
    }
}

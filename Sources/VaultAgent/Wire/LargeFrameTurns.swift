internal import Synchronization
internal import VaultCore

/// Lets so many large frames in at the same time and no more: clients cannot make an agent take memory without limit. Thread-safe.
final class LargeFrameTurns: Sendable {
    private final class Turn: Sendable {
        let mutex = Mutex(())
    }

    private let turns = (0..<8).map { _ in Turn() }

    /// Runs `body` in a row that is free, or else when the turn of this connection's row has come: nobody waits for a slow client while there is
    /// another row.
    func withTurn<Result: ~Copyable, Failure: Error>(
        _ connection: Int, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        for turn in turns {
            let done = try turn.mutex.withLockIfAvailable {
                (_) throws(Failure) -> Handed<Result> in Handed(try body())
            }
            if let done { return done.take() }
        }
        return try turns[connection % turns.count].mutex.withLock {
            (_) throws(Failure) -> Handed<Result> in Handed(try body())
        }.take()
    }
}

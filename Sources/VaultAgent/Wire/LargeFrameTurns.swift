internal import Synchronization
internal import VaultCore

/// Lets so many large frames in at the same time and no more: clients cannot make an agent take memory without limit. Thread-safe.
final class LargeFrameTurns: Sendable {
    private final class Turn: Sendable {
        let mutex = Mutex(())
    }

    private let turns = (0..<8).map { _ in Turn() }

    /// Runs `body` when the turn of this connection's row has come: a slow client holds up an eighth of the others, for as long as a frame may take.
    func withTurn<Result: ~Copyable, Failure: Error>(
        _ connection: Int, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try turns[connection % turns.count].mutex.withLock {
            (_) throws(Failure) -> Handed<Result> in Handed(try body())
        }.take()
    }
}

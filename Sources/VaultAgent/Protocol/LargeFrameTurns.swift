internal import Synchronization
internal import VaultCore

/// Lets so many large frames in at the same time and no more: clients cannot make an agent take memory without limit. Thread-safe.
final class LargeFrameTurns: Sendable {
    private final class Turn: Sendable {
        let mutex = Mutex(())
    }

    private let turns = (0..<8).map { _ in Turn() }

    /// Runs `body` as soon as one of the turns is free: a slow client has one of them, for as long as a frame may take.
    func withTurn<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        while true {
            for turn in turns {
                let done = try turn.mutex.withLockIfAvailable {
                    (_) throws(Failure) -> Handed<Result> in Handed(try body())
                }
                if let done { return done.take() }
            }
            SystemSleep.sleep(.milliseconds(2))
        }
    }
}

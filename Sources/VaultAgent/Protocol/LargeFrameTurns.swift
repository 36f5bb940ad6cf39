internal import Synchronization
internal import VaultCore
internal import Platform

/// Limits the number of large frames received at the same time, and so the memory that clients can occupy. Thread-safe.
final class LargeFrameTurns: Sendable {
    private final class Turn: Sendable {
        let mutex = Mutex(())
    }

    private let turns = (0..<8).map { _ in Turn() }

    /// Runs `body` once a turn is free: a slow client holds one for at most the time limit of a frame.
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

internal import Inbox
internal import Platform
internal import Sync
internal import Synchronization

/// Waits in its own thread until another device has changed the group at the account's server. Thread-safe.
final class SyncServerWatch: Sendable {
    private static let pauses: (Duration, Duration) = (.seconds(5), .seconds(60))
    /// The time between two requests of a server that answers at once, at least.
    private static let spacing: Duration = .milliseconds(100)
    /// After this time without a change, an answer is no sign of a server that does not wait.
    private static let shortWait: Duration = .seconds(10)

    private let stop: SystemPipe
    private let news: SystemPipe

    /// Becomes readable after a change, and when the server can be reached for the first time or again.
    var descriptor: Int32 { news.reader }

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - address: The server's address.
    ///   - folder: The folder with the file of the token.
    ///   - group: The group.
    /// - Throws: `SystemFailure`.
    init(_ address: String, in folder: String, _ group: GroupID) throws {
        (stop, news) = (try SystemPipe(isBlocking: false), try SystemPipe(isBlocking: false))
        let isStarted = DetachedThread.start { [stop, news] in
            let server = SyncServer(address, in: folder, renew: nil, until: stop.reader)
            Self.run(server, group, stop, news)
        }
        if !isStarted { throw SystemFailure("pthread_create", code: EAGAIN) }
    }

    deinit { stop.signal() }

    /// Whether something has changed since the last call.
    func take() -> Bool {
        var byte: UInt8 = 0
        var isChanged = false
        while unsafe read(news.reader, &byte, 1) == 1 { isChanged = true }
        return isChanged
    }

    private static func run(
        _ server: SyncServer, _ group: GroupID, _ stop: SystemPipe, _ news: SystemPipe
    ) {
        var last: Int64?
        var pause: Duration = .zero
        while !stop.isReadable(within: pause) {
            let begun = MonotonicTime.now
            do throws(RemoteFailure) {
                let next = try server.change(
                    of: group, after: last ?? 0, within: InboxClient.longestWait)
                let isNew = next != last
                if isNew { news.signal() }
                last = next
                let isShort = !isNew && MonotonicTime.now < begun + shortWait
                pause = isShort ? longer(pause) : spacing
            } catch {
                // A refused token is replaced by a round with the unlocked vault. Then another watch begins.
                pause = error.kind == .rejected ? pauses.1 : longer(pause)
                last = nil
            }
        }
    }

    private static func longer(_ pause: Duration) -> Duration {
        min(max(pause * 2, pauses.0), pauses.1)
    }
}

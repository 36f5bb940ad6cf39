internal import Database
internal import Platform

/// Signals that another server of the same database accepted messages. They come from a file watch,
/// or from the database server's notifications.
///
/// The database is not polled. Without file watches, messages of other servers arrive with the next
/// poll of a client.
final class InboxSignals: Sendable {
    /// The pause before another attempt to listen.
    private static let pause: Int32 = 5_000

    private let place: AccountDatabasePlace
    private let deliver: @Sendable () -> Void
    private let report: @Sendable (any Error) -> Void
    private let pipe: SystemPipe
    private let isRunning = Monitor(false)

    /// A source of signals, whose descriptor becomes readable.
    fileprivate enum Source {
        #if os(Linux)
            case file(FileWatch)
        #endif
        case server(PostgreSQLListener)
    }

    /// Prepares to listen.
    ///
    /// - Parameters:
    ///   - place: The database.
    ///   - deliver: Delivers new messages; called in a thread after each signal.
    ///   - report: Receives the first of consecutive failures to listen.
    /// - Throws: `SystemFailure`.
    init(
        _ place: AccountDatabasePlace, deliver: @escaping @Sendable () -> Void,
        report: @escaping @Sendable (any Error) -> Void
    ) throws {
        self.place = place
        self.deliver = deliver
        self.report = report
        pipe = try SystemPipe()
    }

    /// Listens in a thread, until ``stop()``.
    ///
    /// - Returns: Whether the thread was started.
    func start() -> Bool {
        isRunning.update { $0 = true }
        let isStarted = DetachedThread.start { [self] in
            run()
            isRunning.update { $0 = false }
        }
        if !isStarted { isRunning.update { $0 = false } }
        return isStarted
    }

    /// Ends the thread, and waits for its end.
    func stop() {
        pipe.signal()
        _ = isRunning.wait { $0 ? nil : true }
    }

    private func run() {
        var isReported = false
        while true {
            do {
                guard let source = try open() else { return }
                isReported = false
                // Messages may have arrived before the source was open.
                deliver()
                while true {
                    if wait(for: source.descriptor) { return }
                    if try source.take() { deliver() }
                }
            } catch {
                if !isReported { report(error) }
                isReported = true
                if wait(for: -1, Self.pause) { return }
            }
        }
    }

    /// Waits until the source is readable.
    ///
    /// - Returns: Whether to stop.
    private func wait(for descriptor: Int32, _ timeout: Int32 = -1) -> Bool {
        var requests = [pipe.reader, descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        return unsafe poll(&requests, 2, timeout) > 0 && requests[0].revents != 0
    }

    private func open() throws -> Source? {
        switch place {
        case .file(let path):
            #if os(Linux)
                return .file(try FileWatch([FileSystem.absolute(path)], onlySignals: true))
            #else
                return nil
            #endif
        case .server(let address):
            return .server(try PostgreSQLListener(to: address, channel: "taskvault_inboxes"))
        }
    }
}

extension InboxSignals.Source {
    fileprivate var descriptor: Int32 {
        switch self {
        #if os(Linux)
            case .file(let watch): return watch.descriptor
        #endif
        case .server(let listener): return listener.descriptor
        }
    }

    /// Reads all signals.
    ///
    /// - Returns: Whether there were any.
    fileprivate func take() throws -> Bool {
        switch self {
        #if os(Linux)
            case .file(let watch): return try watch.readEvents()
        #endif
        case .server(let listener): return try listener.readNotifications()
        }
    }
}

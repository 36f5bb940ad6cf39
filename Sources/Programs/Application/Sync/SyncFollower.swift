internal import Platform
internal import Sync
internal import SyncMembers
internal import Synchronization
internal import TextCoding

/// Syncs a home by itself, in a thread: a round begins when something changed here or at the remote. Thread-safe.
///
/// Each round is a process of its own, so that no key comes into this one, and a folder that does not answer cannot hold it.
package final class SyncFollower: Sendable {
    private struct Running {
        let stop: SystemPipe
        let ended: Monitor<Bool>
    }

    /// The time that ``end()`` waits for.
    private static let timeLimit: Duration = .seconds(5)

    private let application: @Sendable () throws -> Application
    private let running = Mutex<Running?>(nil)

    /// Makes a follower, which does nothing before ``start()``.
    ///
    /// - Parameter application: Makes the operations of a thread.
    package init(_ application: @escaping @Sendable () throws -> Application) {
        self.application = application
    }

    deinit { running.withLock { $0 }?.stop.signal() }

    /// Starts the thread, unless it runs. It waits for a home that does not sync yet.
    package func start() {
        running.withLock { running in
            guard running == nil, let stop = try? SystemPipe(isBlocking: false) else { return }
            let new = Running(stop: stop, ended: Monitor(false))
            let isStarted = DetachedThread.start { [application] in
                if let application = try? application() {
                    SyncFollowing(application).run(until: new.stop)
                }
                new.ended.update { $0 = true }
            }
            if isStarted { running = new }
        }
    }

    /// Ends the thread. A round that has begun may end by itself.
    package func end() {
        guard let last = running.withLock({ $0.take() }) else { return }
        last.stop.signal()
        _ = last.ended.wait(until: .now + Self.timeLimit) { $0 ? true : nil }
    }
}

/// The work of the follower's thread. Not thread-safe.
private final class SyncFollowing {
    /// The process of a round. Its end closes the pipe.
    private struct Round {
        let process: ChildProcess
        let output: SystemPipe
    }

    /// How long a round may take: longer than one of a command, because large changes on a slow way must come to their end, too.
    private static let roundLimit: Duration = .seconds(60)
    /// The wait for a round at the end of the program.
    private static let endLimit: Duration = .seconds(3)
    #if os(Linux)
        private static let interval: Duration = .seconds(300)
    #else
        /// No watch of files reports anything there.
        private static let interval: Duration = .seconds(10)
    #endif
    /// The interval where the system's limit of watches is reached.
    private static let unwatchedInterval: Duration = .seconds(60)

    private let application: Application
    private let sync: SyncAccess
    private var schedule = SyncSchedule(at: .now)
    private var round: Round?
    private var device: SyncDevice?
    private var server: SyncServerWatch?
    private var reported: Failure?
    #if os(Linux)
        /// The files that say with whom this home syncs.
        private var setup: FileWatch?
        /// The files that an unlock or a verification writes: then more can be applied.
        private var session: FileWatch?
        private var here: FileWatch?
        private var there: FileWatch?
        private var watched: [String] = []
    #endif

    init(_ application: Application) {
        self.application = application
        sync = application.sync
    }

    func run(until stop: SystemPipe) {
        follow()
        while true {
            let end = device == nil ? .never : schedule.next
            let ready = Self.wait(for: [stop.reader] + descriptors, until: end)
            if ready.contains(stop.reader) { break }
            if let round, ready.contains(round.output.reader) { finish(round) }
            noteChanges()
            if device != nil, schedule.next <= .now { begin() }
        }
        round?.process.wait(atMost: Self.endLimit)
    }

    /// Waits until a descriptor is readable or at its end.
    private static func wait(for descriptors: [Int32], until end: MonotonicTime) -> Set<Int32> {
        var requests = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var timeout: Int32 = -1
        if end != .never {
            let left = max(0, end.nanoseconds - MonotonicTime.now.nanoseconds)
            // Rounded up: otherwise the last millisecond would be a busy loop.
            timeout = Int32(clamping: (left + 999_999) / 1_000_000)
        }
        _ = unsafe poll(&requests, nfds_t(requests.count), timeout)
        return Set(requests.filter { $0.revents != 0 }.map(\.fd))
    }

    private var descriptors: [Int32] {
        var all = [round?.output.reader, server?.descriptor]
        #if os(Linux)
            all += [setup, session, here, there].map { $0?.descriptor }
        #endif
        return all.compactMap(\.self)
    }

    // MARK: Rounds

    private func begin() {
        let kind = schedule.begin(at: .now)
        do {
            let output = try SystemPipe()
            let process = try sync.startRound(
                within: Self.roundLimit, kind, output: output.writer, in: .own)
            output.closeWriter()
            round = Round(process: process, output: output)
        } catch {
            schedule.end(at: .now, isDone: false, interval: interval)
        }
    }

    private func finish(_ ended: Round) {
        round = nil
        let isDone = ended.process.wait(atMost: Self.endLimit).exitCode == ExitCode.done.rawValue
        schedule.end(at: .now, isDone: isDone, interval: interval)
        report()
        watch()
    }

    private var interval: Duration {
        #if os(Linux)
            let isWatched = setup != nil && here != nil && (server != nil || there != nil)
            return isWatched ? Self.interval : Self.unwatchedInterval
        #else
            return Self.interval
        #endif
    }

    /// Reports a fault that the last round found, once.
    private func report() {
        let failure = (try? sync.place).flatMap { SyncRound(at: $0) }?.failure
        if let failure, failure != reported { application.owner.report(failure) }
        reported = failure
    }

    // MARK: Changes

    private func noteChanges() {
        #if os(Linux)
            if Self.isChanged(&setup) { follow() }
            if Self.isChanged(&session) { schedule.noteChangeThere(at: .now) }
            if Self.isChanged(&here) { schedule.noteChangeHere(at: .now) }
            if Self.isChanged(&there) {
                schedule.noteChangeThere(at: .now)
                watch()
            }
        #endif
        if server?.take() == true { schedule.noteChangeThere(at: .now) }
    }

    #if os(Linux)
        /// Whether a watch reports a change. One that fails is made anew after the next round.
        private static func isChanged(_ watch: inout FileWatch?) -> Bool {
            do {
                return try watch?.readEvents() ?? false
            } catch {
                watch = nil
                return true
            }
        }
    #endif

    /// Follows the device and the remote that this home has now.
    private func follow() {
        #if os(Linux)
            if setup == nil { setup = (try? sync.place).flatMap { try? FileWatch($0.setup) } }
            (here, there, watched) = (nil, nil, [])
        #endif
        server = nil
        device = (try? sync.place).flatMap { try? SyncDevice(at: $0) }
        schedule.noteChangeThere(at: .now)
        watch()
    }

    /// Watches vault, list and remote.
    private func watch() {
        guard let device, let place = try? sync.place else { return }
        #if os(Linux)
            if here == nil { here = try? FileWatch(application.filesOfChanges) }
            if session == nil, let uses = application.folders.uses {
                session = try? FileWatch([uses + "/"])
            }
        #endif
        if device.folder == nil, server == nil {
            server = try? SyncServerWatch(device.remote, in: place.folder, device.group)
        }
        #if os(Linux)
            watchFolder(of: device)
        #endif
    }

    #if os(Linux)
        /// Watches the folder that is the remote, in which each device has a folder.
        private func watchFolder(of device: SyncDevice) {
            guard let folder = device.folder else { return }
            let group = folder + "/" + device.group.text
            let own = [device.id.text, device.id.secretsChain.text]
            let others = ((try? FileSystem.names(in: group)) ?? []).filter { !own.contains($0) }
            let folders = ([""] + others.sorted().map { $0 + "/" }).map { group + "/" + $0 }
            guard there == nil || folders != watched else { return }
            there = try? FileWatch(folders)
            watched = folders
            // What came before the watch. Without one, the interval is shorter.
            if there != nil { schedule.noteChangeThere(at: .now) }
        }
    #endif
}

extension SyncPlace {
    /// The files that change when this home begins or ends to sync, moves, or gets another token.
    fileprivate var setup: [String] { [device, ServerTokenFile.path(.sync, in: folder)] }
}

extension Application {
    /// The files that a change of vault or list writes.
    fileprivate var filesOfChanges: [String] {
        [folders.tasks, folders.file].map { FileSystem.absolute($0) }
            .flatMap { [$0, $0 + "-wal"] }
    }
}

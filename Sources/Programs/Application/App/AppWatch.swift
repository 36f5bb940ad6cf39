internal import Platform
internal import Services
internal import TextCoding
internal import VaultAgent

/// Detects changes that the local app's pages must show. Not thread-safe.
package final class AppWatch {
    /// The changes since the last call.
    package struct Changes: Sendable {
        /// The database of the tasks.
        package var tasks = false
        /// The vault's file or database.
        package var vault = false
        /// The file of the settings.
        package var settings = false
        /// The state of sync, such as its last round.
        package var sync = false
        /// The session as JSON, if it differs from the last one.
        package var session: String?
    }

    /// The interval between two checks of the session.
    private static let interval = Duration.milliseconds(150)
    /// The interval after which databases on servers count as changed.
    private static let serverInterval = Duration.seconds(5)

    /// After this time without an answer the session counts as ended.
    private static let longestSilence = Duration.seconds(30)

    private let application: Application
    private var told: (state: [Bool], end: Int64)?
    private var nextServer = MonotonicTime.now
    private var silentSince: MonotonicTime?
    /// Syncs while `taskvault services` does not.
    private let follower: SyncFollower
    #if os(Linux)
        private var watches: [FileWatch] = []
        /// Waits for messages at the server while `taskvault services` does not: a message that this process acknowledges first would not
        /// be announced there. Saved ones are a change of the vault.
        private let messages: MessageReceiver?
    #endif

    /// Starts the watches.
    ///
    /// - Throws: A failure if no home folder is known; `SystemFailure` at the system's limit of
    ///   watches.
    package init(_ runner: any OperationRunner) throws {
        var options = ApplicationOptions(runner.environment, home: runner.home)
        options.usesAgent = false
        application = try Application(options, SilentOwner())
        follower = SyncFollower { [options] in try Application(options, SilentOwner()) }
        #if os(Linux)
            messages = try? MessageReceiver { [options] in
                try Application(options, SilentOwner())
            }
            let folders = application.folders
            func withLog(_ path: String) -> [String] {
                let path = FileSystem.absolute(path)
                return [path, path + "-wal"]
            }
            let settings = folders.preferences.map { [FileSystem.absolute($0)] } ?? []
            let marks = application.sync.watchedFiles
            watches = try [
                withLog(folders.tasks), withLog(folders.file), settings, marks.marks, marks.report,
            ].map { try FileWatch($0) }
        #endif
    }

    /// Syncs and waits for messages, or leaves that to the services.
    private func replaceServices() {
        let isServed = application.hasServices
        if isServed { follower.end() } else { follower.start() }
        #if os(Linux)
            if isServed { messages?.end() } else { messages?.reload() }
        #endif
    }

    /// Ends sync, and stops waiting for messages.
    package func end() {
        follower.end()
        #if os(Linux)
            messages?.end()
        #endif
    }

    /// Waits for changes, for a fraction of a second at most.
    package func next() throws -> Changes {
        var changes = Changes()
        #if os(Linux)
            var events = watches.map {
                pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
            }
            _ = unsafe poll(&events, nfds_t(events.count), Int32(Self.interval.milliseconds))
            changes.tasks = try watches[0].readEvents()
            changes.vault = try watches[1].readEvents()
            changes.settings = try watches[2].readEvents()
            // A mark is drawn in the rows of its task or secret.
            if try watches[3].readEvents() { (changes.tasks, changes.vault) = (true, true) }
            changes.sync = try watches[4].readEvents()
            if changes.vault { replaceServices() }
            _ = messages?.takeNotifications()
        #else
            SystemSleep.sleep(Self.interval)
        #endif
        if nextServer <= .now {
            nextServer = .now + Self.serverInterval
            replaceServices()
            let content = try? SettingsFile(application.folders).read()
            if let content, content[.database] != StoredSetting.database.standard {
                changes.tasks = true
            }
            if let content, content[.vault] != StoredSetting.vault.standard { changes.vault = true }
        }
        changes.session = try changedSession()
        return changes
    }

    /// The session, if it began, ended, or was extended by more than a second.
    private func changedSession() throws -> String? {
        let mayExist = application.vault.mayExist
        var status: AgentStatus?
        if mayExist {
            do {
                status = try application.vault.agent()?.status(within: .seconds(1))
                silentSince = nil
            } catch let error where application.errors.failure(error).exitCode != .refused {
                // An agent runs and does not answer in time: it derives a key. That is no lock, for
                // which the pages would close their forms.
                let since = silentSince ?? .now
                silentSince = since
                if told != nil, .now < since + Self.longestSilence { return nil }
            } catch {
                // What answers is not the agent of this program: it has unlocked nothing.
            }
        }
        let isUnlocked = status?.isUnlocked == true
        let state = [mayExist, isUnlocked, status?.isVerified == true]
        let left = isUnlocked ? Int64(clamping: status?.verificationLeft ?? 0) : 0
        let end = MonotonicTime.now.nanoseconds / 1_000_000 + left
        defer { told = (state, state[2] ? end : 0) }
        guard let told else { return try text(status, mayExist) }
        guard told.state != state || state[2] && end > told.end + 1_000 else { return nil }
        return try text(status, mayExist)
    }

    private func text(_ status: AgentStatus?, _ mayExist: Bool) throws -> String {
        var json = JSONWriter(CollectedText())
        try json.beginObject()
        try json.sessionMembers(status, mayExist: mayExist)
        try json.endObject()
        return String(decoding: try json.finish().bytes.dropLast(), as: UTF8.self)
    }
}

/// An owner that reads only: the watch never asks and never warns.
private struct SilentOwner: Owner {
    package func warn(_ code: String, _ message: String) {}
    package func remark(_ message: String) {}
}

/// Collects bytes in memory.
package struct CollectedText: ByteSink {
    /// The bytes so far.
    package private(set) var bytes: [UInt8] = []

    /// Makes an empty collection.
    package init() {}

    package mutating func write(_ bytes: RawSpan) throws { self.bytes += bytes.array }

    package mutating func write(secret bytes: RawSpan) throws { try write(bytes) }
}

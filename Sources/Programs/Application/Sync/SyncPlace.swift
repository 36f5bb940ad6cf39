internal import Platform
internal import SecretMemory
internal import SyncStorage
internal import TextCoding

/// The folder of sync of one home, among this machine's state. It is never in the home itself: a copied home is no second device.
package struct SyncPlace: Sendable {
    /// The folder, absolute.
    let folder: String

    /// Names the folder; creates nothing.
    ///
    /// - Throws: A failure of wrong usage if no home folder is known; `SystemFailure`.
    init(_ folders: VaultFolders) throws {
        guard let state = folders.state else {
            throw Failure.usage("no home folder is known", hint: "set HOME")
        }
        folder = try state + "/sync/" + folders.placeDigest
    }

    /// The file with this device's keys for the list. A home takes part in sync while it exists.
    var device: String { folder + "/device" }
    /// The token for the account's server, if that is the remote.
    private var token: String { ServerTokenFile.path(.sync, in: folder) }
    /// The records of the list.
    var list: String { folder + "/list.db" }
    /// The records of the secrets.
    var secrets: String { folder + "/secrets.db" }
    /// The statements about the members that this device knows.
    var statements: String { folder + "/statements" }
    /// The id of the last exchange of messages that this machine began, to join.
    var joining: String { folder + "/joining" }
    /// The times of the last attempts to join, and to add devices. They stay when everything else is removed.
    var attempts: String { folder + "/attempts" }
    /// The blob of the recovery member.
    var recovery: String { folder + "/recovery" }
    /// The report of the last round.
    var report: String { folder + "/report" }
    /// When records were last searched for expired ones.
    var expiry: String { folder + "/expiry" }
    /// The marks of lists.
    var marks: String { folder + "/marks" }
    /// Exists while vault and list must get the state of the records, after a restore.
    var rejoining: String { folder + "/rejoining" }
    /// Group and id of the former device of this home, which has ended.
    var former: String { folder + "/former" }
    /// The records of the former device, without contents, until the next one has gone on from them.
    func former(_ chain: SyncDatabase.Chain) -> String {
        folder + (chain == .list ? "/former-list.db" : "/former-secrets.db")
    }
    /// The file ``device`` of a new device that takes the place of this one. While it exists, its records are complete.
    var successor: String { device + Self.successorEnding }
    /// The ending of the names of the new device's files until then.
    static let successorEnding = ".next"
    /// Has a file for each content that was fetched and not verified yet.
    var fetching: String { folder + "/fetching" }
    private var lock: String { folder + "/lock" }
    /// Locked by the one process that waits for its round in the background.
    private var next: String { folder + "/next" }

    /// Whether this home takes part in sync.
    package var isUsed: Bool { FileSystem.exists(device) }

    /// Makes the folder, and checks that only this user can change it.
    ///
    /// - Throws: `SystemFailure`, `UnusableFile`.
    func make() throws {
        try SafeFolder.create(folder)
        try SafeFolder.require(SafeFolder.resolve(folder))
    }

    /// Runs `body` while other processes of this home wait. Not recursive. The corresponding C function is `flock`.
    ///
    /// - Parameters:
    ///   - limit: The maximum wait for another process.
    ///   - body: The work.
    /// - Returns: The result of `body`.
    /// - Throws: A failure if another process is at work for longer; `SystemFailure`; `UnusableFile`; the error of `body`.
    func exclusively<Result>(within limit: Duration, _ body: () throws -> Result) throws -> Result {
        let held = try lock(lock, within: limit)
        defer { close(held) }
        return try body()
    }

    /// Runs `body` as ``exclusively(within:_:)``, unless another process waits here already: that one begins later, and so sees all that `body` would.
    ///
    /// - Returns: The result of `body`; nil if it was not run.
    /// - Throws: As ``exclusively(within:_:)``.
    func exclusivelyAsNext<Result>(
        within limit: Duration, _ body: () throws -> Result
    ) throws -> Result? {
        guard let waiting = try? lock(next, within: .zero) else { return nil }
        let held: Int32
        do {
            defer { close(waiting) }
            held = try lock(lock, within: limit)
        }
        defer { close(held) }
        return try body()
    }

    /// Locks a file.
    ///
    /// - Returns: Its descriptor, which has the lock until it is closed.
    private func lock(_ path: String, within limit: Duration) throws -> Int32 {
        try make()
        let descriptor = unsafe platform_open(
            path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw SystemFailure.last("open") }
        let end = MonotonicTime.now + limit
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR, MonotonicTime.now < end else {
                close(descriptor)
                if code != EWOULDBLOCK { throw SystemFailure("flock", code: code) }
                throw Failure(
                    .refused, code: "sync_busy", "another process of this machine is syncing",
                    hint: "run it again in some seconds")
            }
            // `flock` has no time limit.
            SystemSleep.sleep(.milliseconds(20))
        }
        return descriptor
    }

    /// Puts a new device in the place of this one, also after a crash between two steps of it.
    ///
    /// - Throws: `SystemFailure`, `UnusableFile`.
    func succeed() throws {
        guard FileSystem.exists(successor) else { return }
        for path in [list, secrets] where FileSystem.exists(path + Self.successorEnding) {
            // With the logs of the former file, before another has its name.
            try Self.removeStore(path)
            try FileSystem.rename(path + Self.successorEnding, to: path)
        }
        let keys = try TrustedFile(successor, limit: SyncDevice.largest)
        let file = try NewFile(at: device, replacing: true)
        try keys.content.withBytes { try Descriptor.write($0, to: file.descriptor) }
        try file.publish()
        try FileSystem.remove(successor)
        try FileSystem.sync(folder: folder)
    }

    /// Removes everything that this machine keeps of sync, the keys first. The folder and its lock stay.
    ///
    /// - Parameter keepsRecords: Whether the records stay, for the next device of this home.
    /// - Throws: `SystemFailure`.
    func clear(keepingRecords keepsRecords: Bool = false) throws {
        guard FileSystem.exists(folder) else { return }
        for path in [successor, device, token, joining, rejoining, report, marks, recovery, expiry]
        {
            try FileSystem.remove(path)
        }
        for path in [list, secrets] { try Self.removeStore(path + Self.successorEnding) }
        if !keepsRecords {
            for path in [list, secrets, former(.list), former(.secrets)] {
                try Self.removeStore(path)
            }
            try FileSystem.remove(former)
        }
        for folder in [statements, fetching] where FileSystem.exists(folder) {
            for name in try FileSystem.names(in: folder) {
                try FileSystem.remove(folder + "/" + name)
            }
        }
        try FileSystem.sync(folder: folder)
    }

    private static let storeSuffixes = ["", "-wal", "-shm", "-journal"]

    /// Removes a store with its companions.
    ///
    /// - Throws: `SystemFailure`.
    static func removeStore(_ path: String) throws {
        for suffix in storeSuffixes { try FileSystem.remove(path + suffix) }
    }

    /// Makes the records of a device those of a former one. Records of a former one that still wait stay: nothing followed them.
    ///
    /// - Throws: `SystemFailure`.
    func setAside() throws {
        for (path, chain) in [(list, SyncDatabase.Chain.list), (secrets, .secrets)] {
            guard !FileSystem.exists(former(chain)) else {
                try Self.removeStore(path)
                continue
            }
            for suffix in Self.storeSuffixes where FileSystem.exists(path + suffix) {
                try FileSystem.rename(path + suffix, to: former(chain) + suffix)
            }
        }
    }
}

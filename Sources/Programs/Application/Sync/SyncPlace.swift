internal import Platform
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
    /// The tasks that a former device of this home had changed and not sent, for the next one. It stays when everything else is removed.
    var unsent: String { folder + "/unsent" }
    /// Has a file for each content that was fetched and not verified yet.
    var fetching: String { folder + "/fetching" }
    private var lock: String { folder + "/lock" }

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
        try make()
        let descriptor = unsafe platform_open(
            lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw SystemFailure.last("open") }
        defer { close(descriptor) }
        let end = MonotonicTime.now + limit
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw SystemFailure.last("flock") }
            guard MonotonicTime.now < end else {
                throw Failure(
                    .refused, code: "sync_busy", "another process of this machine is syncing",
                    hint: "run it again in some seconds")
            }
            // `flock` has no time limit.
            SystemSleep.sleep(.milliseconds(20))
        }
        return try body()
    }

    /// Removes everything that this machine keeps of sync, the keys first. The folder and its lock stay.
    ///
    /// - Throws: `SystemFailure`.
    func clear() throws {
        guard FileSystem.exists(folder) else { return }
        for path in [device, token, joining, rejoining, report, marks, recovery, expiry] {
            try FileSystem.remove(path)
        }
        for path in [list, secrets] {
            for suffix in ["", "-wal", "-shm", "-journal"] {
                try FileSystem.remove(path + suffix)
            }
        }
        for folder in [statements, fetching] where FileSystem.exists(folder) {
            for name in try FileSystem.names(in: folder) {
                try FileSystem.remove(folder + "/" + name)
            }
        }
        try FileSystem.sync(folder: folder)
    }
}

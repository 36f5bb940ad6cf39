internal import Platform
internal import SecretMemory
public import SecureStorage
internal import TextCoding

/// The id of a machine among those that share a vault: 128 random bits.
public struct MachineID: Sendable, Hashable {
    private static let size = 16
    /// 32 hexadecimal digits.
    public let text: String

    /// Makes a random id.
    fileprivate init(random: RandomSource) {
        text = Hexadecimal.text(random.bytes(count: Self.size))
    }

    /// Reads an id.
    ///
    /// - Returns: nil for anything but 32 hexadecimal digits in lower case.
    public init?(_ text: String) {
        guard Hexadecimal.isText(text, ofBytes: Self.size) else { return nil }
        self.text = text
    }
}

/// The state of a machine for the sign-in: its id, and the lock that serialises its processes. The
/// folder is never copied with a vault.
///
/// A refresh token is valid for one use (RFC 9700, section 4.14.2). So two processes must not use it
/// at the same time.
public struct MachineState: Sendable {
    private static let name = "machine"
    private static let newName = "machine.new"

    private let folder: String
    private let lockTimeout: Duration

    /// Names the folder. The first use creates it with mode 0700.
    ///
    /// - Parameters:
    ///   - folder: An absolute path.
    ///   - lockTimeout: The maximum wait for another process.
    public init(folder: String, lockTimeout: Duration = .seconds(60)) {
        self.folder = folder
        self.lockTimeout = lockTimeout
    }

    /// The machine's id. Waits for other processes only to create the id.
    ///
    /// - Throws: `busy`, `system`.
    public func name() throws -> MachineID {
        let opened = try openFolder()
        defer { close(opened) }
        // The id never changes, so only its creation needs the lock.
        return try storedID(in: opened) ?? exclusively { $0 }
    }

    /// Runs `body` with the cached credentials of a server, while other processes of this machine
    /// wait.
    ///
    /// - Parameters:
    ///   - issuer: The server.
    ///   - store: The vault.
    ///   - body: Gets the cache.
    /// - Returns: The result of `body`.
    /// - Throws: `busy`, `system`, or an error of `body`.
    public func withCache<Value: ~Copyable>(
        of issuer: Issuer, in store: any SecureStore, _ body: (CredentialCache) throws -> Value
    ) throws -> Value {
        try exclusively { machine in try body(CredentialCache(store, issuer, machine)) }
    }

    /// Runs `body` while other processes of this machine wait. Not recursive. The corresponding C
    /// function is `flock`.
    ///
    /// - Parameter body: Gets the machine's name.
    /// - Returns: The result of `body`.
    /// - Throws: `busy`, `system`, or an error of `body`.
    public func exclusively<Value: ~Copyable>(
        _ body: (MachineID) throws -> Value
    ) throws -> Value {
        let folder = try openFolder()
        defer { close(folder) }
        let lock = unsafe platform_openat(
            folder, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard lock >= 0 else { throw failure("open") }
        defer { close(lock) }
        let start = BootTime.now
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw failure("flock") }
            guard start.duration(to: .now) < lockTimeout else { throw SignInError.busy }
            // `flock` has no time limit.
            usleep(20_000)
        }
        return try body(try machine(in: folder))
    }

    /// Reads or creates the machine's id. The caller holds the lock.
    private func machine(in folder: Int32) throws -> MachineID {
        if let machine = try storedID(in: folder) { return machine }
        let machine = MachineID(random: .system)
        let digits = Array(machine.text.utf8)
        unsafe unlinkat(folder, Self.newName, 0)
        let file = unsafe platform_openat(
            folder, Self.newName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure("open") }
        errno = ENOSPC
        let isComplete =
            unsafe write(file, digits, digits.count) == digits.count && fsync(file) == 0
        let saved = failure("write")
        close(file)
        guard isComplete else { throw saved }
        guard unsafe renameat(folder, Self.newName, folder, Self.name) == 0 else {
            throw failure("rename")
        }
        return machine
    }

    private func storedID(in folder: Int32) throws -> MachineID? {
        let file = unsafe platform_openat(
            folder, Self.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("open")
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 33)
        let count = unsafe read(file, &bytes, bytes.count)
        guard count >= 0 else { throw failure("read") }
        // A damaged file, for example after a full disk, is replaced. The old sessions expire.
        return MachineID(String(decoding: bytes.prefix(count), as: UTF8.self))
    }

    private func openFolder() throws -> Int32 {
        do {
            try SafeFolder.create(folder)
        } catch let failure as SystemFailure {
            throw SignInError.system(call: failure.call, path: folder, code: failure.code)
        }
        let opened = unsafe platform_open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        guard opened >= 0 else { throw failure("open") }
        return opened
    }

    private func failure(_ call: String) -> SignInError {
        .system(call: call, path: folder, code: errno)
    }
}

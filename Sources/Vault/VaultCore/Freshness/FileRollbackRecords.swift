internal import Platform
internal import Sealing
internal import Synchronization
internal import TextCoding

/// Rollback records in a folder of this machine, one file for each place, outside the vault's own folder.
///
/// A file is written in place, into one of its two slots, under `flock`; a crash leaves the other slot. Only this user can change the
/// folder; any other is refused. Thread-safe.
public final class FileRollbackRecords: RollbackRecords {
    /// The longest time that a written record waits for its sync.
    private static let syncInterval: Duration = .seconds(1)

    private struct OpenFile {
        let descriptor: Int32
        let path: String
        let identity: FileIdentity
        let isWritable: Bool

        var isInPlace: Bool {
            get throws { try FileStatus.of(path: path)?.identity == identity }
        }
    }

    private struct State {
        var file: OpenFile?
        var lastSync = MonotonicTime.now
        var isSynced = true
        var isSyncPlanned = false
        // The content that was read last, and its slot: a session reads its record before each answer, and finds it unchanged.
        var content: [UInt8] = []
        var slot: RollbackRecordFile.Slot?
        /// How often another content was read, or none.
        var changeCount: UInt64 = 0
        var buffer = [UInt8](repeating: 0, count: RollbackRecordFile.size + 1)
    }

    private let folder: String
    private let place: String
    private let syncsAtOnce: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: The folder's path, absolute. The first use creates it with mode 0700.
    ///   - place: The path of the home's vault file, which need not exist: also for a vault on a server.
    ///   - syncsAtOnce: Whether a record survives a power cut from its writing on, as a vault on a server requires; otherwise a second
    ///     later, as the file of a vault on this machine may lose its last second together with it.
    public init(folder: String, place: String, syncsAtOnce: Bool = false) {
        self.folder = folder
        self.place = FileSystem.absolute(place)
        self.syncsAtOnce = syncsAtOnce
    }

    deinit {
        state.withLock { if let file = $0.file { close(file.descriptor) } }
    }

    /// Reads the rollback record of this place.
    public func mark() throws(RollbackRecordError) -> RollbackRecord? {
        try use { state in
            guard let file = try open(&state, forWriting: false) else { return nil }
            try Self.read(file.descriptor, &state)
            return state.slot?.mark
        }
    }

    /// How often the file of this place had another content, or was missing, when it was read.
    public func changeCount() throws(RollbackRecordError) -> UInt64? {
        try use { state in
            if let descriptor = state.file?.descriptor {
                try Self.read(descriptor, &state)
            } else if let file = try open(&state, forWriting: false) {
                try Self.read(file.descriptor, &state)
            } else {
                state.changeCount += 1
            }
            return state.changeCount
        }
    }

    /// Reads the rollback records of the other places; skips files that hold none.
    public func marksElsewhere() throws(RollbackRecordError) -> [RollbackRecord] {
        try use { _ in
            let folder = try checkedFolder()
            let own = try name()
            return try FileSystem.names(in: folder).compactMap { name in
                guard Hexadecimal.isText(name, ofBytes: 16), name != own else { return nil }
                let descriptor = unsafe platform_open(
                    folder + "/" + name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
                guard descriptor >= 0 else { return nil }
                defer { close(descriptor) }
                var unread = State()
                guard (try? Self.read(descriptor, &unread)) != nil else { return nil }
                return unread.slot?.mark
            }
        }
    }

    /// Replaces the rollback record if it is still `old`; see ``RollbackRecords``.
    public func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool {
        try writing { file, state in
            try Self.read(file.descriptor, &state)
            guard state.slot?.mark == old else { return false }
            if old != new { try write(new, after: state.slot, to: file, &state) }
            return true
        }
    }

    /// Replaces the rollback record, whatever it is.
    public func replace(with mark: RollbackRecord) throws(RollbackRecordError) {
        try writing { file, state in
            var slot = (try? Self.read(file.descriptor, &state)).flatMap { state.slot }
            if let old = slot?.mark, old.vaultID != mark.vaultID { try keep(old) }
            if slot == nil || slot?.sequence == .max {
                slot = nil
                guard ftruncate(file.descriptor, 0) == 0 else {
                    throw SystemFailure.last("ftruncate")
                }
            }
            try write(mark, after: slot, to: file, &state)
        }
    }

    /// Makes the written record survive a power cut now, and closes its file until the next use.
    public func sync() throws(RollbackRecordError) {
        // Others may read the record meanwhile.
        let (file, isSynced) = state.withLock { state -> (OpenFile?, Bool) in
            defer {
                state.file = nil
                state.isSynced = true
                state.lastSync = .now
            }
            return (state.file, state.isSynced)
        }
        guard let file else { return }
        defer { close(file.descriptor) }
        if isSynced { return }
        do {
            try FileSystem.syncContent(of: file.descriptor)
        } catch {
            throw failure(error)
        }
    }
}

extension FileRollbackRecords {
    /// Reads an open file, and finds the slot that counts; not again where the content is still the same.
    private static func read(_ descriptor: Int32, _ state: inout State) throws {
        // Read one byte more than the size of a record, to detect a longer file.
        let count = unsafe pread(descriptor, &state.buffer, state.buffer.count, 0)
        guard count >= 0 else { throw SystemFailure.last("pread") }
        if count == state.content.count, state.buffer.begins(with: state.content) { return }
        state.changeCount += 1
        let content = Array(state.buffer.prefix(count))
        state.slot = try RollbackRecordFile.slot(content)
        state.content = content
    }

    /// Writes the slot that does not count; for an empty file, the first one.
    private func write(
        _ mark: RollbackRecord, after slot: RollbackRecordFile.Slot?, to file: OpenFile,
        _ state: inout State
    ) throws {
        guard slot?.sequence != .max else { throw RollbackRecordError.damaged }
        let bytes = RollbackRecordFile.bytes(mark, sequence: (slot?.sequence ?? 0) + 1)
        let offset = slot?.number == 0 ? RollbackRecordFile.slotSize : 0
        let count = unsafe pwrite(file.descriptor, bytes, bytes.count, off_t(offset))
        guard count >= 0 else { throw SystemFailure.last("pwrite") }
        guard count == bytes.count else { throw SystemFailure("pwrite", code: ENOSPC) }
        let now = MonotonicTime.now
        if slot == nil {
            // A new file: otherwise a power cut could leave its name without content, or neither.
            guard fsync(file.descriptor) == 0 else { throw SystemFailure.last("fsync") }
            try FileSystem.sync(folder: SafeFolder.split(file.path).folder)
        } else if syncsAtOnce || now >= state.lastSync + Self.syncInterval {
            try FileSystem.syncContent(of: file.descriptor)
        } else {
            state.isSynced = false
            planSync(&state)
            return
        }
        state.isSynced = true
        state.lastSync = now
    }

    /// Writes a record that is about to be replaced by that of another vault into a file of its own.
    private func keep(_ mark: RollbackRecord) throws {
        let path = try checkedFolder() + "/" + name(of: mark.vaultID)
        let descriptor = unsafe platform_open(
            path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw SystemFailure.last("open") }
        defer { close(descriptor) }
        let bytes = RollbackRecordFile.bytes(mark, sequence: 1)
        guard ftruncate(descriptor, 0) == 0 else { throw SystemFailure.last("ftruncate") }
        let count = unsafe pwrite(descriptor, bytes, bytes.count, 0)
        guard count == bytes.count else { throw SystemFailure("pwrite", code: ENOSPC) }
        guard fsync(descriptor) == 0 else { throw SystemFailure.last("fsync") }
        try FileSystem.sync(folder: SafeFolder.split(path).folder)
    }

    private func planSync(_ state: inout State) {
        guard !state.isSyncPlanned else { return }
        let end = state.lastSync + Self.syncInterval
        // The thread must not take the signals that another one holds.
        let held = HeldSignals()
        state.isSyncPlanned = DetachedThread.start(stackSize: 256 * 1_024) { [self] in
            SystemSleep.sleep(until: end)
            self.state.withLock { $0.isSyncPlanned = false }
            try? sync()
        }
        _ = consume held
    }

    /// Runs `body` with the file open for writing and locked.
    private func writing<Result>(
        _ body: (OpenFile, inout State) throws -> Result
    ) throws(RollbackRecordError) -> Result {
        try use { state in
            guard let file = try open(&state, forWriting: true) else {
                throw SystemFailure("open", code: ENOENT)
            }
            guard flock(file.descriptor, LOCK_EX) == 0 else { throw SystemFailure.last("flock") }
            defer { flock(file.descriptor, LOCK_UN) }
            return try body(file, &state)
        }
    }

    /// The file of this place, open; created for writing if it is missing.
    ///
    /// The file stays open between calls, because a session reads its record before each answer.
    private func open(_ state: inout State, forWriting: Bool) throws -> OpenFile? {
        if let file = state.file {
            // Whether it is still in its folder is looked at before it is written, and after each sync.
            if try !forWriting || (file.isWritable && file.isInPlace) { return file }
            // What was written to it is synced with any descriptor of it, unless it is gone.
            state.file = nil
            close(file.descriptor)
        }
        let path = try checkedFolder() + "/" + name()
        let flags = O_NOFOLLOW | O_NONBLOCK
        var isWritable = true
        var descriptor = unsafe platform_open(
            path, O_RDWR | flags | (forWriting ? O_CREAT : 0), 0o600)
        if descriptor < 0, !forWriting, [EACCES, EPERM, EROFS].contains(errno) {
            isWritable = false
            descriptor = unsafe platform_open(path, O_RDONLY | flags, 0)
        }
        guard descriptor >= 0 else {
            if errno == ENOENT, !forWriting { return nil }
            throw SystemFailure.last("open")
        }
        guard let identity = try? FileStatus.of(path: path)?.identity else {
            close(descriptor)
            throw SystemFailure("open", code: ENOENT)
        }
        let file = OpenFile(
            descriptor: descriptor, path: path, identity: identity, isWritable: isWritable)
        state.file = file
        return file
    }

    /// The name of the file of this place, or of the vault that was there before.
    private func name(of earlierVault: [UInt8]? = nil) throws -> String {
        let path = try SafeFolder.resolveExistingPart(place)
        return Hexadecimal.text(
            Blake2b.hash(size: 16) { input in
                input.feed("TVPL")
                input.feed(path)
                if let earlierVault { input.feed([0] + earlierVault) }
            })
    }

    /// The folder without symbolic links; created if it does not exist, so that an unsafe place is refused before a vault is created.
    ///
    /// - Throws: `UnusableFile` if another user can change it: a record that is removed or exchanged hides a rollback.
    private func checkedFolder() throws -> String {
        try SafeFolder.create(folder)
        let resolved = try SafeFolder.resolve(folder)
        try SafeFolder.require(resolved)
        return resolved
    }

    /// Runs `body` with the state, and translates its error.
    private func use<Result>(
        _ body: (inout State) throws -> Result
    ) throws(RollbackRecordError) -> Result {
        do {
            return try state.withLock { try body(&$0) }
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> RollbackRecordError {
        switch error {
        case let error as RollbackRecordError: error
        case is FormatFailure: .damaged
        case let unusable as UnusableFile:
            .unsafe(path: unusable.path, reason: unusable.reason)
        default: .unavailable(path: folder, code: (error as? SystemFailure)?.code ?? EIO)
        }
    }
}

internal import Platform
internal import Sealing
internal import Synchronization
internal import TextCoding

/// Rollback records in a folder of this machine, one file for each place, outside the vault's own folder.
///
/// A write replaces one of the file's two slots in place, under `flock`; after a crash the other slot is valid. Only this user may be able
/// to change the folder; otherwise every call fails. Thread-safe.
public final class FileRollbackRecords: RollbackRecords {
    /// The longest time between writing a record and its sync.
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
        // The last content read and its slot: a session reads its record before each answer, and it is usually unchanged.
        var content: [UInt8] = []
        var slot: RollbackRecordFile.Slot?
        /// The number of reads that found other content, or no file, and of writes.
        var changeCount: UInt64 = 0
        var buffer = [UInt8](repeating: 0, count: RollbackRecordFile.size + 1)
    }

    private let folder: String
    private let place: String
    private let syncsAtOnce: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: The folder's path, absolute. The first use creates it with mode 0700.
    ///   - place: The path of the home's vault file. It need not exist: a vault on a server has a place, too.
    ///   - syncsAtOnce: Whether to sync each write at once, as a vault on a server requires. Otherwise the sync follows within a second: a
    /// power cut may lose the last second of the vault's file as well.
    public init(folder: String, place: String, syncsAtOnce: Bool = false) {
        self.folder = folder
        self.place = FileSystem.absolute(place)
        self.syncsAtOnce = syncsAtOnce
    }

    deinit {
        state.withLock { if let file = $0.file { close(file.descriptor) } }
    }

    /// Reads the rollback record of this place.
    public func read() throws(RollbackRecordError) -> RollbackRecord? {
        try use { state in
            guard let file = try open(&state, forWriting: false) else { return nil }
            try Self.load(file.descriptor, &state)
            return state.slot?.record
        }
    }

    /// The number of reads that found other content in this place's file, or no file, and of writes.
    public func changeCount() throws(RollbackRecordError) -> UInt64? {
        try use { state in
            if let descriptor = state.file?.descriptor {
                try Self.load(descriptor, &state)
            } else if let file = try open(&state, forWriting: false) {
                try Self.load(file.descriptor, &state)
            } else {
                state.changeCount += 1
            }
            return state.changeCount
        }
    }

    /// Reads the rollback records of the other places; skips files without a valid record.
    public func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord] {
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
                guard (try? Self.load(descriptor, &unread)) != nil else { return nil }
                return unread.slot?.record
            }
        }
    }

    /// Replaces the rollback record if it is still `old`; see ``RollbackRecords``.
    public func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool {
        try writing { file, state in
            try Self.load(file.descriptor, &state)
            guard state.slot?.record == old else { return false }
            if old != new { try write(new, after: state.slot, to: file, &state) }
            return true
        }
    }

    /// Replaces the rollback record unconditionally, even a damaged one.
    public func replace(with record: RollbackRecord) throws(RollbackRecordError) {
        try writing { file, state in
            var slot = (try? Self.load(file.descriptor, &state)).flatMap { state.slot }
            if let old = slot?.record, old.vaultID != record.vaultID { try keep(old) }
            if slot == nil || slot?.sequence == .max {
                slot = nil
                guard ftruncate(file.descriptor, 0) == 0 else {
                    throw SystemFailure.last("ftruncate")
                }
                state.content = []
            }
            try write(record, after: slot, to: file, &state)
        }
    }

    /// Makes the last write durable, and closes the file until the next use.
    public func sync() throws(RollbackRecordError) {
        // Other threads may read the record during the sync.
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
    /// Reads an open file and parses its newest valid slot, unless the content is unchanged.
    private static func load(_ descriptor: Int32, _ state: inout State) throws {
        // Read one byte more than the size of a record file, to detect a longer file.
        let count = unsafe pread(descriptor, &state.buffer, state.buffer.count, 0)
        guard count >= 0 else { throw SystemFailure.last("pread") }
        if count == state.content.count, state.buffer.begins(with: state.content) { return }
        state.changeCount += 1
        let content = Array(state.buffer.prefix(count))
        state.slot = try RollbackRecordFile.slot(content)
        state.content = content
    }

    /// Writes the slot that does not count: the older or invalid one; in an empty file, the first one.
    private func write(
        _ record: RollbackRecord, after slot: RollbackRecordFile.Slot?, to file: OpenFile,
        _ state: inout State
    ) throws {
        guard slot?.sequence != .max else { throw RollbackRecordError.damaged }
        let sequence = (slot?.sequence ?? 0) + 1
        let bytes = RollbackRecordFile.bytes(record, sequence: sequence)
        let offset = slot?.number == 0 ? RollbackRecordFile.slotSize : 0
        let count = unsafe pwrite(file.descriptor, bytes, bytes.count, off_t(offset))
        guard count >= 0 else { throw SystemFailure.last("pwrite") }
        guard count == bytes.count else { throw SystemFailure("pwrite", code: ENOSPC) }
        // The next read need not parse what was written here.
        state.content += repeatElement(0, count: max(0, offset - state.content.count))
        state.content.replaceSubrange(
            offset..<min(offset + count, state.content.count), with: bytes)
        state.slot = RollbackRecordFile.Slot(
            record: record, sequence: sequence, number: offset / RollbackRecordFile.slotSize)
        state.changeCount += 1
        let now = MonotonicTime.now
        if slot == nil {
            // Sync a new file and its folder at once: a power cut could otherwise lose the name or the content.
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

    /// Copies the record of another vault into a separate file, before it is replaced.
    private func keep(_ record: RollbackRecord) throws {
        let path = try checkedFolder() + "/" + name(of: record.vaultID)
        let descriptor = unsafe platform_open(
            path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw SystemFailure.last("open") }
        defer { close(descriptor) }
        let bytes = RollbackRecordFile.bytes(record, sequence: 1)
        guard ftruncate(descriptor, 0) == 0 else { throw SystemFailure.last("ftruncate") }
        let count = unsafe pwrite(descriptor, bytes, bytes.count, 0)
        guard count == bytes.count else { throw SystemFailure("pwrite", code: ENOSPC) }
        guard fsync(descriptor) == 0 else { throw SystemFailure.last("fsync") }
        try FileSystem.sync(folder: SafeFolder.split(path).folder)
    }

    private func planSync(_ state: inout State) {
        guard !state.isSyncPlanned else { return }
        let end = state.lastSync + Self.syncInterval
        // The new thread inherits blocked signals, so it cannot receive one that another thread holds back.
        let held = BlockedSignals()
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

    /// The open file of this place; created for writing if it is missing.
    ///
    /// The file stays open between calls, because a session reads its record before each answer.
    private func open(_ state: inout State, forWriting: Bool) throws -> OpenFile? {
        if let file = state.file {
            // Check that the file is still in its folder before each write; `sync` closes it, so later reads check it, too.
            if try !forWriting || (file.isWritable && file.isInPlace) { return file }
            // Any descriptor of the file can sync earlier writes; a file that is gone needs no sync.
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

    /// The name of the file for this place, or for another vault that was there before.
    private func name(of earlierVault: [UInt8]? = nil) throws -> String {
        let path = try SafeFolder.resolveExistingPart(place)
        return Hexadecimal.text(
            Blake2b.hash(size: 16) { input in
                input.feed("TVPL")
                input.feed(path)
                if let earlierVault { input.feed([0] + earlierVault) }
            })
    }

    /// The folder without symbolic links; created if it is missing, so that an unsafe place is refused before a vault is created.
    ///
    /// - Throws: `UnusableFile` if another user can change it: removing or replacing a record would hide a rollback.
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

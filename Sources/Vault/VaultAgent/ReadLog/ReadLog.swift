internal import Platform
internal import Sealing
internal import SecretMemory
public import SecureStorage
internal import Synchronization
internal import TextCoding
public import VaultCore

/// Writes the reads of an unlocked vault to this machine's log once per second.
///
/// Reads never wait for the file, and its errors never fail them. A record's key is wiped when the
/// record is sealed.
/// An attacker who later reads this process's memory can therefore neither read nor change earlier
/// records. Thread-safe.
public final class ReadLog: Sendable {
    /// The largest number of waiting reads; the log only counts the reads beyond it.
    private static let mostWaiting = 20_000
    private static let interval: Duration = .seconds(1)
    /// The reserved services whose items belong to other programs or files, not to TaskVault
    /// itself.
    private static let logged = [
        SecretName.fileService, SecretName.programService, SecretName.sessionService,
    ]

    private struct Queue {
        var isOpen = false
        var isPlanned = false
        var reads: [LoggedRead] = []
        var lost: UInt32 = 0
        /// Whether reads were not written when the log was closed.
        var hasDropped = false

        /// Whether there are reads that the file lacks.
        var isBehind: Bool { !reads.isEmpty || lost > 0 || hasDropped }

        /// Notes that a writing thread is planned, if reads wait, the log is open and none is planned.
        ///
        /// - Returns: Whether to start the thread.
        mutating func planThread() -> Bool {
            guard isOpen, !isPlanned, !reads.isEmpty else { return false }
            isPlanned = true
            return true
        }
    }

    /// The key that seals the next record of this process (`Docs/Format.md`, section 13).
    private final class SegmentKey: Sendable {
        let key: Key<Purpose.ReadLog>

        init(_ key: consuming Key<Purpose.ReadLog>) { self.key = key }
    }

    private struct Writer {
        var vaultID: [UInt8] = []
        var publicKey: [UInt8] = []
        /// The current file of the log.
        var path = ""
        var segment: [UInt8] = []
        var number: UInt64 = 0
        var key: SegmentKey?
        /// The end of the file after the last record of this process.
        var end: ReadLogFile.End?
        /// The vault's head of this log when the log was opened.
        var head: [UInt8] = []
        /// Whether records were cut from the file without a later record of the cut.
        var isCut = false
        /// Whether there are records that no commit covers.
        var isAhead = false
    }

    private let place: ReadLogPlace
    private let now: @Sendable () -> Int64
    private let random: RandomSource
    private let queue = LockedValue(Queue())
    private let writer = Mutex(Writer())
    private let failed = Mutex<Int32>(0)

    /// Creates a closed log.
    public init(_ place: ReadLogPlace, now: @escaping @Sendable () -> Int64, random: RandomSource) {
        self.place = place
        self.now = now
        self.random = random
    }

    /// The error code of the last failed write while reads are not yet in the log; 0 if the log has all.
    public var failure: Int32 { queue.withLock { $0.isBehind } ? failed.withLock { $0 } : 0 }

    /// Starts logging the reads of a vault whose owner was just verified. The first read creates the file. If opening fails, reads wait until a
    /// later one succeeds.
    ///
    /// - Parameters:
    ///   - vaultID: The vault's id.
    ///   - vault: The vault, unlocked and verified.
    ///   - makesKey: Whether to create the log's key if the vault has none. If false, opening then fails with `EROFS`, as for a
    ///     read-only vault.
    public func open(_ vaultID: [UInt8], in vault: some SecureStore, makesKey: Bool = true) {
        let code = attempt {
            let (publicKey, head) = try stored(vaultID, vault, makesKey)
            let path = place.file(of: vaultID, publicKey: publicKey)
            writer.withLock { state in
                state = Writer()
                state.vaultID = vaultID
                state.publicKey = publicKey
                state.path = path
                state.head = head
                // The next commit also covers records of other processes.
                state.isAhead = ReadLogPlace.log(path).contains { FileSystem.size($0) ?? 0 > 0 }
            }
        }
        let plans = queue.withLock { state in
            // Reads before this function ended, or before an opening that succeeds, are logged, too.
            state.isOpen = code == 0
            return state.planThread()
        }
        if plans { plan() }
    }

    /// Records a read. It skips TaskVault's own items, except files and secrets that programs store
    /// over D-Bus.
    public func add(_ name: SecretName, by reader: ReadingProgram) {
        if name.isReserved, !Self.logged.contains(where: name.service.hasSameBytes) { return }
        // The Secret Service reads its key at each read of an entry, which is recorded.
        if name.isNamesKey { return }
        let read = LoggedRead(time: now(), reader: reader, name: name)
        let plans = queue.withLock { state in
            if state.reads.count < Self.mostWaiting {
                state.reads.append(read)
            } else {
                state.lost = state.lost == .max ? .max : state.lost + 1
            }
            return state.planThread()
        }
        if plans { plan() }
    }

    /// Schedules a write after one second.
    private func plan() {
        // The thread must not receive signals that another thread handles.
        let held = BlockedSignals()
        let isStarted = DetachedThread.start(stackSize: 512 * 1_024) { [self] in
            SystemSleep.sleep(Self.interval)
            queue.withLock { $0.isPlanned = false }
            flush()
        }
        if !isStarted { queue.withLock { $0.isPlanned = false } }
        _ = consume held
    }

    /// Writes the waiting reads, wipes the keys, and stops logging until the next opening.
    public func close() {
        flush()
        queue.withLock { $0 = Queue(hasDropped: $0.isBehind) }
        writer.withLock { $0 = Writer() }
    }

    /// The item for the next commit: a changed head. Waiting reads are written first.
    public func deferredSecrets() -> [DeferredSecret] {
        flush()
        return writer.withLock { state in
            guard state.isAhead, failed.withLock({ $0 }) == 0 else { return [] }
            var changed: [DeferredSecret] = []
            let code = attempt {
                try prepare()
                let file = try open(&state)
                // Without this record, the new head would hide the cut.
                if state.isCut { try append([], 0, to: file, &state) }
                // A power loss must not revert the file to a state before the vault's head.
                try FileSystem.syncContent(of: file.descriptor)
                guard let head = state.end?.head else { return }
                changed.append(
                    DeferredSecret(
                        try place.headName(), try SecretBytes(copying: unsafe head.span.bytes)))
            }
            guard code == 0 else { return [] }
            state.isAhead = false
            return changed
        }
    }

    /// Writes the waiting reads.
    public func flush() {
        // The lock ensures that the taken reads are written before the log is closed.
        writer.withLock { writer in
            let (reads, lost) = queue.withLock { state -> ([LoggedRead], UInt32) in
                guard state.isOpen else { return ([], 0) }
                defer {
                    state.reads = []
                    state.lost = 0
                }
                return (state.reads, state.lost)
            }
            if reads.isEmpty, lost == 0 { return }
            let code = attempt { try write(reads, lost, &writer) }
            guard code != 0 else { return }
            // The next write tries again.
            queue.withLock { state in
                let kept = reads.prefix(max(0, Self.mostWaiting - state.reads.count))
                state.lost = state.lost &+ lost &+ UInt32(reads.count - kept.count)
                state.reads = kept + state.reads
            }
        }
    }

    private func attempt(_ body: () throws -> Void) -> Int32 {
        var code: Int32 = 0
        do {
            try body()
        } catch {
            code =
                switch error {
                case let failure as SystemFailure: failure.code
                case is UnusableFile: EACCES
                case SecureStoreError.unavailable(.readOnly, _): EROFS
                case SecureStoreError.unavailable(.full, _): ENOSPC
                case SecureStoreError.unavailable(.busy, _): EBUSY
                default: EIO
                }
        }
        failed.withLock { $0 = code }
        return code
    }

    private func write(_ reads: [LoggedRead], _ lost: UInt32, _ state: inout Writer) throws {
        try prepare()
        let file = try open(&state)
        try append(reads, lost, to: file, &state)
    }

    private func append(
        _ reads: [LoggedRead], _ lost: UInt32, to file: borrowing LockedLog, _ state: inout Writer
    ) throws {
        guard let old = state.end else { return }
        var (new, end) = (state, old)
        var bytes: [UInt8] = []
        func append(_ record: [UInt8]) {
            bytes += record
            end.add(record)
        }
        if new.key == nil { append(try begin(&new, after: old.chain)) }
        var lost = new.isCut ? ReadLogFile.cutSentinel : lost
        new.isCut = false
        var rest = reads[...]
        repeat {
            var writer = ByteWriter()
            writer.integer(lost)
            lost = 0
            while let read = rest.first, writer.bytes.count < ReadLogFile.usualRecord {
                writer.read(read)
                rest.removeFirst()
            }
            guard let key = new.key else { break }
            append(
                ReadLogFile.record(
                    .reads,
                    try Sealing.sealPadded(
                        unsafe writer.bytes.span.bytes, under: key.key,
                        ReadLogFile.context(new.vaultID, new.segment, new.number), random: random)))
            new.key = SegmentKey(try key.key.next())
            new.number += 1
        } while !rest.isEmpty
        try file.append(bytes, at: old.size)
        new.end = end
        new.isAhead = true
        state = new
    }

    /// The current file of the log. A full file becomes the former file and replaces an earlier
    /// one.
    private func open(_ state: inout Writer) throws -> LockedLog {
        let path = state.path
        let file = try LockedLog(path)
        try resume(&state, file)
        guard let end = state.end, end.size >= place.fullSize else { return file }
        // A sealed record marks the end of the file. An attacker with only the files could rename
        // one early, so that the former one is dropped.
        // That attacker cannot write the record.
        var last = state
        // The next file records the cut and lasts longer.
        last.isCut = false
        do {
            try append([], ReadLogFile.endSentinel, to: file, &last)
            try file.move(from: path, to: ReadLogPlace.former(path))
        } catch {
            try? file.cut(to: end.size)
            throw error
        }
        (state.end, state.key, state.isAhead) = (last.end, nil, true)
        // Other processes wait for the lock, and then continue in the next file.
        _ = consume file
        try FileSystem.sync(folder: place.folder)
        let next = try LockedLog(path)
        try resume(&state, next)
        return next
    }

    /// Continues at the end of the file: with this process's segment, or a new one after records of
    /// another process.
    private func resume(_ state: inout Writer, _ file: borrowing LockedLog) throws {
        let size = try file.size
        // A file of another process can have the same size.
        if let end = state.end, size == end.size,
            try file.bytes(end.tail.count, at: size - end.tail.count) == end.tail
        {
            return
        }
        let known = state.end?.head ?? state.head
        state.key = nil
        var former: ReadLogFile.End?
        let bytes: [UInt8]
        if size == 0 {
            former = try formerEnd(state, until: known)
            bytes = ReadLogFile.beginning(state.vaultID, after: former?.head ?? [])
            try file.append(bytes, at: 0)
        } else {
            bytes = try file.bytes(size)
        }
        guard let end = try ReadLogFile.walk(bytes, state.vaultID, until: known) else {
            throw SystemFailure("read", code: EBADMSG)
        }
        if !end.isHeadFound {
            if size > 0 { former = try formerEnd(state, until: known) }
            state.isCut = state.isCut || former?.hasPassed(known) != true
        }
        // A partial record, after a killed process or on a full disk, would hide the following
        // records.
        if end.size < bytes.count { try file.cut(to: end.size) }
        state.end = end
    }

    /// The end of the former file, if there is one.
    private func formerEnd(_ state: Writer, until known: [UInt8]) throws -> ReadLogFile.End? {
        guard let bytes = try LockedLog.content(ReadLogPlace.former(state.path)) else {
            return nil
        }
        guard let end = try ReadLogFile.walk(bytes, state.vaultID, until: known) else {
            throw SystemFailure("read", code: EBADMSG)
        }
        return end
    }

    /// The record of a new segment.
    private func begin(_ state: inout Writer, after chain: [UInt8]) throws -> [UInt8] {
        let key = try random.secret(count: Key<Purpose.ReadLog>.size)
        state.segment = random.bytes(count: 16)
        state.number = 0
        let rest = state.segment + chain
        let plain = try key.joined(with: SecretBytes(copying: unsafe rest.span.bytes))
        let publicKey = state.publicKey
        guard let box = plain.withBytes({ BoxKeyPair.seal($0, to: publicKey) }) else {
            throw SystemFailure("write", code: EBADMSG)
        }
        state.key = SegmentKey(Key(key))
        return ReadLogFile.record(.begin, box)
    }
}

// The secret key of this machine's log.
extension ReadLog {
    /// The public key, and the vault's head. A key that the vault lacks is drawn and saved at once: it is never in a file.
    private func stored(
        _ vaultID: [UInt8], _ vault: some SecureStore, _ makesKey: Bool
    ) throws -> (publicKey: [UInt8], head: [UInt8]) {
        // An earlier build kept it in one until the next change of the vault.
        try? FileSystem.remove(place.folder + "/" + Hexadecimal.text(vaultID) + ".key")
        if let key = try Self.secretKey(place, in: vault) {
            var head: [UInt8] = []
            if let stored = try Self.value(of: place.headName(), vault) {
                head = stored.withBytes { $0.array }
            }
            return (BoxKeyPair(secretKey: key).publicKey, head)
        }
        guard makesKey else { throw SystemFailure("open", code: EROFS) }
        let key = try random.secret(count: BoxKeyPair.keySize)
        do {
            try vault.save(
                key, as: place.keyName(), SecretAttributes(accessClass: .afterVerification))
        } catch SecureStoreError.duplicate {
            // Another process was faster.
            return try stored(vaultID, vault, makesKey)
        }
        return (BoxKeyPair(secretKey: key).publicKey, [])
    }

    private static func value(
        of name: SecretName, _ vault: some SecureStore
    ) throws -> SecretBytes? {
        do {
            return try vault.value(of: name)
        } catch {
            guard error == .notFound else { throw error }
            return nil
        }
    }

    /// Creates the folder. Another program may have removed it.
    private func prepare() throws {
        try SafeFolder.create(place.folder)
        try SafeFolder.require(try SafeFolder.resolve(place.folder))
    }

    /// The secret key of this machine's log; nil if the vault has none yet.
    ///
    /// - Throws: `SecureStoreError`, including `notVerified`.
    public static func secretKey(
        _ place: ReadLogPlace, in vault: some SecureStore
    ) throws -> SecretBytes? {
        guard let key = try value(of: place.keyName(), vault) else { return nil }
        guard key.count == BoxKeyPair.keySize else { throw SystemFailure("read", code: EBADMSG) }
        return key
    }
}

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

        /// Whether to start a writing thread.
        mutating func plans() -> Bool {
            guard isOpen, !isPlanned, !reads.isEmpty else { return false }
            isPlanned = true
            return true
        }
    }

    /// The key of the next record of this process's segment.
    private final class SegmentKey: Sendable {
        let key: Key<Purpose.ReadLog>

        init(_ key: consuming Key<Purpose.ReadLog>) { self.key = key }
    }

    private struct Writer {
        var vaultID: [UInt8] = []
        var publicKey: [UInt8] = []
        /// The new secret key of the log, until the vault has stored it.
        var drawn: DeferredSecret?
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

    /// The system's error code that prevents the logging of reads; 0 if reads are logged.
    public var failure: Int32 { failed.withLock { $0 } }

    /// Starts logging the reads of a vault whose owner was just verified. The first read creates
    /// the files.
    public func open(_ vaultID: [UInt8], in vault: some SecureStore) {
        let code = attempt {
            let (publicKey, head) = try stored(vaultID, vault)
            writer.withLock { state in
                state = Writer()
                state.vaultID = vaultID
                state.publicKey = publicKey
                state.head = head
                // The next commit also covers records of other processes.
                state.isAhead = place.log(of: vaultID).contains { FileSystem.size($0) ?? 0 > 0 }
            }
        }
        let plans = queue.withLock { state in
            guard code == 0 else {
                state = Queue()
                return false
            }
            // A client read a secret before this function ended.
            state.isOpen = true
            return state.plans()
        }
        if plans { plan() }
    }

    /// Records a read. It skips TaskVault's own items, except files and secrets that programs store
    /// over D-Bus.
    public func add(_ name: SecretName, by reader: ReadingProgram) {
        if name.isReserved, !Self.logged.contains(where: name.service.hasSameBytes) { return }
        let read = LoggedRead(time: now(), reader: reader, name: name)
        let plans = queue.withLock { state in
            if state.reads.count < Self.mostWaiting {
                state.reads.append(read)
            } else {
                state.lost = state.lost == .max ? .max : state.lost + 1
            }
            return state.plans()
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
        queue.withLock { $0 = Queue() }
        writer.withLock { $0 = Writer() }
    }

    /// The items for the next commit: the key if the vault lacks it, and a changed head. Waiting
    /// reads are written first.
    public func deferredSecrets() -> [DeferredSecret] {
        flush()
        return writer.withLock { state in
            guard state.isAhead, failure == 0 else { return [] }
            var joined: [DeferredSecret] = []
            let code = attempt {
                try prepare(&state)
                let file = try open(&state)
                // Without this record, the new head would hide the cut.
                if state.isCut { try append([], 0, to: file, &state) }
                // A power loss must not revert the file to a state before the vault's head.
                try FileSystem.syncContent(of: file.descriptor)
                guard let head = state.end?.head else { return }
                joined.append(
                    DeferredSecret(
                        try place.headName(), try SecretBytes(copying: unsafe head.span.bytes)))
            }
            guard code == 0 else { return [] }
            state.isAhead = false
            return joined + [state.drawn].compactMap { $0 }
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
            code = (error as? SystemFailure)?.code ?? (error is UnusableFile ? EACCES : EIO)
        }
        failed.withLock { $0 = code }
        return code
    }

    private func write(_ reads: [LoggedRead], _ lost: UInt32, _ state: inout Writer) throws {
        try prepare(&state)
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
        let path = place.file(of: state.vaultID)
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
            former = try formerEnd(state.vaultID, until: known)
            bytes = ReadLogFile.beginning(state.vaultID, after: former?.head ?? [])
            try file.append(bytes, at: 0)
        } else {
            bytes = try file.bytes(size)
        }
        guard let end = try ReadLogFile.walk(bytes, state.vaultID, until: known) else {
            throw SystemFailure("read", code: EBADMSG)
        }
        if !end.isHeadFound {
            if size > 0 { former = try formerEnd(state.vaultID, until: known) }
            state.isCut = state.isCut || former?.hasPassed(known) != true
        }
        // A partial record, after a killed process or on a full disk, would hide the following
        // records.
        if end.size < bytes.count { try file.cut(to: end.size) }
        state.end = end
    }

    /// The end of the former file, if there is one.
    private func formerEnd(
        _ vaultID: [UInt8], until known: [UInt8]
    ) throws -> ReadLogFile.End? {
        guard let bytes = try LockedLog.content(ReadLogPlace.former(place.file(of: vaultID))) else {
            return nil
        }
        guard let end = try ReadLogFile.walk(bytes, vaultID, until: known) else {
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
    /// The public key if the vault has the secret key, which then exists only there; and the head.
    /// Both are empty if the vault has none.
    private func stored(
        _ vaultID: [UInt8], _ vault: some SecureStore
    ) throws -> (publicKey: [UInt8], head: [UInt8]) {
        // The vault has no item of this machine. A missing log folder is no evidence, because
        // another program may have removed it.
        guard FileSystem.exists(place.machineFolder) else { return ([], []) }
        var head: [UInt8] = []
        if let stored = try Self.value(of: place.headName(), vault) {
            head = stored.withBytes { $0.array }
        }
        let path = place.drawnKey(of: vaultID)
        guard let stored = try Self.value(of: place.keyName(), vault),
            stored.count == BoxKeyPair.keySize
        else {
            // An older backup was restored, and the key of the records no longer exists.
            if isKeyMissing(vaultID) { try retire(vaultID) }
            return ([], head)
        }
        if FileSystem.exists(path) {
            // The folder was removed, and a process that did not know the vault's key generated
            // another one.
            let drawn = try LockedLog(path).key(or: nil, random)
            if !drawn.isEqual(to: stored) { try retire(vaultID) }
            try FileSystem.remove(path)
        }
        return (BoxKeyPair(secretKey: stored).publicKey, head)
    }

    /// Renames a log that cannot be read.
    private func retire(_ vaultID: [UInt8]) throws {
        for file in place.log(of: vaultID) {
            try FileSystem.remove(ReadLogPlace.old(file))
            if FileSystem.exists(file) { try FileSystem.rename(file, to: ReadLogPlace.old(file)) }
        }
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

    /// Whether records exist without a key that the vault could store.
    private func isKeyMissing(_ vaultID: [UInt8]) -> Bool {
        !FileSystem.exists(place.drawnKey(of: vaultID))
            && place.log(of: vaultID).contains(where: Self.hasRecords)
    }

    private static func hasRecords(_ file: String) -> Bool {
        FileSystem.size(file) ?? 0 > ReadLogFile.headerSize
    }

    /// Creates the folder, and the key if it is missing. Another program may have removed them.
    private func prepare(_ state: inout Writer) throws {
        try SafeFolder.create(place.folder)
        try SafeFolder.require(try SafeFolder.resolve(place.folder))
        guard state.publicKey.isEmpty || state.drawn != nil else { return }
        if isKeyMissing(state.vaultID) {
            // The vault received the key after this process opened it.
            if state.drawn == nil { throw SystemFailure("open", code: EBADMSG) }
            return
        }
        let drawn = try LockedLog(place.drawnKey(of: state.vaultID)).key(or: state.drawn, random)
        if let known = state.drawn, known.value.isEqual(to: drawn) { return }
        state.key = nil
        state.publicKey = BoxKeyPair(secretKey: try drawn.copy()).publicKey
        state.drawn = DeferredSecret(try place.keyName(), drawn, accessClass: .afterVerification)
    }

    /// The secret key of a log: the vault's key, or one that the vault does not store yet.
    ///
    /// - Throws: `SecureStoreError`, including `notVerified`; nil if no read was logged yet.
    public static func secretKey(
        _ place: ReadLogPlace, _ vaultID: [UInt8], in vault: some SecureStore
    ) throws -> SecretBytes? {
        if let stored = try value(of: place.keyName(), vault) { return stored }
        let path = place.drawnKey(of: vaultID)
        return FileSystem.exists(path) ? try LockedLog(path).key(or: nil, .system) : nil
    }
}

internal import Platform
internal import Sealing
internal import SecretMemory
public import SecureStorage
internal import Synchronization
internal import TextCoding
public import VaultCore

/// The place of the logs of reads of this machine.
public struct ReadLogPlace: Sendable {
    /// The folder, absolute.
    public let folder: String
    /// The id of this machine, in hexadecimal digits.
    public let machine: @Sendable () throws -> String

    /// Names a place. The folder is made with mode 0700 when a vault is opened.
    public init(folder: String, machine: @escaping @Sendable () throws -> String) {
        self.folder = folder
        self.machine = machine
    }

    /// The file of a vault's log.
    public func file(of vaultID: [UInt8]) -> String { folder + "/" + Hexadecimal.text(vaultID) }

    /// All files of a vault.
    public func files(of vaultID: [UInt8]) -> [String] {
        [file(of: vaultID), drawnKey(of: vaultID), oldFile(of: vaultID)]
    }

    /// The file of a log whose key the vault has no more.
    func oldFile(of vaultID: [UInt8]) -> String { file(of: vaultID) + ".old" }

    /// The file of the key that is not in the vault yet.
    func drawnKey(of vaultID: [UInt8]) -> String { file(of: vaultID) + ".key" }

    /// The vault's item with the secret key of this machine's log.
    public func keyName() throws -> SecretName { try name("key") }

    /// The vault's item with size and chain of this machine's log.
    public func headName() throws -> SecretName { try name("head") }

    private func name(_ field: String) throws -> SecretName {
        try SecretName(service: SecretName.readsService, account: machine(), field: field)
    }
}

/// Writes the reads of an unlocked vault to this machine's log, each second.
///
/// Reads never wait for the file, and never fail because of it. The key of a record is wiped when the record is sealed, so a later reader of
/// this process's memory can neither read nor change earlier records. Thread-safe.
public final class ReadLog: Sendable {
    /// How many reads wait at most; later ones are counted only.
    private static let mostWaiting = 20_000
    private static let interval: Duration = .seconds(1)
    /// The reserved services whose items are not TaskVault's own.
    private static let logged = [
        SecretName.fileService, SecretName.programService, SecretName.passingService,
    ]

    private struct Waiting {
        var isOpen = false
        var isPlanned = false
        var reads: [LoggedRead] = []
        var lost: UInt32 = 0

        /// Whether a thread is to be started that writes.
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

    private struct Writing {
        var vaultID: [UInt8] = []
        var publicKey: [UInt8] = []
        /// The secret key, until the vault has it.
        var drawn: JoinedSecret?
        var segment: [UInt8] = []
        var number: UInt64 = 0
        var key: SegmentKey?
        /// The end of the file after this process's last record, and the chain there.
        var size = -1
        var chain: [UInt8] = []
        /// The vault's head of this log, when it was opened here.
        var head: [UInt8] = []
        /// Whether the file lacks records that it had, which no record says yet.
        var isCut = false
        /// Whether there are records that no commit has seen.
        var isAhead = false
    }

    private let place: ReadLogPlace
    private let now: @Sendable () -> Int64
    private let random: RandomSource
    private let waiting = Mutex(Waiting())
    private let writing = Mutex(Writing())
    private let failed = Mutex<Int32>(0)

    /// Creates a closed log.
    public init(_ place: ReadLogPlace, now: @escaping @Sendable () -> Int64, random: RandomSource) {
        self.place = place
        self.now = now
        self.random = random
    }

    /// The code of the system for which reads are not logged; 0 if they are.
    public var failure: Int32 { failed.withLock { $0 } }

    /// Begins to log the reads of a vault whose owner has just verified. Nothing is made before the first read.
    public func open(_ vaultID: [UInt8], in vault: some SecureStore) {
        let code = attempt {
            let (publicKey, head) = try stored(vaultID, vault)
            writing.withLock { state in
                state = Writing()
                state.vaultID = vaultID
                state.publicKey = publicKey
                state.head = head
                // What other processes wrote joins the next commit, too.
                state.isAhead = FileSystem.size(place.file(of: vaultID)) ?? 0 > 0
            }
        }
        let plans = waiting.withLock { state in
            guard code == 0 else {
                state = Waiting()
                return false
            }
            // A client was faster than this function.
            state.isOpen = true
            return state.plans()
        }
        if plans { plan() }
    }

    /// Notes a read. TaskVault's own items are left out, but not files and what programs keep over D-Bus.
    public func add(_ name: SecretName, by reader: ReadingProgram) {
        if name.isReserved, !Self.logged.contains(where: name.service.hasSameBytes) { return }
        let read = LoggedRead(time: now(), reader: reader, name: name)
        let plans = waiting.withLock { state in
            if state.reads.count < Self.mostWaiting {
                state.reads.append(read)
            } else {
                state.lost = state.lost == .max ? .max : state.lost + 1
            }
            return state.plans()
        }
        if plans { plan() }
    }

    /// Writes after a second.
    private func plan() {
        // The thread must not take the signals that another one holds.
        let held = HeldSignals()
        let isStarted = DetachedThread.start(stackSize: 512 * 1_024) { [self] in
            SystemSleep.sleep(Self.interval)
            waiting.withLock { $0.isPlanned = false }
            flush()
        }
        if !isStarted { waiting.withLock { $0.isPlanned = false } }
        _ = consume held
    }

    /// Writes what waits, wipes the keys, and logs nothing until the next opening.
    public func close() {
        flush()
        waiting.withLock { $0 = Waiting() }
        writing.withLock { $0 = Writing() }
    }

    /// What the next commit takes into the vault: the key if it lacks it, and the head if it changed. What waits is written first.
    public func joined() -> [JoinedSecret] {
        flush()
        return writing.withLock { state in
            guard state.isAhead, failure == 0 else { return [] }
            var joined: [JoinedSecret] = []
            let code = attempt {
                try prepare(&state)
                let file = try LockedLog(place.file(of: state.vaultID))
                try resume(&state, file)
                // Otherwise the new head would hide it.
                if state.isCut { try append([], 0, to: file, &state) }
                // A head in the vault must not be of a file that a power cut takes back.
                try FileSystem.syncContent(of: file.descriptor)
                let head = ReadLogFile.head(size: state.size, chain: state.chain)
                joined.append(
                    JoinedSecret(
                        try place.headName(), try SecretBytes(copying: unsafe head.span.bytes)))
            }
            guard code == 0 else { return [] }
            state.isAhead = false
            return joined + [state.drawn].compactMap { $0 }
        }
    }

    /// Writes what waits.
    public func flush() {
        // What is taken is written before anyone closes.
        writing.withLock { writing in
            let (reads, lost) = waiting.withLock { state -> ([LoggedRead], UInt32) in
                guard state.isOpen else { return ([], 0) }
                defer {
                    state.reads = []
                    state.lost = 0
                }
                return (state.reads, state.lost)
            }
            if reads.isEmpty, lost == 0 { return }
            let code = attempt { try write(reads, lost, &writing) }
            guard code != 0 else { return }
            // The next second tries again.
            waiting.withLock { state in
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

    private func write(_ reads: [LoggedRead], _ lost: UInt32, _ state: inout Writing) throws {
        if state.key == nil { try prepare(&state) }
        let file = try LockedLog(place.file(of: state.vaultID))
        try resume(&state, file)
        try append(reads, lost, to: file, &state)
    }

    private func append(
        _ reads: [LoggedRead], _ lost: UInt32, to file: borrowing LockedLog, _ state: inout Writing
    ) throws {
        var new = state
        var bytes: [UInt8] = []
        func append(_ record: [UInt8]) {
            bytes += record
            new.chain = ReadLogFile.chain(new.chain, record)
        }
        if new.key == nil { append(try begin(&new)) }
        var lost = new.isCut ? ReadLogFile.cutMark : lost
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
        try file.append(bytes, at: state.size)
        new.size += bytes.count
        new.isAhead = true
        state = new
    }

    /// Goes on at the end of the file: with the own segment, or a new one after the records of another process.
    private func resume(_ state: inout Writing, _ file: borrowing LockedLog) throws {
        let size = try file.size
        if size == state.size { return }
        let known =
            state.size < 0 ? state.head : ReadLogFile.head(size: state.size, chain: state.chain)
        state.key = nil
        if size == 0 {
            state.isCut = state.isCut || !known.isEmpty
            let header = ReadLogFile.header(state.vaultID)
            try file.append(header, at: 0)
            (state.size, state.chain) = (header.count, ReadLogFile.chain(header: header))
            return
        }
        guard let end = try ReadLogFile.walk(file.bytes(size), state.vaultID, until: known) else {
            throw SystemFailure("read", code: EBADMSG)
        }
        if !end.isHeadFound { state.isCut = true }
        // A part of a record, of a process that was killed or a full disk, would hide what follows.
        if end.size < size { try file.cut(to: end.size) }
        (state.size, state.chain) = (end.size, end.chain)
    }

    /// The record of a new segment.
    private func begin(_ state: inout Writing) throws -> [UInt8] {
        let key = try random.secret(count: Key<Purpose.ReadLog>.size)
        state.segment = random.bytes(count: 16)
        state.number = 0
        let rest = state.segment + state.chain
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
    /// The public key, if the vault has the secret one, which is then nowhere else; and the head. Each is empty if the vault has none.
    private func stored(
        _ vaultID: [UInt8], _ vault: some SecureStore
    ) throws -> (publicKey: [UInt8], head: [UInt8]) {
        // Nothing was ever logged here.
        guard FileSystem.exists(place.folder) else { return ([], []) }
        var head: [UInt8] = []
        if let stored = try Self.value(of: place.headName(), vault) {
            head = stored.withBytes { $0.array }
        }
        guard let stored = try Self.value(of: place.keyName(), vault),
            stored.count == BoxKeyPair.keySize
        else {
            // An older backup was restored: the records are of a key that is nowhere.
            if isKeyMissing(vaultID) {
                try FileSystem.remove(place.oldFile(of: vaultID))
                try FileSystem.rename(place.file(of: vaultID), to: place.oldFile(of: vaultID))
            }
            return ([], head)
        }
        let path = place.drawnKey(of: vaultID)
        if FileSystem.exists(path) { try FileSystem.remove(path) }
        return (BoxKeyPair(secretKey: stored).publicKey, head)
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

    /// Whether there are records, but no key that could join the vault.
    private func isKeyMissing(_ vaultID: [UInt8]) -> Bool {
        !FileSystem.exists(place.drawnKey(of: vaultID))
            && FileSystem.size(place.file(of: vaultID)) ?? 0 > ReadLogFile.headerSize
    }

    /// Makes the folder, and the key if there is none.
    private func prepare(_ state: inout Writing) throws {
        try SafeFolder.create(place.folder)
        try SafeFolder.require(try SafeFolder.resolve(place.folder))
        guard state.publicKey.isEmpty else { return }
        // The vault got the key after it was opened here.
        if isKeyMissing(state.vaultID) { throw SystemFailure("open", code: EBADMSG) }
        let drawn = try LockedLog(place.drawnKey(of: state.vaultID)).key(random)
        state.publicKey = BoxKeyPair(secretKey: try drawn.copy()).publicKey
        state.drawn = JoinedSecret(try place.keyName(), drawn, accessClass: .afterVerification)
    }

    /// The secret key of a log: the vault's, or the one that is not there yet.
    ///
    /// - Throws: `SecureStoreError`, also `notVerified`; nil if nothing was logged yet.
    public static func secretKey(
        _ place: ReadLogPlace, _ vaultID: [UInt8], in vault: some SecureStore
    ) throws -> SecretBytes? {
        if let stored = try value(of: place.keyName(), vault) { return stored }
        let path = place.drawnKey(of: vaultID)
        return FileSystem.exists(path) ? try LockedLog(path).key(.system) : nil
    }
}

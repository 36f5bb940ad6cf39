internal import Passkeys
internal import Sealing
internal import SecureStorage
public import VaultCore

// Answers of the agent (`Docs/AgentProtocol.md`, sections 3 and 5). Answers about files are next to
// their requests.

/// The agent's answer to a hello.
struct HelloAnswer: AgentMessage {
    static let messageType: UInt8 = 0x80

    let protocolVersion: UInt32
    let programVersion: String
    /// The id of the agent's vault, 16 bytes.
    let vaultID: [UInt8]
}

extension HelloAnswer {
    init?(from reader: inout ByteReader) {
        guard reader.magic("TVAG") == true, let version = reader.integer(UInt32.self),
            let program = reader.programVersion(), let vaultID = reader.raw(16)
        else { return nil }
        self.init(protocolVersion: version, programVersion: program, vaultID: vaultID)
    }

    func write(to writer: inout ByteWriter) {
        writer.magic("TVAG")
        writer.integer(protocolVersion)
        writer.text(programVersion)
        writer.raw(vaultID)
    }
}

/// The success of a request, or the end of a list.
struct DoneAnswer: EmptyMessage {
    static let messageType: UInt8 = 0x81
}

/// The status of an agent's session.
public struct AgentStatus: Sendable, Hashable {
    /// Whether the vault is unlocked.
    public var isUnlocked: Bool
    /// Whether protected secrets can be read.
    public var isVerified: Bool
    /// Whether the system keeps the agent's keys out of swap.
    public var isMemoryLocked: Bool
    /// Whether this machine could store the rollback record of the vault's newest state.
    public var isRollbackRecordKept: Bool
    /// How long verification lasts without use of a protected secret, in milliseconds.
    public var verificationLeft: UInt64
    /// How long the session lasts without use, in milliseconds.
    public var idleTimeLeft: UInt64
    /// The maximum remaining time of the session, in milliseconds.
    public var absoluteTimeLeft: UInt64
    /// The process identifier of the agent.
    public var processID: UInt32
    /// The state of the fingerprint in this session.
    public var finger = FingerState.off
    /// Whether the kernel limits which files the agent can open.
    public var areFilesLimited = false
}

extension AgentStatus: AgentMessage {
    static var messageType: UInt8 { 0x82 }

    init?(from reader: inout ByteReader) {
        guard let isUnlocked = reader.flag(), let isVerified = reader.flag(),
            let isMemoryLocked = reader.flag(), let isRollbackRecordKept = reader.flag(),
            let verificationLeft = reader.integer(UInt64.self),
            let idleTimeLeft = reader.integer(UInt64.self),
            let absoluteTimeLeft = reader.integer(UInt64.self),
            let processID = reader.integer(UInt32.self),
            let finger = reader.integer(UInt8.self).flatMap(FingerState.init),
            let areFilesLimited = reader.flag()
        else { return nil }
        self.init(
            isUnlocked: isUnlocked, isVerified: isVerified, isMemoryLocked: isMemoryLocked,
            isRollbackRecordKept: isRollbackRecordKept, verificationLeft: verificationLeft,
            idleTimeLeft: idleTimeLeft, absoluteTimeLeft: absoluteTimeLeft, processID: processID,
            finger: finger, areFilesLimited: areFilesLimited)
    }

    func write(to writer: inout ByteWriter) {
        writer.flag(isUnlocked)
        writer.flag(isVerified)
        writer.flag(isMemoryLocked)
        writer.flag(isRollbackRecordKept)
        writer.integer(verificationLeft)
        writer.integer(idleTimeLeft)
        writer.integer(absoluteTimeLeft)
        writer.integer(processID)
        writer.integer(finger.rawValue)
        writer.flag(areFilesLimited)
    }
}

extension VaultSettings: AgentMessage {
    static var messageType: UInt8 { 0x83 }
}

extension SecretItem: AgentMessage, ListPageElement {
    static var messageType: UInt8 { 0x84 }
    static var pageType: UInt8 { 0x86 }

    init?(from reader: inout ByteReader) {
        guard let item = reader.item() else { return nil }
        self = item
    }

    func write(to writer: inout ByteWriter) { writer.item(self) }
}

/// A secret with its description.
struct ValueAnswer: AgentMessage {
    static let messageType: UInt8 = 0x85
    static let carriesSecret = true

    let item: SecretItem
}

extension ValueAnswer {
    init?(from reader: inout ByteReader) {
        guard let item = reader.item() else { return nil }
        self.init(item: item)
    }

    func write(to writer: inout ByteWriter) { writer.item(item) }
}

/// A secret of a batch that was not saved, by its index in the batch.
struct RefusedSecret: Sendable, Hashable {
    let place: UInt32
    let failure: WireFailure
}

extension RefusedSecret: ListPageElement {
    static var pageType: UInt8 { 0x87 }

    init?(from reader: inout ByteReader) {
        guard let place = reader.integer(UInt32.self), let failure = WireFailure(from: &reader)
        else { return nil }
        self.init(place: place, failure: failure)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(place)
        failure.write(to: &writer)
    }
}

extension EarlierSecret: ListPageElement {
    static var pageType: UInt8 { 0x88 }

    init?(from reader: inout ByteReader) {
        guard let id = reader.raw(16), let item = reader.item(),
            let moved = reader.integer(Int64.self)
        else { return nil }
        self.init(id: id, item: item, moved: moved)
    }

    func write(to writer: inout ByteWriter) {
        writer.raw(id)
        writer.item(item)
        writer.integer(moved)
    }
}

/// Notices for the owner.
public struct AgentNotices: Sendable, Hashable {
    /// The time of a backup that was restored since this machine last saw the vault, in
    /// milliseconds since 1970-01-01 UTC. Reported once.
    public var restoredBackup: Int64?
    /// The system's error code that prevents the logging of reads; 0 if reads are logged.
    public var logFailure: Int32
    /// Whether copies of erased values are still in the vault's files, because another program is
    /// reading them.
    public var hasOldValues: Bool
}

extension AgentNotices: AgentMessage {
    static var messageType: UInt8 { 0x89 }

    init?(from reader: inout ByteReader) {
        guard let time = reader.integer(Int64.self), let code = reader.integer(UInt32.self),
            let hasOldValues = reader.flag()
        else { return nil }
        self.init(
            restoredBackup: time == 0 ? nil : time, logFailure: Int32(bitPattern: code),
            hasOldValues: hasOldValues)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(restoredBackup ?? 0)
        writer.integer(UInt32(bitPattern: logFailure))
        writer.flag(hasOldValues)
    }
}

/// The slots of the vault.
struct SlotsAnswer: AgentMessage {
    static let messageType: UInt8 = 0x8A

    let slots: [KeySlotDescription]
}

extension SlotsAnswer {
    init?(from reader: inout ByteReader) {
        guard let slots = reader.counted({ $0.slot() }) else { return nil }
        self.init(slots: slots)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(UInt32(slots.count))
        for slot in slots { writer.slot(slot) }
    }
}

extension PasskeyChallenge: AgentMessage {
    static var messageType: UInt8 { 0x8B }

    init?(from reader: inout ByteReader) {
        guard let bytes = reader.raw(PasskeyChallenge.size),
            let choices = reader.counted({ $0.choice() })
        else { return nil }
        self.init(bytes: bytes, choices: choices)
    }

    func write(to writer: inout ByteWriter) {
        writer.raw(bytes)
        writer.integer(UInt32(choices.count))
        for choice in choices {
            writer.sized(choice.id)
            writer.raw(choice.input)
        }
    }
}

extension FingerPrompt: AgentMessage {
    static var messageType: UInt8 { 0x8C }

    init?(from reader: inout ByteReader) {
        guard let reason = reader.integer(UInt8.self).flatMap(Reason.init),
            let process = reader.integer(UInt32.self), let program = reader.text()
        else { return nil }
        self.init(reason: reason, process: process, program: program)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(reason.rawValue)
        writer.integer(process)
        writer.text(program)
    }
}

extension StoreGeneration: AgentMessage {
    static var messageType: UInt8 { 0x92 }

    init?(from reader: inout ByteReader) {
        guard let counter = reader.integer(UInt64.self),
            let sessionSecrets = reader.integer(UInt64.self)
        else { return nil }
        self.init(counter: counter, sessionSecrets: sessionSecrets)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(counter)
        writer.integer(sessionSecrets)
    }
}

extension WireFailure: AgentMessage {
    static var messageType: UInt8 { 0xFF }

    init?(from reader: inout ByteReader) {
        guard let code = reader.text(), let count = reader.integer(UInt8.self) else { return nil }
        self.init(code)
        for _ in 0..<count {
            guard let number = reader.integer(UInt64.self) else { return nil }
            numbers.append(number)
        }
        guard let count = reader.integer(UInt8.self) else { return nil }
        for _ in 0..<count {
            guard let text = reader.text() else { return nil }
            texts.append(text)
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.text(code)
        writer.integer(UInt8(numbers.count))
        for number in numbers { writer.integer(number) }
        writer.integer(UInt8(texts.count))
        for text in texts { writer.text(text) }
    }
}

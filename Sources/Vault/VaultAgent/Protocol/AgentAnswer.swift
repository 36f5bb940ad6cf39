package import Passkeys
package import SecretMemory
package import SecureStorage
package import VaultCore

/// An answer of the agent (`Docs/AgentProtocol.md`, sections 3 and 5); its secret is kept separately in guarded memory.
package enum AgentAnswer: Sendable, Hashable {
    case hello(protocolVersion: UInt32, programVersion: String, vaultID: [UInt8])
    case done
    case status(AgentStatus)
    case settings(VaultSettings)
    case item(SecretItem)
    case value(SecretItem)
    case items([SecretItem])
    case refused([RefusedSecret])
    /// The time of a backup; 0 if none was restored.
    case restored(Int64, logFailure: Int32)
    case earlier([EarlierSecret])
    case slots([KeySlotDescription])
    case passkey(PasskeyChallenge)
    /// More answers follow.
    case finger(FingerPrompt)
    case file(StoredFile)
    case files([StoredFile])
    case earlierFiles([EarlierFile])
    /// The secret is a part of a file's content.
    case chunk
    case fileSettings(FileSettings)
    case generation(StoreGeneration)
    case failure(WireFailure)

    /// The payload up to the secret, if any.
    package var head: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .hello(let protocolVersion, let programVersion, let vaultID):
            writer.type(.hello)
            writer.magic("TVAG")
            writer.integer(protocolVersion)
            writer.text(programVersion)
            writer.raw(vaultID)
        case .done:
            writer.type(.done)
        case .status(let status):
            writer.type(.status)
            writer.status(status)
        case .settings(let settings):
            writer.type(.settings)
            writer.integer(settings.verificationWindow)
            writer.integer(settings.idleLimit)
            writer.integer(settings.absoluteLimit)
            writer.flag(settings.requiresLockedMemory)
            writer.flag(settings.requiresRollbackRecord)
            writer.integer(settings.earlierValues)
            writer.integer(settings.earlierDays)
            writer.integer(settings.removedDays)
            writer.flag(settings.verifiesWithFingerprint)
        case .item(let item):
            writer.type(.item)
            writer.item(item)
        case .value(let item):
            writer.type(.value)
            writer.item(item)
        case .items(let items):
            writer.type(.items)
            writer.integer(UInt32(items.count))
            for item in items { writer.item(item) }
        case .refused(let secrets):
            writer.type(.refused)
            writer.integer(UInt32(secrets.count))
            for secret in secrets {
                writer.integer(secret.place)
                writer.failure(secret.failure)
            }
        case .restored(let time, let logFailure):
            writer.type(.restored)
            writer.integer(time)
            writer.integer(UInt32(bitPattern: logFailure))
        case .earlier(let secrets):
            writer.type(.earlier)
            writer.integer(UInt32(secrets.count))
            for secret in secrets { writer.earlier(secret) }
        case .slots(let slots):
            writer.type(.slots)
            writer.integer(UInt32(slots.count))
            for slot in slots { writer.slot(slot) }
        case .passkey(let challenge):
            writer.type(.passkey)
            writer.challenge(challenge)
        case .finger(let prompt):
            writer.type(.finger)
            writer.integer(prompt.reason.rawValue)
            writer.integer(prompt.process)
            writer.text(prompt.program)
        case .file(let file):
            writer.type(.file)
            writer.file(file)
        case .files(let files):
            writer.type(.files)
            writer.integer(UInt32(files.count))
            for file in files { writer.file(file) }
        case .earlierFiles(let files):
            writer.type(.earlierFiles)
            writer.integer(UInt32(files.count))
            for file in files { writer.earlierFile(file) }
        case .chunk: writer.type(.chunk)
        case .fileSettings(let settings):
            writer.type(.fileSettings)
            writer.fileSettings(settings)
        case .generation(let generation):
            writer.type(.generation)
            writer.integer(generation.counter)
            writer.integer(generation.sessionSecrets)
        case .failure(let failure):
            writer.type(.failure)
            writer.failure(failure)
        }
        return writer.bytes
    }

    /// Decodes an answer and leaves only its secret, or no bytes, in `payload`.
    ///
    /// - Returns: nil for an invalid answer; `payload` is then undefined.
    package static func take(from payload: inout SecretBytes) -> AgentAnswer? {
        payload.takeHead { (reader) -> (AgentAnswer, carriesSecret: Bool)? in
            guard let answer = read(from: &reader) else { return nil }
            return (answer, answer.carriesSecret)
        }
    }

    /// Whether a secret is the last field.
    var carriesSecret: Bool {
        switch self {
        case .value, .chunk: true
        default: false
        }
    }

    private static func read(from reader: inout ByteReader) -> AgentAnswer? {
        guard let type = reader.integer(UInt8.self).flatMap(AgentProtocol.AnswerType.init) else {
            return nil
        }
        switch type {
        case .hello:
            guard reader.magic("TVAG") == true, let version = reader.integer(UInt32.self),
                let program = reader.programVersion(), let vaultID = reader.raw(16)
            else { return nil }
            return .hello(protocolVersion: version, programVersion: program, vaultID: vaultID)
        case .done: return .done
        case .status: return reader.status().map { .status($0) }
        case .settings: return reader.settings().map { .settings($0) }
        case .item: return reader.item().map { .item($0) }
        case .value: return reader.item().map { .value($0) }
        case .items: return reader.counted { $0.item() }.map { .items($0) }
        case .refused:
            guard let count = reader.integer(UInt32.self) else { return nil }
            var secrets: [RefusedSecret] = []
            for _ in 0..<count {
                guard let place = reader.integer(UInt32.self), let failure = reader.failure() else {
                    return nil
                }
                secrets.append(RefusedSecret(place: place, failure: failure))
            }
            return .refused(secrets)
        case .restored:
            guard let time = reader.integer(Int64.self), let code = reader.integer(UInt32.self)
            else { return nil }
            return .restored(time, logFailure: Int32(bitPattern: code))
        case .earlier: return reader.counted { $0.earlier() }.map { .earlier($0) }
        case .slots: return reader.counted { $0.slot() }.map { .slots($0) }
        case .passkey: return reader.challenge().map { .passkey($0) }
        case .finger:
            guard let reason = reader.integer(UInt8.self).flatMap(FingerPrompt.Reason.init),
                let process = reader.integer(UInt32.self), let program = reader.text()
            else { return nil }
            return .finger(FingerPrompt(reason: reason, process: process, program: program))
        case .file: return reader.file().map { .file($0) }
        case .files: return reader.counted { $0.file() }.map { .files($0) }
        case .earlierFiles: return reader.counted { $0.earlierFile() }.map { .earlierFiles($0) }
        case .chunk: return .chunk
        case .fileSettings: return reader.fileSettings().map { .fileSettings($0) }
        case .generation:
            guard let counter = reader.integer(UInt64.self),
                let sessionSecrets = reader.integer(UInt64.self)
            else { return nil }
            return .generation(StoreGeneration(counter: counter, sessionSecrets: sessionSecrets))
        case .failure: return reader.failure().map { .failure($0) }
        }
    }
}

/// A secret of a batch that was not saved, by its place in the batch.
package struct RefusedSecret: Sendable, Hashable {
    let place: UInt32
    let failure: WireFailure

    init(place: UInt32, failure: WireFailure) {
        self.place = place
        self.failure = failure
    }

    init(place: UInt32, _ error: SecureStoreError) {
        self.init(place: place, failure: WireFailure(error))
    }
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
    /// What a finger can do.
    public var finger = FingerState.off
    /// Whether the kernel limits which files the agent can open.
    public var areFilesLimited = false
}

extension ByteWriter {
    fileprivate mutating func type(_ type: AgentProtocol.AnswerType) { integer(type.rawValue) }

    fileprivate mutating func status(_ status: AgentStatus) {
        flag(status.isUnlocked)
        flag(status.isVerified)
        flag(status.isMemoryLocked)
        flag(status.isRollbackRecordKept)
        integer(status.verificationLeft)
        integer(status.idleTimeLeft)
        integer(status.absoluteTimeLeft)
        integer(status.processID)
        integer(status.finger.rawValue)
        flag(status.areFilesLimited)
    }

    fileprivate mutating func failure(_ failure: WireFailure) {
        text(failure.code)
        integer(UInt8(failure.numbers.count))
        for number in failure.numbers { integer(number) }
        integer(UInt8(failure.texts.count))
        for text in failure.texts { self.text(text) }
    }
}

extension ByteReader {
    /// Parts after their number.
    fileprivate mutating func counted<Part>(
        _ read: (inout ByteReader) -> Part?
    ) -> [Part]? {
        guard let count = integer(UInt32.self) else { return nil }
        var parts: [Part] = []
        // Reserves no memory for a claimed count: the bytes must exist.
        for _ in 0..<count {
            guard let part = read(&self) else { return nil }
            parts.append(part)
        }
        return parts
    }

    fileprivate mutating func status() -> AgentStatus? {
        guard let isUnlocked = flag(), let isVerified = flag(), let isMemoryLocked = flag(),
            let isRollbackRecordKept = flag(), let verificationLeft = integer(UInt64.self),
            let idleTimeLeft = integer(UInt64.self), let absoluteTimeLeft = integer(UInt64.self),
            let processID = integer(UInt32.self),
            let finger = integer(UInt8.self).flatMap(FingerState.init),
            let areFilesLimited = flag()
        else { return nil }
        return AgentStatus(
            isUnlocked: isUnlocked, isVerified: isVerified, isMemoryLocked: isMemoryLocked,
            isRollbackRecordKept: isRollbackRecordKept, verificationLeft: verificationLeft,
            idleTimeLeft: idleTimeLeft,
            absoluteTimeLeft: absoluteTimeLeft, processID: processID, finger: finger,
            areFilesLimited: areFilesLimited)
    }

    fileprivate mutating func settings() -> VaultSettings? {
        guard let window = integer(UInt32.self), let idle = integer(UInt32.self),
            let absolute = integer(UInt32.self), let requiresLockedMemory = flag(),
            let requiresRollbackRecord = flag(), let earlierValues = integer(UInt32.self),
            let earlierDays = integer(UInt32.self), let removedDays = integer(UInt32.self),
            let verifiesWithFingerprint = flag()
        else { return nil }
        var settings = VaultSettings(
            verificationWindow: window, idleLimit: idle, absoluteLimit: absolute,
            requiresLockedMemory: requiresLockedMemory,
            requiresRollbackRecord: requiresRollbackRecord)
        settings.earlierValues = earlierValues
        settings.earlierDays = earlierDays
        settings.removedDays = removedDays
        settings.verifiesWithFingerprint = verifiesWithFingerprint
        return settings.areAcceptable ? settings : nil
    }

    fileprivate mutating func failure() -> WireFailure? {
        guard let code = text(), let count = integer(UInt8.self) else { return nil }
        var failure = WireFailure(code)
        for _ in 0..<count {
            guard let number = integer(UInt64.self) else { return nil }
            failure.numbers.append(number)
        }
        guard let count = integer(UInt8.self) else { return nil }
        for _ in 0..<count {
            guard let text = text() else { return nil }
            failure.texts.append(text)
        }
        return failure
    }
}

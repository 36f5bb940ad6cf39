internal import Sealing
internal import SecureStorage
internal import VaultCore

// Requests about the connection and the session (`Docs/AgentProtocol.md`, sections 3 and 4).

/// The first request of a connection.
struct HelloRequest: AgentRequest {
    static let messageType: UInt8 = 0x00
    typealias Answer = HelloAnswer

    let protocolVersion: UInt32
    let programVersion: String
}

extension HelloRequest {
    init?(from reader: inout ByteReader) {
        guard reader.magic("TVAG") == true, let version = reader.integer(UInt32.self),
            let program = reader.programVersion()
        else { return nil }
        self.init(protocolVersion: version, programVersion: program)
    }

    func write(to writer: inout ByteWriter) {
        writer.magic("TVAG")
        writer.integer(protocolVersion)
        writer.text(programVersion)
    }
}

/// Locks the agent and makes it exit.
struct EndRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x01
    typealias Answer = DoneAnswer
}

/// Asks for the status of the session.
struct StatusRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x10
    typealias Answer = AgentStatus
}

/// Unlocks the vault, or verifies its owner again. The secret is the owner's.
struct UnlockRequest: AgentRequest {
    static let messageType: UInt8 = 0x11
    static let carriesSecret = true
    static let isSlow = true
    typealias Answer = AgentStatus

    let kind: KeySlotKind
    var acceptsOlder = false
    var acceptsOther = false
}

extension UnlockRequest {
    init?(from reader: inout ByteReader) {
        guard let kind = reader.kind(), let acceptsOlder = reader.flag(),
            let acceptsOther = reader.flag()
        else { return nil }
        self.init(kind: kind, acceptsOlder: acceptsOlder, acceptsOther: acceptsOther)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(kind.rawValue)
        writer.flag(acceptsOlder)
        writer.flag(acceptsOther)
    }
}

/// Verifies the owner of the unlocked vault. The secret is the owner's.
struct VerifyRequest: AgentRequest {
    static let messageType: UInt8 = 0x12
    static let carriesSecret = true
    static let isSlow = true
    typealias Answer = AgentStatus

    let kind: KeySlotKind
}

extension VerifyRequest {
    init?(from reader: inout ByteReader) {
        guard let kind = reader.kind() else { return nil }
        self.init(kind: kind)
    }

    func write(to writer: inout ByteWriter) { writer.integer(kind.rawValue) }
}

/// Locks the vault.
struct LockRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x13
    typealias Answer = AgentStatus
}

/// Asks for the vault's settings.
struct SettingsRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x14
    typealias Answer = VaultSettings
}

/// Changes a setting of the vault.
struct ChangeSettingRequest: AgentRequest {
    static let messageType: UInt8 = 0x15
    typealias Answer = VaultSettings

    let setting: VaultSetting
    let value: UInt32
}

extension ChangeSettingRequest {
    init?(from reader: inout ByteReader) {
        guard let setting = reader.integer(UInt8.self).flatMap(VaultSetting.init(number:)),
            let value = reader.integer(UInt32.self), setting.kind != .yesNo || value <= 1
        else { return nil }
        self.init(setting: setting, value: value)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(setting.number)
        writer.integer(value)
    }
}

/// Asks for the notices that the owner has not seen.
struct NoticesRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x16
    typealias Answer = AgentNotices
}

/// Verifies the owner by a fingerprint. The client sends no other request before the last answer;
/// closing the connection cancels the scan.
struct VerifyByFingerRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x1B
    typealias Part = FingerPrompt
    typealias Answer = AgentStatus
}

/// Verifies the whole vault, without what was verified before.
struct CheckRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x1C
    static let isSlow = true
    typealias Answer = DoneAnswer
}

/// Asks for the store's change counter.
struct GenerationRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x2E
    typealias Answer = StoreGeneration
}

/// Makes the further requests of this connection extend no limit.
struct BackgroundRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x1D
    typealias Answer = DoneAnswer
}

/// Sets the process in whose name the client reads.
struct ReaderRequest: AgentRequest {
    static let messageType: UInt8 = 0x2F
    typealias Answer = DoneAnswer

    let process: UInt32
    /// The sandboxed application, whose sandbox the agent cannot look into; empty without one.
    let application: String
}

extension ReaderRequest {
    init?(from reader: inout ByteReader) {
        guard let process = reader.integer(UInt32.self), let application = reader.text(),
            application.utf8.count <= AgentProtocol.largestApplicationName
        else { return nil }
        self.init(process: process, application: application)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(process)
        writer.text(application)
    }
}

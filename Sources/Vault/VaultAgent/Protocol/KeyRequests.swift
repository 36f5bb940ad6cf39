internal import Passkeys
internal import Sealing
internal import SecureStorage
internal import VaultCore

// Requests about key slots and passkeys (`Docs/AgentProtocol.md`, section 4).

/// Asks for the slots of the vault.
struct SlotsRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x17
    typealias Answer = SlotsAnswer
}

/// Adds a slot for a security key. The secret is the owner's secret of this kind, followed by the
/// new key's output.
struct AddKeyRequest: AgentRequest {
    static let messageType: UInt8 = 0x18
    static let carriesSecret = true
    static let isSlow = true
    typealias Answer = SlotsAnswer

    let ownerKind: KeySlotKind
    let record: SlotRecord
}

extension AddKeyRequest {
    init?(from reader: inout ByteReader) {
        guard let kind = reader.kind(), let record = reader.sized().flatMap(SlotRecord.init)
        else { return nil }
        self.init(ownerKind: kind, record: record)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(ownerKind.rawValue)
        writer.sized(record.bytes)
    }
}

/// Renames a security key or passkey. The secret is its output.
struct RenameKeyRequest: AgentRequest {
    static let messageType: UInt8 = 0x19
    static let carriesSecret = true
    static let isSlow = true
    typealias Answer = SlotsAnswer

    let name: String
}

extension RenameKeyRequest {
    init?(from reader: inout ByteReader) {
        guard let name = reader.text() else { return nil }
        self.init(name: name)
    }

    func write(to writer: inout ByteWriter) { writer.text(name) }
}

/// Removes a slot. The secret is the owner's secret of this kind.
struct RemoveSlotRequest: AgentRequest {
    static let messageType: UInt8 = 0x1A
    static let carriesSecret = true
    static let isSlow = true
    typealias Answer = SlotsAnswer

    let ownerKind: KeySlotKind
    /// The id of the slot, 16 bytes.
    let id: [UInt8]
    let keepsKeys: Bool
}

extension RemoveSlotRequest {
    init?(from reader: inout ByteReader) {
        guard let kind = reader.kind(), let id = reader.raw(16), let keepsKeys = reader.flag()
        else { return nil }
        self.init(ownerKind: kind, id: id, keepsKeys: keepsKeys)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(ownerKind.rawValue)
        writer.raw(id)
        writer.flag(keepsKeys)
    }
}

/// Begins a registration or an assertion of a passkey.
struct BeginPasskeyRequest: AgentRequest {
    static let messageType: UInt8 = 0x30
    typealias Answer = PasskeyChallenge

    let isRegistering: Bool
    let page: PageOrigin
}

extension BeginPasskeyRequest {
    init?(from reader: inout ByteReader) {
        guard let isRegistering = reader.flag(), let label = reader.raw(PageOrigin.labelSize),
            let port = reader.integer(UInt32.self).flatMap({ UInt16(exactly: $0) }),
            let page = PageOrigin(label: String(decoding: label, as: UTF8.self), port: port)
        else { return nil }
        self.init(isRegistering: isRegistering, page: page)
    }

    func write(to writer: inout ByteWriter) {
        writer.flag(isRegistering)
        writer.raw(Array(page.label.utf8))
        writer.integer(UInt32(page.port))
    }
}

/// Ends a registration; the answer begins the assertion that must follow.
struct RegisterPasskeyRequest: AgentRequest {
    static let messageType: UInt8 = 0x31
    typealias Answer = PasskeyChallenge

    let registration: PasskeyRegistration
}

extension RegisterPasskeyRequest {
    init?(from reader: inout ByteReader) {
        guard let clientData = reader.sized(), let object = reader.sized() else { return nil }
        self.init(
            registration: PasskeyRegistration(clientData: clientData, attestationObject: object))
    }

    func write(to writer: inout ByteWriter) {
        writer.sized(registration.clientData)
        writer.sized(registration.attestationObject)
    }
}

/// Unlocks the vault by a passkey. The secret is its output.
struct UnlockByPasskeyRequest: AgentRequest {
    static let messageType: UInt8 = 0x32
    static let carriesSecret = true
    static let isSlow = true
    typealias Answer = AgentStatus

    let assertion: PasskeyAssertion
    let acceptsOlder: Bool
    let acceptsOther: Bool
}

extension UnlockByPasskeyRequest {
    init?(from reader: inout ByteReader) {
        guard let assertion = reader.assertion(), let acceptsOlder = reader.flag(),
            let acceptsOther = reader.flag()
        else { return nil }
        self.init(assertion: assertion, acceptsOlder: acceptsOlder, acceptsOther: acceptsOther)
    }

    func write(to writer: inout ByteWriter) {
        writer.assertion(assertion)
        writer.flag(acceptsOlder)
        writer.flag(acceptsOther)
    }
}

/// Verifies the owner of the unlocked vault by a passkey. The secret is its output.
struct VerifyByPasskeyRequest: AgentRequest {
    static let messageType: UInt8 = 0x33
    static let carriesSecret = true
    static let isSlow = true
    typealias Answer = AgentStatus

    let assertion: PasskeyAssertion
}

extension VerifyByPasskeyRequest {
    init?(from reader: inout ByteReader) {
        guard let assertion = reader.assertion() else { return nil }
        self.init(assertion: assertion)
    }

    func write(to writer: inout ByteWriter) { writer.assertion(assertion) }
}

/// Adds a slot for a new passkey. The secret is the owner's secret of this kind, followed by the
/// new passkey's output.
struct AddPasskeyRequest: AgentRequest {
    static let messageType: UInt8 = 0x34
    static let carriesSecret = true
    static let isSlow = true
    typealias Answer = SlotsAnswer

    let ownerKind: KeySlotKind
    let assertion: PasskeyAssertion
    let name: String
}

extension AddPasskeyRequest {
    init?(from reader: inout ByteReader) {
        guard let kind = reader.kind(), let assertion = reader.assertion(),
            let name = reader.text()
        else { return nil }
        self.init(ownerKind: kind, assertion: assertion, name: name)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(ownerKind.rawValue)
        writer.assertion(assertion)
        writer.text(name)
    }
}

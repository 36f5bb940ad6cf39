package import Passkeys
internal import Sealing
package import SecretMemory
package import SecureStorage
package import VaultCore

/// A request of a client (`Docs/AgentProtocol.md`, sections 3 and 4); its secret is kept separately in guarded memory.
package enum AgentRequest: Sendable, Hashable {
    case hello(protocolVersion: UInt32, programVersion: String)
    case end
    case status
    case unlock(KeySlotKind, acceptsOlder: Bool, acceptsOther: Bool)
    case verify(KeySlotKind)
    case lock
    case settings
    /// Asks, once for each, whether a backup was restored.
    case restored
    case changeSetting(VaultSetting, UInt32)
    case slots
    /// The secret is that of the owner, of this kind, and the new key's output.
    case addKey(KeySlotKind, SlotRecord)
    case renameKey(String)
    case removeSlot(KeySlotKind, id: [UInt8], keepsKeys: Bool)
    /// The client sends nothing more before the last answer; it gives up by closing the connection.
    case verifyByFinger
    case read(SecretName)
    case save(SecretName, SecretAttributes)
    case update(SecretName, SecretEdit, expecting: UInt64?)
    case edit(SecretName, SecretEdit, expecting: UInt64?)
    case remove(SecretName, expecting: UInt64?, permanently: Bool)
    case list
    case describe(SecretName)
    case saveAll(replacing: Bool, part: UInt32, isLast: Bool)
    case history(SecretName)
    case removed
    case restore(SecretName, revision: UInt64)
    case restoreRemoved([UInt8], name: SecretName?)
    case find(SecretSearch, limit: UInt32)
    case change([SecretChange])
    case generation
    /// The process for which the client reads from now on.
    case reader(UInt32)
    case beginPasskey(registering: Bool, port: UInt32)
    case registerPasskey(PasskeyRegistration)
    case unlockByPasskey(PasskeyAssertion, acceptsOlder: Bool, acceptsOther: Bool)
    case verifyByPasskey(PasskeyAssertion)
    /// The secret is that of the owner, of this kind, and the new passkey's output.
    case addPasskey(KeySlotKind, PasskeyAssertion, name: String)
    case file(FileRequest)

    /// Whether a secret is the last field.
    var carriesSecret: Bool {
        switch self {
        case .unlock, .verify, .addKey, .renameKey, .removeSlot, .save, .update, .saveAll,
            .unlockByPasskey, .verifyByPasskey, .addPasskey, .file(.append):
            true
        default: false
        }
    }

    /// Whether the request verifies the owner, saves many secrets or a file, or may erase a large content, which is slow.
    var isSlow: Bool {
        switch self {
        case .unlock, .verify, .addKey, .renameKey, .removeSlot, .saveAll, .unlockByPasskey,
            .verifyByPasskey, .addPasskey, .file(.begin), .file(.append), .file(.finish),
            .file(.read), .file(.remove), .file(.restore):
            true
        default: false
        }
    }

    /// The payload up to the secret, if any.
    package var head: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .hello(let protocolVersion, let programVersion):
            writer.type(.hello)
            writer.magic("TVAG")
            writer.integer(protocolVersion)
            writer.text(programVersion)
        case .end: writer.type(.end)
        case .status: writer.type(.status)
        case .unlock(let kind, let acceptsOlder, let acceptsOther):
            writer.type(.unlock)
            writer.integer(kind.rawValue)
            writer.flag(acceptsOlder)
            writer.flag(acceptsOther)
        case .verify(let kind):
            writer.type(.verify)
            writer.integer(kind.rawValue)
        case .lock: writer.type(.lock)
        case .settings: writer.type(.settings)
        case .restored: writer.type(.restored)
        case .changeSetting(let setting, let value):
            writer.type(.changeSetting)
            writer.integer(setting.rawValue)
            writer.integer(value)
        case .slots: writer.type(.slots)
        case .addKey(let kind, let record):
            writer.type(.addKey)
            writer.integer(kind.rawValue)
            writer.sized(record.bytes)
        case .renameKey(let name):
            writer.type(.renameKey)
            writer.text(name)
        case .removeSlot(let kind, let id, let keepsKeys):
            writer.type(.removeSlot)
            writer.integer(kind.rawValue)
            writer.raw(id)
            writer.flag(keepsKeys)
        case .verifyByFinger: writer.type(.verifyByFinger)
        case .read(let name):
            writer.type(.read)
            writer.name(name)
        case .save(let name, let attributes):
            writer.type(.save)
            writer.name(name)
            writer.attributes(attributes)
        case .update(let name, let edit, let revision):
            writer.type(.update)
            writer.change(name, edit, revision)
        case .edit(let name, let edit, let revision):
            writer.type(.edit)
            writer.change(name, edit, revision)
        case .remove(let name, let revision, let isPermanent):
            writer.type(.remove)
            writer.name(name)
            writer.expected(revision)
            writer.flag(isPermanent)
        case .list: writer.type(.list)
        case .describe(let name):
            writer.type(.describe)
            writer.name(name)
        case .saveAll(let isReplacing, let part, let isLast):
            writer.type(.saveAll)
            writer.flag(isReplacing)
            writer.integer(part)
            writer.flag(isLast)
        case .history(let name):
            writer.type(.history)
            writer.name(name)
        case .removed: writer.type(.removed)
        case .restore(let name, let revision):
            writer.type(.restore)
            writer.name(name)
            writer.integer(revision)
        case .restoreRemoved(let id, let name):
            writer.type(.restoreRemoved)
            writer.raw(id)
            writer.flag(name != nil)
            if let name { writer.name(name) }
        case .find(let search, let limit):
            writer.type(.find)
            writer.integer(limit)
            writer.search(search)
        case .change(let changes):
            writer.type(.change)
            writer.integer(UInt32(changes.count))
            for change in changes { writer.change(change) }
        case .generation: writer.type(.generation)
        case .reader(let process):
            writer.type(.reader)
            writer.integer(process)
        case .beginPasskey(let isRegistering, let port):
            writer.type(.beginPasskey)
            writer.flag(isRegistering)
            writer.integer(port)
        case .registerPasskey(let registration):
            writer.type(.registerPasskey)
            writer.sized(registration.clientData)
            writer.sized(registration.attestationObject)
        case .unlockByPasskey(let assertion, let acceptsOlder, let acceptsOther):
            writer.type(.unlockByPasskey)
            writer.assertion(assertion)
            writer.flag(acceptsOlder)
            writer.flag(acceptsOther)
        case .verifyByPasskey(let assertion):
            writer.type(.verifyByPasskey)
            writer.assertion(assertion)
        case .addPasskey(let kind, let assertion, let name):
            writer.type(.addPasskey)
            writer.integer(kind.rawValue)
            writer.assertion(assertion)
            writer.text(name)
        case .file(let request):
            writer.type(request.type)
            request.write(to: &writer)
        }
        return writer.bytes
    }

    /// Decodes a request and leaves only its secret, or no bytes, in `payload`.
    ///
    /// - Returns: nil for an invalid request; `payload` is then undefined.
    package static func take(from payload: inout SecretBytes) -> AgentRequest? {
        payload.takeHead { (reader) -> (AgentRequest, carriesSecret: Bool)? in
            guard let request = read(from: &reader) else { return nil }
            return (request, request.carriesSecret)
        }
    }

    private static func read(from reader: inout ByteReader) -> AgentRequest? {
        guard let type = reader.integer(UInt8.self).flatMap(AgentProtocol.RequestType.init) else {
            return nil
        }
        switch type {
        case .hello:
            guard reader.magic("TVAG") == true, let version = reader.integer(UInt32.self),
                let program = reader.programVersion()
            else { return nil }
            return .hello(protocolVersion: version, programVersion: program)
        case .end: return .end
        case .status: return .status
        case .unlock:
            guard let kind = reader.kind(), let acceptsOlder = reader.flag(),
                let acceptsOther = reader.flag()
            else { return nil }
            return .unlock(kind, acceptsOlder: acceptsOlder, acceptsOther: acceptsOther)
        case .verify: return reader.kind().map { .verify($0) }
        case .lock: return .lock
        case .settings: return .settings
        case .restored: return .restored
        case .changeSetting:
            guard let setting = reader.integer(UInt8.self).flatMap(VaultSetting.init),
                let value = reader.integer(UInt32.self),
                !setting.isFlag || value <= 1
            else { return nil }
            return .changeSetting(setting, value)
        case .slots: return .slots
        case .generation: return .generation
        case .reader: return reader.integer(UInt32.self).map { .reader($0) }
        case .addKey:
            guard let kind = reader.kind(), let record = reader.sized().flatMap(SlotRecord.init)
            else { return nil }
            return .addKey(kind, record)
        case .renameKey: return reader.text().map { .renameKey($0) }
        case .removeSlot:
            guard let kind = reader.kind(), let id = reader.raw(16), let keepsKeys = reader.flag()
            else { return nil }
            return .removeSlot(kind, id: id, keepsKeys: keepsKeys)
        case .verifyByFinger: return .verifyByFinger
        case .beginPasskey, .registerPasskey, .unlockByPasskey, .verifyByPasskey, .addPasskey:
            return readPasskeyRequest(type, from: &reader)
        case .listFiles, .earlierFiles, .beginFile, .appendToFile, .finishFile, .readFile,
            .nextChunk, .editFile, .removeFile, .restoreFile, .fileSettings, .changeFileSettings:
            return FileRequest.read(type, from: &reader).map { .file($0) }
        default:
            return readStoreRequest(type, from: &reader)
        }
    }

    private static func readPasskeyRequest(
        _ type: AgentProtocol.RequestType, from reader: inout ByteReader
    ) -> AgentRequest? {
        switch type {
        case .beginPasskey:
            guard let isRegistering = reader.flag(), let port = reader.integer(UInt32.self),
                UInt16(exactly: port) != nil
            else { return nil }
            return .beginPasskey(registering: isRegistering, port: port)
        case .registerPasskey:
            guard let clientData = reader.sized(), let object = reader.sized() else { return nil }
            return .registerPasskey(
                PasskeyRegistration(clientData: clientData, attestationObject: object))
        case .unlockByPasskey:
            guard let assertion = reader.assertion(), let acceptsOlder = reader.flag(),
                let acceptsOther = reader.flag()
            else { return nil }
            return .unlockByPasskey(
                assertion, acceptsOlder: acceptsOlder, acceptsOther: acceptsOther)
        case .verifyByPasskey: return reader.assertion().map { .verifyByPasskey($0) }
        default:
            guard let kind = reader.kind(), let assertion = reader.assertion(),
                let name = reader.text()
            else { return nil }
            return .addPasskey(kind, assertion, name: name)
        }
    }

    private static func readStoreRequest(
        _ type: AgentProtocol.RequestType, from reader: inout ByteReader
    ) -> AgentRequest? {
        if type == .list { return .list }
        if type == .removed { return .removed }
        if type == .restoreRemoved {
            guard let id = reader.raw(16), let isNamed = reader.flag() else { return nil }
            if !isNamed { return .restoreRemoved(id, name: nil) }
            return reader.name().map { .restoreRemoved(id, name: $0) }
        }
        if type == .find {
            guard let limit = reader.integer(UInt32.self), limit > 0,
                let search = reader.search()
            else { return nil }
            return .find(search, limit: limit)
        }
        if type == .change { return reader.changes().map { .change($0) } }
        if type == .saveAll {
            guard let isReplacing = reader.flag(), let part = reader.integer(UInt32.self),
                let isLast = reader.flag()
            else { return nil }
            return .saveAll(replacing: isReplacing, part: part, isLast: isLast)
        }
        guard let name = reader.name() else { return nil }
        switch type {
        case .read:
            return .read(name)
        case .describe:
            return .describe(name)
        case .save:
            return reader.attributes().map { .save(name, $0) }
        case .update, .edit:
            guard let edit = reader.edit(), let expected = reader.expected() else { return nil }
            return type == .edit
                ? .edit(name, edit, expecting: expected) : .update(name, edit, expecting: expected)
        case .remove:
            guard let expected = reader.expected(), let isPermanent = reader.flag() else {
                return nil
            }
            return .remove(name, expecting: expected, permanently: isPermanent)
        case .history:
            return .history(name)
        case .restore:
            return reader.integer(UInt64.self).map { .restore(name, revision: $0) }
        default:
            return nil
        }
    }
}

extension ByteWriter {
    fileprivate mutating func type(_ type: AgentProtocol.RequestType) { integer(type.rawValue) }

    fileprivate mutating func change(_ name: SecretName, _ edit: SecretEdit, _ revision: UInt64?) {
        self.name(name)
        self.edit(edit)
        expected(revision)
    }
}

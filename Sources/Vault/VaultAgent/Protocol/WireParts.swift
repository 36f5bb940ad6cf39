internal import Passkeys
internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// The fields of requests and answers (`Docs/AgentProtocol.md`, section 4).
extension ByteWriter {
    mutating func flag(_ flag: Bool) { integer(UInt8(flag ? 1 : 0)) }

    mutating func edit(_ edit: SecretEdit) {
        var fields: UInt8 = 0
        if edit.name != nil { fields |= 1 }
        if edit.label != nil { fields |= 2 }
        if edit.accessClass != nil { fields |= 4 }
        if edit.extra != nil { fields |= 8 }
        integer(fields)
        if let name = edit.name { self.name(name) }
        if let label = edit.label { text(label) }
        if let accessClass = edit.accessClass { integer(accessClass.rawValue) }
        if let extra = edit.extra { self.extra(extra) }
    }

    mutating func search(_ search: SecretSearch) {
        switch search {
        case .entry(let service, let account):
            integer(UInt8(1))
            text(service)
            text(account)
        case .exact(let text):
            integer(UInt8(2))
            self.text(text)
        case .whole(let text):
            integer(UInt8(3))
            self.text(text)
        case .part(let text):
            integer(UInt8(4))
            self.text(text)
        }
    }

    mutating func change(_ change: SecretChange) {
        name(change.name)
        expected(change.revision)
        switch change.action {
        case .edit(let edit):
            integer(UInt8(1))
            self.edit(edit)
        case .remove(let isPermanent):
            integer(UInt8(2))
            flag(isPermanent)
        }
    }

    mutating func expected(_ revision: UInt64?) {
        flag(revision != nil)
        if let revision { integer(revision) }
    }

    mutating func slot(_ slot: KeySlotDescription) {
        raw(slot.id)
        integer(slot.kind.rawValue)
        integer(slot.cost.passes)
        integer(slot.cost.memoryKiB)
        sized(slot.record?.bytes ?? [])
    }

    mutating func assertion(_ assertion: PasskeyAssertion) {
        sized(assertion.credentialID)
        sized(assertion.clientData)
        sized(assertion.authenticatorData)
        sized(assertion.signature)
    }
}

extension ByteWriter {
    mutating func times(_ times: SecretTimes?) {
        integer(UInt8(times == nil ? 0 : 1))
        guard let times else { return }
        integer(times.created)
        integer(times.modified)
    }
}

extension ByteReader {
    /// Times that may be absent; the outer nil means invalid bytes.
    mutating func times() -> SecretTimes?? {
        optional { reader in
            guard let created = reader.integer(Int64.self),
                let modified = reader.integer(Int64.self)
            else { return nil }
            return SecretTimes(created: created, modified: modified)
        }
    }

    mutating func flag() -> Bool? {
        switch integer(UInt8.self) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    mutating func kind() -> KeySlotKind? {
        integer(UInt8.self).flatMap(KeySlotKind.init)
    }

    /// A slot, with a record if it belongs to an authenticator.
    mutating func slot() -> KeySlotDescription? {
        guard let id = raw(16), let kind = kind(), let passes = integer(UInt32.self),
            let memory = integer(UInt32.self), let bytes = sized()
        else { return nil }
        let record = SlotRecord(bytes)
        guard kind == .authenticator ? record != nil : bytes.isEmpty else { return nil }
        return KeySlotDescription(
            id: id, kind: kind, cost: KeyDerivationCost(passes: passes, memoryKiB: memory),
            record: record)
    }

    mutating func programVersion() -> String? {
        guard let text = text(), text.utf8.count <= AgentProtocol.largestVersionText else {
            return nil
        }
        return text
    }

    mutating func edit() -> SecretEdit? {
        guard let fields = integer(UInt8.self), fields < 16 else { return nil }
        var edit = SecretEdit()
        if fields & 1 != 0 {
            guard let name = name() else { return nil }
            edit.name = name
        }
        if fields & 2 != 0 {
            guard let label = text() else { return nil }
            edit.label = label
        }
        if fields & 4 != 0 {
            guard let accessClass = accessClass() else { return nil }
            edit.accessClass = accessClass
        }
        if fields & 8 != 0 {
            guard let extra = extra() else { return nil }
            edit.extra = extra
        }
        return edit
    }

    mutating func search() -> SecretSearch? {
        guard let kind = integer(UInt8.self), let text = text() else { return nil }
        switch kind {
        case 1: return self.text().map { .entry(service: text, account: $0) }
        case 2: return .exact(text)
        case 3: return .whole(text)
        case 4: return .part(text)
        default: return nil
        }
    }

    mutating func change() -> SecretChange? {
        guard let name = name(), let revision = expected(), let action = action() else {
            return nil
        }
        return SecretChange(name, expecting: revision, action)
    }

    private mutating func action() -> SecretChange.Action? {
        switch integer(UInt8.self) {
        case 1: edit().map { .edit($0) }
        case 2: flag().map { .remove(permanently: $0) }
        default: nil
        }
    }

    /// The expected revision; the outer nil means invalid bytes.
    mutating func expected() -> UInt64?? { optional { $0.integer(UInt64.self) } }

    /// A part that may be absent; the outer nil means invalid bytes.
    mutating func optional<Part>(_ read: (inout ByteReader) -> Part?) -> Part?? {
        switch flag() {
        case .some(false): .some(nil)
        case .some(true): read(&self).map { .some($0) }
        case nil: nil
        }
    }

    /// Parts after their number.
    mutating func counted<Part>(_ read: (inout ByteReader) -> Part?) -> [Part]? {
        guard let count = integer(UInt32.self) else { return nil }
        var parts: [Part] = []
        // Reserves no memory for a claimed count: the bytes must exist.
        for _ in 0..<count {
            guard let part = read(&self) else { return nil }
            parts.append(part)
        }
        return parts
    }

    mutating func assertion() -> PasskeyAssertion? {
        guard let id = sized(), let clientData = sized(), let data = sized(),
            let signature = sized()
        else { return nil }
        return PasskeyAssertion(
            credentialID: id, clientData: clientData, authenticatorData: data,
            signature: signature)
    }

    mutating func choice() -> PasskeyChallenge.Choice? {
        guard let id = sized(), let input = raw(SlotRecord.inputSize) else { return nil }
        return PasskeyChallenge.Choice(id: id, input: input)
    }
}

extension VaultSecret {
    /// The encoded bytes: a passphrase in normalization form C, the characters of a recovery code,
    /// or an authenticator's output unchanged.
    borrowing func typed() throws -> SecretBytes {
        switch self {
        case .passphrase(let passphrase):
            return try passphrase.withBytes { bytes in try SecretBytes(copying: bytes) }
        case .recoveryCode(let code):
            return try code.text()
        case .authenticator(let output):
            return try output.withBytes { bytes in try SecretBytes(copying: bytes) }
        }
    }
}

internal import Sealing
internal import SecureStorage

// Requests about secrets (`Docs/AgentProtocol.md`, section 4); see the functions of `SecureStore`.

/// Reads a secret.
struct ReadRequest: AgentRequest {
    static let messageType: UInt8 = 0x20
    typealias Answer = ValueAnswer

    let name: SecretName
}

extension ReadRequest {
    init?(from reader: inout ByteReader) {
        guard let name = reader.name() else { return nil }
        self.init(name: name)
    }

    func write(to writer: inout ByteWriter) { writer.name(name) }
}

/// Saves a new secret. The message carries its value.
struct SaveRequest: AgentRequest {
    static let messageType: UInt8 = 0x21
    static let carriesSecret = true
    typealias Answer = SecretItem

    let name: SecretName
    let attributes: SecretAttributes
}

extension SaveRequest {
    init?(from reader: inout ByteReader) {
        guard let name = reader.name(), let attributes = reader.attributes() else { return nil }
        self.init(name: name, attributes: attributes)
    }

    func write(to writer: inout ByteWriter) {
        writer.name(name)
        writer.attributes(attributes)
    }
}

/// Replaces the value of a secret. The message carries the new value.
struct UpdateRequest: AgentRequest {
    static let messageType: UInt8 = 0x22
    static let carriesSecret = true
    typealias Answer = SecretItem

    let name: SecretName
    let edit: SecretEdit
    let expectedRevision: UInt64?
}

extension UpdateRequest {
    init?(from reader: inout ByteReader) {
        guard let name = reader.name(), let edit = reader.edit(), let expected = reader.expected()
        else { return nil }
        self.init(name: name, edit: edit, expectedRevision: expected)
    }

    func write(to writer: inout ByteWriter) {
        writer.name(name)
        writer.edit(edit)
        writer.expected(expectedRevision)
    }
}

/// Changes the description of a secret.
struct EditRequest: AgentRequest {
    static let messageType: UInt8 = 0x23
    typealias Answer = SecretItem

    let name: SecretName
    let edit: SecretEdit
    let expectedRevision: UInt64?
}

extension EditRequest {
    init?(from reader: inout ByteReader) {
        guard let name = reader.name(), let edit = reader.edit(), let expected = reader.expected()
        else { return nil }
        self.init(name: name, edit: edit, expectedRevision: expected)
    }

    func write(to writer: inout ByteWriter) {
        writer.name(name)
        writer.edit(edit)
        writer.expected(expectedRevision)
    }
}

/// Removes a secret.
struct RemoveRequest: AgentRequest {
    static let messageType: UInt8 = 0x24
    typealias Answer = DoneAnswer

    let name: SecretName
    let expectedRevision: UInt64?
    let isPermanent: Bool
}

extension RemoveRequest {
    init?(from reader: inout ByteReader) {
        guard let name = reader.name(), let expected = reader.expected(),
            let isPermanent = reader.flag()
        else { return nil }
        self.init(name: name, expectedRevision: expected, isPermanent: isPermanent)
    }

    func write(to writer: inout ByteWriter) {
        writer.name(name)
        writer.expected(expectedRevision)
        writer.flag(isPermanent)
    }
}

/// Describes all secrets.
struct ListRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x25
    typealias Part = ListPage<SecretItem>
    typealias Answer = DoneAnswer
}

/// Describes a secret.
struct DescribeRequest: AgentRequest {
    static let messageType: UInt8 = 0x26
    typealias Answer = SecretItem

    let name: SecretName
}

extension DescribeRequest {
    init?(from reader: inout ByteReader) {
        guard let name = reader.name() else { return nil }
        self.init(name: name)
    }

    func write(to writer: inout ByteWriter) { writer.name(name) }
}

/// Sends a part of many secrets, which are saved in one step after the last part.
struct SaveAllRequest: AgentRequest {
    static let messageType: UInt8 = 0x27
    static let carriesSecret = true
    static let isSlow = true
    typealias Part = ListPage<RefusedSecret>
    typealias Answer = DoneAnswer

    let isReplacing: Bool
    /// The number of the part, from 0.
    let part: UInt32
    let isLast: Bool
}

extension SaveAllRequest {
    init?(from reader: inout ByteReader) {
        guard let isReplacing = reader.flag(), let part = reader.integer(UInt32.self),
            let isLast = reader.flag()
        else { return nil }
        self.init(isReplacing: isReplacing, part: part, isLast: isLast)
    }

    func write(to writer: inout ByteWriter) {
        writer.flag(isReplacing)
        writer.integer(part)
        writer.flag(isLast)
    }
}

/// Describes the earlier values of a secret.
struct HistoryRequest: AgentRequest {
    static let messageType: UInt8 = 0x28
    typealias Part = ListPage<EarlierSecret>
    typealias Answer = DoneAnswer

    let name: SecretName
}

extension HistoryRequest {
    init?(from reader: inout ByteReader) {
        guard let name = reader.name() else { return nil }
        self.init(name: name)
    }

    func write(to writer: inout ByteWriter) { writer.name(name) }
}

/// Reads an earlier value.
struct ReadEarlierRequest: AgentRequest {
    static let messageType: UInt8 = 0x50
    typealias Answer = ValueAnswer

    let name: SecretName
    let revision: UInt64
}

extension ReadEarlierRequest {
    init?(from reader: inout ByteReader) {
        guard let name = reader.name(), let revision = reader.integer(UInt64.self) else {
            return nil
        }
        self.init(name: name, revision: revision)
    }

    func write(to writer: inout ByteWriter) {
        writer.name(name)
        writer.integer(revision)
    }
}

/// Describes removed secrets.
struct RemovedRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x29
    typealias Part = ListPage<EarlierSecret>
    typealias Answer = DoneAnswer
}

/// Restores an earlier value.
struct RestoreRequest: AgentRequest {
    static let messageType: UInt8 = 0x2A
    typealias Answer = SecretItem

    let name: SecretName
    let revision: UInt64
}

extension RestoreRequest {
    init?(from reader: inout ByteReader) {
        guard let name = reader.name(), let revision = reader.integer(UInt64.self) else {
            return nil
        }
        self.init(name: name, revision: revision)
    }

    func write(to writer: inout ByteWriter) {
        writer.name(name)
        writer.integer(revision)
    }
}

/// Restores a removed secret, under its old name or another one.
struct RestoreRemovedRequest: AgentRequest {
    static let messageType: UInt8 = 0x2B
    typealias Answer = SecretItem

    /// The id of the item, 16 bytes.
    let id: [UInt8]
    let name: SecretName?
}

extension RestoreRemovedRequest {
    init?(from reader: inout ByteReader) {
        guard let id = reader.raw(16), let name = reader.optional({ $0.name() }) else {
            return nil
        }
        self.init(id: id, name: name)
    }

    func write(to writer: inout ByteWriter) {
        writer.raw(id)
        writer.flag(name != nil)
        if let name { writer.name(name) }
    }
}

/// Searches for entries.
struct FindRequest: AgentRequest {
    static let messageType: UInt8 = 0x2C
    typealias Part = ListPage<SecretItem>
    typealias Answer = DoneAnswer

    let search: SecretSearch
    /// The largest number of entries, at least 1.
    let limit: UInt32
}

extension FindRequest {
    init?(from reader: inout ByteReader) {
        guard let limit = reader.integer(UInt32.self), limit > 0, let search = reader.search()
        else { return nil }
        self.init(search: search, limit: limit)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(limit)
        writer.search(search)
    }
}

/// Edits and removes secrets in one step.
struct ChangeRequest: AgentRequest {
    static let messageType: UInt8 = 0x2D
    typealias Part = ListPage<SecretItem>
    typealias Answer = DoneAnswer

    let changes: [SecretChange]
}

extension ChangeRequest {
    init?(from reader: inout ByteReader) {
        guard let changes = reader.counted({ $0.change() }) else { return nil }
        self.init(changes: changes)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(UInt32(changes.count))
        for change in changes { writer.change(change) }
    }
}

/// How the description of a secret (name, label, tags, times, but no value) is written as bytes: in the agent's messages
/// (`Docs/AgentProtocol.md`, section 4), and in the cache of an unlocked vault.
extension ByteWriter {
    package mutating func name(_ name: SecretName) {
        text(name.service)
        text(name.account)
        text(name.field)
    }

    package mutating func attributes(_ attributes: SecretAttributes) {
        integer(attributes.accessClass.rawValue)
        text(attributes.label)
        extra(attributes.extra)
    }

    package mutating func extra(_ extra: [ExtraAttribute]) {
        integer(UInt32(extra.count))
        for attribute in extra {
            text(attribute.key)
            text(attribute.text)
        }
    }

    package mutating func item(_ item: SecretItem) {
        name(item.name)
        attributes(item.attributes)
        integer(item.revision)
        integer(item.created)
        integer(item.modified)
    }
}

extension ByteReader {
    package mutating func accessClass() -> AccessClass? {
        integer(UInt8.self).flatMap(AccessClass.init)
    }

    package mutating func name() -> SecretName? {
        guard let service = text(), let account = text(), let field = text() else { return nil }
        return try? SecretName(service: service, account: account, field: field)
    }

    package mutating func attributes() -> SecretAttributes? {
        guard let accessClass = accessClass(), let label = text(), let extra = extra() else {
            return nil
        }
        return SecretAttributes(label: label, accessClass: accessClass, extra: extra)
    }

    package mutating func extra() -> [ExtraAttribute]? {
        guard let count = integer(UInt32.self) else { return nil }
        var extra: [ExtraAttribute] = []
        // Reserve no memory for a claimed count: only the bytes present cost memory.
        for _ in 0..<count {
            guard let key = text(), let text = text() else { return nil }
            extra.append(ExtraAttribute(key: key, text: text))
        }
        return extra
    }

    package mutating func item() -> SecretItem? {
        guard let name = name(), let attributes = attributes(),
            let revision = integer(UInt64.self), let created = integer(Int64.self),
            let modified = integer(Int64.self)
        else { return nil }
        return SecretItem(
            name: name, attributes: attributes, revision: revision, created: created,
            modified: modified)
    }
}

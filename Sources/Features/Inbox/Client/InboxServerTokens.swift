package import SecretMemory
internal import SecureStorage
internal import SignIn
internal import TextCoding

/// The tokens with which the machines of a vault use its inbox on a server.
package struct InboxServerTokens: ~Copyable {
    /// The id of the inbox on the server.
    package let inbox: String
    /// The token that reads messages. Each machine has its own copy.
    package let receive: SecretBytes
    /// The token that removes messages from the server.
    package let acknowledge: SecretBytes
}

extension InboxStore {
    private static let inboxKey = "inbox"

    private static func tokenName(_ issuer: String) throws -> SecretName {
        try SecretName(service: SecretName.inboxTokenService, account: issuer)
    }

    /// The tokens of the inbox on a server; nil if there is no inbox.
    package func tokens(of issuer: String) throws -> InboxServerTokens? {
        do {
            let name = try Self.tokenName(issuer)
            let item = try store.describe(name)
            let value = try store.value(of: name)
            let end = value.withBytes { bytes in
                (0..<bytes.byteCount).first { bytes[$0] == Byte.lineFeed }
            }
            guard let end, let inbox = item.attributes[Self.inboxKey] else { return nil }
            return InboxServerTokens(
                inbox: inbox, receive: try value.copy(from: 0, count: end),
                acknowledge: try value.copy(from: end + 1, count: value.count - end - 1))
        } catch SecureStoreError.notFound {
            return nil
        }
    }

    /// Stores the tokens of a new inbox, in place of those of the inbox `old`.
    ///
    /// - Returns: false if another process stored or erased tokens in the meantime.
    package func store(
        _ inbox: borrowing InboxClient.Inbox, at issuer: String, replacing old: String?
    ) throws -> Bool {
        var text = try SecretText(
            capacity: inbox.receiveToken.count + 1 + inbox.acknowledgeToken.count)
        inbox.receiveToken.withBytes { bytes in
            for offset in 0..<bytes.byteCount { text.append(bytes[offset]) }
        }
        text.append(Byte.lineFeed)
        inbox.acknowledgeToken.withBytes { bytes in
            for offset in 0..<bytes.byteCount { text.append(bytes[offset]) }
        }
        let value = text.finish()
        let extra = [ExtraAttribute(key: Self.inboxKey, text: inbox.id)]
        let name = try Self.tokenName(issuer)
        do {
            guard let old else {
                try store.save(value, as: name, SecretAttributes(extra: extra))
                return true
            }
            let item = try store.describe(name)
            guard item.attributes[Self.inboxKey] == old else { return false }
            try store.update(
                name, to: value, SecretEdit(extra: extra), expecting: item.revision)
            return true
        } catch {
            switch error {
            case .duplicate, .conflict, .notFound: return false
            default: throw error
            }
        }
    }

    /// Erases the tokens of the inbox on a server, if there are any.
    package func removeTokens(of issuer: String) throws {
        do {
            try store.remove(Self.tokenName(issuer), expecting: nil, permanently: true)
        } catch SecureStoreError.notFound {
            return
        }
    }
}

package import TextCoding

/// A search for entries: the secrets of one service and account. It does not find TaskVault's own items.
public enum SecretSearch: Sendable, Hashable {
    /// The entry of this service and account.
    case entry(service: String, account: String)
    /// Entries whose service or label has exactly these bytes.
    case exact(String)
    /// Entries whose service or label is this text, ignoring case.
    case whole(String)
    /// Entries whose service, account, label, URL or tags contain this text, ignoring case.
    case part(String)
}

extension SecretSearch {
    /// The searched text, case-folded; nil for ``entry(service:account:)``.
    package var key: NameKey? {
        switch self {
        case .entry: nil
        case .exact(let text), .whole(let text), .part(let text): NameKey(text)
        }
    }

    /// Whether the search finds a secret.
    ///
    /// - Parameters:
    ///   - item: The secret.
    ///   - key: The search's ``key``, computed once for all secrets.
    ///   - isWide: Whether it also finds an item of a program.
    /// - Returns: Whether it does.
    package func finds(
        _ item: SecretItem, _ key: NameKey?, orOfProgram isWide: Bool = false
    ) -> Bool {
        let name = item.name
        guard !name.isReserved || isWide && name.isOfProgram else { return false }
        let label = item.label
        switch self {
        case .entry(let service, let account):
            return name.service.hasSameBytes(as: service)
                && name.account.hasSameBytes(as: account)
        case .exact(let text):
            return !text.isEmpty && [name.service, label].contains { $0.hasSameBytes(as: text) }
        case .whole:
            return key?.bytes.isEmpty == false
                && [name.service, label].contains { NameKey($0) == key }
        case .part:
            guard let key else { return false }
            return item.searchedTexts.contains { NameKey($0).contains(key) }
        }
    }
}

extension SecretItem {
    /// The searched texts: service, account, label, URL and tags, in this order.
    package var searchedTexts: [String] {
        [name.service, name.account, label] + searchedAttributes
    }

    /// The label. Of an item of a program that is a text which the vault refuses as a label, it is an attribute.
    package var label: String {
        (name.isReserved ? attributes["label"] : nil) ?? attributes.label
    }

    /// The searched texts that few items have: URL and tags.
    package var searchedAttributes: [String] {
        attributes.extra.isEmpty
            ? [] : [ExtraAttribute.url, ExtraAttribute.tags].compactMap { attributes[$0] }
    }
}

extension ExtraAttribute {
    /// The key of the addresses of an entry.
    package static let url = "url"
    /// The key of the tags of an entry.
    package static let tags = "tags"
}

extension SecretAttributes {
    /// The text of a further attribute; nil removes it.
    package subscript(key: String) -> String? {
        get { extra.first { $0.key.hasSameBytes(as: key) }?.text }
        set {
            extra.removeAll { $0.key.hasSameBytes(as: key) }
            if let newValue { extra.append(ExtraAttribute(key: key, text: newValue)) }
        }
    }
}

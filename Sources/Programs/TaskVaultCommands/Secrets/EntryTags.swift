internal import CommandLine
internal import Secrets
internal import SecretMemory
internal import SecureStorage
internal import TextCoding

extension Invocation {
    /// The tags after `--tag` and `--untag`; case does not matter (``NameKey``).
    ///
    /// - Throws: A failure for a tag that is not one word.
    func tags(after tags: [String]) throws -> [String] {
        let removed = Set(takes(.untagSecret) ? texts(of: .untagSecret).map { NameKey($0) } : [])
        var tags = tags.filter { !removed.contains(NameKey($0)) }
        for tag in texts(of: .tagSecret) {
            let isWord = !tag.unicodeScalars.contains {
                $0.properties.isWhitespace || $0.properties.generalCategory == .control
            }
            guard isWord, !tag.isEmpty else {
                throw Failure.usage(
                    "a tag is one word, without blanks and control characters",
                    hint: "give --tag several times for several tags")
            }
            if !tags.contains(where: { NameKey($0) == NameKey(tag) }) { tags.append(tag) }
        }
        return tags
    }
}

extension SecretAttributes {
    /// The further attributes with these tags.
    func tagged(_ tags: [String]) -> [ExtraAttribute] {
        var attributes = self
        attributes.tags = tags
        return attributes.extra
    }
}

extension [ExtraAttribute] {
    /// The further attributes of the field `url` with this value. Searches include addresses unless one is secret.
    func describing(_ value: borrowing SecretBytes) -> [ExtraAttribute] {
        var attributes = SecretAttributes(extra: self)
        attributes.addresses = WebAddress.list(of: value)
        return attributes.extra
    }
}

extension OptionDescription {
    static let tagSecret = OptionDescription(
        "tag", .stored("TAG", .secretTag), "a tag of the entry; may be given several times",
        isRepeated: true)
    static let untagSecret = OptionDescription(
        "untag", .stored("TAG", .secretTag), "take a tag away; may be given several times",
        isRepeated: true)
}

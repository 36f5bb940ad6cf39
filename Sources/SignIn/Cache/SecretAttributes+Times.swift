internal import SecureStorage
internal import TextCoding

extension SecretAttributes {
    /// The text of a further attribute.
    subscript(key: String) -> String? {
        extra.first { $0.key.utf8.elementsEqual(key.utf8) }?.text
    }

    /// The time in a further attribute.
    func time(_ key: String) -> PointInTime? {
        self[key].flatMap { Timestamp.milliseconds($0) }.map { PointInTime(milliseconds: $0) }
    }
}

extension ExtraAttribute {
    static func time(_ key: String, _ time: PointInTime) -> ExtraAttribute {
        ExtraAttribute(key: key, text: Timestamp.text(time.milliseconds))
    }
}

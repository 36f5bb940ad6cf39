extension SecretAttributes {
    /// Checks label and further attributes against the limits of every store.
    ///
    /// - Returns: The further attributes, ascending by key.
    /// - Throws: `invalidName`, `tooLarge`.
    package func checkedExtra(
        of name: SecretName
    ) throws(SecureStoreError) -> [ExtraAttribute] {
        try TextRule.label.check(label, "label")
        let sorted = extra.sorted { $0.key.precedesInBytes($1.key) }
        // The stored size: each text with a length of 4 bytes, two times of 8, and the number of attributes.
        var size = 3 * 4 + 2 * 8 + 4
        size += name.service.utf8.count + name.account.utf8.count + label.utf8.count
        var previous: ExtraAttribute?
        for attribute in sorted {
            try TextRule.name.check(attribute.key, "attribute")
            if let previous, previous.key.hasSameBytes(as: attribute.key) {
                throw .invalidName(field: "attribute", .repeated)
            }
            size += 8 + attribute.key.utf8.count + attribute.text.utf8.count
            previous = attribute
        }
        guard size <= Self.maximumSize else { throw .tooLarge(maximum: Self.maximumSize) }
        return sorted
    }
}

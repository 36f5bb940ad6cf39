package import SecretMemory
package import TextCoding

/// The members of a server's response.
extension JSONObject {
    /// The maximum number of members.
    private static let maximumMembers = 256

    /// Parses a response; nil if the bytes are not one object, or a name is repeated.
    package init?(answer bytes: RawSpan) {
        self.init(bytes, limit: Self.maximumMembers)
    }

    /// A number of seconds, rounded down; nil if it is missing or out of range.
    func seconds(_ name: String, in bytes: RawSpan) -> UInt32? {
        // Some servers send a string or a fraction.
        let text = text(name, in: bytes) ?? numberText(name, in: bytes)
        return text.flatMap { Double($0) }.flatMap { UInt32(exactly: $0.rounded(.down)) }
    }

    /// A token in guarded memory; nil if it is missing or invalid.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package func token(_ name: String, in bytes: RawSpan) throws -> SecretBytes? {
        guard let token = try secret(name, in: bytes),
            token.withBytes({ SessionTokens.isToken($0) })
        else { return nil }
        return token
    }
}

internal import SecretMemory
internal import TextCoding

/// The name of a machine among those that share a vault: 128 random bits.
public struct MachineID: Sendable, Hashable {
    private static let size = 16
    /// 32 hexadecimal digits.
    public let text: String

    /// Makes a new name.
    init(random: RandomSource) {
        text = Hexadecimal.text(random.bytes(count: Self.size))
    }

    /// Reads a name.
    ///
    /// - Returns: nil for anything but 32 hexadecimal digits in lower case.
    public init?(_ text: String) {
        guard Hexadecimal.isText(text, ofBytes: Self.size) else { return nil }
        self.text = text
    }
}

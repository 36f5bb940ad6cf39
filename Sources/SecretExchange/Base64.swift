internal import CSodium
internal import SecretMemory

/// Base64 of secrets, from guarded memory into guarded memory.
///
/// The corresponding C functions are `sodium_bin2base64` and `sodium_base642bin`, whose time does not depend on the bytes; the variant
/// is RFC 4648, section 4, with padding.
enum Base64 {
    /// How many bytes are encoded at once: a multiple of three, so that padding stands at the end only.
    static let blockSize = 3_072

    /// Encodes at most ``blockSize`` bytes into `target` and returns the size of the text.
    static func encode(_ block: RawSpan, into target: inout SecretBytes) -> Int {
        precondition(block.byteCount <= blockSize)
        let size = (block.byteCount + 2) / 3 * 4
        precondition(target.count > size)  // The function ends its text with a NUL.
        target.withMutableBytes { span in
            unsafe span.withUnsafeMutableBytes { text in
                unsafe block.withUnsafeBytes { source in
                    guard let start = unsafe text.bindMemory(to: CChar.self).baseAddress else {
                        return
                    }
                    _ = unsafe sodium_bin2base64(
                        start, text.count, source.bindMemory(to: UInt8.self).baseAddress,
                        source.count, sodium_base64_VARIANT_ORIGINAL)
                }
            }
        }
        return size
    }

    /// Decodes the whole of `text` into `target`, which is shortened to the result.
    ///
    /// - Parameters:
    ///   - text: What to decode.
    ///   - target: At least three quarters of the size of `text`.
    /// - Returns: False if `text` is not base64, or has spare bits that are not zero.
    static func decode(_ text: RawSpan, into target: inout SecretBytes) -> Bool {
        var size = 0
        let isValid = target.withMutableBytes { span in
            unsafe span.withUnsafeMutableBytes { bytes in
                unsafe text.withUnsafeBytes { source in
                    // No room means no text, or one too short to be base64.
                    guard let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else {
                        return unsafe source.isEmpty
                    }
                    return unsafe sodium_base642bin(
                        start, bytes.count, source.bindMemory(to: CChar.self).baseAddress,
                        source.count, nil, &size, nil, sodium_base64_VARIANT_ORIGINAL) == 0
                }
            }
        }
        if isValid { target.keep(count: size) }
        return isValid
    }
}

internal import CSodium
internal import SecretMemory
internal import TextCoding

extension Base64 {
    /// Decodes the whole of `text` into `target`, which is shortened to the result.
    ///
    /// The corresponding C function is `sodium_base642bin`, whose time does not depend on the bytes.
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

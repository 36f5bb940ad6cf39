/// The padding that hides data sizes: u32 length ‖ data ‖ zeros (`Docs/Format.md`, section 1).
///
/// Padded sizes are powers of two up to 4,096 bytes. Above that they follow Padmé (Nikitin et al., "Reducing Metadata Leakage from
/// Encrypted Files and Communication with PURBs", 2019). Padmé leaks O(log log n) bits and costs at most 12 %.
public enum Padding {
    static let prefixSize = 4

    /// The padded size for data of `size` bytes.
    public static func paddedSize(forDataOf size: Int) -> Int {
        let needed = prefixSize + size
        if needed <= 64 { return 64 }
        let exponent = Int.bitWidth - 1 - needed.leadingZeroBitCount
        if needed <= 4_096 {
            return needed == 1 << exponent ? needed : 1 << (exponent + 1)
        }
        let exponentSize = Int.bitWidth - exponent.leadingZeroBitCount
        let mask = (1 << (exponent - exponentSize)) - 1
        return (needed + mask) & ~mask
    }

    /// Writes length and data into a zeroed buffer of the padded size.
    static func fill(_ padded: inout MutableRawSpan, with data: RawSpan) {
        precondition(padded.byteCount == paddedSize(forDataOf: data.byteCount))
        unsafe padded.withUnsafeMutableBytes { target in
            unsafe target.storeBytes(of: UInt32(data.byteCount).littleEndian, as: UInt32.self)
            unsafe data.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[prefixSize...])
                    .copyMemory(from: source)
            }
        }
    }

    /// The size of the data in a padded buffer; nil if length, size or filler is invalid.
    static func dataSize(in padded: RawSpan) -> Int? {
        guard padded.byteCount >= prefixSize else { return nil }
        let size = Int(
            UInt32(littleEndian: unsafe padded.unsafeLoadUnaligned(as: UInt32.self)))
        guard prefixSize + size <= padded.byteCount,
            padded.byteCount == paddedSize(forDataOf: size)
        else { return nil }
        // Check the filler without a branch per byte. The blob is authentic, so the timing reveals no secret.
        let filler = padded.extracting(droppingFirst: prefixSize + size)
        var seen: UInt8 = 0
        for offset in 0..<filler.byteCount {
            seen |= unsafe filler.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
        }
        return seen == 0 ? size : nil
    }
}

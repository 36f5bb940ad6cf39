/// The parts of DER (X.690) that keys and signatures need.
enum DER {
    /// 1.2.840.10045.2.1.
    private static let ecPublicKey: [UInt8] = [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]
    /// 1.2.840.10045.3.1.7.
    private static let prime256v1: [UInt8] = [6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]
    /// 1.2.840.113549.1.1.1.
    private static let rsaEncryption: [UInt8] =
        [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]
    private static let null: [UInt8] = [5, 0]

    /// The bytes before and after the private number of 32 bytes in an ECPrivateKey on P-256 (RFC 5915), without a public key.
    static let aroundP256Number: (before: [UInt8], after: [UInt8]) = (
        [0x30, 0x31, 2, 1, 1, 4, 0x20], element(0xA0, prime256v1)
    )

    /// The SubjectPublicKeyInfo of a point on P-256 (RFC 5480, section 2).
    static func p256Key(_ point: [UInt8]) -> [UInt8] {
        sequence(sequence(ecPublicKey + prime256v1) + bitString(point))
    }

    /// The SubjectPublicKeyInfo of an RSA modulus and exponent (RFC 3279, section 2.3.1).
    static func rsaKey(_ modulus: [UInt8], _ exponent: [UInt8]) -> [UInt8] {
        sequence(
            sequence(rsaEncryption + null)
                + bitString(sequence(integer(modulus) + integer(exponent))))
    }

    static func sequence(_ content: [UInt8]) -> [UInt8] { element(0x30, content) }

    /// An unsigned integer, big-endian.
    static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let number = Array(bytes.drop { $0 == 0 })
        return element(2, (number.first ?? 0x80) >= 0x80 ? [0] + number : number)
    }

    private static func bitString(_ content: [UInt8]) -> [UInt8] { element(3, [0] + content) }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let size: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            }
        return [tag] + size + content
    }
}

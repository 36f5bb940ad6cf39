/// The bytes with a meaning in the formats.
package enum Byte {
    package static let lineFeed: UInt8 = 0x0A
    package static let carriageReturn: UInt8 = 0x0D
    package static let quote: UInt8 = 0x22
    package static let comma: UInt8 = 0x2C
    package static let colon: UInt8 = 0x3A
    package static let backslash: UInt8 = 0x5C
    package static let zero: UInt8 = 0x30
}

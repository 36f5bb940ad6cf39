@testable import Passkeys
import TestSupport
import Testing

@Suite("CBOR")
struct CBORTests {
    /// Of RFC 8949, appendix A: what CTAP2 has, too.
    static let accepted: [(String, CBORValue)] = [
        ("00", .unsigned(0)), ("01", .unsigned(1)), ("0a", .unsigned(10)), ("17", .unsigned(23)),
        ("1818", .unsigned(24)), ("1819", .unsigned(25)), ("1864", .unsigned(100)),
        ("1903e8", .unsigned(1_000)), ("1a000f4240", .unsigned(1_000_000)),
        ("1b000000e8d4a51000", .unsigned(1_000_000_000_000)),
        ("1bffffffffffffffff", .unsigned(.max)), ("3bffffffffffffffff", .negative(.max)),
        ("20", .negative(0)), ("29", .negative(9)), ("3863", .negative(99)),
        ("3903e7", .negative(999)), ("f4", .boolean(false)), ("f5", .boolean(true)),
        ("f6", .null), ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")),
        ("6161", .text("a")), ("6449455446", .text("IETF")), ("62225c", .text("\"\\")),
        ("62c3bc", .text("\u{FC}")), ("63e6b0b4", .text("\u{6C34}")),
        ("64f0908591", .text("\u{10151}")), ("80", .array([])),
        ("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
        (
            "8301820203820405",
            .array([
                .unsigned(1), .array([.unsigned(2), .unsigned(3)]),
                .array([.unsigned(4), .unsigned(5)]),
            ])
        ),
        (
            "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
            .array((1...25).map { .unsigned($0) })
        ),
        ("a0", .map([])),
        ("a201020304", map([(.unsigned(1), .unsigned(2)), (.unsigned(3), .unsigned(4))])),
        (
            "a26161016162820203",
            map([
                (.text("a"), .unsigned(1)), (.text("b"), .array([.unsigned(2), .unsigned(3)])),
            ])
        ),
        ("826161a161626163", .array([.text("a"), map([(.text("b"), .text("c"))])])),
        (
            "a56161614161626142616361436164614461656145",
            map(["a", "b", "c", "d", "e"].map { (.text($0), .text($0.uppercased())) })
        ),
    ]

    private static func map(_ pairs: [(CBORValue, CBORValue)]) -> CBORValue {
        .map(pairs.map { CBORValue.Entry(key: $0.0, value: $0.1) })
    }

    @Test("RFC 8949, appendix A: integers, strings, arrays, maps, false, true, null")
    func published() throws {
        for (digits, value) in Self.accepted {
            let bytes = try #require(HexBytes.bytes(of: digits))
            #expect(try CBORValue(bytes) == value, "\(digits)")
            #expect(PasskeyProperties.encoded(value) == bytes, "\(digits)")
        }
    }

    @Test(
        "RFC 8949, appendix A: tags, floating-point numbers, other simple values and indefinite lengths are refused",
        arguments: [
            "c249010000000000000000", "c349010000000000000000", "f90000", "f98000", "f93c00",
            "fb3ff199999999999a", "f93e00", "f97bff", "fa47c35000", "fa7f7fffff",
            "fb7e37e43c8800759c", "f90001", "f90400", "f9c400", "fbc010666666666666", "f97c00",
            "f97e00", "f9fc00", "fa7f800000", "fa7fc00000", "faff800000", "fb7ff0000000000000",
            "fb7ff8000000000000", "fbfff0000000000000", "f7", "f0", "f818", "f8ff",
            "c074323031332d30332d32315432303a30343a30305a", "c11a514b67b0",
            "c1fb41d452d9ec200000", "d74401020304", "d818456449455446",
            "d82076687474703a2f2f7777772e6578616d706c652e636f6d", "5f42010243030405ff",
            "7f657374726561646d696e67ff", "9fff", "9f018202039f0405ffff", "9f01820203820405ff",
            "83018202039f0405ff", "83019f0203ff820405",
            "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff",
            "bf61610161629f0203ffff", "826161bf61626163ff", "bf6346756ef563416d7421ff",
        ])
    func unsupported(digits: String) {
        #expect(refuses(digits))
    }

    @Test(
        "anything but the one canonical form is refused",
        arguments: [
            // Longer forms of a number, a size and a count.
            "1800", "1817", "190018", "1900ff", "1a00000100", "1a0000ffff", "1b0000000000000001",
            "1b00000000ffffffff", "3800", "390017", "580100", "780161", "5900010a", "9800",
            "980100",
            "b800", "b8010000",
            // Reserved widths.
            "1c", "1d", "1e", "1f", "3c", "5c", "7c", "9c", "bc", "fc", "fd", "fe", "ff", "f820",
            "f814", "f815", "f816", "e0", "f3",
            // Keys out of order, or twice: longer before shorter, text before number, negative before positive.
            "a203000100", "a201000100", "a2200001 00", "a261610001 00", "a26161006161 00",
            "a2626161006162 00", "a21818001700",
            // Keys of other kinds.
            "a1400000", "a14000", "a18000", "a1a000", "a1f400", "a1f600",
            // Not UTF-8.
            "61ff", "62c328", "63eda080", "62c080",
            // Missing and extra bytes.
            "", "18", "19ff", "1aff", "1bff", "41", "61", "81", "a1", "a100", "820000ff", "0000",
            "a000",
        ])
    func notCanonical(digits: String) {
        #expect(refuses(digits))
    }

    @Test("no claimed size or count takes memory or time")
    func claimed() {
        for digits in [
            "5b7fffffffffffffff", "5bffffffffffffffff", "7bffffffffffffffff",
            "9bffffffffffffffff00", "bbffffffffffffffff0000", "9affffffff00", "5affffffff00",
        ] {
            #expect(refuses(digits), "\(digits)")
        }
    }

    @Test("four levels are read, and a fifth is refused")
    func depth() {
        #expect(!refuses("8181818100"))
        #expect(!refuses("81818180"))
        #expect(refuses("8181818180"))
        #expect(!refuses("a100a100a100a100f5"))
        #expect(refuses("a100a100a100a100a0"))
        #expect(refuses(String(repeating: "81", count: 100_000) + "00"))
    }

    @Test("each vector with an end that is missing or too much is refused")
    func ends() throws {
        for (digits, _) in Self.accepted {
            let bytes = try #require(HexBytes.bytes(of: digits))
            for count in 0..<bytes.count {
                #expect((try? CBORValue(Array(bytes.prefix(count)))) == nil, "\(digits) \(count)")
            }
            #expect((try? CBORValue(bytes + [0])) == nil, "\(digits)")
        }
    }

    @Test("with any bits changed it is refused, or written as it was read")
    func changed() throws {
        for (digits, _) in Self.accepted {
            let bytes = try #require(HexBytes.bytes(of: digits))
            for bit in 0..<(bytes.count * 8) {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                var isAccepted = false
                let fault = PasskeyProperties.cbor(changed, isAccepted: &isAccepted)
                #expect(fault == nil, "\(digits) \(bit)")
            }
        }
    }

    private func refuses(_ digits: String) -> Bool {
        guard let bytes = HexBytes.bytes(of: digits) else { return false }
        do {
            _ = try CBORValue(bytes)
            return false
        } catch {
            return error as? PasskeyError == .malformed
        }
    }
}

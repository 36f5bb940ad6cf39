import CFido2
import Foundation
import SecurityKeys
import SoftwareAuthenticator
import TestSupport
import Testing

@Suite("The security key in software")
struct SoftwareAuthenticatorTests {
    @Test(
        "decodes and encodes the examples of RFC 8949, appendix A, of the kinds that it knows",
        arguments: [
            ("00", .number(0)), ("01", .number(1)), ("0a", .number(10)), ("17", .number(23)),
            ("1818", .number(24)), ("1819", .number(25)), ("1864", .number(100)),
            ("1903e8", .number(1_000)), ("1a000f4240", .number(1_000_000)),
            ("1b000000e8d4a51000", .number(1_000_000_000_000)),
            ("1bffffffffffffffff", .unsigned(.max)), ("3bffffffffffffffff", .negative(.max)),
            ("20", .number(-1)), ("29", .number(-10)), ("3863", .number(-100)),
            ("3903e7", .number(-1_000)), ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null),
            ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")),
            ("6161", .text("a")), ("6449455446", .text("IETF")), ("62225c", .text("\"\\")),
            ("62c3bc", .text("\u{fc}")), ("63e6b0b4", .text("\u{6c34}")),
            ("64f0908591", .text("\u{10151}")), ("80", .array([])),
            ("83010203", .array([.number(1), .number(2), .number(3)])),
            (
                "8301820203820405",
                .array([
                    .number(1), .array([.number(2), .number(3)]), .array([.number(4), .number(5)]),
                ])
            ),
            (
                "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
                .array((1...25).map(CBOR.number))
            ),
            ("a0", .map([:])),
            ("a201020304", .map([.number(1): .number(2), .number(3): .number(4)])),
            (
                "a26161016162820203",
                .map([.text("a"): .number(1), .text("b"): .array([.number(2), .number(3)])])
            ),
            ("826161a161626163", .array([.text("a"), .map([.text("b"): .text("c")])])),
            (
                "a56161614161626142616361436164614461656145",
                .map([
                    .text("a"): .text("A"), .text("b"): .text("B"), .text("c"): .text("C"),
                    .text("d"): .text("D"), .text("e"): .text("E"),
                ])
            ),
        ] as [(String, CBOR)])
    func vectors(_ hexadecimal: String, _ value: CBOR) throws {
        let encoded = try #require(HexBytes.bytes(of: hexadecimal))
        #expect(CBOR(encoded) == value)
        #expect(value.encoded == encoded)
        for count in 0..<encoded.count { #expect(CBOR(Array(encoded.prefix(count))) == nil) }
        #expect(CBOR(encoded + [0]) == nil)
    }

    @Test(
        "refuses other kinds and forms, of that appendix and of its own",
        arguments: [
            "c249010000000000000000", "f90000", "f93c00", "fb3ff199999999999a", "fa47c35000", "f7",
            "f0", "f818", "f8ff", "c074323031332d30332d32315432303a30343a30305a", "d74401020304",
            "5f42010243030405ff", "7f657374726561646d696e67ff", "9fff", "9f018202039f0405ffff",
            "83018202039f0405ff", "bf61610161629f0203ffff", "826161bf61626163ff",
            // Not the shortest form, keys out of order or twice, no UTF-8, too deep.
            "1800", "1900ff", "1a0000ffff", "1b00000000ffffffff", "5800", "a203040102",
            "a201020103", "61ff", "818181818181818181818101", "ff", "1c", "9bffffffffffffffff",
        ])
    func refused(_ hexadecimal: String) throws {
        #expect(CBOR(try #require(HexBytes.bytes(of: hexadecimal))) == nil)
    }

    #if os(Linux)
        /// Other functions of libfido2, which the project does not need.
        @safe private struct Library {
            typealias SetPIN =
                @convention(c) (
                    OpaquePointer, UnsafePointer<CChar>?, UnsafePointer<CChar>?
                ) -> Int32
            typealias OnDevice = @convention(c) (OpaquePointer) -> Int32

            let functions: UnsafePointer<cfido2_library>
            let setPIN: SetPIN
            let reset: OnDevice

            init?() {
                guard let functions = unsafe cfido2_load("libfido2.so.1"),
                    let handle = unsafe dlopen("libfido2.so.1", RTLD_NOW),
                    let setPIN = unsafe dlsym(handle, "fido_dev_set_pin"),
                    let reset = unsafe dlsym(handle, "fido_dev_reset")
                else { return nil }
                unsafe self.functions = unsafe functions
                unsafe self.setPIN = unsafe unsafeBitCast(setPIN, to: SetPIN.self)
                unsafe self.reset = unsafe unsafeBitCast(reset, to: OnDevice.self)
            }

            func with(
                _ key: SoftwareAuthenticator, _ body: (OpaquePointer) -> Int32
            ) -> Int32 {
                guard let device = unsafe functions.pointee.fido_dev_new() else { return -1 }
                defer {
                    var device: OpaquePointer? = unsafe device
                    unsafe functions.pointee.fido_dev_free(&device)
                }
                var io = SoftwareAuthenticator.functions
                guard unsafe cfido2_set_io(functions, device, &io) == 0,
                    unsafe functions.pointee.fido_dev_open(device, key.path) == 0
                else { return -1 }
                defer { _ = unsafe functions.pointee.fido_dev_close(device) }
                return unsafe body(device)
            }
        }

        @Test("takes a PIN of libfido2, a change of it, and a reset", arguments: [1, 2])
        func pins(_ pinProtocol: Int) throws {
            let library = try #require(Library())
            let fixture = Fixture(pin: nil) { $0.pinProtocols = [pinProtocol] }
            func set(_ pin: String, _ old: String?) -> Int32 {
                unsafe library.with(fixture.key) { device in
                    unsafe library.setPIN(device, pin, old)
                }
            }
            // CTAP2_ERR_PIN_POLICY_VIOLATION, of the library or of the key: four characters, not bytes.
            #expect(set("123", nil) == 0x37)
            #expect(set("\u{10151}", nil) == 0x37)
            #expect(set("4711", nil) == 0)
            #expect(set("0815", nil) == 0x33)
            let credential = try fixture.enroll(Owner(pins: ["4711"])).credential
            #expect(set("0815", "0000") == 0x31)
            fixture.key.change { $0.mustChangePIN = true }
            #expect(set("0815", "4711") == 0)
            let owner = Owner(pins: ["4711", "0815"])
            try fixture.evaluate(credential, owner)
            #expect(owner.questions.contains(.pin(attemptsLeft: 7, wasWrong: true)))
            #expect(unsafe library.with(fixture.key) { unsafe library.reset($0) } == 0)
            #expect(throws: SecurityKeyError.pinNotSet) { try fixture.enroll() }
        }
    #endif
}

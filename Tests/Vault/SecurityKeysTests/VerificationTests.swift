import Platform
import Sealing
import SecretMemory
import SecurityKeys
import SoftwareAuthenticator
import TestSupport
import Testing

@Suite("A security key verifies its owner")
struct VerificationTests {
    private static let evaluation = SoftwareAuthenticator.Command.clientPIN(9)

    @Test("and asks again after a wrong PIN", arguments: [1, 2])
    func wrongOnce(_ pinProtocol: Int) throws {
        let fixture = Fixture { $0.pinProtocols = [pinProtocol] }
        let (credential, output) = try fixture.enroll(Owner(pins: ["4321", "1234"]))
        let owner = Owner(pins: ["12345", "0000", "1234"])
        #expect(try fixture.evaluate(credential, owner) == output)
        #expect(
            owner.questions == [
                .pin(attemptsLeft: 8, wasWrong: false), .pin(attemptsLeft: 7, wasWrong: true),
                .pin(attemptsLeft: 6, wasWrong: true), .touch(.use),
            ])
    }

    @Test("The third wrong PIN blocks until the key is plugged in again, the eighth for good")
    func blocked() throws {
        let fixture = Fixture()
        let credential = try fixture.enroll().credential
        let wrong = Owner(pins: ["0000"])
        #expect(throws: SecurityKeyError.pinTemporarilyBlocked) {
            try fixture.evaluate(credential, wrong)
        }
        #expect(wrong.touches.isEmpty)
        #expect(throws: SecurityKeyError.pinTemporarilyBlocked) { try fixture.evaluate(credential) }
        fixture.key.unplug()
        fixture.key.plugIn()
        #expect(throws: SecurityKeyError.pinTemporarilyBlocked) {
            try fixture.evaluate(credential, Owner(pins: ["0000"]))
        }
        fixture.key.plugIn()
        #expect(throws: SecurityKeyError.pinBlocked) {
            try fixture.evaluate(credential, Owner(pins: ["0000"]))
        }
        fixture.key.plugIn()
        let owner = Owner()
        #expect(throws: SecurityKeyError.pinBlocked) { try fixture.evaluate(credential, owner) }
        #expect(owner.questions.isEmpty)
    }

    @Test("A right PIN gives all attempts back")
    func attempts() throws {
        let fixture = Fixture()
        let credential = try fixture.enroll(Owner(pins: ["0000", "1234"])).credential
        let owner = Owner()
        try fixture.evaluate(credential, owner)
        #expect(owner.questions.first == .pin(attemptsLeft: 8, wasWrong: false))
    }

    @Test(
        "An impossible PIN costs no attempt on the key",
        arguments: ["", "123", "12\u{0}34", String(repeating: "x", count: 64)])
    func impossible(_ pin: String) throws {
        let fixture = Fixture()
        let credential = try fixture.enroll().credential
        #expect(throws: SecurityKeyError.pinWrong(attemptsLeft: 8)) {
            try fixture.evaluate(credential, Owner(pins: [pin]))
        }
        try fixture.evaluate(credential, Owner(pins: [pin, pin, "1234"]))
    }

    @Test("with a PIN of 63 bytes, or of other characters than ASCII")
    func longPIN() throws {
        for pin in [String(repeating: "x", count: 63), "пин-код"] {
            let fixture = Fixture(pin: pin)
            let credential = try fixture.enroll(Owner(pins: [pin])).credential
            try fixture.evaluate(credential, Owner(pins: [pin]))
        }
    }

    @Test("The owner cancels instead of typing the PIN")
    func cancelled() throws {
        let fixture = Fixture()
        let credential = try fixture.enroll().credential
        #expect(throws: Owner.Cancelled.self) {
            try fixture.evaluate(credential, Owner(pins: []))
        }
        #expect(throws: Owner.Cancelled.self) { try fixture.enroll(Owner(pins: [])) }
        #expect(!fixture.key.commands.suffix(3).contains(Self.evaluation))
    }

    @Test(
        "The owner cancels instead of touching a key, which then stops to wait",
        arguments: [true, false])
    func cancelledTouch(_ hasReader: Bool) throws {
        let fixture = Fixture(pin: hasReader ? nil : "1234") {
            $0.reader = hasReader ? .recognises : nil
        }
        let (credential, output) = try fixture.enroll()
        fixture.key.change { $0.touch = .onCall }
        for isWaiting in [true, false] {
            let owner = Owner { touch in
                // Also before the key waits.
                while isWaiting, !fixture.key.isWaiting { SystemSleep.sleep(.milliseconds(1)) }
                throw Owner.Cancelled()
            }
            #expect(throws: Owner.Cancelled.self) { try fixture.evaluate(credential, owner) }
            #expect(!fixture.key.isWaiting)
            #expect(throws: Owner.Cancelled.self) { try fixture.enroll(owner) }
            #expect(!fixture.key.isWaiting)
        }
        // The touch comes first.
        let late = Owner { _ in for _ in 0..<(hasReader ? 2 : 1) { fixture.key.touch() } }
        #expect(try fixture.evaluate(credential, late) == output)
        let other = SoftwareAuthenticator()
        other.change { $0.touch = .onCall }
        let keys = SecurityKeys(devices: SoftwareAuthenticator.devices([fixture.key, other]))
        #expect(throws: Owner.Cancelled.self) {
            _ = try keys.evaluate(
                [(credential, Fixture.salt)], prompts: Owner { _ in throw Owner.Cancelled() })
        }
        #expect(!fixture.key.isWaiting && !other.isWaiting)
    }

    @Test("A key without PIN is refused, and one whose PIN must change")
    func withoutPIN() throws {
        let credential = try Fixture().enroll().credential
        let unset = Fixture(pin: nil)
        #expect(throws: SecurityKeyError.pinNotSet) { try unset.enroll() }
        // It cannot have the credential: it was reset, or it is another one.
        #expect(throws: SecurityKeyError.unknownKey) { try unset.evaluate(credential) }
        let unsupported = Fixture(pin: nil) { $0.supportsPIN = false }
        #expect(throws: SecurityKeyError.noUserVerification) { try unsupported.enroll() }
        #expect(throws: SecurityKeyError.unknownKey) { try unsupported.evaluate(credential) }
        let fixture = Fixture()
        let own = try fixture.enroll().credential
        fixture.key.change { $0.mustChangePIN = true }
        #expect(throws: SecurityKeyError.pinMustChange) { try fixture.enroll() }
        #expect(throws: SecurityKeyError.pinMustChange) { try fixture.evaluate(own) }
    }

    @Test("by its own reader, without a PIN", arguments: [true, false])
    func reader(_ hasPermissions: Bool) throws {
        let fixture = Fixture(pin: nil) {
            $0.reader = .recognises
            $0.hasPermissions = hasPermissions
        }
        let first = Owner(pins: [])
        let (credential, output) = try fixture.enroll(first)
        #expect(first.questions == [.touch(.create), .touch(.use)])
        let second = Owner(pins: [])
        #expect(try fixture.evaluate(credential, second) == output)
        #expect(second.questions == [.touch(.use)])
        let other = try Fixture().enroll().credential
        let third = Owner(pins: [])
        let found = try fixture.keys.evaluate(
            [(other, Fixture.salt), (credential, Fixture.salt)], prompts: third)
        #expect(found.index == 1)
        #expect(third.questions == [.touch(.use), .touch(.use)])
    }

    @Test("by its PIN if its reader does not recognise the owner, or is blocked")
    func readerFails() throws {
        for reader in [SoftwareAuthenticator.Reader.fails, .blocked] {
            let fixture = Fixture { $0.reader = .recognises }
            let (credential, output) = try fixture.enroll(Owner(pins: []))
            fixture.key.change { $0.reader = reader }
            let owner = Owner()
            #expect(try fixture.evaluate(credential, owner) == output)
            #expect(
                owner.questions == [
                    .touch(.use), .pin(attemptsLeft: 8, wasWrong: false), .touch(.use),
                ])
            let alone = Fixture(pin: nil) { $0.reader = .recognises }
            let other = try alone.enroll().credential
            alone.key.change { $0.reader = reader }
            let expected: SecurityKeyError = reader == .fails ? .notRecognised : .readerBlocked
            #expect(throws: expected) { try alone.evaluate(other) }
            #expect(throws: expected) { try alone.enroll() }
        }
    }

    #if os(Linux)
        @Test("and leaves no copy of PIN and output in memory", .endsProcess, arguments: [1, 2])
        func memory(_ pinProtocol: Int) async {
            await #expect(processExitsWith: .success) { [pinProtocol] in
                var pin = try RandomSource.system.secret(count: 40)
                // No zero byte.
                pin.withMutableBytes { bytes in
                    for offset in 0..<40 {
                        let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
                        bytes.storeBytes(of: byte | 1, toByteOffset: offset, as: UInt8.self)
                    }
                }
                let typist = Typist(pin: pin)
                let key = SoftwareAuthenticator(pin: nil)
                key.change { $0.pinProtocols = [pinProtocol] }
                key.setPIN(typist.pin)
                let scan = try #require(MemoryScan())
                scan.add(MaskedSecret("PIN", typist.pin))
                let before = try #require(try scan.run())
                let keys = SecurityKeys(devices: SoftwareAuthenticator.devices([key]))
                func enroll() throws -> SecurityKeyCredential {
                    let new = try keys.enroll(
                        salt: Fixture.salt, userName: "owner", excluding: [], prompts: typist)
                    let output = try new.output.withBytes { try SecretBytes(copying: $0) }
                    scan.add(MaskedSecret("output", output))
                    let present = try #require(try scan.run())
                    #expect(present["output"]?.copies == 2, "the scan sees what is there")
                    return new.credential
                }
                let credential = try enroll()
                _ = try keys.evaluate([(credential, Fixture.salt)], prompts: typist)
                let after = try #require(try scan.run())
                #expect(before["PIN"]?.copies == 1)
                #expect(after["PIN"]?.copies == 1)
                #expect(after["output"]?.found == 0)
            }
        }

        /// Types a secret PIN.
        private final class Typist: SecurityKeyPrompting {
            let pin: SecretBytes

            init(pin: consuming SecretBytes) {
                self.pin = pin
            }

            func pin(attemptsLeft: Int?, wasWrong: Bool) throws -> SecretBytes { try pin.copy() }
            func touch(_ touch: SecurityKeyTouch, until isOver: () -> Bool) {
                while !isOver() {}
            }
        }
    #endif
}

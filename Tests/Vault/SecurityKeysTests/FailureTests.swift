import SecurityKeys
import SoftwareAuthenticator
import TestSupport
import Testing

@Suite("A security key fails")
struct FailureTests {
    /// Each status that an owner can cause, and others.
    static let statuses: [(UInt8, SecurityKeyError)] = [
        (0x01, .failed(code: 0x01)), (0x05, .noTouch), (0x06, .busy), (0x12, .untrusted),
        (0x15, .failed(code: 0x15)), (0x16, .noHMACSecret), (0x19, .alreadyEnrolled),
        (0x22, .unknownKey), (0x26, .failed(code: 0x26)), (0x27, .denied), (0x28, .full),
        (0x2D, .denied), (0x2E, .unknownKey), (0x2F, .noTouch), (0x30, .failed(code: 0x30)),
        (0x32, .pinBlocked), (0x33, .failed(code: 0x33)), (0x34, .pinTemporarilyBlocked),
        (0x35, .pinNotSet), (0x36, .failed(code: 0x36)), (0x37, .pinMustChange),
        (0x38, .failed(code: 0x38)), (0x39, .failed(code: 0x39)), (0x3A, .noTouch),
        (0x3B, .failed(code: 0x3B)), (0x3C, .readerBlocked), (0x3F, .notRecognised),
        (0x40, .failed(code: 0x40)), (0x7F, .failed(code: 0x7F)), (0xF0, .failed(code: 0xF0)),
    ]

    @Test("with a status, which names its cause", arguments: statuses)
    func status(_ status: UInt8, _ expected: SecurityKeyError) throws {
        let fixture = Fixture()
        let credential = try fixture.enroll().credential
        for command in [SoftwareAuthenticator.Command.makeCredential, .clientPIN(9)] {
            fixture.key.change { $0.statuses = [command: status] }
            #expect(throws: expected) { try fixture.enroll() }
        }
        for command in [SoftwareAuthenticator.Command.getAssertion, .clientPIN(9)] {
            fixture.key.change { $0.statuses = [command: status] }
            #expect(throws: expected) { try fixture.evaluate(credential) }
        }
        fixture.key.change { $0.statuses = [:] }
        try fixture.evaluate(credential)
    }

    @Test("and says no status that is of no command of it")
    func otherCommands() throws {
        let fixture = Fixture()
        let credential = try fixture.enroll().credential
        // libfido2 hides the status of the key agreement.
        fixture.key.change { $0.statuses = [.clientPIN(2): 0x7F] }
        #expect(throws: SecurityKeyError.failed(code: -9)) { try fixture.evaluate(credential) }
        fixture.key.change { $0.statuses = [.getInfo: 0x7F] }
        #expect(throws: SecurityKeyError.failed(code: 0x7F)) { try fixture.evaluate(credential) }
        // Without the number of attempts the PIN is asked for all the same.
        fixture.key.change { $0.statuses = [.clientPIN(1): 0x01] }
        let owner = Owner()
        try fixture.evaluate(credential, owner)
        #expect(owner.questions.first == .pin(attemptsLeft: nil, wasWrong: false))
    }

    @Test("if nobody touches it: it gives up, the owner declines, or the time is over")
    func untouched() throws {
        let fixture = Fixture()
        let credential = try fixture.enroll().credential
        for (touch, expected) in [
            (SoftwareAuthenticator.Touch.tooLate, SecurityKeyError.noTouch), (.declined, .denied),
        ] {
            fixture.key.change { $0.touch = touch }
            #expect(throws: expected) { try fixture.evaluate(credential) }
            #expect(throws: expected) { try fixture.enroll() }
        }
        fixture.key.change { $0.touch = .onCall }
        #expect(throws: SecurityKeyError.noTouch) {
            try fixture.evaluate(credential, timeout: .milliseconds(300))
        }
        // It was told to stop blinking.
        #expect(!fixture.key.isWaiting)
        #expect(fixture.key.packets > 1)
        let touching = Owner { _ in fixture.key.touch() }
        try fixture.evaluate(credential, touching)
    }

    @Test("if it is another key, or was reset")
    func unknown() throws {
        let fixture = Fixture()
        let credential = try fixture.enroll().credential
        let owner = Owner()
        #expect(throws: SecurityKeyError.unknownKey) {
            try Fixture().evaluate(credential, owner)
        }
        // The owner need not touch it for that.
        #expect(owner.touches.isEmpty)
        fixture.key.reset()
        #expect(throws: SecurityKeyError.unknownKey) { try fixture.evaluate(credential) }
    }

    @Test("if it lacks an extension, or does not grant what was asked for")
    func extensions() throws {
        #expect(throws: SecurityKeyError.noHMACSecret) {
            try Fixture { $0.hasHMACSecret = false }.enroll()
        }
        #expect(throws: SecurityKeyError.noHMACSecret) {
            try Fixture { $0.omitsHMACSecret = true }.enroll()
        }
        #expect(throws: SecurityKeyError.noHMACSecret) { try Fixture { $0.isOld = true }.enroll() }
        #expect(throws: SecurityKeyError.noCredentialProtection) {
            try Fixture { $0.hasCredentialProtection = false }.enroll()
        }
        for level in [1, 2] {
            #expect(throws: SecurityKeyError.noCredentialProtection) {
                try Fixture { $0.grantedProtection = level }.enroll()
            }
        }
        let credential = try Fixture().enroll().credential
        for lacking in [
            Fixture { $0.hasHMACSecret = false }, Fixture { $0.hasCredentialProtection = false },
            Fixture { $0.isOld = true },
        ] {
            #expect(throws: SecurityKeyError.unknownKey) { try lacking.evaluate(credential) }
        }
        #expect(throws: SecurityKeyError.failed(code: 0x26)) {
            try Fixture { $0.algorithms = [-257] }.enroll()
        }
    }

    @Test("if its answer is not that of its credential, or without verification")
    func untrusted() throws {
        let faults: [(inout SoftwareAuthenticator.Options) -> Void] = [
            { $0.omitsVerifiedFlag = true }, { $0.usesOtherRelyingParty = true },
            { $0.signsWrongly = true }, { $0.omitsOutput = true },
        ]
        for (index, fault) in faults.enumerated() {
            for algorithm in [-7, -8] {
                var options = SoftwareAuthenticator.Options()
                options.algorithms = [algorithm]
                let key = SoftwareAuthenticator(options: options)
                let keys = SecurityKeys(devices: SoftwareAuthenticator.devices([key]))
                let credential = try keys.enroll(
                    salt: Fixture.salt, userName: "owner", excluding: [], prompts: Owner()
                ).credential
                fault(&options)
                let changed = options
                key.change { $0 = changed }
                #expect(throws: SecurityKeyError.untrusted, "\(index)") {
                    _ = try keys.evaluate([(credential, Fixture.salt)], prompts: Owner())
                }
                #expect(throws: SecurityKeyError.untrusted, "\(index)") {
                    _ = try keys.enroll(
                        salt: Fixture.salt, userName: "owner", excluding: [], prompts: Owner())
                }
            }
        }
    }

    @Test("if the id of its credential is longer than any, which no slot holds")
    func longId() throws {
        // The id is found no more, so that a permitted one fails later.
        for (padding, expected) in [
            (1_023 - 51, SecurityKeyError.unknownKey), (1_024 - 51, .untrusted),
        ] {
            #expect(throws: expected) { try Fixture { $0.padding = padding }.enroll() }
        }
    }

    @Test("if the stored public key is another one, or none")
    func publicKey() throws {
        let fixture = Fixture()
        let credential = try fixture.enroll().credential
        let other = try Fixture().enroll().credential
        let edwards = try Fixture { $0.algorithms = [-8] }.enroll().credential
        var offCurve = credential.publicKey
        offCurve[76] ^= 1
        var longer = credential.publicKey
        longer.append(0)
        var algorithm = credential.publicKey
        algorithm[4] = 0x27
        for publicKey in [
            other.publicKey, edwards.publicKey, offCurve, longer, algorithm, [],
            Array(credential.publicKey.dropLast()), [UInt8](repeating: 0, count: 77),
        ] {
            #expect(throws: SecurityKeyError.untrusted) {
                try fixture.evaluate(
                    SecurityKeyCredential(id: credential.id, publicKey: publicKey))
            }
        }
        try fixture.evaluate(credential)
    }

    @Test(
        "if its answer is malformed",
        arguments: [
            [], [0], [0, 0x01], [0, 0xA0], [0, 0xBF], [0, 0xA1, 0x02, 0x41],
            [0, 0xA1, 0x02, 0x58, 0xFF, 0x00], [0] + [UInt8](repeating: 0xFF, count: 1_000),
        ] as [[UInt8]])
    func malformed(_ garbage: [UInt8]) throws {
        let fixture = Fixture()
        let credential = try fixture.enroll().credential
        for command in [
            SoftwareAuthenticator.Command.getInfo, .clientPIN(1), .clientPIN(2), .clientPIN(9),
            .getAssertion, .makeCredential,
        ] {
            fixture.key.change { $0.garbage = [command: garbage] }
            for isEnrolling in [true, false] {
                let error =
                    #expect(throws: (any Error).self, "\(command)") {
                        if isEnrolling {
                            try fixture.enroll(timeout: .milliseconds(300))
                        } else {
                            try fixture.evaluate(credential, timeout: .milliseconds(300))
                        }
                        // These two had no such command, or it is not needed.
                        if command == .makeCredential && !isEnrolling || command == .clientPIN(1) {
                            throw SecurityKeyError.untrusted
                        }
                    }
                #expect(error is SecurityKeyError, "\(command)")
            }
        }
    }

    @Test("or gives the same output, if a bit of an answer is turned", arguments: [1, 2])
    func turnedBit(_ pinProtocol: Int) throws {
        let fixture = Fixture { $0.pinProtocols = [pinProtocol] }
        let (credential, output) = try fixture.enroll()
        try fixture.evaluate(credential)
        let packets = fixture.key.packets
        var random = SeededGenerator(seed: 22)
        var failures = 0
        for _ in 0..<150 {
            let packet = Int.random(in: 1...packets, using: &random)
            let bit = Int.random(in: 0..<512, using: &random)
            fixture.key.plugIn()
            fixture.key.change { $0.turnedBit = (packet, bit) }
            do {
                let found = try fixture.evaluate(credential, timeout: .milliseconds(30))
                #expect(found == output, "bit \(bit) of packet \(packet)")
            } catch is SecurityKeyError {
                failures += 1
            }
        }
        #expect(failures > 30)
    }

    @Test("if it is unplugged, at each packet")
    func unplugged() throws {
        for pinProtocol in [1, 2] {
            let fixture = Fixture { $0.pinProtocols = [pinProtocol] }
            let credential = try fixture.enroll().credential
            let most = fixture.key.packets
            #expect(most > 30)
            for packet in 1...most {
                fixture.key.plugIn()
                fixture.key.change { $0.lastPacket = packet }
                #expect(throws: SecurityKeyError.removed, "packet \(packet)") {
                    try fixture.enroll()
                }
            }
            fixture.key.change { $0.lastPacket = nil }
            fixture.key.plugIn()
            try fixture.evaluate(credential)
            for packet in 1...fixture.key.packets {
                fixture.key.plugIn()
                fixture.key.change { $0.lastPacket = packet }
                #expect(throws: SecurityKeyError.removed, "packet \(packet)") {
                    try fixture.evaluate(credential)
                }
            }
        }
    }

    @Test("if it is silent, at each packet")
    func silent() throws {
        let fixture = Fixture()
        let credential = try fixture.enroll().credential
        try fixture.evaluate(credential)
        for packet in 1...fixture.key.packets {
            fixture.key.plugIn()
            fixture.key.change { $0.silentFrom = packet }
            let error = #expect(throws: SecurityKeyError.self, "packet \(packet)") {
                try fixture.evaluate(credential, timeout: .milliseconds(20))
            }
            // From the opening on there is no more to say.
            #expect(error == .noTouch || error == .failed(code: -2), "packet \(packet)")
        }
    }
}

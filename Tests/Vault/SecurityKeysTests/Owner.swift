import Sealing
import SecretMemory
import SecurityKeys
import SoftwareAuthenticator
import Synchronization
import Testing
import TestSupport

/// The owner of a key, who types PINs in their order, and the last one again.
final class Owner: SecurityKeyPrompting, Sendable {
    /// The questions to the owner.
    enum Question: Hashable {
        case pin(attemptsLeft: Int?, wasWrong: Bool)
        case touch(SecurityKeyTouch)
    }

    struct Cancelled: Error {}

    private let pins: [String]
    private let onTouch: @Sendable (SecurityKeyTouch) throws -> Void
    private let asked = Mutex<[Question]>([])

    /// Without PINs the owner cancels.
    init(
        pins: [String] = ["1234"],
        onTouch: @escaping @Sendable (SecurityKeyTouch) throws -> Void = { _ in }
    ) {
        self.pins = pins
        self.onTouch = onTouch
    }

    var questions: [Question] { asked.withLock { $0 } }

    var touches: [SecurityKeyTouch] {
        questions.compactMap { if case .touch(let touch) = $0 { touch } else { nil } }
    }

    func pin(attemptsLeft: Int?, wasWrong: Bool) throws -> SecretBytes {
        let position = asked.withLock { asked in
            asked.append(.pin(attemptsLeft: attemptsLeft, wasWrong: wasWrong))
            return asked.count { if case .pin = $0 { true } else { false } } - 1
        }
        guard !pins.isEmpty else { throw Cancelled() }
        return try Samples.secret(pins[min(position, pins.count - 1)])
    }

    func touch(_ touch: SecurityKeyTouch, until isOver: () -> Bool) throws {
        asked.withLock { $0.append(.touch(touch)) }
        try onTouch(touch)
        while !isOver() {}
    }
}

/// A key that is plugged in alone.
struct Fixture {
    static let salt = (0..<32).map { UInt8($0) }

    let key: SoftwareAuthenticator
    let keys: SecurityKeys

    init(pin: String? = "1234", _ change: (inout SoftwareAuthenticator.Options) -> Void = { _ in })
    {
        var options = SoftwareAuthenticator.Options()
        change(&options)
        key = SoftwareAuthenticator(pin: pin, options: options)
        keys = SecurityKeys(devices: SoftwareAuthenticator.devices([key]))
    }

    /// Creates a credential; returns its output as well.
    @discardableResult
    func enroll(
        _ owner: Owner = Owner(), excluding: [SecurityKeyCredential] = [],
        salt: [UInt8] = Self.salt, timeout: Duration = .seconds(30)
    ) throws -> (credential: SecurityKeyCredential, output: [UInt8]) {
        let new = try keys.enroll(
            salt: salt, userName: "owner", excluding: excluding, prompts: owner, timeout: timeout)
        return (new.credential, new.output.withBytes(Self.bytes))
    }

    /// The output of a credential.
    @discardableResult
    func evaluate(
        _ credential: SecurityKeyCredential, _ owner: Owner = Owner(),
        salt: [UInt8] = Self.salt, timeout: Duration = .seconds(30)
    ) throws -> [UInt8] {
        let found = try keys.evaluate([(credential, salt)], prompts: owner, timeout: timeout)
        #expect(found.index == 0)
        return found.output.withBytes(Self.bytes)
    }

    static func bytes(_ span: RawSpan) -> [UInt8] {
        (0..<span.byteCount).map { unsafe span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
}

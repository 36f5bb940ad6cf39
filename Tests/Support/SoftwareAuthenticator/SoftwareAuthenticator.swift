package import CFido2
internal import Platform
package import SecretMemory
package import SecurityKeys
internal import Synchronization

/// A security key in software for tests: CTAP 2.1 over CTAPHID, behind libfido2's functions for input and output.
///
/// Its credentials are not discoverable: the id of a credential holds all but the seed, so the same seed gives the same key in another
/// process. PIN and attempts are those of the process. Thread-safe.
package final class SoftwareAuthenticator: Sendable {
    /// The owner's answer when the key blinks.
    package enum Touch: Sendable {
        /// Touches at once.
        case atOnce
        /// Touches when the test calls ``SoftwareAuthenticator/touch()``; each call is one touch, also in advance.
        case onCall
        /// Does not touch, until the key gives up.
        case tooLate
        /// Declines on the key.
        case declined
    }

    /// The key's own reader.
    package enum Reader: Sendable {
        case recognises
        case fails
        case blocked
    }

    /// Properties and faults of a key.
    package struct Options: Sendable {
        package var pinProtocols = [2, 1]
        package var algorithms = [-7, -8]
        package var supportsPIN = true
        package var mustChangePIN = false
        /// CTAP 2.1; otherwise a token has no permissions.
        package var hasPermissions = true
        package var reader: Reader?
        package var hasHMACSecret = true
        package var hasCredentialProtection = true
        /// The granted level; nil for the requested one.
        package var grantedProtection: Int?
        /// A new credential has no hmac-secret, although the key has.
        package var omitsHMACSecret = false
        package var maximumCredentialCount: Int?
        package var maximumIDSize: Int?
        /// Zeros at the end of a new credential's id, with which it is not found again.
        package var padding = 0
        package var touch = Touch.atOnce
        /// Whether the key is of the older standard U2F.
        package var isOld = false
        package var mayBeOpened = true
        package var isBusy = false
        /// The status for a command, instead of its result.
        package var statuses: [Command: UInt8] = [:]
        /// The content of an answer, instead of CBOR.
        package var garbage: [Command: [UInt8]] = [:]
        /// Unplugs the key with this packet, counted from 1 since the last opening.
        package var lastPacket: Int?
        /// The key is silent from this packet on.
        package var silentFrom: Int?
        /// Turns a bit of this packet, if it goes to the computer.
        package var turnedBit: (packet: Int, bit: Int)?
        package var omitsVerifiedFlag = false
        package var usesOtherRelyingParty = false
        package var signsWrongly = false
        package var omitsOutput = false
        package var omitsCredentialId = false

        package init() {}
    }

    /// A command of CTAP 2.1 (section 6), and a subcommand of authenticatorClientPIN.
    package enum Command: Hashable, Sendable {
        case makeCredential
        case getAssertion
        case getInfo
        case clientPIN(Int)
        case reset
        case selection
    }

    let state: Mutex<State>
    private let number: Int

    /// A key that is plugged in.
    ///
    /// - Parameters:
    ///   - seed: 32 bytes, from which all keys of credentials follow.
    ///   - pin: The PIN; nil for a key without.
    ///   - options: Properties and faults.
    package init(
        seed: [UInt8] = RandomSource.system.bytes(count: 32), pin: String? = "1234",
        options: Options = Options()
    ) {
        state = Mutex(State(seed: seed, pin: pin, options: options))
        number = Self.all.withLock { all in
            all.append(Weak())
            return all.count
        }
        Self.all.withLock { $0[number - 1].key = self }
    }

    /// Changes properties and faults.
    package func change(_ change: @Sendable (inout Options) -> Void) {
        state.withLock { change(&$0.options) }
    }

    /// Plugs the key in, after which blocked PINs are accepted again.
    package func plugIn() {
        state.withLock { $0.plugIn() }
    }

    /// Unplugs the key.
    package func unplug() {
        state.withLock { $0.isPluggedIn = false }
    }

    /// Touches the key.
    package func touch() {
        state.withLock { $0.touch() }
    }

    /// Resets the key: all credentials are gone, and the PIN.
    package func reset() {
        state.withLock { $0.reset() }
    }

    /// Sets a PIN, of which no copy stays.
    package func setPIN(_ pin: borrowing SecretBytes) {
        state.withLock { $0.setPIN(pin) }
    }

    /// Whether the key blinks.
    package var isWaiting: Bool { state.withLock { $0.isWaiting } }

    /// The relying parties that the key was asked for.
    package var relyingParties: Set<String> { state.withLock { $0.relyingParties } }

    /// The properties of a credential of this key.
    package func properties(
        of credentialId: [UInt8]
    ) -> (protection: Int, hasHMACSecret: Bool)? {
        state.withLock { $0.credential(credentialId) }.map { ($0.protection, $0.hasHMACSecret) }
    }

    /// The number of packets since the last opening.
    package var packets: Int { state.withLock { $0.packets } }

    /// The commands since the beginning.
    package var commands: [Command] { state.withLock { $0.commands } }

    /// The secret of a credential for hmac-secret with user verification.
    package func secret(of credentialId: [UInt8]) -> [UInt8]? {
        state.withLock { $0.credential(credentialId)?.secret(isVerified: true) }
    }

    // MARK: libfido2

    private struct Weak {
        weak var key: SoftwareAuthenticator?
    }

    /// All keys; a key is found by its position and 1.
    private static let all = Mutex<[Weak]>([])

    /// The keys as devices for `SecurityKeys`.
    package static func devices(_ keys: [SoftwareAuthenticator]) -> SecurityKeyDevices {
        SecurityKeyDevices(
            functions: functions,
            paths: {
                keys.filter { $0.state.withLock { $0.isPluggedIn } }.map(\.path)
            },
            mayOpen: { path in
                key(at: path)?.state.withLock { $0.options.mayBeOpened } ?? false
            })
    }

    /// The path for libfido2.
    package var path: String { "software:\(number)" }

    private static func key(at path: String) -> SoftwareAuthenticator? {
        Int(path.dropFirst("software:".count)).flatMap(key)
    }

    private static func key(_ number: Int) -> SoftwareAuthenticator? {
        all.withLock { $0.indices.contains(number - 1) ? $0[number - 1].key : nil }
    }

    /// A handle is a number, not an address: the key, and how often it was plugged in.
    private static func key(_ handle: UnsafeMutableRawPointer) -> (SoftwareAuthenticator, Int)? {
        let number = UInt(bitPattern: handle)
        return key(Int(number >> 16)).map { ($0, Int(number & 0xFFFF)) }
    }

    /// The functions for libfido2.
    package static let functions = unsafe cfido2_io(
        open: { path in
            guard let key = SoftwareAuthenticator.key(at: unsafe String(cString: path)),
                let generation = key.state.withLock({ $0.open() })
            else { return nil }
            return unsafe UnsafeMutableRawPointer(bitPattern: UInt(key.number << 16 | generation))
        },
        close: { _ in },
        read: { handle, bytes, count, milliseconds in
            guard let (key, generation) = unsafe SoftwareAuthenticator.key(handle) else {
                return -1
            }
            // A key that is silent: nothing, for as long as the caller waits.
            let end = MonotonicTime.now + .milliseconds(Int(milliseconds))
            var packet = key.state.withLock { $0.read(generation) }
            while packet == [], MonotonicTime.now < end {
                SystemSleep.sleep(.milliseconds(1))
                packet = key.state.withLock { $0.read(generation) }
            }
            guard let packet, packet.count == count else { return -1 }
            unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count).copyBytes(from: packet)
            return Int32(count)
        },
        write: { handle, bytes, count in
            guard let (key, generation) = unsafe SoftwareAuthenticator.key(handle) else {
                return -1
            }
            let packet = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
            return key.state.withLock { $0.write(packet, generation) } ? Int32(count) : -1
        })
}

public import Sealing
internal import SecretMemory

/// A credential on a security key.
public struct SecurityKeyCredential: Sendable, Hashable {
    /// The credential id.
    public let id: [UInt8]
    /// The public key, as a COSE_Key.
    public let publicKey: [UInt8]

    /// Creates a credential from stored data.
    public init(id: [UInt8], publicKey: [UInt8]) {
        self.id = id
        self.publicKey = publicKey
    }
}

// Both are frozen, so that other modules can consume their parts.

/// A new credential on a security key, and its output.
@frozen public struct NewSecurityKey: ~Copyable, Sendable {
    /// The credential.
    public let credential: SecurityKeyCredential
    /// The output for the given salt.
    public let output: AuthenticatorOutput
}

/// The output of one of several credentials.
@frozen public struct SecurityKeyEvaluation: ~Copyable, Sendable {
    /// The index of the credential among the allowed ones.
    public let index: Int
    /// The output for the salt of the credential.
    public let output: AuthenticatorOutput
}

/// The security keys of this machine: CTAP 2 with the extension hmac-secret, by libfido2 (`Docs/Format.md`, section 4).
///
/// The relying party id is always `taskvault.localhost`. Each function waits for the owner. Loads no library while no key is connected.
public struct SecurityKeys: Sendable {
    private let devices: SecurityKeyDevices
    private let library: @Sendable () -> FidoLibrary?

    /// Gives access to the keys of this machine.
    public init() {
        self.init(devices: .system)
    }

    /// Gives access to keys with their own functions for input and output.
    package init(devices: SecurityKeyDevices) {
        self.init(devices: devices) { FidoLibrary.shared }
    }

    init(devices: SecurityKeyDevices, library: @escaping @Sendable () -> FidoLibrary?) {
        self.devices = devices
        self.library = library
    }

    /// Whether a security key is connected. Loads no library.
    public var isPluggedIn: Bool { !devices.paths().isEmpty }

    /// Creates a credential on a security key and computes its output: two touches.
    ///
    /// The credential is not discoverable, uses ES256 or else EdDSA, and is protected by credProtect level 3.
    ///
    /// - Parameters:
    ///   - salt: The authenticator salt, 32 bytes.
    ///   - userName: A user name, which a key may display.
    ///   - excluded: The credentials of keys that are enrolled already.
    ///   - prompts: Prompts the owner.
    ///   - timeout: The time limit for one touch.
    /// - Returns: The credential and its output.
    /// - Throws: `SecurityKeyError`; the error of a prompt; `SecretMemoryError.outOfMemory`.
    public func enroll(
        salt: [UInt8], userName: String, excluding excluded: [SecurityKeyCredential],
        prompts: any SecurityKeyPrompting, timeout: Duration = .seconds(30)
    ) throws -> NewSecurityKey {
        let key = try chosenKey(prompts, timeout)
        let credential = try key.create(userName: userName, excluding: excluded)
        return NewSecurityKey(
            credential: credential, output: try key.output(of: credential, for: salt))
    }

    /// Computes the output of the first credential that is on the chosen security key: one touch.
    ///
    /// A key with a fingerprint reader reads the finger twice if several credentials are given.
    ///
    /// - Parameters:
    ///   - wanted: The allowed credentials, each with its authenticator salt of 32 bytes.
    ///   - prompts: Prompts the owner.
    ///   - timeout: The time limit for one touch.
    /// - Returns: The output, and the index of the used credential.
    /// - Throws: `SecurityKeyError`; the error of a prompt; `SecretMemoryError.outOfMemory`.
    public func evaluate(
        _ wanted: [(credential: SecurityKeyCredential, salt: [UInt8])],
        prompts: any SecurityKeyPrompting, timeout: Duration = .seconds(30)
    ) throws -> SecurityKeyEvaluation {
        let key: OpenSecurityKey
        do {
            key = try chosenKey(prompts, timeout)
        } catch let error as SecurityKeyError where error.isUnsuitable {
            // The key was reset, or never had such a credential.
            throw SecurityKeyError.unknownKey
        }
        var index: Int? = 0
        // Report a wrong key or a wrong PIN before the prompt for a touch.
        if wanted.count != 1 || key.requiresPIN {
            index = try key.index(in: wanted.map(\.credential))
        }
        guard let index else { throw SecurityKeyError.unknownKey }
        return SecurityKeyEvaluation(
            index: index,
            output: try key.output(of: wanted[index].credential, for: wanted[index].salt))
    }

    private func chosenKey(
        _ prompts: any SecurityKeyPrompting, _ timeout: Duration
    ) throws -> OpenSecurityKey {
        let paths = devices.paths()
        guard !paths.isEmpty else { throw SecurityKeyError.notPluggedIn }
        guard let library = library() else { throw SecurityKeyError.libraryMissing }
        var usable: [OpenSecurityKey] = []
        var errors: [SecurityKeyError] = []
        for path in paths {
            do {
                usable.append(
                    try OpenSecurityKey(path, of: devices, library, prompts, timeout: timeout))
            } catch let error as SecurityKeyError {
                errors.append(error)
            }
        }
        guard let key = usable.first else { throw errors.first ?? SecurityKeyError.notPluggedIn }
        if usable.count == 1 { return key }
        return try OpenSecurityKey.waitForTouch(among: usable, devices, prompts)
    }
}

extension SecurityKeyError {
    /// Whether the cause is that the key never got a credential of this program.
    fileprivate var isUnsuitable: Bool {
        switch self {
        case .noHMACSecret, .noCredentialProtection, .noUserVerification, .pinNotSet: true
        default: false
        }
    }
}

public import SecretMemory
internal import TextCoding

/// The request of TaskVault's own server for a second factor, after a right password
/// (`Docs/AuthProtocol.md`).
public struct SecondFactorRequest: Sendable, Hashable {
    /// Whether a second factor was sent, and is wrong or was used before.
    public let isRefused: Bool
    /// Whether the server accepts a passkey.
    public let acceptsPasskey: Bool
    /// Whether the server accepts a code of an authenticator app.
    public let acceptsCode: Bool
    /// The challenge for a passkey; nil unless the sign-in named a page.
    public let challenge: PasskeyRequest?

    /// Reads the error response of the token endpoint; nil for any other error.
    init?(_ object: JSONObject, _ bytes: RawSpan) {
        switch object.text("error", in: bytes) {
        case "mfa_required": isRefused = false
        case "mfa_invalid": isRefused = true
        default: return nil
        }
        let methods = object.texts("mfa_methods", in: bytes) ?? []
        acceptsPasskey = methods.contains("passkey")
        acceptsCode = methods.contains("otp")
        challenge = PasskeyRequest(object, bytes)
    }
}

/// A challenge for a passkey of an account.
public struct PasskeyRequest: Sendable, Hashable {
    /// The challenge.
    public let challenge: [UInt8]
    /// The relying party id.
    public let relyingPartyID: String
    /// The ids of the account's passkeys.
    public let credentials: [[UInt8]]

    /// Reads the members of a challenge; nil if one is missing or not Base64.
    init?(_ object: JSONObject, _ bytes: RawSpan) {
        guard
            let challenge = object.text("challenge", in: bytes)
                .flatMap({ Base64.bytes(of: $0, .url) }),
            let party = object.text("rp_id", in: bytes),
            let texts = object.texts("credentials", in: bytes)
        else { return nil }
        let credentials = texts.compactMap { Base64.bytes(of: $0, .url) }
        guard credentials.count == texts.count else { return nil }
        self.challenge = challenge
        relyingPartyID = party
        self.credentials = credentials
    }
}

/// A second factor that a sign-in or a change of the account sends.
public final class SecondFactorAnswer: Sendable {
    private static let digits = 6

    /// The code in guarded memory, with the name of its parameter.
    private let code: SecretBytes?
    private let codeName: String
    /// Parameters that are no secrets.
    private let fields: [(name: String, value: String)]

    /// A code of an authenticator app, which is six digits, or else a recovery code.
    public init(typed: consuming SecretBytes) {
        let isCode = typed.withBytes { bytes in
            let digits = (0..<bytes.byteCount).filter { bytes[$0] != UInt8(ascii: " ") }
            return digits.count == Self.digits
                && digits.allSatisfy {
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[$0])
                }
        }
        codeName = isCode ? "otp" : "recovery_code"
        code = .some(typed)
        fields = []
    }

    /// The answer of a passkey: its id, the client data, the authenticator data and the signature.
    public init(
        credential: [UInt8], clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8]
    ) {
        code = .none
        codeName = ""
        fields = [
            ("credential_id", credential), ("client_data", clientData),
            ("authenticator_data", authenticatorData), ("signature", signature),
        ].map { ($0.0, Base64.urlText(of: $0.1)) }
    }

    /// No second factor, but the origin of a page, for which the server makes a challenge.
    public init(page origin: String) {
        code = .none
        codeName = ""
        fields = [("page_origin", origin)]
    }

    /// The capacity that ``appendFields(to:)`` and ``appendMembers(to:)`` need, in bytes.
    var size: Int {
        let codeSize =
            switch code {
            case .some(let code): SecretText.size(code.count)
            case .none: 0
            }
        return fields.map { SecretText.size($0.value.utf8.count) }.reduce(codeSize, +)
    }

    /// Appends the parameters to a form.
    func appendFields(to form: inout SecretText) {
        for (name, value) in fields { value.withBytes { form.appendField(name, $0) } }
        switch code {
        case .some(let code): code.withBytes { form.appendField(codeName, $0) }
        case .none: break
        }
    }

    /// Appends the members to an open JSON object.
    func appendMembers(to object: inout SecretText) {
        for (name, value) in fields { value.withBytes { object.appendMember(name, $0) } }
        switch code {
        case .some(let code): code.withBytes { object.appendMember(codeName, $0) }
        case .none: break
        }
    }
}

/// A second factor of an account, as TaskVault's own server lists it.
public struct AccountFactor: Sendable, Hashable {
    /// The server's id.
    public let id: String
    /// `totp`, or `passkey`.
    public let kind: String
    /// The name that the owner gave; may be empty.
    public let label: String
    /// The time at which it was added, in the server's format.
    public let created: String
    /// The time of the last use, in the server's format; nil before the first.
    public let used: String?

    /// Reads a factor; nil if a member is missing.
    init?(_ object: JSONObject, _ bytes: RawSpan) {
        guard let id = object.text("id", in: bytes), let kind = object.text("kind", in: bytes),
            let created = object.text("created", in: bytes)
        else { return nil }
        self.id = id
        self.kind = kind
        label = object.text("label", in: bytes) ?? ""
        self.created = created
        used = object.text("used", in: bytes)
    }
}

/// The second factors of an account, as TaskVault's own server lists them.
public struct AccountFactors: Sendable, Hashable {
    /// The factors, oldest first.
    public let factors: [AccountFactor]
    /// The number of unused recovery codes.
    public let recoveryCodesLeft: Int
}

/// A change of an account's second factors at TaskVault's own server.
public final class AccountFactorChange: Sendable {
    /// The end of the path, after that of the second factors.
    let path: String
    private let fields: [(name: String, value: String)]
    private let secret: SecretBytes?
    private let code: SecretBytes?

    /// Adds an authenticator app: its secret in Base32, and a code of it.
    public init(secret: consuming SecretBytes, code: consuming SecretBytes) {
        path = ""
        fields = []
        self.secret = .some(secret)
        self.code = .some(code)
    }

    /// Adds a passkey: the client data and the attestation object of its registration, and a label.
    public convenience init(clientData: [UInt8], attestation: [UInt8], label: String) {
        self.init(
            "",
            [
                ("registration_data", Base64.urlText(of: clientData)),
                ("attestation_object", Base64.urlText(of: attestation)), ("label", label),
            ])
    }

    /// Removes the factor with this id, or `all`.
    public convenience init(removing factor: String) {
        self.init("/remove", [("factor", factor)])
    }

    /// Replaces the recovery codes.
    public static var recoveryCodes: AccountFactorChange {
        AccountFactorChange("/recovery-codes", [])
    }

    private init(_ path: String, _ fields: [(name: String, value: String)]) {
        self.path = path
        self.fields = fields
        secret = .none
        code = .none
    }

    /// The capacity that ``appendMembers(to:)`` needs, in bytes.
    var size: Int {
        let secretSize =
            switch secret {
            case .some(let secret): SecretText.size(secret.count)
            case .none: 0
            }
        let codeSize =
            switch code {
            case .some(let code): SecretText.size(code.count)
            case .none: 0
            }
        return fields.map { SecretText.size($0.value.utf8.count) }
            .reduce(secretSize + codeSize, +)
    }

    /// Appends the members to an open JSON object.
    func appendMembers(to object: inout SecretText) {
        for (name, value) in fields { value.withBytes { object.appendMember(name, $0) } }
        switch secret {
        case .some(let secret): secret.withBytes { object.appendMember("secret", $0) }
        case .none: break
        }
        switch code {
        case .some(let code): code.withBytes { object.appendMember("code", $0) }
        case .none: break
        }
    }
}

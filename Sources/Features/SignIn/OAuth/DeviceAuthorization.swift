internal import HTTPClient
internal import SecretMemory
internal import TextCoding

/// The server's answer to a device authorization request (RFC 8628, section 3.2).
struct DeviceAuthorization: ~Copyable {
    /// The interval if the server names none.
    private static let standardInterval: UInt32 = 5
    /// The range of accepted lifetimes, in seconds. A longer one is shortened.
    private static let lifetimes: ClosedRange<UInt32> = 1...3_600
    /// The maximum length of a user code, in Unicode scalars.
    private static let maximumCodeLength = 64

    /// Identifies this sign-in at the token endpoint.
    let deviceCode: SecretBytes
    /// The code for the person to type; without control characters.
    let userCode: String
    /// The page for the user code.
    let address: WebURL
    /// The page with the user code filled in; nil without one.
    let completeAddress: WebURL?
    /// The lifetime of both codes, in seconds.
    let lifetime: UInt32
    /// The minimum time between two requests, in seconds.
    let interval: UInt32

    /// Reads the answer of an issuer's server.
    ///
    /// - Throws: `broken`; `SecretMemoryError.outOfMemory`.
    init(_ bytes: RawSpan, of issuer: Issuer) throws {
        let error = SignInError.broken(detail: "its answer is not that of the device grant")
        guard let object = JSONObject(answer: bytes),
            let deviceCode = try object.token("device_code", in: bytes),
            let userCode = object.text("user_code", in: bytes), !userCode.isEmpty,
            userCode.unicodeScalars.count <= Self.maximumCodeLength,
            let lifetime = object.seconds("expires_in", in: bytes),
            // Google's name for it is that of a draft.
            let address =
                (object.text("verification_uri", in: bytes)
                ?? object.text("verification_url", in: bytes)).flatMap({ Self.page($0, of: issuer) }
                )
        else { throw error }
        self.deviceCode = deviceCode
        self.userCode = VisibleText.escape(userCode)
        self.address = address
        completeAddress = object.text("verification_uri_complete", in: bytes)
            .flatMap { Self.page($0, of: issuer) }
        self.lifetime = min(max(lifetime, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
        interval = max(object.seconds("interval", in: bytes) ?? Self.standardInterval, 1)
    }

    /// A page over TLS, or of this machine if the issuer is of this machine.
    private static func page(_ text: String, of issuer: Issuer) -> WebURL? {
        guard let url = try? WebURL(text),
            url.scheme == .https || url.isLoopback && issuer.url.isLoopback
        else { return nil }
        return url
    }
}

/// The answer of the token endpoint to a request with a device code (RFC 8628, section 3.5).
enum DeviceAnswer: ~Copyable {
    /// The person signed in.
    case granted(GrantedTokens)
    /// The person has not signed in yet.
    case pending
    /// As `pending`; all further requests must wait 5 seconds longer.
    case slowDown
}

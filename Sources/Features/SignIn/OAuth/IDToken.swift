internal import SecretMemory
internal import TextCoding

/// The ID token of a sign-in (OpenID Connect Core 1.0, section 2).
enum IDToken {
    /// The tolerated difference of clocks.
    private static let tolerance = Duration.seconds(300)

    /// Verifies an ID token that came directly from the token endpoint. TLS replaces the check of
    /// its signature (section 3.1.3.7, number 6).
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - metadata: The issuer that it must name.
    ///   - clientID: The client that it must be for.
    ///   - nonce: The nonce of the request; nil if the request had none.
    ///   - now: The time, by the server's clock if that is known.
    /// - Returns: The name of the account: the e-mail address, the preferred name, or the subject.
    /// - Throws: `untrusted`; `SecretMemoryError.outOfMemory`.
    static func account(
        in token: borrowing SecretBytes, of metadata: ServerMetadata, for clientID: String,
        nonce: String?, at now: PointInTime
    ) throws -> AccountName? {
        let claims = try token.withBytes { (bytes) throws in try payload(of: bytes) }
        guard let claims else { throw SignInError.untrusted(detail: "its ID token is not valid") }
        return try claims.withBytes { (bytes) throws -> AccountName? in
            guard let object = JSONObject(answer: bytes) else {
                throw SignInError.untrusted(detail: "its ID token is not valid")
            }
            guard object.text("iss", in: bytes).map(metadata.isIssuer) == true else {
                throw SignInError.untrusted(detail: "its ID token is of another server")
            }
            let audience =
                object.text("aud", in: bytes).map { [$0] } ?? object.texts("aud", in: bytes) ?? []
            let party = object.text("azp", in: bytes)
            guard audience.contains(clientID),
                party == clientID || party == nil && audience.count == 1
            else { throw SignInError.untrusted(detail: "its ID token is for another program") }
            guard let seconds = object.numberText("exp", in: bytes).flatMap({ Double($0) }),
                let end = Int64(exactly: seconds.rounded(.down)),
                now < PointInTime(seconds: end).advanced(by: tolerance)
            else { throw SignInError.untrusted(detail: "its ID token has expired") }
            guard nonce == nil || object.text("nonce", in: bytes) == nonce else {
                throw SignInError.untrusted(detail: "its ID token is for another sign-in")
            }
            // A lazy sequence would keep the bytes.
            let names = ["email", "preferred_username", "sub"].map { object.text($0, in: bytes) }
            return names.compactMap { $0.flatMap { AccountName($0) } }.first
        }
    }

    /// The decoded claims between the two dots (RFC 7515, section 3.1); nil for another form.
    private static func payload(of token: RawSpan) throws -> SecretBytes? {
        var dots: [Int] = []
        for offset in 0..<token.byteCount where token[offset] == UInt8(ascii: ".") {
            dots.append(offset)
        }
        guard dots.count == 2 else { return nil }
        return try Base64.secret(of: token.extracting((dots[0] + 1)..<dots[1]), .url)
    }
}

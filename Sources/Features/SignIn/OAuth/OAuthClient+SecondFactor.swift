internal import HTTPClient
public import SecretMemory
internal import TextCoding

/// The second factors of an account at TaskVault's own server.
extension OAuthClient {
    private static let path = "/second-factor"

    /// The second factors of an account.
    ///
    /// - Throws: `rejected` if the token is no longer valid; `unsupported`.
    public func secondFactors(_ accessToken: borrowing SecretBytes) throws -> AccountFactors {
        let response = try get(Self.path, by: accessToken)
        guard response.status == 200 else {
            throw ErrorResponse(response).removing(accessToken).accountError
        }
        return try response.content.withBytes { (bytes) throws in
            guard let object = JSONObject(answer: bytes),
                let ranges = object.elements("factors", in: bytes),
                let left = object.number("recovery_codes_left", in: bytes).flatMap({
                    Int(exactly: $0)
                })
            else { throw Self.noAnswer }
            let factors = try ranges.map { range in
                let element = bytes.extracting(range)
                guard let object = JSONObject(answer: element),
                    let factor = AccountFactor(object, element)
                else { throw Self.noAnswer }
                return factor
            }
            return AccountFactors(factors: factors, recoveryCodesLeft: left)
        }
    }

    /// A challenge of the server for a passkey in the browser: to register a new passkey, or to confirm a change with an existing one.
    ///
    /// - Throws: As ``secondFactors(_:)``.
    public func passkeyChallenge(
        registering: Bool, page origin: String, _ accessToken: borrowing SecretBytes
    ) throws -> PasskeyRequest {
        var object = try SecretText(capacity: 2 * SecretText.size(origin.utf8.count))
        (registering ? "register" : "confirm").withBytes { object.appendMember("purpose", $0) }
        origin.withBytes { object.appendMember("page_origin", $0) }
        let response = try send(object, to: Self.path + "/challenge", by: accessToken)
        guard response.status == 200 else {
            throw ErrorResponse(response).removing(accessToken).accountError
        }
        return try response.content.withBytes { (bytes) throws in
            guard let object = JSONObject(answer: bytes),
                let request = PasskeyRequest(object, bytes)
            else { throw Self.noAnswer }
            return request
        }
    }

    /// Changes the second factors of an account.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - password: The account's password.
    ///   - answer: A second factor that the account has; nil if it has none.
    ///   - accessToken: An access token.
    /// - Returns: New recovery codes, one per line; nil if the earlier ones stay.
    /// - Throws: `rejected` if the token is no longer valid; `refused` with the reason; `unsupported`.
    public func changeSecondFactors(
        _ change: AccountFactorChange, password: borrowing SecretBytes,
        confirmedBy answer: SecondFactorAnswer?, _ accessToken: borrowing SecretBytes
    ) throws -> SecretBytes? {
        var object = try SecretText(
            capacity: SecretText.size(password.count) + (answer?.size ?? 0) + change.size)
        password.withBytes { object.appendMember("current_password", $0) }
        answer?.appendMembers(to: &object)
        change.appendMembers(to: &object)
        let response = try send(object, to: Self.path + change.path, by: accessToken)
        guard response.status == 200 else {
            throw ErrorResponse(response).removing(password).removing(accessToken).accountError
        }
        return try response.content.withBytes { (bytes) throws -> SecretBytes? in
            guard let object = JSONObject(answer: bytes) else { throw Self.noAnswer }
            guard object.has("recovery_codes") else { return nil }
            guard let ranges = object.elements("recovery_codes", in: bytes) else {
                throw Self.noAnswer
            }
            return .some(try Self.lines(ranges, bytes))
        }
    }

    /// The strings of an array as lines in guarded memory: printable ASCII without quotes and
    /// backslashes.
    private static func lines(_ ranges: [Range<Int>], _ bytes: RawSpan) throws -> SecretBytes {
        var text = try SecretText(capacity: ranges.map { $0.count + 1 }.reduce(0, +))
        for range in ranges {
            let inner = range.dropFirst().dropLast()
            guard !inner.isEmpty,
                inner.allSatisfy({
                    (0x21...0x7E).contains(bytes[$0]) && bytes[$0] != UInt8(ascii: "\"")
                        && bytes[$0] != UInt8(ascii: "\\")
                })
            else { throw noAnswer }
            if range != ranges.first { text.append("\n") }
            for offset in inner { text.append(bytes[offset]) }
        }
        return text.finish()
    }
}

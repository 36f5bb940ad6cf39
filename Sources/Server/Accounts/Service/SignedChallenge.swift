internal import Passkeys
internal import Sealing
internal import SecretMemory
internal import TextCoding

/// A challenge for a passkey that no server stores, so that a stranger with the password fills no table: a random value and a time, with a keyed
/// hash over both, the account, the kind of ceremony and the page's origin.
///
/// The form: random[16] ‖ milliseconds since 1970, big-endian[8] ‖ hash[32]. Each factor notes the random values that it accepted.
struct SignedChallenge {
    private static let randomSize = 16
    private static let headSize = 24

    let pseudonyms: PseudonymKey
    let account: AccountID
    /// The type in the client data, such as `webauthn.get`.
    let type: String

    /// Makes a challenge for a page.
    func make(for origin: String, at now: PointInTime, random: RandomSource) -> [UInt8] {
        let time = UInt64(bitPattern: now.milliseconds)
        let head =
            random.bytes(count: Self.randomSize)
            + (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
        return head + hash(head, origin)
    }

    /// Checks the description of a ceremony by the browser.
    ///
    /// - Returns: The random value of the challenge; nil for another kind of ceremony, another account, a page of another origin or in another
    ///   page, a challenge of no server with this key, and one older than two minutes.
    /// - Throws: `PasskeyError.malformed`.
    func answered(in clientData: [UInt8], at now: PointInTime) throws -> [UInt8]? {
        let data = try ClientData(clientData)
        guard data.type == type, !data.isCrossOrigin,
            let challenge = Base64.bytes(of: data.challenge, .url),
            challenge.count == Self.headSize + AttemptKey.size
        else { return nil }
        let head = Array(challenge.prefix(Self.headSize))
        guard
            ConstantTime.areEqual(
                Array(challenge.suffix(AttemptKey.size)), hash(head, data.origin))
        else { return nil }
        let time = PointInTime(
            milliseconds: Int64(
                bitPattern: head.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
        // In both directions: the clock may have been set back, and another server's may be ahead.
        let validity = PasskeyCeremonies.validity
        guard now < time.advanced(by: validity), time < now.advanced(by: validity)
        else { return nil }
        return Array(head.prefix(Self.randomSize))
    }

    private func hash(_ head: [UInt8], _ origin: String) -> [UInt8] {
        pseudonyms.challenge([type, account.text, origin, Hexadecimal.text(head)])
    }
}

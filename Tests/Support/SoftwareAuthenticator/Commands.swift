internal import CSodium
internal import SecretMemory

/// CTAP 2.1, section 6.
extension SoftwareAuthenticator.State {
    /// A pinUvAuthToken.
    struct Token {
        let bytes = RandomSource.system.bytes(count: 32)
        let permissions: Int
        let relyingParty: String?
    }

    /// A failed command.
    struct Failure: Error {
        let status: UInt8

        static let invalidCommand = Failure(status: 0x01)
        static let invalidParameter = Failure(status: 0x02)
        static let invalidCBOR = Failure(status: 0x12)
        static let missingParameter = Failure(status: 0x14)
        static let limitExceeded = Failure(status: 0x15)
        static let credentialExcluded = Failure(status: 0x19)
        static let unsupportedAlgorithm = Failure(status: 0x26)
        static let unsupportedOption = Failure(status: 0x2B)
        static let invalidOption = Failure(status: 0x2C)
        static let noCredentials = Failure(status: 0x2E)
        static let notAllowed = Failure(status: 0x30)
        static let pinInvalid = Failure(status: 0x31)
        static let pinBlocked = Failure(status: 0x32)
        static let pinAuthInvalid = Failure(status: 0x33)
        static let pinAuthBlocked = Failure(status: 0x34)
        static let pinNotSet = Failure(status: 0x35)
        static let authenticationRequired = Failure(status: 0x36)
        static let pinPolicyViolation = Failure(status: 0x37)
        static let verificationBlocked = Failure(status: 0x3C)
        static let verificationInvalid = Failure(status: 0x3F)
    }

    private static let aaguid = Array("software for use".utf8)

    /// Runs a command and sends its answer, now or after a touch.
    mutating func run(_ message: [UInt8]) {
        let parameters = message.count > 1 ? CBOR(Array(message.dropFirst())) : .map([:])
        let command: SoftwareAuthenticator.Command? =
            switch message[0] {
            case 0x01: .makeCredential
            case 0x02: .getAssertion
            case 0x04: .getInfo
            case 0x06: .clientPIN(parameters?[2]?.number ?? 0)
            case 0x07: .reset
            case 0x0B: .selection
            default: nil
            }
        guard let command else { return answer([Failure.invalidCommand.status]) }
        commands.append(command)
        if let status = options.statuses[command] { return answer([status]) }
        if let garbage = options.garbage[command] { return answer(garbage) }
        do {
            guard let parameters else { throw Failure.invalidCBOR }
            switch command {
            case .makeCredential: try makeCredential(parameters)
            case .getAssertion: try getAssertion(parameters)
            case .getInfo: answer([0] + information.encoded)
            case .clientPIN(let subcommand): try clientPIN(subcommand, parameters)
            case .reset:
                answerAfterTouch {
                    $0.reset()
                    return [0]
                }
            case .selection: answerAfterTouch { _ in [0] }
            }
        } catch let failure as Failure {
            answer([failure.status])
        } catch {
            answer([0x7F])
        }
    }

    /// Sets a PIN, of which no copy stays.
    mutating func setPIN(_ pin: borrowing SecretBytes) {
        var digest = [UInt8](repeating: 0, count: 32)
        pin.withBytes { bytes in
            unsafe bytes.withUnsafeBytes {
                _ = unsafe crypto_hash_sha256(
                    &digest, $0.assumingMemoryBound(to: UInt8.self).baseAddress,
                    UInt64($0.count))
            }
        }
        sodium_stackzero(4_096)
        pinHash = Array(digest.prefix(16))
    }

    mutating func reset() {
        seed = RandomSource.system.bytes(count: 32)
        pinHash = nil
        attemptsLeft = 8
        wrongSincePower = 0
        token = nil
    }

    /// The answer of authenticatorGetInfo (section 6.4).
    private var information: CBOR {
        var settings: [CBOR: CBOR] = [
            .text("rk"): .bool(false), .text("up"): .bool(true), .text("plat"): .bool(false),
        ]
        if options.supportsPIN { settings[.text("clientPin")] = .bool(pinHash != nil) }
        if options.reader != nil { settings[.text("uv")] = .bool(true) }
        if options.hasPermissions { settings[.text("pinUvAuthToken")] = .bool(true) }
        let extensions =
            (options.hasCredentialProtection ? [CBOR.text("credProtect")] : [])
            + (options.hasHMACSecret ? [.text("hmac-secret")] : [])
        var members: [CBOR: CBOR] = [
            .number(1): .array(
                [.text("FIDO_2_0")] + (options.hasPermissions ? [.text("FIDO_2_1")] : [])),
            .number(2): .array(extensions),
            .number(3): .bytes(Self.aaguid),
            .number(4): .map(settings),
            .number(5): .number(1_200 + options.padding),
            .number(6): .array(options.pinProtocols.map(CBOR.number)),
            .number(10): .array(
                options.algorithms.map {
                    .map([.text("alg"): .number($0), .text("type"): .text("public-key")])
                }),
            .number(13): .number(4),
        ]
        members[.number(7)] = options.maximumCredentialCount.map(CBOR.number)
        members[.number(8)] = options.maximumIDSize.map(CBOR.number)
        if options.mustChangePIN { members[.number(12)] = .bool(true) }
        return .map(members)
    }

    // MARK: Credentials

    /// A credential; its id is nonce (16 bytes), algorithm, level of credProtect, hmac-secret, and a code of 32 bytes.
    struct Credential {
        let nonce: [UInt8]
        let algorithm: Int
        let protection: Int
        let hasHMACSecret: Bool
        let seed: [UInt8]

        private var properties: [UInt8] {
            nonce + [UInt8(-algorithm), UInt8(protection), hasHMACSecret ? 1 : 0]
        }

        var id: [UInt8] { properties + SHA256.authenticate([0] + properties, seed) }

        private var privateKey: [UInt8] { SHA256.authenticate([1] + properties, seed) }

        /// CredRandomWithUV or CredRandomWithoutUV (section 12.5).
        func secret(isVerified: Bool) -> [UInt8] {
            SHA256.authenticate([isVerified ? 2 : 3] + properties, seed)
        }

        var publicKey: CBOR {
            if algorithm == -8 {
                return .map([
                    .number(1): .number(1), .number(3): .number(-8), .number(-1): .number(6),
                    .number(-2): .bytes(Array(edwards.suffix(32))),
                ])
            }
            return SoftwareAuthenticator.State.encoded(P256.publicKey(of: privateKey), -7)
        }

        func sign(_ message: [UInt8]) -> [UInt8] {
            if algorithm == -7 { return P256.sign(message, privateKey) }
            var signature = [UInt8](repeating: 0, count: 64)
            unsafe crypto_sign_detached(
                &signature, nil, message, UInt64(message.count), edwards)
            return signature
        }

        /// The key pair of Ed25519: the seed and the public key.
        private var edwards: [UInt8] {
            var publicKey = [UInt8](repeating: 0, count: 32)
            var pair = [UInt8](repeating: 0, count: 64)
            unsafe crypto_sign_seed_keypair(&publicKey, &pair, privateKey)
            return pair
        }
    }

    /// The credential of an id; nil if it is of another key.
    func credential(_ id: [UInt8]) -> Credential? {
        guard id.count == 51 else { return nil }
        let credential = Credential(
            nonce: Array(id.prefix(16)), algorithm: -Int(id[16]), protection: Int(id[17]),
            hasHMACSecret: id[18] == 1, seed: seed)
        return credential.id == id ? credential : nil
    }

    /// A point of P-256 as a COSE_Key.
    static func encoded(_ point: [UInt8], _ algorithm: Int) -> CBOR {
        .map([
            .number(1): .number(2), .number(3): .number(algorithm), .number(-1): .number(1),
            .number(-2): .bytes(Array(point.prefix(32))),
            .number(-3): .bytes(Array(point.suffix(32))),
        ])
    }

    /// Whether its owner is verified, by a token or the key's own reader; nil if the key waits for a touch instead.
    private mutating func verification(
        _ parameter: CBOR?, _ number: CBOR?, _ hash: [UInt8], _ relyingParty: String,
        permission: Int, option: Bool
    ) throws -> Bool? {
        if let parameter = parameter?.bytes {
            if parameter.isEmpty {
                // To select a key, libfido2 asks for a relying party of its own.
                let status = pinHash == nil ? Failure.pinNotSet : Failure.pinInvalid
                answerAfterTouch { _ in [status.status] }
                return nil
            }
            let pinProtocol = try self.pinProtocol(number)
            guard let token, pinProtocol.verify(hash, parameter, token.bytes),
                token.permissions & permission != 0,
                token.relyingParty == nil || token.relyingParty == relyingParty
            else { throw Failure.pinAuthInvalid }
            relyingParties.insert(relyingParty)
            return true
        }
        relyingParties.insert(relyingParty)
        guard option else { return false }
        try askReader()
        return true
    }

    /// Checks a list of ids.
    private func checkLimits(_ ids: [[UInt8]]) throws {
        if ids.count > options.maximumCredentialCount ?? .max
            || ids.contains(where: { $0.count > options.maximumIDSize ?? .max })
        {
            throw Failure.limitExceeded
        }
    }

    func askReader() throws {
        switch options.reader {
        case .recognises: break
        case .fails: throw Failure.verificationInvalid
        case .blocked: throw Failure.verificationBlocked
        case nil: throw Failure.invalidOption
        }
    }

    // MARK: authenticatorMakeCredential (section 6.1)

    private mutating func makeCredential(_ parameters: CBOR) throws {
        guard let hash = parameters[1]?.bytes, let party = parameters[2]?["id"]?.text,
            parameters[3]?["id"]?.bytes != nil, let algorithms = parameters[4]?.array
        else { throw Failure.missingParameter }
        if parameters[7]?["rk"]?.bool == true { throw Failure.unsupportedOption }
        if parameters[7]?["up"]?.bool == false { throw Failure.invalidOption }
        let verified = try verification(
            parameters[8], parameters[9], hash, party, permission: 1,
            option: parameters[7]?["uv"]?.bool ?? false)
        guard let verified else { return }
        let wanted = algorithms.compactMap { $0["alg"]?.number }
        guard let algorithm = wanted.first(where: options.algorithms.contains) else {
            throw Failure.unsupportedAlgorithm
        }
        if !verified, pinHash != nil || options.reader != nil {
            throw Failure.authenticationRequired
        }
        let excluded = (parameters[5]?.array ?? []).compactMap { $0["id"]?.bytes }
        try checkLimits(excluded)
        if excluded.contains(where: {
            credential($0).map { $0.protection < 3 || verified } ?? false
        }) {
            return answerAfterTouch { _ in [Failure.credentialExcluded.status] }
        }

        let protection =
            options.hasCredentialProtection ? parameters[6]?["credProtect"]?.number : nil
        let wantsSecret =
            options.hasHMACSecret && !options.omitsHMACSecret
            && parameters[6]?["hmac-secret"]?.bool == true
        let new = Credential(
            nonce: RandomSource.system.bytes(count: 16), algorithm: algorithm,
            protection: protection.map { options.grantedProtection ?? $0 } ?? 1,
            hasHMACSecret: wantsSecret, seed: seed)
        var extensions: [CBOR: CBOR] = [:]
        if protection != nil { extensions[.text("credProtect")] = .number(new.protection) }
        if wantsSecret { extensions[.text("hmac-secret")] = .bool(true) }
        let results = extensions
        answerAfterTouch { state in
            let id = new.id + [UInt8](repeating: 0, count: state.options.padding)
            let attested =
                Self.aaguid + [UInt8(id.count >> 8), UInt8(id.count & 0xFF)] + id
                + new.publicKey.encoded
            let data = state.authenticatorData(party, verified, attested, results)
            let statement: CBOR = .map([
                .text("alg"): .number(algorithm), .text("sig"): .bytes(new.sign(data + hash)),
            ])
            return [0]
                + CBOR.map([
                    .number(1): .text("packed"), .number(2): .bytes(data), .number(3): statement,
                ]).encoded
        }
    }

    /// The authenticator data (WebAuthn level 2, section 6.1).
    private mutating func authenticatorData(
        _ party: String, _ isVerified: Bool, _ attested: [UInt8], _ extensions: [CBOR: CBOR],
        isPresent: Bool = true
    ) -> [UInt8] {
        counter += 1
        let party = options.usesOtherRelyingParty ? "localhost" : party
        let flags: UInt8 =
            (isPresent ? 0x01 : 0) | (isVerified && !options.omitsVerifiedFlag ? 0x04 : 0)
            | (attested.isEmpty ? 0 : 0x40) | (extensions.isEmpty ? 0 : 0x80)
        return SHA256.hash(Array(party.utf8)) + [flags] + Self.bytes(counter) + attested
            + (extensions.isEmpty ? [] : CBOR.map(extensions).encoded)
    }

    // MARK: authenticatorGetAssertion (section 6.2)

    private mutating func getAssertion(_ parameters: CBOR) throws {
        guard let party = parameters[1]?.text, let hash = parameters[2]?.bytes else {
            throw Failure.missingParameter
        }
        if parameters[5]?["rk"] != nil { throw Failure.unsupportedOption }
        let isPresent = parameters[5]?["up"]?.bool ?? true
        let verified = try verification(
            parameters[6], parameters[7], hash, party, permission: 2,
            option: parameters[5]?["uv"]?.bool ?? false)
        guard let verified else { return }
        let allowed = (parameters[3]?.array ?? []).compactMap { $0["id"]?.bytes }
        try checkLimits(allowed)
        let applicable = allowed.compactMap(credential).filter { $0.protection < 3 || verified }
        guard let used = applicable.first else { throw Failure.noCredentials }

        var extensions: [CBOR: CBOR] = [:]
        if let request = parameters[4]?["hmac-secret"], options.hasHMACSecret {
            guard isPresent else { throw Failure.unsupportedOption }
            if used.hasHMACSecret, !options.omitsOutput {
                extensions[.text("hmac-secret")] = .bytes(
                    try output(of: used.secret(isVerified: verified), request))
            }
        }
        let results = extensions
        let omitsId = options.omitsCredentialId && allowed.count == 1
        let finish: @Sendable (inout Self) -> [UInt8] = { state in
            let data = state.authenticatorData(party, verified, [], results, isPresent: isPresent)
            var members: [CBOR: CBOR] = [
                .number(2): .bytes(data),
                .number(3): .bytes(
                    used.sign((state.options.signsWrongly ? [0] : []) + data + hash)),
            ]
            if !omitsId {
                members[.number(1)] = .map([
                    .text("id"): .bytes(used.id), .text("type"): .text("public-key"),
                ])
            }
            return [0] + CBOR.map(members).encoded
        }
        if isPresent { answerAfterTouch(finish) } else { answer(finish(&self)) }
    }

    /// The output of hmac-secret (section 12.5).
    private func output(of secret: [UInt8], _ request: CBOR) throws -> [UInt8] {
        // Without a number it is protocol one.
        let pinProtocol = try self.pinProtocol(request[4] ?? .number(1))
        let key = try sharedKey(request[1], pinProtocol)
        guard let encrypted = request[2]?.bytes, let code = request[3]?.bytes else {
            throw Failure.missingParameter
        }
        guard pinProtocol.verify(encrypted, code, key) else { throw Failure.pinAuthInvalid }
        guard let salts = pinProtocol.decrypt(encrypted, key), [32, 64].contains(salts.count)
        else { throw Failure(status: 0x03) }
        let outputs = stride(from: 0, to: salts.count, by: 32).flatMap {
            SHA256.authenticate(Array(salts[$0..<($0 + 32)]), secret)
        }
        return pinProtocol.encrypt(outputs, key)
    }

    // MARK: authenticatorClientPIN (section 6.5)

    private func pinProtocol(_ number: CBOR?) throws -> PINProtocol {
        guard let number else { throw Failure.missingParameter }
        guard let known = number.number, options.pinProtocols.contains(known),
            let pinProtocol = PINProtocol(rawValue: known)
        else { throw Failure.invalidParameter }
        return pinProtocol
    }

    private func sharedKey(_ key: CBOR?, _ pinProtocol: PINProtocol) throws -> [UInt8] {
        guard let key else { throw Failure.missingParameter }
        guard let x = key[-2]?.bytes, let y = key[-3]?.bytes, x.count == 32, y.count == 32,
            let agreed = P256.agree(agreement, x + y)
        else { throw Failure.invalidParameter }
        return pinProtocol.key(agreed)
    }

    private mutating func clientPIN(_ subcommand: Int, _ parameters: CBOR) throws {
        guard options.supportsPIN || options.reader != nil else { throw Failure.invalidCommand }
        switch subcommand {
        case 1:
            answer(
                members: [
                    .number(3): .number(attemptsLeft),
                    .number(4): .bool(wrongSincePower >= 3),
                ])
        case 2:
            _ = try pinProtocol(parameters[1])
            answer(members: [.number(1): Self.encoded(P256.publicKey(of: agreement), -25)])
        case 3, 4: try setPIN(parameters, isChange: subcommand == 4)
        case 5, 9:
            try giveToken(parameters, hasPermissions: subcommand == 9)
        case 6: try giveTokenAfterReading(parameters)
        case 7: answer(members: [.number(5): .number(options.reader == .blocked ? 0 : 3)])
        default: throw Failure.invalidParameter
        }
    }

    private mutating func answer(members: [CBOR: CBOR]) {
        answer([0] + (members.isEmpty ? [] : CBOR.map(members).encoded))
    }

    private mutating func setPIN(_ parameters: CBOR, isChange: Bool) throws {
        let pinProtocol = try self.pinProtocol(parameters[1])
        guard let code = parameters[4]?.bytes, let encrypted = parameters[5]?.bytes else {
            throw Failure.missingParameter
        }
        let old = parameters[6]?.bytes
        if isChange {
            guard old != nil else { throw Failure.missingParameter }
            guard pinHash != nil else { throw Failure.pinNotSet }
            try checkAttempts()
        } else if pinHash != nil {
            throw Failure.pinAuthInvalid
        }
        let key = try sharedKey(parameters[3], pinProtocol)
        guard pinProtocol.verify(encrypted + (isChange ? old ?? [] : []), code, key) else {
            throw Failure.pinAuthInvalid
        }
        if isChange, let old { try checkPIN(old, key, pinProtocol) }
        guard let padded = pinProtocol.decrypt(encrypted, key), padded.count == 64 else {
            throw Failure.invalidParameter
        }
        let pin = Array(padded.prefix { $0 != 0 })
        guard String(decoding: pin, as: UTF8.self).unicodeScalars.count >= 4, pin.count <= 63 else {
            throw Failure.pinPolicyViolation
        }
        pinHash = Array(SHA256.hash(pin).prefix(16))
        options.mustChangePIN = false
        attemptsLeft = 8
        token = nil
        answer(members: [:])
    }

    private func checkAttempts() throws {
        if attemptsLeft == 0 { throw Failure.pinBlocked }
        if wrongSincePower >= 3 { throw Failure.pinAuthBlocked }
    }

    private mutating func checkPIN(
        _ encrypted: [UInt8], _ key: [UInt8], _ pinProtocol: PINProtocol
    ) throws {
        attemptsLeft -= 1
        guard pinProtocol.decrypt(encrypted, key) == pinHash else {
            wrongSincePower += 1
            agreement = RandomSource.system.bytes(count: 32)
            try checkAttempts()
            throw Failure.pinInvalid
        }
        attemptsLeft = 8
        wrongSincePower = 0
    }

    private mutating func giveToken(_ parameters: CBOR, hasPermissions: Bool) throws {
        let pinProtocol = try self.pinProtocol(parameters[1])
        guard let encrypted = parameters[6]?.bytes else { throw Failure.missingParameter }
        var permissions = 3
        if hasPermissions {
            guard options.hasPermissions else { throw Failure.invalidParameter }
            permissions = try self.permissions(parameters)
        } else if parameters[9] != nil || parameters[10] != nil {
            throw Failure.invalidParameter
        }
        guard pinHash != nil else { throw Failure.pinNotSet }
        try checkAttempts()
        let key = try sharedKey(parameters[3], pinProtocol)
        try checkPIN(encrypted, key, pinProtocol)
        if options.mustChangePIN { throw Failure.pinPolicyViolation }
        let token = Token(permissions: permissions, relyingParty: parameters[10]?.text)
        self.token = token
        answer(members: [.number(2): .bytes(pinProtocol.encrypt(token.bytes, key))])
    }

    private mutating func giveTokenAfterReading(_ parameters: CBOR) throws {
        let pinProtocol = try self.pinProtocol(parameters[1])
        let permissions = try self.permissions(parameters)
        guard options.reader != nil else { throw Failure.notAllowed }
        try askReader()
        let key = try sharedKey(parameters[3], pinProtocol)
        let token = Token(permissions: permissions, relyingParty: parameters[10]?.text)
        answerAfterTouch { state in
            state.token = token
            return [0]
                + CBOR.map([.number(2): .bytes(pinProtocol.encrypt(token.bytes, key))]).encoded
        }
    }

    private func permissions(_ parameters: CBOR) throws -> Int {
        guard let permissions = parameters[9]?.number else { throw Failure.missingParameter }
        guard permissions > 0, permissions & ~3 == 0 else { throw Failure.invalidParameter }
        // Both need a relying party.
        guard parameters[10]?.text != nil else { throw Failure.missingParameter }
        return permissions
    }
}

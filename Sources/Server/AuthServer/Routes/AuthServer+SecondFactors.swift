internal import Accounts
internal import HTTPServer
internal import Passkeys
internal import SecretMemory
internal import TextCoding

/// The second factors of the caller's own account.
extension AuthServer {
    /// Lists the second factors.
    func readSecondFactors(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        return reading(.problem) { [self] in
            let summary = try service.secondFactors(token, at: now())
            return .now(
                .object { json in
                    json.member("factors", summary.factors) { json, factor in
                        json.member("id", factor.id.text)
                        json.member("kind", factor.isAuthenticator ? "totp" : "passkey")
                        json.member("label", factor.label)
                        json.member("created", milliseconds: factor.created.milliseconds)
                        if let used = factor.used {
                            json.member("used", milliseconds: used.milliseconds)
                        }
                    }
                    json.member("recovery_codes_left", summary.recoveryCodes)
                })
        }
    }

    /// Makes a challenge for a page of the caller: for its passkeys, or for a new one.
    func challengePasskey(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        let members = try members(of: request, ["page_origin", "purpose"])
        guard let page = members.text("page_origin").flatMap({ PageOrigin($0) }) else {
            throw RequestError.malformed("page_origin is not the origin of TaskVault's page")
        }
        let isNew: Bool
        switch members.text("purpose") {
        case "register": isNew = true
        case "confirm": isNew = false
        default: throw RequestError.malformed("purpose is register or confirm")
        }
        return reading(.problem) { [self] in
            let made = try service.challenge(token, registering: isNew, page, at: now())
            return .now(.object { json in json.members(of: made) })
        }
    }

    /// Adds a second factor.
    func addSecondFactor(_ request: HTTPRequest) throws -> HTTPAnswer {
        let members = try members(
            of: request,
            [
                "current_password", "secret", "code", "registration_data", "attestation_object",
                "label",
            ]
                + SecondFactorFields.names)
        let change: SecondFactorChange
        if let secret = try members.secret("secret") {
            guard let code = members.text("code") else {
                throw RequestError.malformed("code is missing")
            }
            change = .authenticator(secret: SharedSecret(secret), code: code)
        } else {
            let label = members.text("label") ?? ""
            guard label.utf8.count <= SecondFactor.maximumLabelSize,
                label.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
            else { throw RequestError.malformed("label is too long, or has a control character") }
            guard let clientData = Self.bytes("registration_data", members),
                let attestation = Self.bytes("attestation_object", members)
            else {
                throw RequestError.malformed(
                    "secret is missing, and registration_data or attestation_object too")
            }
            change = .passkey(
                PasskeyRegistration(clientData: clientData, attestationObject: attestation),
                label: label)
        }
        return try changeSecondFactors(request, members, change, .secondFactorAdded)
    }

    /// Removes a second factor, or all of them.
    func removeSecondFactor(_ request: HTTPRequest) throws -> HTTPAnswer {
        // Only an account has factors, or none.
        _ = try bearer(of: request)
        let members = try members(
            of: request, ["current_password", "factor"] + SecondFactorFields.names)
        guard let text = members.text("factor") else {
            throw RequestError.malformed("factor is missing")
        }
        let id = SecondFactorID(text)
        guard text == "all" || id != nil else { throw RequestError.factorMissing }
        return try changeSecondFactors(request, members, .removal(id), .secondFactorRemoved)
    }

    /// Replaces the recovery codes.
    func renewRecoveryCodes(_ request: HTTPRequest) throws -> HTTPAnswer {
        let members = try members(of: request, ["current_password"] + SecondFactorFields.names)
        return try changeSecondFactors(request, members, .recoveryCodes, .recoveryCodesMade)
    }

    private func changeSecondFactors(
        _ request: HTTPRequest, _ members: JSONMembers, _ change: SecondFactorChange,
        _ action: AuditAction
    ) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        let current = TypedPassword(try members.secret("current_password"))
        if current.isMissing { throw RequestError.malformed("current_password is missing") }
        let fields = SecondFactorFields { name in members.text(name) }
        guard let proof = fields.proof else {
            throw RequestError.malformed("the second factor is not one")
        }
        return later(.storage, .problem) { [self] in
            let work = try service.beginSecondFactorChange(
                accessToken: token, password: current, change, proof: proof.value, at: now())
            return derivation(work, for: request, .problem) { [self] work in
                do {
                    let codes = try work.finish(at: now())
                    audit(action, work.account, request)
                    return .object { json in
                        if !codes.isEmpty { json.member("recovery_codes", codes) }
                    }
                } catch {
                    auditRefusal(error, work.account, request)
                    throw error
                }
            }
        }
    }

    private static func bytes(_ name: String, _ members: JSONMembers) -> [UInt8]? {
        members.text(name).flatMap { Base64.bytes(of: $0, .url) }
    }

    /// The answer to a right password without the second factor: Auth0, Okta and others name it so.
    static func response(_ demand: SecondFactorDemand) -> HTTPResponse {
        let error = RequestError.secondFactorRequired(.oauth)
        return .object(status: error.status) { json in
            json.member("error", error.code)
            json.member("error_description", error.title)
            let methods = [
                (demand.acceptsCode, "otp"), (demand.acceptsRecoveryCode, "recovery_code"),
                (demand.acceptsPasskey, "passkey"),
            ]
            json.member("mfa_methods", methods.filter(\.0).map(\.1))
            if let challenge = demand.challenge { json.members(of: challenge) }
        }
    }
}

/// The second factor in a form or in an object.
struct SecondFactorFields {
    /// Its fields; at most one kind is sent.
    static let names =
        ["otp", "recovery_code", "credential_id", "client_data", "authenticator_data", "signature"]

    /// A second factor; nil if none was sent.
    struct Proof: Sendable {
        let value: SecondFactorProof?
    }

    /// The second factor; nil if the fields are of several kinds, incomplete or not Base64.
    let proof: Proof?

    /// Reads the fields.
    init(_ text: (String) throws -> String?) rethrows {
        let texts = try Self.names.map { try text($0) }
        let passkey = texts.dropFirst(2).map { $0.flatMap { Base64.bytes(of: $0, .url) } }
        let hasPasskey = texts.dropFirst(2).contains { $0 != nil }
        switch (texts[0], texts[1], hasPasskey) {
        case (nil, nil, false): proof = Proof(value: nil)
        case (.some(let code), nil, false): proof = Proof(value: .code(code))
        case (nil, .some(let code), false): proof = Proof(value: .recoveryCode(code))
        case (nil, nil, true):
            guard let id = passkey[0], let clientData = passkey[1], let data = passkey[2],
                let signature = passkey[3]
            else {
                proof = nil
                return
            }
            proof = Proof(
                value: .passkey(
                    PasskeyAssertion(
                        credentialID: id, clientData: clientData, authenticatorData: data,
                        signature: signature)))
        default: proof = nil
        }
    }
}

extension JSONContent {
    /// Writes a challenge for a passkey, in Base64 for URLs as WebAuthn has it.
    fileprivate mutating func members(of challenge: SecondFactorChallenge) {
        member("challenge", Base64.urlText(of: challenge.bytes))
        member("rp_id", PasskeyCeremonies.relyingPartyID)
        member("credentials", challenge.credentials.map { Base64.urlText(of: $0) })
    }
}

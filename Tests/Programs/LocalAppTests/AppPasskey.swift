import Foundation
import Passkeys
import SecretMemory
import TestSupport
import TextCoding
import Testing

/// A passkey as the page's script sends its answers.
struct AppPasskey {
    private let passkey: TestPasskey

    init(_ passkey: TestPasskey) {
        self.passkey = passkey
    }

    /// The answer to the challenge of a registration.
    func registration(_ asked: [String: Any]) throws -> String {
        let answer = passkey.registration(try Self.challenge(asked))
        return """
            {"client_data_base64":"\(Self.text(answer.clientData))",\
            "attestation_object_base64":"\(Self.text(answer.attestationObject))"}
            """
    }

    /// The answer to the challenge of an assertion, with further members.
    func assertion(_ asked: [String: Any], _ members: String = "") throws -> String {
        let answer = passkey.assertion(try Self.challenge(asked))
        let output = try passkey.output().withBytes { $0.array }
        return """
            {"credential_id_base64":"\(Self.text(answer.credentialID))",\
            "client_data_base64":"\(Self.text(answer.clientData))",\
            "authenticator_data_base64":"\(Self.text(answer.authenticatorData))",\
            "signature_base64":"\(Self.text(answer.signature))",\
            "output_base64":"\(Self.text(output))"\(members)}
            """
    }

    private static func challenge(_ asked: [String: Any]) throws -> PasskeyChallenge {
        let text = try #require(asked["challenge_base64"] as? String)
        return PasskeyChallenge(bytes: Array(try #require(Data(base64Encoded: text))), choices: [])
    }

    private static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}

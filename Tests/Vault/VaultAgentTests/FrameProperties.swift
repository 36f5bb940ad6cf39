import Passkeys
import SecretMemory
import SecureStorage
@testable import VaultAgent
import VaultCore

/// The properties of any payload; `WireVectorTests` and `Tests/Fuzz` look for a payload that lacks one.
///
/// Each function returns the fault, or nil, and reports through `isAccepted` whether the bytes are a message.
enum FrameProperties {
    /// All types of requests.
    static let requests: [any AgentRequest.Type] =
        RequestTable.all + [HelloRequest.self, EndRequest.self]
    /// All types of answers.
    static let answers: [any AgentMessage.Type] = [
        HelloAnswer.self, DoneAnswer.self, AgentStatus.self, VaultSettings.self,
        SecretItem.self, ValueAnswer.self, ListPage<SecretItem>.self, ListPage<RefusedSecret>.self,
        ListPage<EarlierSecret>.self, AgentNotices.self, SlotsAnswer.self, PasskeyChallenge.self,
        FingerPrompt.self, StoredFile.self, ListPage<StoredFile>.self, ListPage<EarlierFile>.self,
        ChunkAnswer.self, FileSettings.self, StoreGeneration.self, WireFailure.self,
    ]

    /// One encoding for each request: the encoded message is the payload.
    static func request(_ bytes: [UInt8], isAccepted: inout Bool) -> String? {
        guard let (request, secret) = readRequest(bytes) else { return nil }
        isAccepted = true
        return fault(request, secret, bytes).map { "a request " + $0 }
    }

    /// One encoding for each answer, and one for each failure that a client understands.
    static func answer(_ bytes: [UInt8], isAccepted: inout Bool) -> String? {
        guard let (answer, secret) = readAnswer(bytes) else { return nil }
        isAccepted = true
        if let fault = fault(answer, secret, bytes) { return "an answer " + fault }
        if let failure = answer as? WireFailure, let refusal = failure.refusal,
            WireFailure(refusal)?.refusal != refusal
        {
            return "a failure has another meaning after it is encoded again"
        }
        return nil
    }

    /// Decodes a request as an agent does.
    static func readRequest(_ bytes: [UInt8]) -> (any AgentRequest, secret: [UInt8])? {
        guard let type = requests.first(where: { $0.messageType == bytes.first }),
            var payload = try? SecretBytes(copying: unsafe bytes.span.bytes),
            let request = type.take(from: &payload)
        else { return nil }
        return (request, array(payload))
    }

    /// Decodes an answer as a client does.
    static func readAnswer(_ bytes: [UInt8]) -> (any AgentMessage, secret: [UInt8])? {
        guard let type = answers.first(where: { $0.messageType == bytes.first }),
            var payload = try? SecretBytes(copying: unsafe bytes.span.bytes),
            let answer = type.take(from: &payload)
        else { return nil }
        return (answer, array(payload))
    }

    private static func array(_ payload: borrowing SecretBytes) -> [UInt8] {
        payload.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
    }

    private static func fault(
        _ message: any AgentMessage, _ secret: [UInt8], _ bytes: [UInt8]
    ) -> String? {
        let carriesSecret = type(of: message).carriesSecret
        guard secret.isEmpty || carriesSecret else { return "with surplus bytes is accepted" }
        var written = message.head
        if carriesSecret {
            written += (0..<4).map { UInt8(truncatingIfNeeded: secret.count >> (8 * $0)) } + secret
        }
        return written == bytes ? nil : "is encoded otherwise than its payload"
    }
}

import SecretMemory
@testable import VaultAgent

/// What must be true of any payload whatever; `WireVectorTests` and `Tests/Fuzz` look for one of which it is not.
///
/// Each function returns what is wrong, or nil, and tells through `isAccepted` whether the bytes were read at all.
enum FrameProperties {
    /// One encoding for each request: what is read is written the same.
    static func request(_ bytes: [UInt8], isAccepted: inout Bool) -> String? {
        guard let (request, secret) = read(bytes, AgentRequest.take) else { return nil }
        isAccepted = true
        guard secret.isEmpty || request.carriesSecret else {
            return "a request with too much is read"
        }
        return written(request.head, secret, request.carriesSecret) == bytes
            ? nil : "a request is written otherwise than read"
    }

    /// One encoding for each answer, and one for each failure that a client understands.
    static func answer(_ bytes: [UInt8], isAccepted: inout Bool) -> String? {
        guard let (answer, secret) = read(bytes, AgentAnswer.take) else { return nil }
        isAccepted = true
        guard secret.isEmpty || answer.carriesSecret else {
            return "an answer with too much is read"
        }
        guard written(answer.head, secret, answer.carriesSecret) == bytes else {
            return "an answer is written otherwise than read"
        }
        if case .failure(let failure) = answer, let refusal = failure.refusal,
            WireFailure(refusal)?.refusal != refusal
        {
            return "a failure means something else when it is passed on"
        }
        return nil
    }

    /// Reads a payload, as both ends do.
    static func read<Message>(
        _ bytes: [UInt8], _ take: (inout SecretBytes) -> Message?
    ) -> (Message, secret: [UInt8])? {
        guard var payload = try? SecretBytes(copying: unsafe bytes.span.bytes),
            let message = take(&payload)
        else { return nil }
        return (
            message, payload.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
        )
    }

    private static func written(_ head: [UInt8], _ secret: [UInt8], _ isThere: Bool) -> [UInt8] {
        guard isThere else { return head }
        return head + (0..<4).map { UInt8(truncatingIfNeeded: secret.count >> (8 * $0)) } + secret
    }
}

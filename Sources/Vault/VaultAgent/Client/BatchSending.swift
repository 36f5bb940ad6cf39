internal import SecretMemory
internal import SecureStorage
internal import TextCoding
internal import VaultCore

/// Sends many secrets to an agent in large parts, which are saved in one step. Not thread-safe.
final class BatchSending {
    /// The size of a part, in bytes: with the other fields, it fits into a frame.
    private static let partSize = AgentProtocol.largestPayload - 64

    private let connection: AgentConnection
    private let isReplacing: Bool
    private var part: SecretBytes
    private var used = 0
    private var number: UInt32 = 0
    private var count = 0
    /// The indices of the sent secrets.
    private var places: [Int] = []
    private var refused: [Int: SecureStoreError] = [:]

    init(on connection: AgentConnection, replacing isReplacing: Bool) throws {
        self.connection = connection
        self.isReplacing = isReplacing
        part = try SecretBytes(count: Self.partSize)
    }

    /// Adds a secret.
    func add(
        _ value: borrowing SecretBytes, _ name: SecretName, _ attributes: SecretAttributes,
        _ times: SecretTimes?
    ) throws {
        defer { count += 1 }
        var head = ByteWriter()
        head.name(name)
        head.attributes(attributes)
        head.times(times)
        head.integer(UInt32(value.count))
        let size = head.bytes.count + value.count
        guard size <= Self.partSize else {
            refused[count] = .tooLarge(maximum: SecretAttributes.maximumSize)
            return
        }
        if used + size > Self.partSize { try send(isLast: false) }
        append(unsafe head.bytes.span.bytes)
        value.withBytes { append($0) }
        places.append(count)
    }

    /// Sends the rest, and waits until the secrets are saved.
    ///
    /// - Parameter isWithdrawn: Whether the caller no longer wants them, asked every 50 ms. The agent then saves none, unless it has
    ///   begun to commit; the wait ends with its answer.
    /// - Returns: The error of each refused secret, by its index in the batch, from 0.
    /// - Throws: `SecretBatchError.withdrawn` if none was saved for that reason.
    func finish(unless isWithdrawn: () -> Bool) throws -> [Int: SecureStoreError] {
        var wasWithdrawn = false
        do {
            try send(isLast: true) {
                wasWithdrawn = connection.stopSending(unlessAnswered: isWithdrawn)
            }
        } catch AgentError.vault(.store(.unavailable(.failed, _))) where wasWithdrawn {
            throw SecretBatchError.withdrawn
        }
        return refused
    }

    private func append(_ bytes: RawSpan) {
        part.withMutableBytes { $0.copy(bytes, at: used) }
        used += bytes.byteCount
    }

    private func send(isLast: Bool, awaiting wait: () -> Void = {}) throws {
        let request = SaveAllRequest(isReplacing: isReplacing, part: number, isLast: isLast)
        try part.withBytes { (bytes) throws in
            _ = try connection.ask(request, bytes.extracting(..<used), awaiting: wait) { page in
                for secret in page.elements {
                    guard case .store(let error) = secret.failure.vaultError,
                        places.indices.contains(Int(secret.place))
                    else { throw AgentError.malformed }
                    refused[places[Int(secret.place)]] = error
                }
            }
        }
        number += 1
        used = 0
    }
}

/// The reason why a batch was not saved, besides those of the agent.
public enum SecretBatchError: Error {
    /// The caller withdrew it, and no secret was saved.
    case withdrawn
}

#if os(Linux)
    internal import Sealing
    internal import SecretMemory
    internal import SecureStorage

    /// The names of the owner's entries, sealed under a key that the agent keeps until it locks. So
    /// reading an entry needs no list, and after a lock this process cannot open the names.
    ///
    /// Not thread-safe.
    struct OwnerEntryNames {
        private let context: SealContext
        private var blobs: [SecretItemID: [UInt8]] = [:]
        /// Ends the service. A name has no control characters.
        private static let separator: UInt8 = 0

        /// Makes an empty list for the vault with this id.
        init(_ vaultID: [UInt8]) { context = SealContext(.attributes, vaultID: vaultID) }

        /// Adds the name of an entry.
        mutating func set(_ id: SecretItemID, _ name: SecretName, _ key: borrowing AttributeKey) {
            let bytes = Array(name.service.utf8) + [Self.separator] + Array(name.account.utf8)
            // Safe: the array outlives the span.
            blobs[id] = Sealing.seal(
                unsafe bytes.span.bytes, under: key, context, random: .system)
        }

        /// The name of an entry; nil for an unknown id.
        ///
        /// - Throws: `SealingError`: the key is another one. `SecretMemoryError`.
        func name(of id: SecretItemID, _ key: borrowing AttributeKey) throws -> SecretName? {
            guard let blob = blobs[id] else { return nil }
            var opened = try SecretBytes(count: blob.count - Sealing.overhead)
            try Sealing.open(blob, under: key, context, into: &opened)
            let parts = opened.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { bytes in
                    unsafe bytes.split(separator: Self.separator, maxSplits: 1).map {
                        unsafe String(decoding: $0, as: UTF8.self)
                    }
                }
            }
            return try SecretName(service: parts[0], account: parts[1])
        }
    }
#endif

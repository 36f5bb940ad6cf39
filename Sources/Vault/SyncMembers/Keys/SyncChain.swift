internal import Sealing
package import Sync

/// The two chains of segments of one home.
package enum SyncChain: CaseIterable, Sendable {
    /// The tasks. It is written and read while the vault is locked.
    case list
    /// The secrets.
    case secrets

    /// The level whose signing key signs the chain's segments.
    package var signingLevel: SyncLevel {
        switch self {
        case .list: .list
        case .secrets: .whileUnlocked
        }
    }

    /// The id under which the segments of a device lie.
    package func id(of device: DeviceID) -> DeviceID {
        switch self {
        case .list: device
        case .secrets: device.secretsChain
        }
    }
}

extension DeviceID {
    /// The id of the device's chain of secrets, `hash(16, no key, "TVDS" ‖ device)`.
    package var secretsChain: DeviceID { .hash("TVDS", bytes) }
}

extension SyncID {
    static func hash(_ magic: String, _ input: [UInt8]) -> Self {
        let digest = Blake2b.hash(size: size) { hash in
            hash.feed(magic)
            hash.feed(input)
        }
        return SyncID(digest) ?? .zero
    }
}

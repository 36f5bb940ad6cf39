package import SecretMemory

/// The origin of the local app's page: a host of its own below the relying party id, and a port.
///
/// Each start has a new host, so the storage, Service Workers and cached scripts of an earlier
/// origin never apply to the page.
package struct PageOrigin: Sendable, Hashable {
    /// The size of a label: 128 random bits in Base32 (RFC 4648, section 6) need 26 characters.
    package static let labelSize = 26
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// The first label of the host.
    package let label: String
    package let port: UInt16

    /// The origin of a page at this port, with a random host.
    package init(port: UInt16, random: RandomSource = .system) {
        let characters = random.bytes(count: Self.labelSize).map { Self.alphabet[Int($0 & 31)] }
        label = String(decoding: characters, as: UTF8.self)
        self.port = port
    }

    /// The origin of a page with a known host; nil if the label is not one.
    package init?(label: String, port: UInt16) {
        guard label.utf8.count == Self.labelSize,
            label.utf8.allSatisfy({ Self.alphabet.contains($0) })
        else { return nil }
        self.label = label
        self.port = port
    }

    /// Parses a serialized origin; nil for any other text, also for another spelling of an origin.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let label = text.dropFirst("http://".utf8.count).prefix(Self.labelSize)
        guard parts.count == 3, let port = UInt16(parts[2]), port > 0,
            let origin = PageOrigin(label: String(label), port: port), origin.text == text
        else { return nil }
        self = origin
    }

    /// The host and port, as in the field `Host`.
    package var host: String { "\(label).\(PasskeyCeremonies.relyingPartyID):\(port)" }
    /// The serialized origin (HTML, section 7.1.1).
    package var text: String { "http://\(host)" }
}

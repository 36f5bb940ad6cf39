internal import Sealing
package import SecretMemory
package import SecureStorage
package import TextCoding

/// The search for passwords that should be changed. It keeps no value: passwords are compared by hashes under a random key.
///
/// Uses no network. Has one owner.
package struct SecretAudit: ~Copyable {
    /// A problem of an entry.
    package struct Finding: Sendable, Hashable {
        /// The kind of a problem, also its name for programs.
        package enum Kind: String, Sendable, CaseIterable {
            /// Another entry has the same password.
            case reused
            /// The password needs few guesses.
            case weak
            /// The password was not changed for long.
            case old
            /// The day until which the password is valid has passed.
            case expired
            /// An address is `http://`, which sends the password unencrypted.
            case insecure
        }

        /// The entry, by its leading field.
        package let name: SecretName
        package let kind: Kind
        /// The details for people, such as `also bank.example ada`.
        package let detail: String
    }

    /// Longer passwords are not estimated: libzxcvbn takes too long.
    private static let longest = 128

    private let key: SecretBytes
    private let oldest: PointInTime?
    private let today: String
    private var digests: [[UInt8]: [SecretName]] = [:]
    private var findings: [Finding] = []

    /// Begins an audit.
    ///
    /// - Parameters:
    ///   - oldest: Passwords from before this time are old; nil if none is.
    ///   - today: The present day, such as `2026-12-01`.
    /// - Throws: `SecretMemoryError`.
    package init(oldest: PointInTime?, today: String) throws {
        key = try RandomSource.system.secret(count: 32)
        self.oldest = oldest
        self.today = today
    }

    /// Examines the description of an entry.
    package mutating func add(_ entry: SecretEntry) {
        if let day = entry.expiry, day < today { add(.expired, entry.name, "since \(day)") }
        for address in entry.addresses where Self.isInsecure(address) {
            add(.insecure, entry.name, address)
        }
    }

    /// Examines the password of an entry.
    ///
    /// - Throws: `SecretMemoryError`.
    package mutating func add(_ item: SecretItem, _ password: borrowing SecretBytes) throws {
        if password.count == 0 { return }
        if let oldest, item.modified < oldest.milliseconds {
            let day = Timestamp.rfc3339(milliseconds: item.modified).prefix(10)
            add(.old, item.name, "of \(day)")
        }
        if password.count <= Self.longest {
            let strength = try password.withBytes { try PassphraseStrength(of: $0) }
            if strength.level == .weak { add(.weak, item.name, strength.guesses) }
        }
        let digest = key.withBytes { key in
            password.withBytes { password in
                Blake2b.hash(size: 32, keyBytes: key) { $0.feed(password) }
            }
        }
        digests[digest, default: []].append(item.name)
    }

    /// The problems, by kind and then by name.
    package consuming func finish() -> [Finding] {
        for names in digests.values where names.count > 1 {
            for name in names {
                let others = names.filter { $0 != name }.sorted()
                let shown = others.prefix(2).map { "\($0.service) \($0.account)" }
                let more =
                    others.count > shown.count ? " and \(others.count - shown.count) more" : ""
                add(.reused, name, "also " + shown.joined(separator: ", ") + more)
            }
        }
        let kinds = Finding.Kind.allCases
        return findings.sorted { left, right in
            let (first, second) = (
                kinds.firstIndex(of: left.kind) ?? 0, kinds.firstIndex(of: right.kind) ?? 0
            )
            return first == second ? left.name < right.name : first < second
        }
    }

    private mutating func add(_ kind: Finding.Kind, _ name: SecretName, _ detail: String) {
        findings.append(Finding(name: name, kind: kind, detail: detail))
    }

    /// Whether an address sends passwords unencrypted over a network: `http:` to another machine.
    private static func isInsecure(_ address: String) -> Bool {
        let text = address.lowercased()
        guard text.hasPrefix("http://") else { return false }
        let rest = text.dropFirst("http://".count).prefix { !"/?#".contains($0) }
        let host = rest.split(separator: "@").last ?? rest
        let isLocal = ["localhost", "127.0.0.1", "[::1]"].contains {
            host == $0 || host.hasPrefix($0 + ":")
        }
        return !isLocal && !host.hasSuffix(".localhost")
    }
}

extension SecretEntry {
    /// The last day on which the password is valid, such as `2026-12-01`; nil without one.
    package var expiry: String? {
        guard let text = attributes[SecretRenewal.expiresKey] else { return nil }
        let day = text.utf8.prefix(10)
        let isDay =
            day.count == 10
            && day.enumerated().allSatisfy { index, byte in
                index == 4 || index == 7
                    ? byte == UInt8(ascii: "-")
                    : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
        return isDay ? String(decoding: day, as: UTF8.self) : nil
    }
}

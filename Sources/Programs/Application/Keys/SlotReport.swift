internal import TextCoding
package import VaultAgent
package import VaultCore

/// The key slots of a vault, as `status`, `doctor` and `key list` show them.
package struct SlotReport {
    /// The slots, in stored order.
    package private(set) var slots: [KeySlotDescription]
    private let times: [[UInt8]: Int64]
    private let folders: VaultFolders

    /// Creates a report of the slots, with their last uses on this machine.
    package init(_ slots: [KeySlotDescription], of vaultID: [UInt8], _ folders: VaultFolders) {
        self.slots = slots
        times = SlotUses(folders).times(of: vaultID)
        self.folders = folders
    }

    /// The last use of a slot, in milliseconds since 1970-01-01 UTC; nil if unknown on this
    /// machine.
    package func lastUse(of slot: KeySlotDescription) -> Int64? { times[slot.id] }

    /// The report without passphrase and recovery code.
    package var onlyKeys: SlotReport {
        var report = self
        report.slots.removeAll { $0.kind != .authenticator }
        return report
    }

    /// The last use of a slot as text.
    func lastUseText(of slot: KeySlotDescription) -> String {
        lastUse(of: slot).map { "last used here \(Timestamp.rfc3339(milliseconds: $0))" }
            ?? "not used on this machine"
    }

    /// The last use of the fingerprint, in milliseconds since 1970-01-01 UTC; nil if unknown on
    /// this machine.
    package var lastUseOfFinger: Int64? { times[FingerState.useID] }

    /// A line about the fingerprint.
    package func line(of finger: FingerState) -> String {
        let use = lastUseOfFinger.map { " (last used here \(Timestamp.rfc3339(milliseconds: $0)))" }
        return "fingerprint: " + finger.text + (use ?? "")
    }

    /// A line for each slot.
    package var lines: [String] {
        slots.map { "opens with: \($0.title) (\(lastUseText(of: $0)))" }
    }

    /// A risk that the owner is locked out; nil for none.
    package var weakPoint: String? {
        guard !slots.isEmpty, !slots.contains(where: { $0.kind == .recoveryCode }) else {
            return nil
        }
        let reason =
            if slots.count == 1 {
                "there is no recovery code, and the passphrase is the only key slot: a forgotten passphrase means lost secrets"
            } else if slots.contains(where: { $0.kind == .authenticator }) {
                "there is no recovery code: besides the keys, only the passphrase opens the vault"
            } else {
                "there is no recovery code: a forgotten passphrase means lost secrets"
            }
        return "\(reason): \(folders.command(Self.remedy))"
    }

    /// The code of the weak point.
    package static let weakPointCode = "no_recovery_code"
    /// The command that removes the risk.
    package static let remedy = "recovery show-new"
}

extension KeySlotDescription {
    /// The method as text.
    package var method: String { code.substituting("_", for: " ") }

    /// The method and its name.
    package var title: String {
        guard let record else { return method }
        let name = record.name.isEmpty ? "" : " " + record.name
        return method + name + (record.isSynchronised ? " (synced)" : "")
    }

    /// The beginning of the id, which distinguishes slots of one name.
    package var shortID: String { Hexadecimal.text(Array(id.prefix(4))) }

    /// The method in JSON.
    package var code: String {
        switch kind {
        case .passphrase: "passphrase"
        case .recoveryCode: "recovery_code"
        case .authenticator: record?.transport == .passkey ? "passkey" : "security_key"
        }
    }
}

internal import Platform
internal import TextCoding

/// The last use of each key slot on this machine: one small file per vault, in the state folder
/// (Docs/Decisions/0041).
///
/// It is information and not evidence: every program of this user can write it.
struct SlotUses: Sendable {
    private static let mostSlots = 32
    private let folder: String?

    /// Creates a value for the folder; reads nothing.
    init(_ folders: VaultFolders) {
        folder = folders.uses
    }

    /// The last uses by slot id, in milliseconds since 1970-01-01 UTC.
    package func times(of vaultID: [UInt8]) -> [[UInt8]: Int64] {
        guard let folder,
            let file = try? TrustedFile(path(folder, vaultID), limit: 4_096),
            let text = try? file.text()
        else { return [:] }
        var times: [[UInt8]: Int64] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let id = Hexadecimal.bytes(String(words[0])),
                let time = Int64(words[1])
            else { continue }
            times[id] = time
        }
        return times
    }

    /// Records a use. A failure to record it does not fail the use.
    package func note(_ vaultID: [UInt8], _ slotID: [UInt8], at time: Int64) {
        guard let folder else { return }
        var times = times(of: vaultID)
        times[slotID] = time
        let newest = times.sorted { $0.value > $1.value }.prefix(Self.mostSlots)
        let text = newest.map { "\(Hexadecimal.text($0.key)) \($0.value)\n" }.joined()
        do {
            try SafeFolder.create(folder)
            try SafeFolder.require(SafeFolder.resolve(folder))
            let file = try NewFile(at: path(folder, vaultID), replacing: true)
            try unsafe Descriptor.write(text.utf8Span.span.bytes, to: file.descriptor)
            try file.publish()
        } catch {
            // The owner loses only the time of this use.
        }
    }

    private func path(_ folder: String, _ vaultID: [UInt8]) -> String {
        folder + "/" + Hexadecimal.text(vaultID)
    }
}

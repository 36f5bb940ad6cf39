internal import Sync
internal import SyncMembers
package import TextCoding

/// Why something of another device is not applied, or what a person should know about it.
package struct SyncProblem: Sendable, Hashable {
    /// A stable name in snake_case.
    package let code: String
    /// Whether it needs a person; otherwise it ends by itself when the other devices have synced.
    package let isFault: Bool
    /// One sentence, in lower case and without a full stop.
    package let message: String
    /// A remedy; nil if waiting is the remedy.
    package let hint: String?

    /// The code of files without room at the remote.
    static let filesTooLarge = "files_too_large"

    package init(_ code: String, isFault: Bool, _ message: String, hint: String? = nil) {
        self.code = code
        self.isFault = isFault
        self.message = message
        self.hint = hint
    }

    /// The failure of a command that found a fault.
    package var failure: Failure {
        let isFull = code == Failure.syncFull || code == Self.filesTooLarge
        return Failure(isFull ? .refused : .damaged, code: code, message, hint: hint)
    }
}

/// The names of devices in messages, and commands in hints.
struct SyncNaming {
    let own: DeviceID
    let names: [DeviceID: String]
    let command: (String) -> String

    /// A device by its name, or the first digits of its id. The id under which it writes secrets is as good as the other.
    func name(_ device: DeviceID) -> String {
        if device == own || device == own.secretsChain { return "this device" }
        for (other, name) in names
        where device == other || device == other.secretsChain {
            return name.isEmpty ? String(other.text.prefix(8)) : name
        }
        return String(device.text.prefix(8))
    }

    /// The problems of a report, the faults first.
    func problems(_ report: SyncReport) -> [SyncProblem] {
        var problems = report.waiting.sorted { $0.key < $1.key }.map { problem($0, $1) }
        for (device, ahead) in report.ahead.sorted(by: { $0.key < $1.key }) {
            problems.append(
                SyncProblem(
                    "clock_ahead", isFault: false,
                    "the clock of \(name(device)) is \(TimeSpan(milliseconds: UInt64(max(ahead, 0))).text) ahead",
                    hint: "set the clock of \(name(device))"))
        }
        for (dot, failure) in report.ignoredParts.sorted(by: { $0.key < $1.key }) {
            problems.append(
                SyncProblem(
                    "sync_part_ignored", isFault: true,
                    "secrets in change \(dot.number) of \(name(dot.device)) are not its own (\(failure.rawValue)), and were ignored",
                    hint:
                        "the disk of that device may be in other hands: \(command("device remove")) it, and change its passwords"
                ))
        }
        return problems.sorted { $0.isFault && !$1.isFault }
    }

    private func problem(_ dot: Dot, _ reason: WaitingReason) -> SyncProblem {
        let device = name(dot.device)
        switch reason {
        case .missing:
            return SyncProblem(
                "change_missing", isFault: false,
                "change \(dot.number) of \(device) has not come, later ones have")
        case .unreadable:
            return SyncProblem(
                "change_incomplete", isFault: false,
                "change \(dot.number) of \(device) is not complete: it may still be copied")
        case .epochMissing:
            return SyncProblem(
                "keys_missing", isFault: false,
                "the keys of the newest changes of \(device) have not come: another device must sync"
            )
        case .needs(let other):
            return SyncProblem(
                "needs_other", isFault: false,
                "changes of \(device) wait for change \(other.number) of \(name(other.device))")
        case .snapshot(.incomplete):
            return SyncProblem(
                "snapshot_incomplete", isFault: false,
                "the snapshot of \(device) is not complete: it may still be copied")
        case .snapshot(.behind):
            return SyncProblem(
                "snapshot_old", isFault: false,
                "the snapshot of \(device) is older than what this device must have: a newer one may still be copied, or is withheld"
            )
        case .snapshot(.locked):
            return SyncProblem(
                "snapshot_locked", isFault: false,
                "this device goes on from the snapshot of \(device) after a verification",
                hint: command("verify"))
        case .unreachable(let failure):
            return SyncProblem(
                "folder_unusable", isFault: false,
                "the changes of \(device) cannot be read: \(failure.place): \(failure.reason)")
        case .invalid(.epochOpen):
            return SyncProblem(
                "keys_of_removed", isFault: true,
                "\(device) knew that a device was removed, and sealed change \(dot.number) with keys which that one has: nothing newer of it is applied",
                hint:
                    "bring taskvault up to date there; then \(command("device remove")) it, and let it join again"
            )
        case .invalid(let failure):
            return SyncProblem(
                "change_invalid", isFault: true,
                "change \(dot.number) of \(device) is invalid (\(failure.rawValue)): nothing newer of it is applied",
                hint: "\(command("device remove")) it, and let it join again")
        case .forked(let other):
            return SyncProblem(
                "forked", isFault: true,
                "two histories of \(name(other)) exist: the folder was changed, or a copy of that machine syncs, too",
                hint:
                    "compare \(command("sync check")) on both devices; then \(command("device remove")) and join again"
            )
        case .ownSegment(let number):
            return SyncProblem(
                "put_back", isFault: true,
                "\(device) has seen change \(number) of this device, which this machine no longer has: its state was put back, or it has a clone",
                hint: "\(command("sync disable")), then \(command("sync join")) again")
        }
    }
}

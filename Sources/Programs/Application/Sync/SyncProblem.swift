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
    /// The exit code of a command that found this fault.
    package let exitCode: ExitCode

    /// The code of files without room at the remote.
    static let filesTooLarge = "files_too_large"

    package init(
        _ code: String, isFault: Bool, _ message: String, hint: String? = nil,
        exitCode: ExitCode = .damaged
    ) {
        self.code = code
        self.isFault = isFault
        self.message = message
        self.hint = hint
        self.exitCode = exitCode
    }

    private static let waitingCodes: Set<String> = [
        "change_missing", "change_incomplete", "keys_missing", "needs_other", "folder_unusable",
        "snapshot_incomplete", "snapshot_old", "snapshot_locked",
    ]

    /// Whether changes of other devices have not come yet.
    package var isWaiting: Bool { Self.waitingCodes.contains(code) }

    /// The sentence with its remedy.
    package var text: String { hint.map { message + "; " + $0 } ?? message }

    /// A fault that a failure explains.
    init(_ failure: Failure) {
        self.init(
            failure.code, isFault: true, failure.message, hint: failure.hint,
            exitCode: failure.exitCode)
    }

    /// The failure of a command that found a fault.
    package var failure: Failure {
        Failure(exitCode, code: code, message, hint: hint)
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

    /// The devices that were copies, until a person gave them a name: nobody confirmed them by digits.
    func copies(_ state: GroupState) -> [SyncProblem] {
        state.members.values.filter(\.isNewCopy).sorted { $0.id < $1.id }.map { member in
            let shown = names[member.id].flatMap { $0.isEmpty ? nil : $0 } ?? name(member.id)
            let former = member.addedBy.map { name($0) } ?? ""
            let isOwn = member.id == own
            return SyncProblem(
                "device_copied", isFault: false,
                isOwn
                    ? "this machine was copied or put back: it is a device of its own now, \(shown)"
                    : "the device \(shown) is a copy of \(former): that machine was copied or put back",
                hint: isOwn
                    ? command("device rename") + " gives it another name"
                    : "if you know it, \(command("device rename")) it; if not, \(command("device remove")) it and change its passwords"
            )
        }
    }

    /// A difference of clocks: the largest unit is enough.
    private static func text(ofDifference milliseconds: Int64) -> String {
        let minutes = max(milliseconds, 0) / 60_000
        if minutes >= 2_880 { return counted(Int(minutes / 1_440), "day") }
        return minutes >= 120
            ? counted(Int(minutes / 60), "hour") : counted(Int(minutes), "minute")
    }

    /// The problems of a report, the faults first.
    func problems(_ report: SyncReport) -> [SyncProblem] {
        var problems = report.waiting.sorted { $0.key < $1.key }.map { problem($0, $1) }
        for (device, ahead) in report.ahead.sorted(by: { $0.key < $1.key }) {
            let isOwn = device == own || device == own.secretsChain
            let difference = Self.text(ofDifference: ahead)
            let problem = SyncProblem(
                "clock_ahead", isFault: false,
                isOwn
                    ? "this device wrote last with a clock that was \(difference) ahead of now"
                    : "the clock of \(name(device)) is \(difference) ahead of this device's",
                hint: isOwn
                    ? "if its time is right now, this ends by itself"
                    : "set the clock that is wrong, of \(name(device)) or of this device")
            // Both chains of a device have one clock.
            let isNamed = problems.contains {
                $0.code == problem.code && $0.hint == problem.hint
            }
            if !isNamed { problems.append(problem) }
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
        if report.repaired > 0 {
            problems.append(
                SyncProblem(
                    "changes_repaired", isFault: false,
                    "\(counted(report.repaired, "change")) of this device were damaged where they were sent, and were put again"
                ))
        }
        return problems.sorted { $0.isFault && !$1.isFault }
    }

    /// The device that must sync before this one goes on.
    private func first(_ device: DeviceID) -> String {
        "\(command("sync now")) on \(name(device)) first"
    }

    /// How a copied machine goes on.
    private var becoming: String {
        "after \(command("verify")), \(command("sync now")) makes this machine a device of its own; nothing is lost"
    }

    private func problem(_ dot: Dot, _ reason: WaitingReason) -> SyncProblem {
        let device = name(dot.device)
        switch reason {
        case .missing:
            return SyncProblem(
                "change_missing", isFault: false,
                "change \(dot.number) of \(device) has not come, later ones have",
                hint: first(dot.device))
        case .unreadable:
            return SyncProblem(
                "change_incomplete", isFault: false,
                "change \(dot.number) of \(device) is not complete: it may still be copied",
                hint: first(dot.device))
        case .epochMissing:
            return SyncProblem(
                "keys_missing", isFault: false,
                "the keys of the newest changes of \(device) have not come",
                hint: "\(command("verify")) and \(command("sync now")) on another device first")
        case .needs(let other):
            return SyncProblem(
                "needs_other", isFault: false,
                "changes of \(device) wait for change \(other.number) of \(name(other.device))",
                hint: first(other.device))
        case .snapshot(.incomplete):
            return SyncProblem(
                "snapshot_incomplete", isFault: false,
                "the snapshot of \(device) is not complete: it may still be copied",
                hint: first(dot.device))
        case .snapshot(.behind):
            return SyncProblem(
                "snapshot_old", isFault: false,
                "the snapshot of \(device) is older than what this device must have: a newer one may still be copied, or is withheld",
                hint: first(dot.device))
        case .snapshot(.locked):
            return SyncProblem(
                "snapshot_locked", isFault: false,
                "this device goes on from the snapshot of \(device) after a verification",
                hint: command("verify"))
        case .unreachable(let failure):
            return SyncProblem(
                "folder_unusable", isFault: false,
                "the changes of \(device) cannot be read: \(failure.place): \(failure.reason)",
                hint: "changes stay here until they can be read again: \(command("sync now"))")
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
                "sync_forked", isFault: true,
                "two histories of \(name(other)) exist: the remote was changed, or a copy of that machine syncs, too",
                hint:
                    "\(command("sync now")) on each copy after a verification makes it a device of its own; if there is none, compare \(command("sync check")), then \(command("device remove")) and join again"
            )
        case .ownSegment(let number):
            return SyncProblem(
                "put_back", isFault: true,
                "\(device) has seen change \(number) of this device, which this machine no longer has: it was put back, or copied",
                hint: becoming)
        }
    }
}

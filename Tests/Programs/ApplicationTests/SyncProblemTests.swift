@testable import Application
import Platform
import Sync
import SyncMembers
import TextCoding
import Testing
import TestSupport

/// Each fault of detection has a name, an exit code and a hint.
@Suite("Problems of sync") struct SyncProblemTests {
    private let own = DeviceID([UInt8](repeating: 1, count: 16)) ?? .zero
    private let other = DeviceID([UInt8](repeating: 2, count: 16)) ?? .zero

    private var naming: SyncNaming {
        SyncNaming(own: own, names: [own: "desktop", other: "laptop"]) { "taskvault " + $0 }
    }

    /// Every reason, its code, and whether it is a fault. A new case does not compile until it is here.
    private func expected(_ reason: WaitingReason) -> (code: String, isFault: Bool) {
        switch reason {
        case .missing: ("change_missing", false)
        case .unreadable: ("change_incomplete", false)
        case .invalid(.epochOpen): ("keys_of_removed", true)
        case .invalid: ("change_invalid", true)
        case .epochMissing: ("keys_missing", false)
        case .needs: ("needs_other", false)
        case .forked: ("sync_forked", true)
        case .ownSegment: ("put_back", true)
        case .snapshot(.incomplete): ("snapshot_incomplete", false)
        case .snapshot(.behind): ("snapshot_old", false)
        case .snapshot(.locked): ("snapshot_locked", false)
        case .unreachable: ("folder_unusable", false)
        }
    }

    private var reasons: [WaitingReason] {
        [
            .missing, .unreadable(nil), .unreadable(.signature), .epochMissing,
            .needs(Dot(other, 7)), .forked(other), .ownSegment(9),
            .snapshot(.incomplete), .snapshot(.behind), .snapshot(.locked),
            .unreachable(RemoteFailure("/folder", "permission denied")),
        ] + SegmentFailure.allCases.map { .invalid($0) }
    }

    /// The exit code of a command for each error of records and segments. A new case does not compile until it is here, as below.
    private func expected(_ error: SyncError) -> (ExitCode, String) {
        switch error {
        case .clockExhausted: (.damaged, "sync_clock")
        case .recordTooLarge, .changeTooLarge: (.refused, "sync_too_large")
        case .epochMissing: (.refused, "sync_keys_missing")
        case .levelLocked: (.locked, "sync_locked")
        case .valueSealed: (.refused, "sync_value_sealed")
        case .cloned: (.damaged, "sync_cloned")
        case .numberOccupied: (.damaged, "sync_occupied")
        case .storeDamaged: (.damaged, "sync_store_damaged")
        }
    }

    private func expected(_ failure: RemoteFailure) -> (ExitCode, String) {
        switch failure.kind {
        case .unusable where failure.place.hasPrefix("/"): (.failure, "folder_unusable")
        case .unusable: (.refused, "server_unusable")
        case .unreachable: (.serverUnreachable, "server_unreachable")
        case .rejected: (.serverRejected, "sync_not_signed_in")
        case .full: (.refused, "sync_full")
        }
    }

    private func expected(_ error: GroupError) -> (ExitCode, String) {
        switch error {
        case .noMember: (.refused, "device_removed")
        case .full: (.refused, "group_full")
        case .consent: (.refused, "join_refused")
        case .name: (.usage, "invalid_name")
        case .epochMissing: (.refused, "sync_keys_missing")
        case .otherGroup: (.damaged, "other_group")
        }
    }

    private func expected(_ failure: JoinFailure) -> (ExitCode, String) {
        switch failure {
        case .digits: (.refused, "wrong_digits")
        case .message, .commitment, .consent, .step: (.damaged, "join_invalid")
        case .laterVersion: (.damaged, "join_later_version")
        case .tooManyAttempts: (.refused, "too_many_attempts")
        }
    }

    /// All errors of sync, with what they end a command with.
    private var errors: [(error: any Error, expected: (ExitCode, String))] {
        let records: [SyncError] = [
            .clockExhausted, .recordTooLarge, .changeTooLarge, .epochMissing,
            .levelLocked(.whileUnlocked), .levelLocked(.afterVerification), .valueSealed(.zero),
            .cloned(5), .numberOccupied(5), .storeDamaged,
        ]
        let remotes = [
            RemoteFailure("/folder", "permission denied"),
            RemoteFailure("https://auth.example", "no sync"),
            RemoteFailure("https://auth.example", "no answer", kind: .unreachable),
            RemoteFailure("https://auth.example", "token", kind: .rejected),
            RemoteFailure("https://auth.example", "full", kind: .full),
        ]
        let group: [GroupError] = [
            .noMember(other), .full, .consent, .name, .epochMissing, .otherGroup,
        ]
        let joining: [JoinFailure] = [
            .digits, .message, .commitment, .consent, .step, .laterVersion,
            .tooManyAttempts(until: 1_800_000_000_000),
        ]
        return records.map { ($0, expected($0)) } + remotes.map { ($0, expected($0)) }
            + group.map { ($0, expected($0)) } + joining.map { ($0, expected($0)) }
    }

    @Test("each error has a name, an exit code and a hint")
    func everyError() throws {
        try withTemporaryFolder { folder in
            let options = ApplicationOptions(
                EnvironmentVariables(["HOME": folder]), home: folder + "/home")
            let application = try Application(options, TestOwner("passphrase"))
            let place = try SyncPlace(application.folders)
            try place.make()
            for (error, (exitCode, code)) in errors {
                let failure = application.errors.failure(error)
                #expect(failure.exitCode == exitCode && failure.code == code, "\(error)")
                #expect(failure.hint?.isEmpty == false, "\(code)")
                // The remote can be a folder or a server, which only the failure of a remote knows.
                let text = failure.message + (failure.hint ?? "")
                if !(error is RemoteFailure) {
                    #expect(!text.contains("the folder "), "\(text)")
                }
                // The last round keeps it, and `sync status` ends with it.
                var round = SyncRound()
                round.add(SyncProblem(failure))
                #expect(round.failure == failure)
                round.write(at: place)
                #expect(SyncRound(at: place)?.problems == round.problems)
            }
        }
    }

    private func check(_ problem: SyncProblem) {
        #expect(problem.code.allSatisfy { $0.isLowercase || $0 == "_" }, "\(problem.code)")
        #expect(problem.message.first?.isLowercase == true, "\(problem.message)")
        #expect(!problem.message.contains("\n") && !problem.message.hasSuffix("."))
        #expect(problem.hint?.isEmpty == false, "\(problem.code)")
        guard problem.isFault else { return }
        #expect(problem.hint?.contains("taskvault ") == true, "\(problem.code)")
        #expect(problem.failure.exitCode == .damaged)
        #expect(problem.failure.code == problem.code && problem.failure.hint == problem.hint)
    }

    @Test("each reason to wait has a name, and each fault a command that helps")
    func reasonsToWait() throws {
        for reason in reasons {
            var report = SyncReport()
            report.waiting = [Dot(other, 5): reason]
            let problem = try #require(naming.problems(report).first)
            #expect((problem.code, problem.isFault) == expected(reason))
            #expect(problem.message.contains("laptop"), "\(problem.message)")
            // What waits names the device that must sync first, unless a key or the remote is missing.
            #expect(problem.isWaiting == !problem.isFault)
            if case .needs(let dot) = reason {
                #expect(problem.hint == "taskvault sync now on \(naming.name(dot.device)) first")
            }
            check(problem)
        }
    }

    @Test("a wrong clock and forged secrets are named with their device")
    func others() {
        var report = SyncReport()
        report.ahead = [other: 3_600_000, own: 700_000]
        report.ignoredParts = [Dot(other.secretsChain, 5): .partSeal]
        let problems = naming.problems(report)
        #expect(problems.map(\.code) == ["sync_part_ignored", "clock_ahead", "clock_ahead"])
        #expect(problems.map(\.isFault) == [true, false, false])
        #expect(problems[0].message.contains("laptop"))
        #expect(
            Set(problems.dropFirst().map(\.message)) == [
                "this device wrote last with a clock that was 11 minutes ahead of now",
                "the clock of laptop is 60 minutes ahead of this device's",
            ])
        for problem in problems { check(problem) }
    }

    @Test(
        "a difference of clocks is readable",
        arguments: [
            (660_000, "11 minutes"), (7_300_000, "2 hours"), (172_700_000, "47 hours"),
            (172_800_000, "2 days"), (378_691_200_000, "4383 days"),
        ] as [(Int64, String)])
    func clockTexts(difference: Int64, text: String) throws {
        var report = SyncReport()
        // Both chains of a device have one clock.
        report.ahead = [other: difference, other.secretsChain: difference]
        let problems = naming.problems(report)
        #expect(
            problems.map(\.message) == ["the clock of laptop is \(text) ahead of this device's"])
    }

    @Test("a command ends with the first fault, and with none if all is only waiting")
    func failures() {
        var round = SyncRound()
        var report = SyncReport()
        report.waiting = [Dot(other, 5): .missing]
        round.add(report, naming)
        #expect(round.failure == nil)
        report.waiting = [Dot(other, 5): .forked(other)]
        round.add(report, naming)
        #expect(round.failure?.code == "sync_forked")
        #expect(round.problems.count == 2)
    }
}

@testable import Application
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
        case .forked: ("two_histories", true)
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

    private func check(_ problem: SyncProblem) {
        #expect(problem.code.allSatisfy { $0.isLowercase || $0 == "_" }, "\(problem.code)")
        #expect(problem.message.first?.isLowercase == true, "\(problem.message)")
        #expect(!problem.message.contains("\n") && !problem.message.hasSuffix("."))
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
            Set(problems.dropFirst().map(\.hint)) == [
                "set the clock of laptop", "set the clock of this device",
            ])
        for problem in problems { check(problem) }
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
        #expect(round.failure?.code == "two_histories")
        #expect(round.problems.count == 2)
    }
}

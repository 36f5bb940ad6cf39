@testable import Application
import Platform
import Testing

/// When rounds begin by themselves, with a clock that the test sets.
@Suite("The schedule of rounds") struct SyncScheduleTests {
    private static let interval: Duration = .seconds(300)
    private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func after(_ milliseconds: Int64) -> MonotonicTime {
        start + .milliseconds(milliseconds)
    }

    /// A schedule whose first round has ended at the start.
    private func quiet() -> SyncSchedule {
        var schedule = SyncSchedule(at: start)
        _ = schedule.begin(at: start)
        schedule.end(at: start, isDone: true, interval: Self.interval)
        return schedule
    }

    @Test func theFirstRoundBeginsAtOnceAndTheNextAfterTheInterval() {
        var schedule = SyncSchedule(at: start)
        #expect(schedule.next == start)
        #expect(schedule.begin(at: start) == .whole)
        #expect(schedule.next == .never)
        schedule.end(at: after(100), isDone: true, interval: Self.interval)
        #expect(schedule.next == after(100) + Self.interval)
    }

    @Test func aChangeHereBeginsARoundAndASecondOne() {
        var schedule = quiet()
        schedule.noteChangeHere(at: after(1_000))
        schedule.noteChangeHere(at: after(1_010))
        #expect(schedule.next == after(1_050))
        #expect(schedule.begin(at: after(1_050)) == .sending)
        // The round's own changes.
        schedule.noteChangeHere(at: after(1_060))
        schedule.end(at: after(1_100), isDone: true, interval: Self.interval)
        #expect(schedule.next == after(3_060))
        #expect(schedule.begin(at: after(3_060)) == .sending)
        schedule.end(at: after(3_100), isDone: true, interval: Self.interval)
        // No change, no round before the interval, which begins with the last whole one.
        #expect(schedule.next == start + Self.interval)
        #expect(schedule.begin(at: schedule.next) == .whole)
    }

    @Test func aChangeThereDuringARoundBeginsAnotherRightAfterIt() {
        var schedule = quiet()
        schedule.noteChangeThere(at: after(1_000))
        #expect(schedule.next == after(1_000))
        #expect(schedule.begin(at: after(1_000)) == .whole)
        schedule.noteChangeThere(at: after(1_050))
        schedule.end(at: after(1_100), isDone: true, interval: Self.interval)
        #expect(schedule.next == after(1_350))
    }

    @Test func pausesGrowAfterFailuresAndChangesDoNotShortenThem() {
        var schedule = quiet()
        var now: Int64 = 1_000
        schedule.noteChangeHere(at: after(950))
        for pause: Int64 in [5, 10, 20, 40, 60, 60] {
            // What was not sent, and may have come meanwhile.
            #expect(schedule.begin(at: after(now)) == (pause == 5 ? .sending : .whole))
            schedule.end(at: after(now), isDone: false, interval: Self.interval)
            for other in 1...50 { schedule.noteChangeHere(at: after(now + Int64(other))) }
            now += pause * 1_000
            #expect(schedule.next == after(now))
        }
        // A sign of the remote shortens the pause, but to the first one at most: it may fail again.
        _ = schedule.begin(at: after(now))
        schedule.end(at: after(now), isDone: false, interval: Self.interval)
        schedule.noteChangeThere(at: after(now + 100))
        #expect(schedule.next == after(now + 5_000))
        _ = schedule.begin(at: after(now + 5_000))
        schedule.end(at: after(now + 5_000), isDone: true, interval: Self.interval)
        #expect(schedule.next > after(now + 5_000))
        schedule.noteChangeThere(at: after(now + 6_000))
        #expect(schedule.next == after(now + 6_000))
    }

    /// However often a hostile remote says that something changed.
    @Test func roundsHaveADistance() {
        var schedule = quiet()
        var begun = 0
        for millisecond: Int64 in 0..<10_000 {
            schedule.noteChangeThere(at: after(millisecond))
            guard schedule.next <= after(millisecond) else { continue }
            begun += 1
            _ = schedule.begin(at: after(millisecond))
            schedule.end(at: after(millisecond), isDone: true, interval: Self.interval)
        }
        #expect(begun <= 41)
    }
}

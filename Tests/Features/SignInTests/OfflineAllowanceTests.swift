import SignIn
import Testing
import TextCoding

@Suite("The offline allowance")
struct OfflineAllowanceTests {
    private let success = PointInTime(seconds: 1_000_000)
    private let limit = Duration.seconds(1_000)

    private func allowance(latest: Int64?, at now: Int64) -> OfflineAllowance {
        OfflineAllowance(
            lastSuccess: success, latestTime: latest.map { PointInTime(seconds: $0) },
            limit: limit, at: PointInTime(seconds: now))
    }

    @Test("lasts for a limited time after the last success")
    func limited() {
        let end = PointInTime(seconds: 1_001_000)
        #expect(allowance(latest: nil, at: 1_000_000) == .until(end))
        #expect(allowance(latest: 1_000_500, at: 1_000_999) == .until(end))
        #expect(allowance(latest: 1_000_500, at: 1_001_000) == .over)
        #expect(allowance(latest: nil, at: 9_000_000) == .over)
    }

    @Test("is never given if the server never accepted the account")
    func never() {
        #expect(
            OfflineAllowance(
                lastSuccess: nil, latestTime: nil, limit: limit, at: success) == .never)
    }

    @Test("ends when the clock is set back, before the last success or the latest time seen")
    func setBack() {
        #expect(allowance(latest: nil, at: 999_000) == .clockSetBack)
        #expect(allowance(latest: 1_000_500, at: 1_000_400) == .clockSetBack)
    }

    @Test("continues after a small correction of the clock, and gains nothing by it")
    func corrected() {
        #expect(allowance(latest: 1_000_500, at: 1_000_440) == .until(success.advanced(by: limit)))
        #expect(allowance(latest: 1_000_500, at: 1_000_439) == .clockSetBack)
        // The latest time counts, not the corrected clock.
        #expect(allowance(latest: 1_001_000, at: 1_000_950) == .over)
    }

    @Test("is correct at the ends of the range")
    func extremes() {
        let last = PointInTime(milliseconds: .max)
        #expect(
            OfflineAllowance(lastSuccess: last, latestTime: last, limit: .seconds(1), at: last)
                == .over)
        let first = PointInTime(milliseconds: .min)
        #expect(
            OfflineAllowance(lastSuccess: last, latestTime: nil, limit: limit, at: first)
                == .clockSetBack)
    }
}

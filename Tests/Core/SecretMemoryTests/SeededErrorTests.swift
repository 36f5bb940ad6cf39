import Foundation
import Testing
import TestSupport

/// Errors made on purpose, each for somebody who looks for its kind and has to find it: `Tests/sanitize` and `Tests/Proof/again`.
///
/// The variable `TASKVAULT_SEEDED_ERROR` names the one that is wanted, which must not happen otherwise.
@Suite("An error made on purpose", .serialized)
struct SeededErrorTests {
    private enum Error: String {
        case failure, address, thread

        static let wanted = ProcessInfo.processInfo.environment["TASKVAULT_SEEDED_ERROR"]
            .flatMap { Error(rawValue: $0) }
    }

    @Test("fails a test", .enabled(if: Error.wanted == .failure, "only where it is wanted"))
    func failure() {
        Issue.record("as it was wanted")
    }

    @Test(
        "reads memory after it was freed",
        .enabled(if: Error.wanted == .address, "only where it is wanted"))
    func address() {
        let place = UnsafeMutablePointer<UInt8>.allocate(capacity: 16)
        unsafe place.initialize(repeating: 1, count: 16)
        unsafe place.deallocate()
        print(unsafe place[7])
    }

    @Test(
        "writes from two threads", .enabled(if: Error.wanted == .thread, "only where it is wanted"))
    func thread() {
        nonisolated(unsafe) let place = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        defer { unsafe place.deallocate() }
        unsafe place.initialize(to: 0)
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            Thread {
                for _ in 0..<1_000 { unsafe place.pointee += 1 }
                ended.signal()
            }.start()
        }
        for _ in 0..<2 { ended.wait() }
    }
}

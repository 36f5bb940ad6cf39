import Testing
import VaultAgent

#if os(Linux)
    import Glibc

    @Suite("The system's clock of a session")
    struct SystemClockTests {
        /// The clock that counts the time that the machine was suspended.
        private static func boottime() -> Duration {
            var time = timespec()
            unsafe clock_gettime(CLOCK_BOOTTIME, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }

        @Test("is the time since the machine was started, independent of the wall clock")
        func boot() {
            for _ in 0..<100 {
                let before = Self.boottime()
                let now = SystemSessionClock().now
                #expect(before <= now && now <= Self.boottime())
            }
        }

        @Test("is not left before the time that was asked for")
        func sleep() {
            let clock = SystemSessionClock()
            for milliseconds in [0, 1, 20] {
                let end = clock.now + .milliseconds(milliseconds)
                clock.sleep(until: end)
                #expect(clock.now >= end)
            }
        }
    }
#endif

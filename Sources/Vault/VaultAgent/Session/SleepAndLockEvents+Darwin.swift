#if canImport(Darwin)
    /// Reports no sleep and no locked sessions; the session's clock counts suspended time instead. Not yet compiled on macOS.
    final class SleepAndLockEvents {
        init?() { return nil }

        var descriptor: Int32 { -1 }

        var pollEvents: Int16 { 0 }

        var pollTimeout: Int32 { -1 }

        func next() -> SleepOrLockEvent? { nil }

        var delaysSleep: Bool { false }

        func delaySleep() {}

        func releaseSleep() {}
    }
#endif

#if canImport(Darwin)
    /// Nothing tells of sleep and locked sessions here: the clock that counts suspended time does the rest. Never compiled on macOS yet.
    final class LoginEvents {
        init?() { return nil }

        var descriptor: Int32 { -1 }

        var pollEvents: Int16 { 0 }

        var pollTimeout: Int32 { -1 }

        func next() -> LoginEvent? { nil }

        var delaysSleep: Bool { false }

        func delaySleep() {}

        func releaseSleep() {}
    }
#endif

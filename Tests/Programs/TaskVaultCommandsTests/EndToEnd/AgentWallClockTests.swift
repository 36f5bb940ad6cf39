#if os(Linux)
    import Foundation
    import Glibc
    import TestSupport
    import Testing

    /// The wall clock is set while an agent runs: by days, forwards and back.
    @Suite(
        .enabled(if: WallClock.isAvailable, "libfaketime is missing"),
        .disabled(if: Sanitizer.isActive, "a sanitizer has to be the first library"),
        .waitsForProcesses)
    struct AgentWallClockTests {
        /// From now; also to 2100, and to the second day of 1970.
        private static let days =
            [3, -3]
            + [4_102_444_800, 2 * 86_400].map {
                Int(Date(timeIntervalSince1970: $0).timeIntervalSinceNow / 86_400)
            } + [0]

        /// The rest of each limit, in seconds.
        private func left(_ home: TestHome) throws -> [Int] {
            let status = try home.status
            #expect(status["verified"] as? Bool == true)
            return try ["verification", "idle", "absolute"].map {
                try #require(status["\($0)_seconds_left"] as? Int)
            }
        }

        @Test func noLimitBecomesLongerOrEnds() throws {
            let home = try TestHome()
            let clock = try WallClock(of: home)
            try clock.unlock()
            // Long enough for the slowest machine.
            expect(try home.ask("settings set verification-window 1h"), ends: 0)
            expect(try home.ask("settings set idle-limit 2h"), ends: 0)
            for days in Self.days {
                let before = try left(home)
                try clock.set(days)
                for (before, after) in zip(before, try left(home)) {
                    #expect((1...before).contains(after), "\(days) days")
                }
                try clock.expectSet(days)
            }
        }

        @Test(
            arguments: [
                ("verification-window", "unlocked"), ("idle-limit", "locked"),
                ("absolute-limit", "locked"),
            ])
        func anExpiredSessionStaysEnded(limit: String, state: String) throws {
            let home = try TestHome()
            let clock = try WallClock(of: home)
            try clock.unlock()
            try home.tell("hidden", options: "--class after-verification")
            // Set back before the limit has passed, it passes all the same.
            try clock.set(-3)
            try clock.expectSet(-3)
            expect(try home.ask("settings set \(limit) 1s"), ends: 0)
            try home.waitFor(state)
            for days in Self.days {
                try clock.set(days)
                #expect(try home.state == state, "\(days) days")
                let refused = try home.ask("secret get mail.example ada")
                #expect(refused.exitCode == (state == "locked" ? 3 : 8), "\(days) days")
                if state == "unlocked" { try clock.expectSet(days) }
            }
        }

        @Test func anAgentWhoseOwnClockIsMovedLocks() throws {
            // The counterproof: it is seen when the clock is one that these tests can move.
            let home = try TestHome()
            let clock = try WallClock(of: home)
            try clock.unlock(movesAllClocks: true)
            try clock.set(3)
            try home.waitFor("locked")
        }
    }

    /// The wall clock of a home's agent, by libfaketime; that of everybody else goes on.
    struct WallClock {
        /// The library, in the folder of this architecture.
        static let library = Files.names(in: "/usr/lib").lazy
            .map { "/usr/lib/\($0)/faketime/libfaketime.so.1" }.first { Files.exists($0) }

        static var isAvailable: Bool { library != nil }

        private let home: TestHome
        /// In a folder that the agent may read.
        private var file: String { home.home + "/wall-clock" }

        init(of home: TestHome) throws {
            self.home = home
            try set(0)
        }

        /// Unlocks, and starts the agent with this clock.
        func unlock(movesAllClocks: Bool = false) throws {
            let environment = home.environment
            defer { home.environment = environment }
            home.environment["LD_PRELOAD"] = Self.library
            home.environment["FAKETIME_TIMESTAMP_FILE"] = file
            home.environment["FAKETIME_NO_CACHE"] = "1"
            if !movesAllClocks { home.environment["DONT_FAKE_MONOTONIC"] = "1" }
            // So that it makes no shared memory, which a process that is killed would leave behind.
            home.environment["FAKETIME_SHARED"] = "none none"
            try home.unlock()
        }

        /// Sets it to so many days from now, in one step.
        func set(_ days: Int) throws {
            try Files.write("\(days < 0 ? "" : "+")\(days)d", to: file + ".new")
            guard unsafe rename(file + ".new", file) == 0 else { throw HarnessFailure("rename") }
        }

        /// Expects it to be what it was set to, by the time of a secret that the agent saves.
        func expectSet(_ days: Int) throws {
            try home.tell("value", "clock", options: "--replace")
            let items = try #require(try home.ask("secret list --json").json as? [[String: Any]])
            let item = try #require(items.first { $0["service"] as? String == "clock" })
            let saved = try Date(
                try #require(item["modified"] as? String), strategy: .iso8601)
            #expect(abs(saved.timeIntervalSinceNow / 86_400 - Double(days)) < 1)
        }
    }
#endif

import Foundation
import Testing
import TestSupport
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

        private static let canShiftClocks =
            (try? seconds(under: ["unshare", "-T", "--boottime", "0"])) != nil

        /// The time in a process whose system clocks are shifted.
        private static func seconds(under command: [String]) throws -> Int64 {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = command + [BuiltExecutable.path(of: "TestTools"), "clock"]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            struct NoNumber: Error {}
            let text = String(decoding: data, as: UTF8.self)
            guard let seconds = Int64(text.trimmingCharacters(in: .newlines)) else {
                throw NoNumber()
            }
            return seconds
        }

        @Test(
            "counts a sleep of the machine, and is not the clock that leaves it out",
            .enabled(if: canShiftClocks, "shifts a process's clocks, which takes root and unshare"))
        func suspendedTime() throws {
            // A machine that slept for a day is one whose two clocks are a day apart.
            let start = Self.boottime().components.seconds
            let slept = try Self.seconds(under: ["unshare", "-T", "--boottime", "86400"])
            let other = try Self.seconds(under: ["unshare", "-T", "--monotonic", "86400"])
            let end = Self.boottime().components.seconds
            #expect((start + 86_400...end + 86_400).contains(slept))
            #expect((start...end).contains(other))
        }
    }
#endif

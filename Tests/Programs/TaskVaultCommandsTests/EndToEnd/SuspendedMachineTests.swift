#if os(Linux)
    import Foundation
    import Platform
    import Testing
    import TestSupport

    /// The clock of a session where the machine was suspended: it runs in another process, whose system clocks are shifted.
    @Suite(.waitsForProcesses) struct SuspendedMachineTests {
        private static let canShiftClocks = (try? seconds("--boottime", 0)) != nil

        /// The time of the clock of a session in a process that has one of its system clocks shifted by some seconds.
        private static func seconds(_ clock: String, _ shift: Int) throws -> Int64 {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/unshare")
            process.arguments = [
                "-T", clock, "\(shift)", BuiltExecutable.path(of: "TestTools"), "clock",
            ]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            let text = String(decoding: data, as: UTF8.self)
            guard let seconds = Int64(text.trimmingCharacters(in: .newlines)) else {
                throw HarnessFailure("unshare -T", code: EPERM)
            }
            return seconds
        }

        /// The clock that counts the time that the machine was suspended, in seconds.
        private static func boottime() -> Int64 {
            var time = timespec()
            unsafe clock_gettime(CLOCK_BOOTTIME, &time)
            return Int64(time.tv_sec)
        }

        @Test(
            .enabled(if: canShiftClocks, "shifts a process's clocks, which takes root and unshare"))
        func theClockCountsTheSleep() throws {
            // A machine that slept for a day is one whose two clocks are a day apart.
            let start = Self.boottime()
            let slept = try Self.seconds("--boottime", 86_400)
            let other = try Self.seconds("--monotonic", 86_400)
            let end = Self.boottime()
            #expect((start + 86_400...end + 86_400).contains(slept))
            #expect((start...end).contains(other))
        }
    }
#endif

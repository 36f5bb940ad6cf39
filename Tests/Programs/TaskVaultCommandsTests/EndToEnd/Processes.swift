import Foundation
import Platform

/// Questions of tests about processes that are not their children.
enum Processes {
    /// Whether a process runs; a zombie does not.
    static func isRunning(_ process: pid_t) -> Bool {
        guard kill(process, 0) == 0 else { return false }
        #if os(Linux)
            let state = field("State", of: process)
            return state != nil && state?.hasPrefix("Z") == false && state?.hasPrefix("X") == false
        #else
            return true
        #endif
    }

    /// A line of `/proc/PID/status`; nil where there is none.
    static func field(_ name: String, of process: pid_t) -> String? {
        guard let bytes = try? Files.read("/proc/\(process)/status") else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name + ":") }?.dropFirst(name.count + 1)
            .trimmingCharacters(in: .whitespaces)
    }

    /// Waits, as long as a machine with much to do may take.
    ///
    /// - Returns: Whether it came to that.
    static func wait(until isSo: () throws -> Bool) rethrows -> Bool {
        let patience = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < patience {
            if try isSo() { return true }
            usleep(5_000)
        }
        return try isSo()
    }
}

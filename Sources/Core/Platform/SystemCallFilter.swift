/// The system calls that a process gave up: running programs, tracing, memory of others, keys of the kernel, mounts, clocks.
package enum SystemCallFilter {
    /// Gives them up, in all threads and for good; they fail with `EPERM` then. The list is in `system_calls_linux.c`.
    ///
    /// The corresponding C function is `seccomp`.
    ///
    /// - Returns: Whether the system has such a filter.
    @discardableResult package static func apply() -> Bool { platform_refuse_system_calls() == 0 }

    /// Whether a process has such a filter, its own or that of a service manager; nil where the system does not say. Reads
    /// `/proc/PID/status`.
    package static func isActive(in process: UInt32) -> Bool? {
        guard let content = FileSystem.content("/proc/\(process)/status", limit: 16_384) else {
            return nil
        }
        let lines = content.split(separator: UInt8(ascii: "\n"))
        guard let line = lines.first(where: { $0.starts(with: "Seccomp:".utf8) }) else {
            return nil
        }
        return line.last == UInt8(ascii: "2")
    }
}

/// The filter that takes system calls from a process: running programs, tracing, other processes' memory, kernel keys, mounts, clocks.
package enum SystemCallFilter {
    /// Applies the filter to all threads, permanently; the calls then fail with `EPERM`. The list is in `system_call_filter_linux.c`.
    ///
    /// The corresponding C function is `seccomp`.
    ///
    /// - Returns: Whether the system supports such a filter.
    @discardableResult package static func apply() -> Bool { platform_refuse_system_calls() == 0 }

    /// Whether a process has a seccomp filter, its own or a service manager's; nil if the system does not report it. Reads
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

/// A filter that denies system calls to a process: those that run programs, trace processes, access the memory of other processes, use
/// kernel keys, mount file systems or set clocks.
package enum SystemCallFilter {
    /// Applies the filter to all threads of this process, permanently. Denied calls then fail with `EPERM`. The list of denied calls is in
    /// `system_call_filter_linux.c`.
    ///
    /// The corresponding C function is `seccomp`.
    ///
    /// - Returns: Whether the system supports such a filter.
    @discardableResult package static func apply() -> Bool { platform_refuse_system_calls() == 0 }

    /// Whether a process has a seccomp filter, set by itself or by a service manager; nil if the system does not report it. The source is
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

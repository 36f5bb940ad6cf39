package import Testing

#if os(Linux)
    internal import Foundation

    /// strace, which injects failures into system calls, and what this system lets a process see of another one.
    package enum Tracer {
        /// The program.
        package static let path = "/usr/bin/strace"

        /// Whether it is installed, and may trace a program that it starts.
        package static let isUsable =
            (try? SystemTool.run(path, "-qq", "-o", "/dev/null", "/bin/true")) != nil
        /// Why tests that need it are skipped.
        package static let reason: Comment = "strace is not installed, or may not trace"

        /// Whether a process can look into another one of its user that it did not start: Yama forbids that on some systems.
        package static let mayAttach: Bool = {
            let scope = try? String(
                contentsOfFile: "/proc/sys/kernel/yama/ptrace_scope", encoding: .utf8)
            return scope == nil || scope == "0\n"
        }()
    }
#else
    /// The tests trace with Debian's program only.
    package enum Tracer {
        /// The program.
        package static let path = "/usr/bin/strace"
        /// Whether it may trace.
        package static let isUsable = false
        /// Why tests that need it are skipped.
        package static let reason: Comment = "strace is not installed, or may not trace"
    }
#endif

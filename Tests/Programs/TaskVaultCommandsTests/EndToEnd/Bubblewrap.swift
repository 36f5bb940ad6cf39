#if os(Linux)
    import Platform
    import Testing

    /// bwrap(1), which runs a program with other mounts, as containers do.
    enum Bubblewrap {
        static let path = "/usr/bin/bwrap"
        static let isUsable: Bool = {
            let process = try? ChildProcess.start([path, "--dev-bind", "/", "/", "/bin/true"])
            return process?.wait() == .exit(0)
        }()
        static let reason: Comment = "bubblewrap is missing, or may not make namespaces"

        /// Words that start a program with all files of the machine, and with these options.
        static func launcher(_ options: [String]) -> [String] {
            [path, "--dev-bind", "/", "/"] + options
        }
    }
#endif

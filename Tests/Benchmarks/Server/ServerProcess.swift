internal import Platform

/// A server in a process of its own that says on which port it listens.
final class ServerProcess {
    /// The port on 127.0.0.1.
    let port: UInt16
    private let process: pid_t
    private var hasEnded = false

    /// Starts a server and waits for the line in which it says where it listens. What it writes to standard error goes to a file.
    init(_ words: [String], log name: String, in folder: ScratchFolder) throws {
        let log = folder.path(of: name)
        process = try Child.start(words, errors: log)
        for _ in 0..<1_000 {
            if let port = try Self.port(saidIn: log) {
                self.port = port
                return
            }
            var status: Int32 = 0
            guard unsafe waitpid(process, &status, WNOHANG) == 0 else { break }
            usleep(10_000)
        }
        kill(process, SIGKILL)
        throw BenchmarkFailure("\(words[0]) does not start: \(try TextFile.read(log))")
    }

    deinit { end() }

    /// Ends the server and waits for that.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        kill(process, SIGTERM)
        var status: Int32 = 0
        unsafe waitpid(process, &status, 0)
    }

    /// A line of its `/proc/PID/status`, in MiB.
    func mebibytes(_ name: String) throws -> Double {
        Double(try ProcessStatus.kibibytes(name, of: "\(process)")) / 1_024
    }

    /// The processor time that it used, in nanoseconds.
    func processorTime() throws -> Double {
        let text = try TextFile.read("/proc/\(process)/stat")
        // The name in parentheses may have spaces; user and system time are the 12th and 13th words after it.
        let words = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard words.count > 12, let user = Double(words[11]), let system = Double(words[12]) else {
            throw BenchmarkFailure("no processor time")
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK))) * 1e9
    }

    private static func port(saidIn log: String) throws -> UInt16? {
        let parts = try TextFile.read(log).split(
            separator: "http://127.0.0.1:", omittingEmptySubsequences: false)
        // A line that is being written has no end yet.
        guard parts.count > 1, parts[1].contains("\n") else { return nil }
        return UInt16(parts[1].prefix { $0.isNumber })
    }
}

internal import Platform

/// The system's view of a process.
enum ProcessStatus {
    /// A line of `/proc/PID/status`, in KiB.
    static func kibibytes(_ name: String, of process: String = "self") throws -> Int {
        guard let file = unsafe fopen("/proc/\(process)/status", "r") else {
            throw BenchmarkFailure("no /proc")
        }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while unsafe fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 10 }.map(UInt8.init), as: UTF8.self)
            let words = text.split { $0 == " " || $0 == "\t" }
            if words.first == name[...], let number = words.dropFirst().first.flatMap({ Int($0) }) {
                return number
            }
        }
        throw BenchmarkFailure("no \(name)")
    }

    /// The processor time of a process with one thread, in nanoseconds.
    static func processorTime(of process: pid_t) throws -> Double {
        let text = try TextFile.read("/proc/\(process)/schedstat")
        guard let time = text.split(separator: " ").first.flatMap({ Double($0) }) else {
            throw BenchmarkFailure("no processor time")
        }
        return time
    }
}

internal import Platform

/// `wrk`, which sends the same requests in turn, with as many threads as there are processors, so that it is not what limits a server.
struct LoadGenerator {
    /// The measured values.
    struct Load {
        /// Answers a second.
        let rate: Double
        /// How many answers there were.
        let count: Double
        /// The 99th percentile, in nanoseconds.
        let slowest: Double
    }

    /// Where it is; nil if it is not installed.
    static var path: String? {
        ["/usr/bin/wrk", "/usr/local/bin/wrk"].first { unsafe access($0, X_OK) == 0 }
    }

    private let command: String

    /// Writes the script that makes it send these requests.
    init(
        _ path: String, connections: Int, seconds: Int, requests: [[UInt8]],
        named name: String = "introspect", in folder: ScratchFolder
    ) throws {
        let texts = requests.map { request in
            "    \"" + request.map { "\\" + Self.threeDigits($0) }.joined() + "\",\n"
        }
        let script = """
            local requests = {
            \(texts.joined())}
            local number = 0
            request = function()
                number = number % #requests + 1
                return requests[number]
            end
            done = function(summary, latency)
                local errors = summary.errors
                local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
                io.write(string.format("\\nfigures %d %d %d %d %d\\n", summary.requests,
                    summary.duration, summary.bytes, failed, latency:percentile(99)))
            end

            """
        try folder.save(Array(script.utf8), as: name + ".lua")
        command =
            "'\(path)' --threads \(ServerMeasurements.processors) --connections \(connections) --duration \(seconds)s"
            + " --script '\(folder.path(of: name + ".lua"))' http://127.0.0.1:"
    }

    /// Loads a server whose answers must all have this size; says, too, how much processor time the server took for one of them.
    func run(_ server: ServerProcess, _ size: Int) throws -> (load: Load, time: Double) {
        let before = try server.processorTime()
        let load = try run(port: server.port, size)
        return (load, (try server.processorTime() - before) / load.count)
    }

    /// Loads the server at a port, as the other function.
    func run(port: UInt16, _ size: Int) throws -> Load {
        guard let output = unsafe popen(command + "\(port)", "r") else {
            throw BenchmarkFailure("no child process")
        }
        var line = [CChar](repeating: 0, count: 256)
        var figures: [Double] = []
        while unsafe fgets(&line, Int32(line.count), output) != nil {
            let text = String(decoding: line.prefix { $0 != 10 }.map(UInt8.init), as: UTF8.self)
            if text.hasPrefix("figures ") {
                figures = text.split(separator: " ").compactMap { Double($0) }
            }
        }
        guard unsafe pclose(output) == 0, figures.count == 5 else {
            throw BenchmarkFailure("wrk failed")
        }
        let (count, microseconds, bytes, failed) = (figures[0], figures[1], figures[2], figures[3])
        guard failed == 0, count > 0 else { throw BenchmarkFailure("\(failed) requests failed") }
        // Answers that were under way at the end are in the one number only.
        guard abs(bytes / Double(size) - count) <= 0.01 * count + 100 else {
            throw BenchmarkFailure("\(bytes) bytes are not \(count) answers of \(size)")
        }
        return Load(
            rate: count / (microseconds / 1e6), count: count, slowest: figures[4] * 1e3)
    }

    private static func threeDigits(_ byte: UInt8) -> String {
        let digits = String(byte)
        return String(repeating: "0", count: 3 - digits.count) + digits
    }
}

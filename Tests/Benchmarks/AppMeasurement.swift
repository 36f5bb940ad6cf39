#if os(Linux)
    import Platform
    import Tasks
    import TestSupport

    /// The time and memory of `taskvault app` for the first page of a long list, and until an event. The browser's share is not in it.
    enum AppMeasurement {
        /// The number of tasks.
        private static let count = 10_000

        static func run(
            _ effort: Effort, in folder: ScratchFolder, into table: inout Table
        ) throws {
            let home = try folder.makeFolder("app")
            try fill(home + "/tasks.db")
            let start = ["/usr/bin/env", "-i", "HOME=" + home, "TASKVAULT_HOME=" + home]
            let times = try (0..<effort.slowRounds).map { _ in
                let app = try AppProcess(start)
                defer { app.end() }
                return try Clock.time { _ = try app.firstPage() }
            }
            table.add(
                "app, first answers with \(count / 1_000),000 tasks", .time(times.median),
                atMost: .time(300e6))
            let app = try AppProcess(start)
            defer { app.end() }
            try app.firstPage()
            let waits = try (0..<15).map { _ in try app.wait { try add(start) } }
            table.add("app, event after a command", .time(waits.median))
            table.add(
                "  the slowest of \(waits.count)", .time(waits.max() ?? 0), atMost: .time(200e6))
            // It gives memory back when nothing was asked for half a second.
            usleep(1_500_000)
            let memory = try ProcessStatus.kibibytes("VmRSS:", of: "\(app.process)")
            table.add(
                "app, memory at rest", .mebibytes(Double(memory) / 1_024), atMost: .mebibytes(30))
        }

        private static func fill(_ path: String) throws {
            let tasks = try TaskFile(path, count: 0)
            defer { tasks.close() }
            for number in 0..<count {
                var task = TodoTask(
                    content: .plain(TaskText(name: "call the plumber \(number)")), created: .now)
                task.due = .moment(PointInTime.now.advanced(by: .seconds(Int64(number) * 600)))
                _ = try tasks.list.add(task)
            }
        }

        /// Adds a task by the command line.
        ///
        /// - Returns: When the command had ended, in nanoseconds.
        private static func add(_ start: [String]) throws -> Double {
            _ = try Child.time(start + [TaskVaultExecutable.path, "task", "add", "milk"])
            return Clock.now
        }
    }

    /// A running `taskvault app` with one page.
    private final class AppProcess {
        let process: pid_t
        private let program: LineProcess
        private let host: String
        private let token: String
        private var bearer = ""
        private let connection: HTTPConnection

        init(_ start: [String]) throws {
            program = try LineProcess(
                start[0],
                Array(start.dropFirst()) + [
                    TaskVaultExecutable.path, "app", "--foreground", "--print-url",
                ])
            process = program.identifier
            let parts = try program.readLine()?.split(separator: "/") ?? []
            guard parts.count == 3,
                let port = parts[1].split(separator: ":").last.flatMap({ UInt16($0) })
            else { throw BenchmarkFailure("no address") }
            host = String(parts[1])
            token = String(parts[2].dropFirst("#token=".utf8.count))
            connection = try HTTPConnection(port: port)
        }

        func end() {
            kill(process, SIGKILL)
            program.end()
        }

        /// Asks for what a page needs first.
        @discardableResult
        func firstPage() throws -> Int {
            _ = try connection.ask(request("GET", "/", site: "none"))
            let content = #"{"token":"\#(token)"}"#
            bearer = try connection.ask(request("POST", "/api/session", content)).member("bearer")
            _ = try connection.ask(request("GET", "/api/state"))
            return try connection.ask(request("GET", "/api/tasks")).size
        }

        /// How long after `act` a page that waits gets an event of the tasks, in nanoseconds.
        func wait(_ act: () throws -> Double) throws -> Double {
            // What an earlier change is followed by, such as a checkpoint.
            usleep(500_000)
            let last = try connection.ask(request("GET", "/api/events")).text
                .split(separator: #""sequence":"#).last?.prefix { $0.isNumber }
            guard let last else { throw BenchmarkFailure("no sequence") }
            try connection.send(request("GET", "/api/events?after=\(last)"))
            let time = try act()
            while connection.complete == nil {
                guard try connection.receive() else { throw BenchmarkFailure("no event") }
            }
            guard let event = connection.complete, event.text.contains("tasks") else {
                throw BenchmarkFailure("another event")
            }
            // It may come before the command has ended.
            return max(0, Clock.now - time)
        }

        private func request(
            _ method: String, _ path: String, _ content: String = "", site: String = "same-origin"
        ) -> [UInt8] {
            var head = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nSec-Fetch-Site: \(site)\r\n"
            if !bearer.isEmpty { head += "Authorization: Bearer \(bearer)\r\n" }
            if method != "GET" {
                head += "Origin: http://\(host)\r\nContent-Type: application/json\r\n"
                head += "Content-Length: \(content.utf8.count)\r\n"
            }
            return Array((head + "\r\n" + content).utf8)
        }
    }
#endif

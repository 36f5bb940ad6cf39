#if os(Linux)
    internal import CTestPlatform
    internal import Foundation
    internal import Glibc
    internal import Database
    internal import Synchronization

    /// A private PostgreSQL server of the tests, on a Unix socket in a folder that only this user can enter.
    ///
    /// The server ends with this object or with the test process, even after a crash, and its folder is removed. PostgreSQL refuses to
    /// run as root, so root starts it as another user.
    package final class PostgreSQLServer: Sendable {
        /// The folder of the newest version's programs on Debian; nil without one.
        private static let programs: String? = {
            let base = "/usr/lib/postgresql"
            let versions = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
            let newest = versions.compactMap { Int($0) }.max()
            return newest.map { "\(base)/\($0)/bin" }.flatMap {
                FileManager.default.isExecutableFile(atPath: $0 + "/initdb") ? $0 : nil
            }
        }()

        /// Whether tests that need a server run: if one is installed or required.
        package static let isWanted =
            programs != nil
            || ProcessInfo.processInfo.environment["TASKVAULT_REQUIRE_POSTGRESQL"] == "1"

        /// The reason for skipped tests.
        package static let reason = "needs Debian's package postgresql"

        /// The server shared by all tests that do not change it.
        package static let shared = Result { try PostgreSQLServer() }

        /// The system's user as whom the server runs.
        private static let user =
            getuid() != 0 ? processUser : unsafe getpwnam("postgres") == nil ? "nobody" : "postgres"

        /// The system's user of this process.
        static var processUser: String {
            unsafe getpwuid(getuid()).map { unsafe String(cString: $0.pointee.pw_name) } ?? ""
        }

        /// The folder with the socket.
        package let folder: String
        private let port: Int?
        private let watcher: pid_t
        /// The descriptor that controls the watcher; nil after the end.
        private let input: Mutex<Int32?>

        /// Starts a server.
        ///
        /// - Parameters:
        ///   - port: A TCP port on this machine; nil for the socket only.
        ///   - settings: Settings of the server, `name=value`.
        ///   - access: Lines of `pg_hba.conf` before the default, which accepts every client of the socket.
        ///   - prepare: Adds files to the server's folder.
        /// - Throws: ``PostgreSQLServerFailure`` if the server does not start; the error of `prepare`.
        package init(
            port: Int? = nil, settings: [String] = [], access: [String] = [],
            prepare: (_ folder: String) throws -> Void = { _ in }
        ) throws {
            guard let programs = Self.programs else {
                throw PostgreSQLServerFailure(reason: "there is no PostgreSQL server")
            }
            let base = TemporaryFolder.base
            var template = Array("\(base)/taskvault-server-XXXXXX".utf8CString)
            guard unsafe mkdtemp(&template) != nil else {
                throw PostgreSQLServerFailure(reason: "no folder")
            }
            self.port = port
            folder = String(
                decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            try Data(Self.accessRules(access).utf8).write(to: URL(filePath: folder + "/access"))
            try prepare(folder)
            let listening = port.map { ["listen_addresses=127.0.0.1", "port=\($0)"] } ?? []
            let account = getuid() != 0 ? "" : Self.user
            let arguments =
                ["/bin/sh", "-c", Self.script, "sh", programs, folder, account]
                + (settings + listening).flatMap { ["-c", $0] }
            let started = try Self.start(arguments)
            watcher = started.process
            input = Mutex(started.input)
            try waitUntilReady()
        }

        deinit {
            stop()
        }

        private static func accessRules(_ first: [String]) -> String {
            (first + ["local all needs_password scram-sha-256", "local all all trust", ""])
                .joined(separator: "\n")
        }

        /// Ends the server at the end of its input: on request, or when the test process ends in any way.
        ///
        /// After a kill of the main process its other processes run on briefly and prevent a new server. They are identified by their
        /// folder, and ended first.
        private static let script = """
            programs=$1 folder=$2 user=$3
            shift 3
            as() { if [ "$user" ]; then exec setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups "$@"; else exec "$@"; fi; }
            start() { (as "$programs/postgres" -D data -k "$folder" -c hba_file="$folder/access" "$@") & server=$!; }
            each() {
                for process in /proc/[0-9]*; do
                    if [ "$(readlink "$process/cwd")" = "$place/data" ]; then kill "$1" "${process#/proc/}" && echo "$process"; fi
                done
            }
            finish() {
                each -CONT
                kill -QUIT "$server"
                wait "$server"
                while [ "$(each -KILL)" ]; do sleep 0.05; done
            }
            cd "$folder" && place=$(pwd -P) && { [ ! "$user" ] || chown -R "$user" .; } &&
            (as "$programs/initdb" -D data -U vault -A trust -E UTF8 --locale=C --no-sync --no-instructions) && {
                set -- -c listen_addresses= -c fsync=off -c shared_buffers=16MB -c max_connections=200 "$@"
                start "$@"
                while read -r line; do
                    finish
                    start "$@"
                done
                finish
            }
            cd / && { rm -rf "$folder" || { sleep 1; rm -rf "$folder"; }; }
            """

        private static func start(
            _ arguments: [String]
        ) throws -> (process: pid_t, input: Int32) {
            var pointers = unsafe arguments.map { unsafe UnsafePointer(strdup($0)) }
            unsafe pointers.append(nil)
            defer { unsafe pointers.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
            var input: Int32 = -1
            let process = unsafe test_platform_start(pointers, &input)
            guard process > 0 else {
                throw PostgreSQLServerFailure(reason: "cannot start a process: \(errno)")
            }
            return (process, input)
        }

        /// Waits until the server accepts connections, at most three minutes.
        private func waitUntilReady() throws {
            let deadline = ContinuousClock.now + .seconds(180)
            var last: (any Error)?
            while ContinuousClock.now < deadline {
                do {
                    try PostgreSQLConnection(to: PostgreSQLAddress(address())).close()
                    return
                } catch {
                    last = error
                    usleep(20_000)
                }
            }
            stop()
            throw PostgreSQLServerFailure(
                reason: "the server does not start: \(String(describing: last))")
        }

        /// The address of a database of this server, by its socket, with further parameters.
        package func address(
            of database: String = "postgres", user: String = "vault", _ parameters: String = ""
        ) -> String {
            let host = folder.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let place = "\(user)@\(host)\(port.map { ":\($0)" } ?? "")/\(database)"
            return "postgresql://\(place)?requirepeer=\(Self.user)&\(parameters)"
        }

        /// The server's main process.
        package var process: Int32 {
            let text =
                (try? String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8))
                ?? ""
            return text.split(separator: "\n").first.flatMap { pid_t($0) } ?? 0
        }

        /// All of the server's processes.
        package var processes: [Int32] {
            let files = FileManager.default
            let data = URL(filePath: folder).resolvingSymlinksInPath().path + "/data"
            return ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { name in
                let place = try? files.destinationOfSymbolicLink(atPath: "/proc/\(name)/cwd")
                return place == data ? pid_t(name) : nil
            }
        }

        /// Ends the server at once, as in a crash, and starts it again.
        package func restart() throws {
            let before = process
            input.withLock { input in
                guard let input else { return }
                _ = unsafe write(input, "restart\n", 8)
            }
            let deadline = ContinuousClock.now + .seconds(60)
            while process == before || process == 0, ContinuousClock.now < deadline {
                usleep(10_000)
            }
            try waitUntilReady()
        }

        /// Ends the server at once and removes its folder.
        package func stop() {
            guard let input = input.withLock({ $0.take() }) else { return }
            Glibc.close(input)
            var status: Int32 = 0
            _ = unsafe waitpid(watcher, &status, 0)
        }
    }

    /// The name of the database in an address.
    package func databaseName(in address: String) -> String {
        String(address.split(separator: "?")[0].split(separator: "/").last ?? "")
    }

    /// Runs `body` with the address of a new database of the shared server, which is removed afterwards.
    package func withPostgreSQLDatabase<Result>(_ body: (String) throws -> Result) throws -> Result
    {
        let database = try TemporaryDatabase()
        defer { database.remove() }
        return try body(database.address)
    }

    /// Runs `body` with the address of a new database of the shared server, which is removed afterwards.
    package func withPostgreSQLDatabase<Result>(
        _ body: (String) async throws -> Result
    ) async throws -> Result {
        let database = try TemporaryDatabase()
        defer { database.remove() }
        return try await body(database.address)
    }

    private struct TemporaryDatabase {
        let address: String
        private let name: String
        private let server: PostgreSQLServer

        init() throws {
            server = try PostgreSQLServer.shared.get()
            name = "test_" + String(UInt64.random(in: .min ... .max), radix: 36)
            address = server.address(of: name)
            try run("CREATE DATABASE \(name) TEMPLATE template0 STRATEGY file_copy")
        }

        func remove() {
            try? run("DROP DATABASE \(name) WITH (FORCE)")
        }

        private func run(_ script: String) throws {
            let connection = try PostgreSQLConnection(to: PostgreSQLAddress(server.address()))
            try connection.run(script: script)
        }
    }
#else
    /// The tests start servers with Debian's programs only.
    package enum PostgreSQLServer {
        /// Whether tests that need a server run.
        package static let isWanted = false
        /// The reason for skipped tests.
        package static let reason = "needs Debian's package postgresql"
    }

    /// No server is available.
    package func withPostgreSQLDatabase<Result>(_ body: (String) throws -> Result) throws -> Result
    {
        throw PostgreSQLServerFailure(reason: "there is no PostgreSQL server")
    }

    /// No server is available.
    package func withPostgreSQLDatabase<Result>(
        _ body: (String) async throws -> Result
    ) async throws -> Result {
        throw PostgreSQLServerFailure(reason: "there is no PostgreSQL server")
    }
#endif

/// The failure of a server that tests need.
package struct PostgreSQLServerFailure: Error {
    /// The cause.
    package let reason: String
}

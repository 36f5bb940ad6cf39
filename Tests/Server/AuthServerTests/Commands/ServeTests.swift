import Accounts
import Database
@testable import AuthServer
import Foundation
import Testing
import TestSupport
import TextCoding

/// The server from its start to its end, by the real executable.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct ServeTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalEndsTheServerCleanly(number: Int32) throws {
        let home = try ServerHome()
        let server = try ServingProcess(home)
        #expect(
            Connection.request("GET /health", port: server.port).contains(#"{"status":"ok"}"#))
        server.signal(number)
        #expect(server.finish() == 0)
        #expect(server.log.contains(#""event":"stopped""#))
        // No other files remain beside the database.
        let files = try FileManager.default.contentsOfDirectory(atPath: home.folder + "/data")
        #expect(files == ["accounts.db"])
    }

    @Test func aRequestInProgressIsAnsweredAndANewOneRefused() throws {
        let home = try ServerHome()
        // The time for this test is not what ends the server's wait.
        let server = try ServingProcess(home, ["--timeout", "10m", "--stop-timeout", "1h"])
        let connection = try #require(Connection(port: server.port))
        connection.send(
            "POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nContent-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\n\r\n"
        )
        // The head was read.
        #expect(connection.waitFor("HTTP/1.1 100 Continue\r\n\r\n"))
        server.signal(SIGTERM)
        try server.waitFor(#""event":"stopping""#)
        while Connection(port: server.port) != nil {}
        // A server that does not wait has time to close it.
        for _ in 0..<1_000 { _ = Connection(port: server.port) }
        connection.send("grant_type=x")
        #expect(connection.readAll().hasPrefix("HTTP/1.1 4"))
        #expect(server.finish() == 0)
        #expect(Connection(port: server.port) == nil)
    }

    @Test func everyLineOfTheLogIsJSON() throws {
        let home = try ServerHome()
        let server = try ServingProcess(home)
        for path in ["/health", "/nothing", "/account?password=hunter2"] {
            _ = Connection.request("GET \(path)", port: server.port)
        }
        _ = Connection.form(
            "/oauth/token",
            "grant_type=password&client_id=taskvault&username=a%40b.example&password=hunter2",
            port: server.port)
        server.signal(SIGHUP)
        try server.waitFor("reload_ignored")
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
        var requests = 0
        for line in server.log.split(separator: "\n") {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let members = try #require(object as? [String: Any])
            #expect(members["time"] != nil)
            if members["event"] as? String == "request" { requests += 1 }
        }
        #expect(requests == 4)
        #expect(!server.log.contains("hunter2"))
    }

    @Test func aPortInUseIsExplained() throws {
        let home = try ServerHome()
        let server = try ServingProcess(home)
        let second = try home.run("serve --listen 127.0.0.1:\(server.port)")
        expect(
            second, ends: 1, "cannot listen on 127.0.0.1:\(server.port): ", "hint: --listen")
    }

    @Test func twoServersUseOneDatabase() throws {
        let home = try ServerHome()
        let first = try ServingProcess(home)
        let second = try ServingProcess(home)
        #expect(first.port != second.port)
        for server in [first, second] {
            #expect(
                Connection.request("GET /health", port: server.port).hasPrefix("HTTP/1.1 200"))
            server.signal(SIGTERM)
            #expect(server.finish() == 0)
        }
    }

    @Test func expiredRowsAreRemoved() throws {
        let home = try ServerHome()
        // Makes folder and file, as the commands do.
        _ = try home.run("account invite eve@example.org")
        let repository = try AccountRepository.openOrCreate(.file(home.database))
        defer { repository.close() }
        let accounts = AccountAdministration(repository: repository)
        let ada = try #require(EmailAddress("ada@example.org"))
        _ = try accounts.invite(ada, at: PointInTime(milliseconds: 0))
        #expect(try repository.read { try $0.invitations() }.count == 2)
        let server = try ServingProcess(home)
        // The removal runs in its own thread, some time after the start.
        let isRemoved = try until {
            try repository.read { try $0.invitations() }.map(\.email.text) == ["eve@example.org"]
        }
        #expect(isRemoved)
        #expect(Connection.request("GET /health", port: server.port).hasPrefix("HTTP/1.1 200"))
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
    }

    #if os(Linux)
        @Test func theDescriptorLimitCoversAllConnections() throws {
            let home = try ServerHome()
            home.launcher = ["/bin/sh", "-c", "ulimit -S -n 64; exec \"$@\"", "sh"]
            let server = try ServingProcess(home, ["--maximum-connections", "500"])
            let limits = try String(contentsOfFile: "/proc/\(server.id)/limits", encoding: .utf8)
            let line = try #require(
                limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
            #expect(try #require(line.split(separator: " ").compactMap { Int($0) }.first) > 500)
            server.signal(SIGTERM)
            #expect(server.finish() == 0)
            #expect(!server.log.contains("descriptors_limited"))

            home.launcher[2] = "ulimit -n 200; exec \"$@\""
            let limited = try ServingProcess(home, ["--maximum-connections", "500"])
            try limited.waitFor("descriptors_limited")
            limited.signal(SIGTERM)
            #expect(limited.finish() == 0)
        }
    #endif

    @Test func aStalledLogReaderDoesNotBlockRequests() throws {
        let server = try ServingProcess(ServerHome())
        // More than the pipe and the buffer hold.
        for _ in 0..<40 {
            let connection = try #require(Connection(port: server.port))
            for part in 0..<400 {
                let last = part == 399 ? "Connection: close\r\n" : ""
                connection.send("GET /x HTTP/1.1\r\nHost: t\r\n\(last)\r\n")
            }
            let answers = connection.readAll().ranges(of: "HTTP/1.1 404").count
            #expect(answers == 400)
        }
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
        #expect(server.log.contains("log_left_out"))
    }

    @Test func settingsAreCheckedWithoutServing() throws {
        let home = try ServerHome()
        try home.write("authd.conf", "waiting = 3\nclient a = \(ConfigurationTests.hash)\n")
        let checked = try home.run("serve --check-config --threads 5")
        expect(checked, ends: 0, "authd.conf:1", "--threads", "TASKVAULT_AUTHD_DATABASE", "default")
        let object = try home.run("serve --check-config --json").object()
        #expect(object["configuration_file"] as? String == home.folder + "/authd.conf")
        #expect(object["clients"] as? [String] == ["a"])
        let settings = try #require(object["settings"] as? [String: [String: Any]])
        #expect(settings.count == ServerSettings.all.count)
        #expect(settings["waiting"]?["value"] as? String == "3")
        #expect(settings["issuer"]?["value"] as? String == "http://127.0.0.1:8420")
        #expect(settings["tls-key"]?["value"] is NSNull)
        // Changed settings are first.
        let names = checked.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
        #expect(names.prefix(5) == ["SETTING", "database", "waiting", "threads", "client"])
        #expect(Set(names).count == ServerSettings.all.count + 2)
        #expect(!FileManager.default.fileExists(atPath: home.folder + "/data"))
        expect(
            try home.run("serve --check-config --listen 0.0.0.0:1"), ends: 8, "without TLS")
        let told = "--allow-plain-http --plain-http-is-protected-elsewhere"
        expect(
            try home.run(
                "serve --check-config --listen 0.0.0.0:0 --issuer http://auth.example.org \(told)"),
            ends: 0, "warning: this server does not encrypt")
        expect(try home.run("serve --waiting x"), ends: 2, "option '--waiting' takes a number")
        expect(
            try home.run("account list --waiting 1"), ends: 2,
            "is not for 'taskvault-authd account list'")
        expect(try home.run("serve --waiting 1 --waiting 2"), ends: 2, "is given twice")
    }

    @Test(.enabled(if: Certificates.canBeMade, "needs openssl"))
    func aNewCertificateIsLoadedWithoutARestart() throws {
        let home = try ServerHome()
        let files = try Certificates(home)
        try files.make("first")
        let server = try ServingProcess(
            home, ["--tls-certificate", files.certificate, "--tls-key", files.key])
        #expect(try files.subject(port: server.port).contains("first"))

        try files.make("second")
        server.signal(SIGHUP)
        try server.waitFor(#""event":"reloaded""#)
        #expect(try files.subject(port: server.port).contains("second"))

        // Another key, no certificate, a readable key, a missing file: each is reported, and the old certificate stays.
        var failures = 0
        let spoil: [() throws -> Void] = [
            { try files.make("third", keepingKey: true) },
            { try home.write("certificate.pem", "no certificate") },
            { try files.make("fourth", keyMode: 0o644) },
            { try FileManager.default.removeItem(atPath: files.key) },
        ]
        for change in spoil {
            try change()
            failures += 1
            server.signal(SIGHUP)
            try server.waitFor(failures, of: #""event":"reload_failed""#)
            #expect(try files.subject(port: server.port).contains("second"))
        }
        try files.make("fifth")
        server.signal(SIGHUP)
        try server.waitFor(2, of: #""event":"reloaded""#)
        #expect(try files.subject(port: server.port).contains("fifth"))
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
    }

    @Test(.enabled(if: Certificates.canBeMade, "needs openssl"))
    func aWrongCertificateIsFoundBeforeTheStart() throws {
        let home = try ServerHome()
        let files = try Certificates(home)
        let options = ["--tls-certificate", files.certificate, "--tls-key", files.key]
        let commands = [
            ["serve", "--check-config"] + options,
            ["serve", "--listen", "127.0.0.1:0", "--issuer", "https://auth.example.org"] + options,
        ]
        for command in commands {
            expect(
                try home.run(command), ends: 5,
                "the certificate \(files.certificate) does not exist")
        }
        try files.make("first")
        expect(try home.run(commands[0]), ends: 0, "https://127.0.0.1:8420")
        try files.make("second", keepingKey: true)
        for command in commands {
            expect(try home.run(command), ends: 8, "do not match")
        }
        try files.make("third", keyMode: 0o604)
        for command in commands {
            expect(try home.run(command), ends: 8, "all users can read the key", "chmod o= ")
        }
        try files.make("fourth", keyMode: 0o660)
        for command in commands {
            expect(try home.run(command), ends: 8, "cannot use the key", "other users can write it")
        }
    }

    @Test(.enabled(if: PostgreSQLServer.isWanted, "needs PostgreSQL"))
    func accountsCanBeInPostgreSQL() throws {
        try withPostgreSQLDatabase { address in
            let home = try ServerHome()
            home.environment["TASKVAULT_AUTHD_DATABASE"] = address
            expect(try home.run("account invite ada@example.org"), ends: 0, "tvi_")
            let server = try ServingProcess(home)
            #expect(Connection.request("GET /health", port: server.port).hasPrefix("HTTP/1.1 200"))
            expect(try home.run("account list"), ends: 0, "invited")
            server.signal(SIGTERM)
            #expect(server.finish() == 0)
        }
    }

    #if os(Linux)
        @Test(.enabled(if: PostgreSQLServer.isWanted, "needs PostgreSQL"))
        func healthIsAnsweredWhilePostgreSQLHangs() throws {
            let database = try PostgreSQLServer()
            defer { database.stop() }
            let home = try ServerHome()
            home.environment["TASKVAULT_AUTHD_DATABASE"] = database.address()
            let server = try ServingProcess(home)
            func health() -> String { Connection.request("GET /health", port: server.port) }
            #expect(health().hasPrefix("HTTP/1.1 200"))
            let processes = database.processes
            #expect(processes.contains(database.process))
            // One that ended meanwhile cannot be stopped.
            for process in processes { try? StoppedProcess.stop(process) }
            // More sign-ins than there are workers.
            let waiting = (0..<8).compactMap { _ in Connection(port: server.port) }
            let form = "grant_type=password&client_id=taskvault&username=a@b.c&password=12345678"
            for connection in waiting {
                connection.send(
                    "POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count)\r\n\r\n\(form)"
                )
            }
            // A statement takes at most 30 seconds: the sign-ins get their answers then.
            for _ in 0..<3 { #expect(health().hasPrefix("HTTP/1.1 503")) }
            #expect(!waiting.contains { $0.hasAnswer })
            for process in processes { kill(process, SIGCONT) }
            #expect(until { health().hasPrefix("HTTP/1.1 200") })
            server.signal(SIGTERM)
            #expect(server.finish() == 0)
        }
    #endif
}

import Accounts
@testable import AuthServer
import Database
import Foundation
import Testing
import TestSupport
import TextCoding

/// Faults that `serve --check-config` finds before `serve` does.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct CheckTests {
    private static let check =
        "serve --check-config --listen 127.0.0.1:0 --issuer https://localhost"

    @Test func aPortInUseIsFound() throws {
        let home = try ServerHome()
        let server = try ServingProcess(home)
        expect(
            try home.run("serve --check-config --listen 127.0.0.1:\(server.port)"), ends: 1,
            "cannot listen on 127.0.0.1:\(server.port): ", "hint: --listen")
        // Everything else can be checked meanwhile, and the server notices nothing.
        expect(try home.run(Self.check), ends: 0, "https://localhost")
        #expect(Connection.request("GET /health", port: server.port).hasPrefix("HTTP/1.1 200"))
        expect(
            try home.run(
                "serve --check-config --listen 192.0.2.1:1 --issuer https://localhost --allow-plain-http --plain-http-is-protected-elsewhere"
            ), ends: 1, "cannot listen")
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
    }

    @Test func foldersAndFilesThatOthersCanUseAreFound() throws {
        let home = try ServerHome()
        let files = FileManager.default
        // Nothing exists yet, and nothing is made.
        expect(try home.run(Self.check), ends: 0)
        #expect(!files.fileExists(atPath: home.folder + "/data"))
        try files.createDirectory(
            atPath: home.folder + "/data", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        expect(
            try home.run(Self.check), ends: 8, "/data is not safe to use: accessible to other users"
        )
        try files.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: home.folder + "/data")
        expect(try home.run("account invite ada@example.org"), ends: 0)
        expect(try home.run(Self.check), ends: 0)
        try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: home.database)
        expect(
            try home.run(Self.check), ends: 8,
            "accounts.db is not safe to use: accessible to other users")
        try files.removeItem(atPath: home.database)
        try files.createSymbolicLink(atPath: home.database, withDestinationPath: "/etc/passwd")
        expect(try home.run(Self.check), ends: 8, "accounts.db is not safe to use: a symbolic link")
        home.environment["TASKVAULT_AUTHD_DATABASE"] = "/proc/nowhere/accounts.db"
        #expect(try geteuid() == 0 || home.run(Self.check).exitCode == 8)
    }

    @Test func aRoomForSyncThatIsNoneIsFound() throws {
        let home = try ServerHome()
        let limits = "takes a number from 8 to 16777216, or 0 for no limit"
        for wrong in ["7", "16777217", "-1", "8m", "much"] {
            expect(
                try home.run(Self.check + " --sync-quota=\(wrong)"), ends: 2,
                "option '--sync-quota' \(limits)")
            let variable = "TASKVAULT_AUTHD_SYNC_QUOTA"
            home.environment[variable] = wrong
            expect(try home.run(Self.check), ends: 2, "variable \(variable) \(limits)")
            home.environment[variable] = nil
            try home.write("authd.conf", "sync-quota = \(wrong)\n")
            expect(try home.run(Self.check), ends: 2, "authd.conf", "sync-quota \(limits)")
            try home.write("authd.conf", "")
        }
        for right in ["0", "8", "16777216"] {
            expect(try home.run(Self.check + " --sync-quota \(right)"), ends: 0)
        }
    }

    @Test func aKeyOfPseudonymsThatIsNoneIsFound() throws {
        let home = try ServerHome()
        let key = home.folder + "/key"
        let check = Self.check + " --pseudonym-key \(key)"
        expect(try home.run(check), ends: 0)
        try Data("short".utf8).write(to: URL(fileURLWithPath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        expect(try home.run(check), ends: 7, "\(key) is not a key of 32 bytes")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        expect(try home.run(check), ends: 8, "all users can read the key")
    }

    @Test func aKeyOfPseudonymsThatCannotBeMadeIsFound() throws {
        let home = try ServerHome()
        let files = FileManager.default
        let check = Self.check + " --pseudonym-key \(home.folder)"
        // It is made together with the database.
        expect(try home.run(check + "/data/key"), ends: 0)
        expect(
            try home.run(check + "/missing/key"), ends: 8, "cannot make the key \(home.folder)")
        try files.createDirectory(
            atPath: home.folder + "/closed", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o500])
        if geteuid() != 0 {
            expect(
                try home.run(check + "/closed/key"), ends: 8, "cannot make the key \(home.folder)")
        }
        for name in ["/data", "/missing", "/closed/key"] {
            #expect(!files.fileExists(atPath: home.folder + name))
        }
    }

    @Test(.enabled(if: PostgreSQLServer.isWanted, "needs libpq"))
    func aDatabaseServerThatIsAwayIsFound() throws {
        let home = try ServerHome()
        home.environment["TASKVAULT_AUTHD_DATABASE"] =
            "postgresql:///accounts?host=\(home.folder)&requirepeer=nobody"
        expect(try home.run(Self.check), ends: 9, "cannot use the database")
    }

    @Test func aFileOfAnotherProgramIsFound() throws {
        let home = try ServerHome()
        expect(try home.run("account invite ada@example.org"), ends: 0)
        let file = URL(fileURLWithPath: home.database)
        var content = try Data(contentsOf: file)
        // The last byte of the application id.
        content[71] ^= 1
        try content.write(to: file)
        expect(
            try home.run(Self.check), ends: 8, "accounts.db is not a TaskVault account database")
        #expect(try Data(contentsOf: file) == content)
    }

    @Test(.enabled(if: PostgreSQLServer.isWanted, "needs PostgreSQL"))
    func tablesOfAnotherProgramOnAServerAreFound() throws {
        try withPostgreSQLDatabase { address in
            let home = try ServerHome()
            home.environment["TASKVAULT_AUTHD_DATABASE"] = address
            expect(try home.run(Self.check), ends: 0)
            let server = try PostgreSQLConnection(to: PostgreSQLAddress(address))
            defer { server.close() }
            // Nothing was made.
            try server.run(
                script: """
                    CREATE SCHEMA taskvault_accounts;
                    CREATE TABLE taskvault_accounts.accounts (anything text)
                    """)
            expect(try home.run(Self.check), ends: 8, "is not a TaskVault account database")
        }
    }

    @Test(.enabled(if: Certificates.canBeMade, "needs openssl"))
    func aCertificateForAnotherHostIsFound() throws {
        let home = try ServerHome()
        let files = try Certificates(home)
        let options = [
            "--listen", "127.0.0.1:0", "--tls-certificate", files.certificate, "--tls-key",
            files.key, "--issuer",
        ]
        func check(_ issuer: String, _ more: String...) throws -> RunResult {
            try home.run(["serve", "--check-config"] + options + [issuer] + more)
        }
        try files.make("auth.example.org", hosts: "DNS:*.example.org,IP:192.0.2.1,IP:::1")
        for issuer in [
            "https://auth.example.org", "https://auth.example.org:8420", "https://192.0.2.1",
            "https://[::1]:1",
        ] {
            expect(try check(issuer), ends: 0, issuer)
        }
        for (issuer, host) in [
            ("https://example.org", "example.org"), ("https://192.0.2.2", "192.0.2.2"),
            ("https://auth.example.com:1", "auth.example.com"),
        ] {
            expect(
                try check(issuer), ends: 8,
                "the certificate \(files.certificate) is not for the issuer's host \(host)")
        }
        // The name is that of the proxy's own certificate.
        expect(try check("https://example.org", "--trusted-proxy", "127.0.0.1"), ends: 0)
        // The server itself says so and serves.
        let server = try ServingProcess(
            home, ["--tls-certificate", files.certificate, "--tls-key", files.key],
            issuer: "https://example.org")
        try server.waitFor("certificate_name")
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
    }

    @Test(.enabled(if: Certificates.canBeMade, "needs openssl"))
    func aCertificateOfAnotherTimeIsFound() throws {
        let home = try ServerHome()
        let files = try Certificates(home)
        try files.make("auth.example.org")
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: files.certificate)))
        func fault(in days: Int64, _ host: String = "auth.example.org") -> CertificateFault? {
            .find(in: bytes, for: host, at: .now.advanced(by: .seconds(days * 86_400)))
        }
        #expect(fault(in: 0) == nil)
        #expect(fault(in: 1) == nil)
        #expect(fault(in: 3) == .expired)
        #expect(fault(in: -1) == .notYetValid)
        #expect(fault(in: 0, "example.org") == .otherName)
        #expect(fault(in: 0, "127.0.0.1") == nil)
        #expect(fault(in: 0, "127.0.0.2") == .otherName)
    }
}

import Accounts
import Database
import AuthServer
import Foundation
import HTTPServer
import Sealing
import Testing
import TestSupport

/// The server over HTTP, with password hashing that a test can block.
@Suite struct LaneSeparationTests {
    /// The requests that keep the workers for passwords busy.
    enum Kind: CaseIterable {
        case signIn, newAccount, newPassword
    }

    /// Blocks hashing until it is released.
    private final class HeldHashing: PasswordHashing, @unchecked Sendable {
        private let hashing = Argon2idHashing(limits: .testing)
        private let condition = NSCondition()
        private var isHolding = false
        private var held = 0

        func set(_ isHolding: Bool) {
            condition.withLock {
                self.isHolding = isHolding
                condition.broadcast()
            }
        }

        func waitUntilOneIsHeld() {
            condition.withLock {
                let end = Date(timeIntervalSinceNow: 120)
                while held == 0, condition.wait(until: end) {}
            }
        }

        private func pass() {
            condition.withLock {
                held += 1
                condition.broadcast()
                while isHolding { condition.wait() }
                held -= 1
            }
        }

        func hash(
            _ password: borrowing AccountPassword, cost: KeyDerivationCost
        ) throws -> PasswordHash {
            pass()
            return try hashing.hash(password, cost: cost)
        }

        func matches(
            _ password: borrowing AccountPassword, _ hash: PasswordHash
        ) throws -> Bool {
            pass()
            return try hashing.matches(password, hash)
        }
    }

    @Test(arguments: Kind.allCases, [true, false])
    func passwordWorkDoesNotBlockOtherRequests(kind: Kind, readsAtOnce: Bool) throws {
        let hashing = HeldHashing()
        var rules = AccountRules()
        rules.passwordCost = KeyDerivationCost(passes: 1, memoryKiB: 8)
        rules.registrationIsOpen = true
        let billing = RegisteredClient(name: "billing", secret: TokenHash(of: "secret"))
        let auth = try AuthServer(
            AuthServerOptions(
                issuer: "https://auth.example.org", clients: [billing],
                readsAtOnce: readsAtOnce),
            repository: AccountRepository.openOrCreate(.memory), rules: rules,
            pseudonyms: AccountFixture.pseudonyms(), hashing: hashing,
            writeLog: { _ in })
        let one = HTTPServerOptions.Lane(workers: 1, waiting: 1)
        let server = try HTTPServer(
            HTTPServerOptions(lanes: [.storage: one, .derivation: one]), auth)
        defer {
            hashing.set(false)
            server.stop(within: .zero)
        }
        let port = server.port

        let account = #"{"email":"ada@example.org","password":"correct horse"}"#
        #expect(json("/account", account, port).hasPrefix("HTTP/1.1 201"))
        let signIn =
            "grant_type=password&client_id=taskvault&username=ada%40example.org&password=correct+horse"
        let tokens = Connection.form("/oauth/token", signIn, port: port)
        let access = try token("tva_", tokens)
        let refresh = try token("tvr_", tokens)

        hashing.set(true)
        // One request is blocked, one waits, and the queue is full.
        let first = try ask(kind, 1, access, port)
        hashing.waitUntilOneIsHeld()
        let second = try ask(kind, 2, access, port)
        // It passes through the other lane first.
        #expect(until { server.counters.waitingForWorkers > 0 })
        let third = try ask(kind, 3, access, port)
        #expect(third.readAll().hasPrefix("HTTP/1.1 503"))

        let introspection = Connection.form(
            "/oauth/introspect", "token=\(access)&client_id=billing&client_secret=secret",
            port: port)
        #expect(introspection.contains(#""active":true"#))
        #expect(
            Connection.form(
                "/oauth/token",
                "grant_type=refresh_token&client_id=taskvault&refresh_token=\(refresh)", port: port
            ).hasPrefix("HTTP/1.1 200"))
        #expect(Connection.request("GET /health", port: port).hasPrefix("HTTP/1.1 200"))

        hashing.set(false)
        #expect(first.readAll().hasPrefix("HTTP/1.1 20"))
        // After the first change, the current password of the second one is wrong.
        #expect(second.readAll().hasPrefix(kind == .newPassword ? "HTTP/1.1 403" : "HTTP/1.1 20"))
    }

    private func ask(_ kind: Kind, _ number: Int, _ access: String, _ port: UInt16) throws
        -> Connection
    {
        let connection = try #require(Connection(port: port))
        let path: String
        let body: String
        var fields = ["Content-Type: application/json", "Authorization: Bearer \(access)"]
        switch kind {
        case .signIn:
            path = "/oauth/token"
            body =
                "grant_type=password&client_id=taskvault&username=ada%40example.org&password=correct+horse"
            fields = ["Content-Type: application/x-www-form-urlencoded"]
        case .newAccount:
            path = "/account"
            body = #"{"email":"eve\#(number)@example.org","password":"correct horse"}"#
        case .newPassword:
            path = "/account/password"
            body =
                #"{"current_password":"correct horse","new_password":"correct horse \#(number)"}"#
        }
        let head = ["POST \(path) HTTP/1.1", "Host: t", "Connection: close"] + fields
        connection.send(
            (head + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n"))
        return connection
    }

    private func json(_ path: String, _ body: String, _ port: UInt16) -> String {
        Connection.request(
            "POST \(path)", port: port, fields: ["Content-Type: application/json"], body: body)
    }

    private func token(_ prefix: String, _ answer: String) throws -> String {
        let start = try #require(answer.range(of: prefix))
        return String(answer[start.lowerBound...].prefix { $0 != "\"" })
    }
}

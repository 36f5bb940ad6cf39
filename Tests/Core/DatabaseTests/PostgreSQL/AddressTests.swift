@testable import Database
import Foundation
import Testing
import TestSupport

@Suite("An address", .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct AddressTests {
    /// The fault of an address, whose reason the initialiser throws.
    private func failure(_ text: String) -> PostgreSQLAddress.Fault? {
        let fault = PostgreSQLAddress.fault(in: text)
        let error = DatabaseTests.failure { _ = try PostgreSQLAddress(text) }
        #expect(error == fault.map { DatabaseError.unreachable(reason: $0.reason) })
        return fault
    }

    @Test(
        "of a Unix socket needs no TLS",
        arguments: ["", "%2Ftmp", "%40name", "%2Ftmp,%2Fvar", "%2Ftmp:1,%40name:2", "%2Ftmp,"])
    func local(host: String) throws {
        let address = try PostgreSQLAddress("postgresql://ada@\(host)/tasks")
        #expect(address.isLocal)
        #expect(address.parameters.contains("requirepeer='postgres'"))
        let empty = try PostgreSQLAddress("postgresql://ada@\(host)/tasks?requirepeer=")
        #expect(empty.parameters == address.parameters)
        let other = try PostgreSQLAddress("postgresql://ada@\(host)/tasks?requirepeer=ada")
        #expect(other.parameters.contains("requirepeer='ada'"))
        #expect(failure("postgresql://ada@\(host)/tasks?sslmode=disable") == nil)
    }

    @Test(
        "of a host is refused if it asks for less than verified TLS",
        arguments: [
            "db.example", "10.0.0.1", "%2Ftmp,db.example", "localhost,", "localhost", "127.0.0.1",
            "[::1]", "127.1", ".%2Ftmp", "%20%2Ftmp",
        ])
    func remote(host: String) throws {
        let base = "postgres://ada@\(host)/tasks"
        #expect(try !PostgreSQLAddress(base).isLocal)
        #expect(failure(base + "?sslmode=verify-full") == nil)
        for mode in ["disable", "allow", "prefer", "require", "verify-ca", "VERIFY-FULL", "x"] {
            #expect(failure(base + "?sslmode=\(mode)") == .weakSecurity)
        }
        // The last one counts for libpq.
        #expect(failure(base + "?sslmode=verify-full&sslmode=disable") == .weakSecurity)
        // Where the host is named in a parameter.
        #expect(failure("postgres:///tasks?host=\(host)&sslmode=require") == .weakSecurity)
    }

    @Test("with a password is refused, however it is written, and not quoted")
    func password() {
        for text in [
            "postgresql://ada:swordfish@localhost/tasks", "postgresql://:swordfish@localhost/tasks",
            "postgresql://localhost/tasks?password=swordfish",
            "postgresql://localhost/tasks?p%61ssword=swordfish",
        ] {
            #expect(failure(text) == .passwordInAddress)
        }
        for text in [
            "postgresql://ada:swordfish@local host:a/tasks",
            "postgresql://ada:swordfish@[::1/tasks",
            "postgresql://ada:swordfish@localhost/tasks?a",
        ] {
            let error = failure(text)
            #expect(error == .malformed || error == .passwordInAddress)
            #expect(!String(reflecting: error).contains("swordfish"))
        }
    }

    @Test("is nothing else that libpq would take")
    func malformed() {
        for text in [
            "", "tasks", "host=localhost password=x", "dbname=tasks", "http://localhost/tasks",
            "postgresql:localhost", "postgresql://localhost/%00", "postgresql://localhost/%zz",
            "postgresql://localhost/tasks?unknown=1", "postgresql://a\u{0}b/tasks",
            " postgresql://localhost/tasks",
        ] {
            #expect(failure(text) == .malformed, "\(text)")
        }
    }

    @Test(
        "sets no parameter that changes how safe the connection is",
        arguments: [
            "hostaddr", "options", "service", "gssencmode", "sslpassword", "channel_binding",
            "ssl_max_protocol_version", "replication", "client_encoding", "connect_timeout",
        ])
    func parameters(keyword: String) {
        #expect(
            failure("postgresql://localhost/tasks?\(keyword)=1") == .refusedParameter(keyword))
    }
}

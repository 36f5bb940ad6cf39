import Application
import HTTPServer
import Passkeys
import Platform
import TaskVaultCommands
import Testing

@testable import LocalApp

/// The host and port of the page.
struct ListeningTests {
    private func listen(
        in range: ClosedRange<UInt16>
    ) throws -> (app: LocalApp, servers: [HTTPServer]) {
        try LocalAppServer.listen(in: range, admits: { _ in true }) {
            LocalApp(
                CommandRunner(EnvironmentVariables([:]), home: nil), $0, PageSessions(),
                EventQueue())
        }
    }

    @Test func aPortOutsideOfAFullRangeIsChosen() throws {
        let first = try listen(in: 49_152...65_535)
        let port = first.app.origin.port
        #expect(port >= 49_152)
        let second = try listen(in: port...port)
        #expect(second.app.origin.port != port)
        #expect(second.app.origin.label != first.app.origin.label)
        #expect(second.servers.allSatisfy { $0.port == second.app.origin.port })
        withExtendedLifetime((first, second)) {}
    }

    @Test func aPortThatAnotherHoldsAtOneAddressIsNotUsed() throws {
        let first = try listen(in: 49_152...65_535)
        let other: HTTPServer
        do {
            other = try HTTPServer(HTTPServerOptions(address: "::1"), first.app)
        } catch HTTPServerError.cannotListen {
            return
        }
        let second = try listen(in: other.port...other.port)
        #expect(second.app.origin.port != other.port)
        #expect(second.servers.count == 2)
        withExtendedLifetime((first, second)) {}
    }
}

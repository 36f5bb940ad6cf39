#if os(Linux)
    import Foundation
    import TestSupport
    import Testing
    @testable import VaultAgent

    /// A bus of its own, with or without a login manager on it.
    final class LoginBus {
        static let daemon = "/usr/bin/dbus-daemon"

        /// The login manager's double needs both of them.
        static let isThere =
            FileManager.default.isExecutableFile(atPath: daemon)
            && FileManager.default.fileExists(
                atPath: "/usr/lib/python3/dist-packages/dbusmock/templates/logind.py")

        private static let manager = Checkout.path("Tests/Support/LoginManager/login-manager")

        let address: String
        private let bus: LineProcess
        private let daemonIdentifier: pid_t
        private var manager: LineProcess?

        init(in folder: String, manager isManaged: Bool = true) throws {
            let configuration = folder + "/bus.conf"
            try Data(
                """
                <busconfig>
                  <listen>unix:path=\(folder)/bus</listen>
                  <auth>EXTERNAL</auth>
                  <policy context="default">
                    <allow own="*"/> <allow user="*"/> <allow send_destination="*"/> <allow receive_sender="*"/>
                  </policy>
                </busconfig>
                """.utf8
            ).write(to: URL(filePath: configuration))
            // The shell ends the daemon when it is told to, or when these tests have ended in any way.
            // KILL and no wait, because processes that a test starts have signals blocked, as the threads of libdispatch do.
            bus = try LineProcess(
                "/bin/sh",
                [
                    "-c",
                    """
                    "$0" --config-file="$1" --nofork --nopidfile --print-address=1 2>/dev/null &
                    echo $!; read line; kill -KILL $!
                    """,
                    Self.daemon, configuration,
                ])
            // In either order; the address comes when the bus can be used.
            let lines = [try bus.readLine() ?? "", try bus.readLine() ?? ""]
            daemonIdentifier = try #require(lines.compactMap { pid_t($0) }.first)
            address = try #require(lines.first { $0.hasPrefix("unix:") })
            if isManaged { try startManager() }
        }

        func startManager() throws {
            let manager = try LineProcess(Self.manager, [], ["DBUS_SYSTEM_BUS_ADDRESS": address])
            self.manager = manager
            try #require(try manager.readLine() == "ready")
        }

        func endManager() {
            manager = nil
        }

        /// Ends the bus, and nothing else.
        func end() {
            bus.end()
        }

        /// Stops the login manager's double or lets it go on.
        func signalManager(_ number: Int32) {
            guard let manager else { return }
            kill(manager.identifier, number)
        }

        /// Stops the bus or lets it go on.
        func signalBus(_ number: Int32) {
            kill(daemonIdentifier, number)
        }

        /// Has the login manager's double do something; it is done, and the bus has passed it on, when this returns.
        @discardableResult
        func tell(_ command: String) throws -> String {
            let manager = try #require(manager)
            try manager.write(command)
            return try #require(try manager.readLine(), "the login manager's double has ended")
        }
    }

    extension SleepAndLockEvents {
        /// Whether the agent would come back at once.
        var hasMore: Bool {
            var request = pollfd(fd: descriptor, events: pollEvents, revents: 0)
            return pollTimeout == 0 || (unsafe poll(&request, 1, 0)) > 0
        }

        /// Waits as the agent does, for a minute at most.
        func wait() -> SleepOrLockEvent? {
            while true {
                if let event = next() { return event }
                var request = pollfd(fd: descriptor, events: pollEvents, revents: 0)
                let longest = pollTimeout < 0 ? 60_000 : pollTimeout
                if unsafe poll(&request, 1, longest) == 0, longest == 60_000 { return nil }
            }
        }
    }
#endif

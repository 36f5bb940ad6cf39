#if os(Linux)
    internal import Foundation
    package import Testing

    /// A session bus of its own, with or without a notification daemon on it.
    package final class DesktopSession {
        private static let busDaemon = "/usr/bin/dbus-daemon"
        /// The daemon of the desktop that tests start.
        package static let dunst = "/usr/bin/dunst"
        /// A screen for it.
        package static let screen = "/usr/bin/Xvfb"

        private static let templates = "/usr/lib/python3/dist-packages/dbusmock/templates"

        /// Whether tests that need a desktop are required instead of being skipped.
        private static let isRequired =
            ProcessInfo.processInfo.environment["TASKVAULT_REQUIRE_DESKTOP"] == "1"

        /// Whether the tests of notifications run.
        package static let isWanted =
            isRequired
            || FileManager.default.isExecutableFile(atPath: busDaemon)
                && FileManager.default.fileExists(atPath: templates + "/notification_daemon.py")
        /// Why they do not.
        package static let reason: Comment = "dbus-daemon or python3-dbusmock is not installed"

        /// Whether those with a real daemon run.
        package static let hasDunst =
            isRequired
            || isWanted
                && [dunst, screen].allSatisfy {
                    FileManager.default.isExecutableFile(atPath: $0)
                }

        /// The address of the bus.
        package let address: String
        private let bus: LineProcess
        private var daemon: LineProcess?
        private var replaced: [LineProcess] = []

        /// Starts a bus, with its files in a folder; it starts what the files in `services` say.
        package init(in folder: String, activating services: String? = nil) throws {
            let configuration = folder + "/bus.conf"
            try Data(
                """
                <busconfig>
                  <type>session</type>
                  <listen>unix:path=\(folder)/bus</listen>
                  <auth>EXTERNAL</auth>
                  \(services.map { "<servicedir>\($0)</servicedir>" } ?? "")
                  <policy context="default">
                    <allow own="*"/> <allow user="*"/> <allow send_destination="*" eavesdrop="true"/> <allow receive_sender="*"/>
                  </policy>
                </busconfig>
                """.utf8
            ).write(to: URL(filePath: configuration))
            // As the bus of the login manager's double.
            bus = try LineProcess(
                "/bin/sh",
                [
                    "-c",
                    """
                    "$0" --config-file="$1" --nofork --nopidfile --print-address=1 2>/dev/null &
                    read line; kill -KILL $!
                    """,
                    Self.busDaemon, configuration,
                ])
            address = try #require(try bus.readLine())
        }

        /// Ends the bus.
        package func end() { bus.end() }

        /// Starts the daemon's double, without its name.
        package func startDaemon() throws {
            let daemon = try LineProcess(
                Checkout.path("Tests/Support/NotificationDaemon/notification-daemon"), [],
                ["DBUS_SESSION_BUS_ADDRESS": address])
            try #require(try daemon.readLine() == "ready")
            // An earlier one runs on, and may lose its name to this one.
            if let old = self.daemon { replaced.append(old) }
            self.daemon = daemon
        }

        /// Ends the double at once, as in a crash.
        package func killDaemon() {
            if let daemon { kill(daemon.identifier, SIGKILL) }
            daemon = nil
        }

        /// Has the double do something; it is done, and the bus has passed it on, when this returns.
        @discardableResult
        package func tell(_ command: String) throws -> String {
            let daemon = try #require(daemon)
            try daemon.write(command)
            return try #require(try daemon.readLine(), "the daemon's double has ended")
        }

        /// Lets so many calls go over the bus that a service which is busy would use its time.
        package func idle() throws {
            for _ in 0..<100 { try tell("client") }
        }

        /// A notification as the double got it.
        package struct Shown: Decodable {
            /// The number.
            package let id: Int
            /// The first line.
            package let title: String
            /// The other lines.
            package let body: String
            /// The keys of actions, each with its label.
            package let actions: [String]
        }

        /// All notifications, as soon as there are so many.
        package func shown(_ count: Int) throws -> [Shown] {
            try JSONDecoder().decode([Shown].self, from: Data(try tell("wait \(count)").utf8))
        }
    }
#endif

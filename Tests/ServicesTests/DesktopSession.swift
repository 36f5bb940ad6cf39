#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// A session bus of its own, with or without a notification daemon on it.
    final class DesktopSession {
        private static let busDaemon = "/usr/bin/dbus-daemon"
        static let dunst = "/usr/bin/dunst"
        static let screen = "/usr/bin/Xvfb"

        private static let templates = "/usr/lib/python3/dist-packages/dbusmock/templates"

        /// Whether tests that need a desktop are required instead of being skipped.
        private static let isRequired =
            ProcessInfo.processInfo.environment["TASKVAULT_REQUIRE_DESKTOP"] == "1"

        static let isWanted =
            isRequired
            || FileManager.default.isExecutableFile(atPath: busDaemon)
                && FileManager.default.fileExists(atPath: templates + "/notification_daemon.py")
        static let reason: Comment = "dbus-daemon or python3-dbusmock is not installed"

        static let hasDunst =
            isRequired
            || isWanted
                && [dunst, screen].allSatisfy {
                    FileManager.default.isExecutableFile(atPath: $0)
                }

        let address: String
        private let bus: LineProcess
        private var daemon: LineProcess?
        private var replaced: [LineProcess] = []

        init(in folder: String) throws {
            let configuration = folder + "/bus.conf"
            try Data(
                """
                <busconfig>
                  <type>session</type>
                  <listen>unix:path=\(folder)/bus</listen>
                  <auth>EXTERNAL</auth>
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
        func end() { bus.end() }

        /// Starts the daemon's double, without its name.
        func startDaemon() throws {
            let daemon = try LineProcess(
                Checkout.path("Tests/NotificationDaemon/notification-daemon"), [],
                ["DBUS_SESSION_BUS_ADDRESS": address])
            try #require(try daemon.readLine() == "ready")
            // An earlier one runs on, and may lose its name to this one.
            if let old = self.daemon { replaced.append(old) }
            self.daemon = daemon
        }

        /// Ends the double at once, as in a crash.
        func killDaemon() {
            if let daemon { kill(daemon.identifier, SIGKILL) }
            daemon = nil
        }

        /// Has the double do something; it is done, and the bus has passed it on, when this returns.
        @discardableResult
        func tell(_ command: String) throws -> String {
            let daemon = try #require(daemon)
            try daemon.write(command)
            return try #require(try daemon.readLine(), "the daemon's double has ended")
        }

        /// A notification as the double got it.
        struct Shown: Decodable {
            let id: Int
            let title: String
            let body: String
            let actions: [String]
        }

        /// All notifications, as soon as there are so many.
        func shown(_ count: Int) throws -> [Shown] {
            try JSONDecoder().decode([Shown].self, from: Data(try tell("wait \(count)").utf8))
        }
    }

    /// Waits until something is so, for a minute at most.
    func eventually(_ what: String, _ condition: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(60)
        while try !condition() {
            try #require(ContinuousClock.now < end, "not in time: \(what)")
            usleep(5_000)
        }
    }
#endif

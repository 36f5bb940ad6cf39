#if os(Linux)
    import Foundation
    import Platform
    import TestSupport
    import Testing

    @testable import Services

    @Suite("Files for D-Bus and systemd", .waitsForProcesses, .timeLimit(.minutes(60)))
    struct ActivationTests {
        private static let analyser = "/usr/bin/systemd-analyze"

        @Test(
            "a first call starts the service",
            .enabled(if: DesktopSession.isWanted, DesktopSession.reason))
        func activation() throws {
            let file = try String(
                contentsOfFile: Checkout.path("Docs/org.freedesktop.secrets.service"),
                encoding: .utf8)
            let wanted = #"Exec=/bin/sh -c 'exec "$HOME/.local/bin/taskvault" services'"#
            #expect(file.contains("\nName=org.freedesktop.secrets\n"))
            #expect(file.contains("\nSystemdService=taskvault-services.service\n"))
            #expect(file.contains("\n" + wanted + "\n"))
            try withTemporaryFolder { folder in
                let services = folder + "/services"
                try SafeFolder.create(services)
                try SafeFolder.create(folder + "/home/.local/bin")
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/home/.local/bin/taskvault",
                    withDestinationPath: BuiltExecutable.path(of: "taskvault"))
                // The bus has the environment of the tests; a desktop's has the right one.
                let environment =
                    "Exec=/usr/bin/env HOME=\(folder)/home DBUS_SESSION_BUS_ADDRESS=unix:path=\(folder)/bus "
                try FileSystem.replace(
                    services + "/org.freedesktop.secrets.service",
                    with: file.replacing("Exec=", with: environment))
                let desktop = try DesktopSession(in: folder, activating: services)
                defer { desktop.end() }
                let bus = try SessionBus(address: desktop.address)
                let ping = try answer(
                    bus, "Ping", "org.freedesktop.DBus.Peer", "/", "org.freedesktop.secrets")
                #expect(!ping.isError)
                let process = try answer(
                    bus, "GetConnectionUnixProcessID", "org.freedesktop.DBus",
                    "/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.secrets")
                kill(Int32(try process.readNumber()), SIGTERM)
            }
        }

        private func answer(
            _ bus: SessionBus, _ member: String, _ interface: String, _ path: String,
            _ destination: String, _ argument: String? = nil
        ) throws -> BusMessage {
            let number = try bus.call(member, of: interface, at: path, to: destination) {
                if let argument { try $0.append(argument) }
            }
            var found: BusMessage?
            try eventually("\(member) is answered") {
                while let message = try bus.next() {
                    if message.replySerial == number { found = message }
                }
                return found != nil
            }
            return try #require(found)
        }

        @Test(
            "systemd accepts the unit",
            .enabled(
                if: FileManager.default.isExecutableFile(atPath: analyser), "needs systemd-analyze")
        )
        func unit() throws {
            let text = try String(
                contentsOfFile: Checkout.path("Docs/taskvault-services.service"), encoding: .utf8)
            try withTemporaryFolder { folder in
                let unit = folder + "/taskvault-services.service"
                try FileSystem.replace(
                    unit,
                    with: text.replacing(
                        "%h/.local/bin/taskvault",
                        with: BuiltExecutable.path(of: "taskvault")))
                let process = Process()
                process.executableURL = URL(filePath: Self.analyser)
                process.arguments = ["--user", "--man=no", "verify", unit]
                var environment = ProcessInfo.processInfo.environment
                environment["XDG_RUNTIME_DIR"] = folder
                environment["HOME"] = folder
                process.environment = environment
                let errors = Pipe()
                process.standardError = errors
                try process.run()
                let said = try errors.fileHandleForReading.readToEnd() ?? Data()
                process.waitUntilExit()
                #expect(
                    !String(decoding: said, as: UTF8.self).contains("taskvault-services"))
                #expect(process.terminationStatus == 0)
            }
        }
    }
#endif

#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// A system bus of its own, with the real fprintd and the virtual reader of libfprint.
    final class FingerprintReader {
        /// Whether these tests are required instead of being skipped. Only root can mount.
        private static let isRequired =
            geteuid() == 0
            && ProcessInfo.processInfo.environment["TASKVAULT_REQUIRE_DESKTOP"] == "1"
        static let isWanted =
            isRequired
            || PrivateMounts.arePossible
                && [
                    "/usr/libexec/fprintd", "/usr/bin/dbus-daemon",
                    "/usr/lib/python3/dist-packages/dbusmock/templates/polkitd.py",
                ].allSatisfy { FileManager.default.fileExists(atPath: $0) }
        static let reason: Comment =
            "fprintd, dbus-daemon or python3-dbusmock is not installed, or mounting is not allowed"

        private let folder: String
        private let process: LineProcess

        init() throws {
            var template = Array("\(TemporaryFolder.base)/taskvault-reader-XXXXXX".utf8CString)
            guard unsafe mkdtemp(&template) != nil else { throw HarnessFailure("mkdtemp") }
            folder = String(
                decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            process = try LineProcess(
                Checkout.path("Tests/Support/FingerprintReader/fingerprint-reader"), [folder])
            try #require(try process.readLine() == "ready")
        }

        deinit {
            process.end()
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// Words that start a program which sees this bus as the system's.
        var launcher: [String] {
            [
                "/usr/bin/unshare", "--mount", "/bin/sh", "-c",
                "mount -t tmpfs tmpfs /run && ln -s \"$0\" /run/dbus && exec \"$@\"", folder,
            ]
        }

        /// Has something done; it is done when this returns.
        @discardableResult
        func tell(
            _ command: String, sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> String {
            try process.write(command)
            let answer = try #require(try process.readLine(), sourceLocation: sourceLocation)
            try #require(!answer.hasPrefix("failed"), "\(answer)", sourceLocation: sourceLocation)
            return answer
        }
    }

    /// A home with a protected secret, whose owner verifies with a finger.
    final class FingerHome {
        let home: TestHome
        let reader: FingerprintReader
        /// Shows the protected secret.
        let show = ["secret", "get", "diary", "ada"]

        /// The vault is unlocked and no longer verified.
        init(_ home: TestHome? = nil, isEnrolled: Bool = true) throws {
            reader = try FingerprintReader()
            if isEnrolled { try reader.tell("enrol") }
            self.home = try home ?? TestHome()
            self.home.launcher = reader.launcher
            // Of no effect: a program could name a bus of its own.
            self.home.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/dev/null/bus"
            try self.home.unlock()
            try self.home.tell("the protected text", "diary", options: "--class after-verification")
            #expect(try self.home.ask("settings set verify-with-fingerprint yes").exitCode == 0)
            try self.home.closeWindow()
        }

        /// A terminal at which the reader waits for a finger.
        func waiting(_ command: [String]? = nil) throws -> TerminalSession {
            let session = try TerminalSession(home, command ?? show)
            try session.waitFor("Touch the fingerprint reader for ")
            try session.waitFor(", or press Enter for the passphrase\r\n")
            return session
        }

        /// Expects the passphrase to be asked after this message, and to open.
        func expectPassphrase(
            after message: String?, _ session: TerminalSession,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            if let message { try session.waitFor("taskvault: error: \(message)\r\n") }
            try session.answer("Passphrase", TestHome.passphrase)
            #expect(try session.finish() == 0, "\(session.screen)", sourceLocation: sourceLocation)
            #expect(
                session.screen.hasSuffix("the protected text\r\n"), sourceLocation: sourceLocation)
        }

        /// The finger in the output of `status --json`.
        var state: String? { get throws { try home.status["fingerprint"] as? String } }
    }
#endif

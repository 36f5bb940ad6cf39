#if os(Linux)
    import Foundation
    import Platform
    import Testing

    /// `taskvault services` of a home without a desktop: reminders go to a program, which writes them into a file.
    final class RunningServices {
        let process: pid_t
        private let announcements: String
        private var ending: Int32?

        init(_ home: TestHome) throws {
            announcements = home.folder + "/announcements"
            let program = home.folder + "/announce"
            try Files.write("#!/bin/sh\nexec cat >>\(announcements)\n", to: program, mode: 0o700)
            expect(try home.ask("settings set reminder-command \(program)"), ends: 0)
            let errors = try Files.open(home.folder + "/services-errors", O_WRONLY | O_CREAT)
            let nothing = try Files.open("/dev/null", O_RDWR)
            defer { for descriptor in [errors, nothing] { close(descriptor) } }
            var environment = home.environment
            environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/dev/null"
            process = try Executable.start(
                ["services"], environment: environment, in: home.folder,
                .init(input: nothing, output: nothing, errors: errors))
        }

        deinit {
            if ending == nil {
                kill(process, SIGKILL)
                _ = Executable.wait(for: process)
            }
        }

        /// The reminders that were announced.
        var announced: String {
            (try? Files.read(announcements)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }

        /// Ends it as systemd does.
        ///
        /// - Returns: The exit code.
        func end() -> Int32 {
            kill(process, SIGTERM)
            let code = Executable.wait(for: process)
            ending = code
            return code
        }
    }
#endif

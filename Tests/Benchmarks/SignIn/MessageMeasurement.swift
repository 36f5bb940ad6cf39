#if os(Linux)
    import Platform
    import TestSupport

    /// How long after a person sends a message the desktop of its receiver shows it, through the release build's server on loopback.
    enum MessageMeasurement {
        static func run(in folder: ScratchFolder, into table: inout Table) throws {
            let title = "message shown after inbox send began"
            guard DesktopSession.isWanted else {
                table.add(title, skipped: "needs Debian's dbus-daemon and python3-dbusmock")
                return
            }
            let home = try folder.makeFolder("messages")
            let start = ["/usr/bin/env", "-i", "HOME=" + home, "TASKVAULT_HOME=" + home + "/vault"]
            func run(_ words: String...) throws {
                _ = try Child.time(start + [TaskVaultExecutable.path] + words)
            }
            // Another one than that of the silent sign-in.
            let port = 20_000 + (getpid() + 1) % 10_000
            let server = try ServerProcess(
                [
                    TaskVaultExecutable.path + "-authd", "serve", "--database",
                    folder.path(of: "message-accounts.db"), "--listen", "127.0.0.1:\(port)",
                    "--registration", "open",
                ], log: "messages.log", in: folder)
            defer { server.end() }
            let secret = home + "/secret"
            try folder.save(Array("four words rarely mixed\n".utf8), as: "messages/secret")
            unsafe chmod(secret, 0o600)
            try run("init", "--kdf-memory", "19", "--kdf-passes", "2", "--passphrase-file", secret)
            // The agent ends with its folder; nobody waits for that here.
            defer { try? run("destroy", "--yes") }
            try run("unlock", "--offline", "--json", "--passphrase-file", secret)
            try run("settings", "set", "server", "http://127.0.0.1:\(port)")
            try run("account", "create", "ada@example.org", "--password-file", secret)
            try run("inbox", "enable")
            let address = home + "/address"
            _ = try Child.time(
                start + [
                    "/bin/sh", "-c", #"umask 077; exec "$0" inbox address --for Bob > "$1""#,
                    TaskVaultExecutable.path, address,
                ])
            let session = try DesktopSession(in: home)
            defer { session.end() }
            try session.startDaemon()
            try session.tell("own")
            let service = try Child.start(
                start + [
                    "DBUS_SESSION_BUS_ADDRESS=" + session.address,
                    TaskVaultExecutable.path, "services",
                ])
            defer {
                kill(service, SIGTERM)
                var status: Int32 = 0
                unsafe waitpid(service, &status, 0)
            }
            var times: [Double] = []
            for number in 1...16 {
                times.append(
                    try Clock.time {
                        try run("inbox", "send", address, "--title", "message \(number)")
                        _ = try session.shown(number)
                    })
            }
            // The first one also waited for the start of the service.
            times.removeFirst()
            table.add(title, .time(times.median))
            table.add(
                "  the slowest of \(times.count)", .time(times.max() ?? 0), atMost: .time(1e9))
        }
    }
#endif

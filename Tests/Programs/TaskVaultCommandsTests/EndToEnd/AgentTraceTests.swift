#if os(Linux)
    import Foundation
    import Glibc
    import TestSupport
    import Testing

    /// Files that a session makes, and hostile surroundings.
    @Suite(.waitsForProcesses) struct AgentTraceTests {
        /// Notes the names of all files that are made in some folders. The corresponding C functions are those of `inotify`.
        private final class FolderWatch {
            private let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))

            init(_ folders: [String]) throws {
                for folder in folders {
                    let events = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)
                    guard unsafe inotify_add_watch(descriptor, folder, events) >= 0 else {
                        throw HarnessFailure("inotify_add_watch \(folder)")
                    }
                }
            }

            deinit { close(descriptor) }

            /// The names since the last time.
            func names() -> Set<String> {
                var names: Set<String> = []
                var bytes = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = unsafe read(descriptor, &bytes, bytes.count)
                    guard count > 0 else { return names }
                    var offset = 0
                    while offset < count {
                        // An int, three u32 of which the last is the size of the name, and the name with zeros.
                        let size = (0..<4).reduce(0) {
                            $0 | Int(bytes[offset + 12 + $1]) << (8 * $1)
                        }
                        let name = bytes[offset + 16..<offset + 16 + size].prefix { $0 != 0 }
                        names.insert(String(decoding: name, as: UTF8.self))
                        offset += 16 + size
                    }
                }
            }
        }

        private func watched() throws -> (TestHome, FolderWatch) {
            let home = try TestHome()
            for name in ["tmp", "run"] {
                try #require(unsafe mkdir(home.folder + "/" + name, 0o700) == 0)
            }
            home.environment["TMPDIR"] = home.folder + "/tmp"
            home.environment["XDG_RUNTIME_DIR"] = home.folder + "/run"
            let records = home.folder + "/state/taskvault/rollback"
            return (
                home,
                try FolderWatch(
                    [home.folder, home.home, home.folder + "/tmp", home.folder + "/run", records])
            )
        }

        private func expectKnown(_ names: Set<String>, _ step: String) {
            for name in names {
                // The harness's own files for input and output, SQLite's, and the rollback records.
                let isKnown =
                    ["agent.sock", "vault.db-wal", "vault.db-shm", "vault.db-journal"].contains(
                        name)
                    || name.hasPrefix(".in-") || name.hasPrefix(".out-")
                    || name.hasPrefix(".err-") || name.wholeMatch(of: /[0-9a-f]{32}(\..*)?/) != nil
                #expect(isKnown, "\(step): \(name)")
            }
        }

        @Test func nothingIsWrittenBesideSocketAndVault() throws {
            let (home, watch) = try watched()
            _ = watch.names()
            try home.unlock()
            let first = watch.names()
            #expect(first.contains("agent.sock"), "the watch sees what is made")
            expectKnown(first, "unlock")
            let commands = [
                "secret set mail.example ada", "secret update mail.example ada",
                "secret get mail.example ada", "secret edit mail.example ada --label x",
                "secret generate wifi home", "secret list", "settings",
                "settings set idle-limit 14m",
                "status", "verify --passphrase-file \(home.passphraseFile)",
                "secret remove --yes wifi home", "lock",
                "unlock --passphrase-file \(home.passphraseFile)",
            ]
            for command in commands {
                #expect(try home.ask(command, input: "value").exitCode == 0, "\(command)")
                expectKnown(watch.names(), command)
            }
            try home.ask("lock")
            #expect(Files.names(in: home.home) == ["agent.sock", "vault.db"])
            #expect(Files.names(in: home.folder + "/tmp").isEmpty)
            #expect(Files.names(in: home.folder + "/run").isEmpty)
        }

        @Test func evenWhenItIsKilled() throws {
            let (home, watch) = try watched()
            _ = watch.names()
            for number in 0..<10 {
                let agent = try home.unlock()
                try home.tell("value \(number)", options: "--replace")
                kill(agent, SIGKILL)
                #expect(Processes.wait { !Processes.isRunning(agent) })
                expectKnown(watch.names(), "killed")
            }
            let agent = try home.unlock()
            try home.expectValue("value 9")
            kill(agent, SIGTERM)
            #expect(Processes.wait { !Processes.isRunning(agent) })
            #expect(Files.names(in: home.home) == ["vault.db"])
            #expect(Files.names(in: home.folder + "/tmp").isEmpty)
        }

        @Test(arguments: [
            ["PATH": ""], ["PATH": ".:/nonexistent"], ["HOME": "/nonexistent"], ["HOME": ""],
            ["LC_ALL": "tr_TR.UTF-8"], ["LC_ALL": "\u{7}/../etc"], ["LANG": "C", "LC_CTYPE": "x"],
            ["IFS": "/", "ENV": "/dev/full", "BASH_ENV": "/dev/full", "SHELL": "/bin/false"],
            ["TZ": ":/etc/shadow"], ["TERM": "\u{1B}[2J"], ["NO_COLOR": "1", "COLUMNS": "-7"],
            ["TMPDIR": "/nonexistent"],
            // A runtime inside the executable would warn that it finds no program for traces.
            ["SWIFT_BACKTRACE": "enable=yes,output-to=/tmp,warnings=suppressed"],
            ["XDG_RUNTIME_DIR": "/nonexistent"], ["XDG_DATA_HOME": "relative"],
            ["MALLOC_TRACE": "/tmp/taskvault-malloc-trace", "MALLOC_CHECK_": "3"],
            ["SQLITE_TMPDIR": "/nonexistent", "SQLITE_HISTORY": "/tmp/taskvault-history"],
            ["GCONV_PATH": ".", "LOCPATH": ".", "NLSPATH": "%N", "HOSTALIASES": "/etc/shadow"],
        ])
        func theEnvironmentChangesNothing(variables: [String: String]) throws {
            let home = try TestHome()
            let decoy = home.folder + "/taskvault"
            try Files.write(
                "#!/bin/sh\necho fooled > \(home.folder)/fooled\n", to: decoy, mode: 0o700)
            home.environment.merge(variables) { $1 }
            try home.unlock()
            try home.tell("value")
            try home.expectValue("value")
            #expect(try home.state == "verified")
            expect(try home.ask("lock"), ends: 0)
            #expect(try home.ask("secret list").exitCode == 3)
            #expect(!Files.exists(home.folder + "/fooled"))
        }

        @Test func aRelativeHomeIsThatOfTheCurrentFolder() throws {
            let home = try TestHome()
            home.environment["TASKVAULT_HOME"] = "home"
            let agent = try home.unlock()
            try home.tell("value")
            home.environment["TASKVAULT_HOME"] = home.home
            #expect(home.agentProcess == agent)
            try home.expectValue("value")
            home.environment["TASKVAULT_HOME"] = ""
            home.environment["HOME"] = "relative"
            // Neither names a folder: the person's own is taken, which these tests leave alone.
            #expect(
                try home.ask("status --home home --json").object["process_id"] as? Int == Int(agent)
            )
        }

        @Test func anotherUsersHomeIsRefused() throws {
            let home = try TestHome()
            try #require(unsafe mkdir(home.folder + "/open", 0o777) == 0)
            Files.setMode(home.folder + "/open", 0o777)
            try Files.copy(home.vault, to: home.folder + "/open/vault.db")
            let refused = try home.ask(
                "unlock --home open --passphrase-file \(home.passphraseFile)")
            #expect(refused.exitCode == 8)
            #expect(!Files.exists(home.folder + "/open/agent.sock"))
        }
    }
#endif

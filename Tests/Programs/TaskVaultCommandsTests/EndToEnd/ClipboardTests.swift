#if os(Linux)
    import CommandLine
    import Foundation
    import Platform
    @testable import TaskVaultCommands
    import Testing
    import TestSupport

    /// A screen of its own with a clipboard.
    private final class Screen {
        static let isPresent = ["/usr/bin/Xvfb", "/usr/bin/xclip"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: $0)
        }

        let name: String
        private let server: LineProcess

        init() throws {
            // It says its number on descriptor 1, and ends with the shell. Signals are blocked here, and so in the server.
            server = try LineProcess(
                "/bin/sh",
                [
                    "-c",
                    """
                    /usr/bin/Xvfb -displayfd 1 -screen 0 320x200x8 -nolisten tcp 2>/dev/null &
                    read line; kill -KILL $!
                    """,
                ])
            name = ":" + (try #require(try server.readLine()))
        }

        deinit {
            server.end()
            let number = name.dropFirst()
            for path in ["/tmp/.X\(number)-lock", "/tmp/.X11-unix/X\(number)"] {
                unsafe unlink(path)
            }
        }

        /// The content of the clipboard; nothing if its owner has ended.
        var content: String {
            get throws { (try? run(["-out", "-target", "UTF8_STRING"])) ?? "" }
        }

        /// Waits for a content: xclip ends a moment before the clipboard is its own.
        func shows(_ isRight: (String) -> Bool) throws -> Bool {
            try Processes.wait { isRight(try content) }
        }

        func copy(_ text: String) throws { _ = try run(["-in"], input: text) }

        private func run(_ arguments: [String], input: String = "") throws -> String {
            let path = TemporaryFolder.base + "/taskvault-clip-\(UUID())"
            try Files.write(input, to: path)
            defer { try? FileManager.default.removeItem(atPath: path) }
            let file = try Files.open(path, O_RDONLY)
            defer { close(file) }
            let output = try SystemPipe()
            // What copies stays, and would keep the pipe open. What pastes waits for ever for an owner that ends meanwhile.
            let limit = input.isEmpty ? ["/usr/bin/timeout", "10"] : []
            let process = try ChildProcess.start(
                limit + ["/usr/bin/xclip", "-display", name, "-selection", "clipboard"] + arguments,
                input: file, output: input.isEmpty ? output.writer : nil)
            output.closeWriter()
            let bytes = output.readAll()
            process.wait(atMost: .seconds(60))
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Suite(.waitsForProcesses, .enabled(if: Screen.isPresent, "needs Xvfb and xclip"))
    struct ClipboardTests {
        private let home: TestHome
        private let screen: Screen

        init() throws {
            home = try TestHome()
            screen = try Screen()
            home.environment["DISPLAY"] = screen.name
            home.environment["LANG"] = "C.UTF-8"
            try home.save("caf\u{E9} \u{1F512}\n")
        }

        private func clearAfter(_ time: String) throws {
            expect(try home.ask("settings set clear-clipboard-after \(time)"), ends: 0)
        }

        /// The processes on this test's screen whose arguments begin so.
        ///
        /// A keeper names its clipboard. Only root may see the environment of another process. Others see those of tests at the same time, too.
        private func processes(_ beginning: String) throws -> [pid_t] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
                .filter { process in
                    guard let bytes = try? Files.read("/proc/\(process)/cmdline")
                    else { return false }
                    let words = String(decoding: bytes, as: UTF8.self)
                    guard words.hasPrefix(beginning) else { return false }
                    if words.contains("--keep-clipboard\0") {
                        return words.contains("\0xclip \(screen.name)\0")
                            && Processes.isRunning(process)
                    }
                    let variables = try? Files.read("/proc/\(process)/environ")
                    let isHere = variables.map {
                        String(decoding: $0, as: UTF8.self).contains("DISPLAY=\(screen.name)\0")
                    }
                    return isHere ?? (geteuid() != 0) && Processes.isRunning(process)
                }
        }

        private func keepers() throws -> [pid_t] {
            try processes("taskvault\0--keep-clipboard\0")
        }

        private func endKeepers() throws {
            for process in try keepers() { kill(process, SIGTERM) }
        }

        @Test func aValueIsCopiedAndClearedLater() throws {
            try clearAfter("1s")
            let copied = try home.run("secret get mail.example ada --clip")
            expect(copied, ends: 0)
            #expect(
                copied.outputText
                    == "copied mail.example ada with xclip; cleared in 1 s if the clipboard is unchanged\n"
            )
            #expect(try Processes.wait { try keepers().isEmpty })
            #expect(try screen.shows { $0.isEmpty })
        }

        @Test func aChangedClipboardStays() throws {
            try clearAfter("2s")
            let copied = try home.run("secret get mail.example ada --clip --json")
            #expect(copied.object["clipboard"] as? String == "xclip")
            #expect(copied.object["clears_in_seconds"] as? Int == 2)
            #expect(copied.object["service"] as? String == "mail.example")
            #expect(copied.object["value_base64"] == nil)
            try screen.copy("something else")
            #expect(try screen.shows { $0 == "something else" })
            #expect(try Processes.wait { try keepers().isEmpty })
            #expect(try screen.shows { $0 == "something else" })
        }

        @Test func anEqualValueThatIsCopiedAgainKeepsItsOwnTime() throws {
            try clearAfter("1s")
            expect(try home.run("secret get mail.example ada --clip"), ends: 0)
            try clearAfter("45s")
            expect(try home.run("secret get mail.example ada --clip"), ends: 0)
            #expect(try Processes.wait { try keepers().count == 1 })
            #expect(try screen.content == "caf\u{E9} \u{1F512}\n")
            try endKeepers()
        }

        @Test func nothingSecretIsInArgumentsAndEnvironment() throws {
            try home.save("hunter2-hunter2", "other", "ada")
            expect(try home.run("secret get other ada --clip"), ends: 0)
            let found = try keepers() + processes("/usr/bin/xclip\0")
            #expect(found.count >= 2)
            for process in found {
                for file in ["cmdline", "environ"] {
                    let bytes = (try? Files.read("/proc/\(process)/\(file)")) ?? []
                    #expect(!String(decoding: bytes, as: UTF8.self).contains("hunter2"))
                }
            }
            try endKeepers()
            #expect(try screen.shows { $0 == "hunter2-hunter2" })
        }

        @Test func theOwnerOfTheClipboardMayDie() throws {
            try clearAfter("2s")
            expect(try home.run("secret get mail.example ada --clip"), ends: 0)
            for process in try processes("/usr/bin/xclip\0") { kill(process, SIGKILL) }
            #expect(try screen.content == "")
            #expect(try Processes.wait { try keepers().isEmpty })
            #expect(try screen.content == "")
        }

        @Test func helpersOfThePathAndTheirLibrariesAreNotUsed() throws {
            let planted = home.folder + "/bin"
            try FileManager.default.createDirectory(
                atPath: planted, withIntermediateDirectories: false)
            for name in ["xclip", "wl-copy", "wl-paste", "cat"] {
                try Files.write(
                    "#!/bin/sh\n/bin/cat >\(home.folder)/stolen\n", to: "\(planted)/\(name)")
                unsafe chmod("\(planted)/\(name)", 0o700)
            }
            home.environment["PATH"] = planted + ":/usr/bin:/bin"
            expect(try home.run("secret get mail.example ada --clip"), ends: 0)
            #expect(try screen.shows { $0 == "caf\u{E9} \u{1F512}\n" })
            #expect(!FileManager.default.fileExists(atPath: home.folder + "/stolen"))
            let variables = ClipboardPlace.environment(
                .init(["LD_PRELOAD": "/x.so", "PATH": planted, "DISPLAY": ":1"]))
            #expect(variables == ["PATH=/usr/bin:/bin", "DISPLAY=:1"])
            try endKeepers()
        }

        @Test func codesAndNewSecretsAreCopiedToo() throws {
            try home.run(
                "secret set mail.example ada --field totp", input: "GEZDGNBVGY3TQOJQ")
            let code = try home.run("secret code mail.example ada --clip")
            #expect(code.outputText.hasPrefix("copied the code of mail.example ada with xclip; "))
            #expect(try screen.shows { $0.wholeMatch(of: /[0-9]{6}/) != nil })
            let bare = try home.ask("secret generate --digits --length 5 --clip")
            #expect(bare.outputText.hasPrefix("copied a new secret with xclip; "))
            #expect(try screen.shows { $0.wholeMatch(of: /[0-9]{5}/) != nil })
            expect(try home.run("secret generate new.example ada --clip"), ends: 0)
            let value = try home.value("new.example", "ada")
            #expect(try screen.shows { $0 == value })
            try endKeepers()
        }

        @Test func aScreenThatIsGoneIsNoClipboard() throws {
            home.environment["DISPLAY"] = ":59999"
            expect(
                try home.run("secret get mail.example ada --clip"), ends: 1,
                "error: no clipboard: no desktop with wl-copy or xclip, and no terminal that has one",
                "hint: on a desktop: apt install wl-clipboard xclip")
        }

        @Test func aLargeValueIsRefused() throws {
            try home.save(String(repeating: "x", count: 56_001), "large", "ada")
            expect(
                try home.run("secret get large ada --clip"), ends: 8,
                "error: the value is too large for the clipboard: 56001 bytes, at most 56000",
                "hint: leave --clip out, and send the output to a file or a program")
            try home.save(String(repeating: "y", count: 56_000), "large", "eve")
            expect(try home.run("secret get large eve --clip"), ends: 0)
            #expect(try screen.shows { $0 == String(repeating: "y", count: 56_000) })
            try endKeepers()
        }
    }

    struct ClipboardTurnTests {
        @Test func onlyTheNewestCopyOfAClipboardClearsIt() throws {
            try withTemporaryFolder { folder in
                let path = folder + "/state/clipboard"
                var steps: [String] = []
                func copy(_ name: String, _ clipboard: String) throws -> ClipboardTurn {
                    try ClipboardTurn(at: path, of: clipboard) { steps.append("copy \(name)") }
                }
                let first = try copy("first", "xclip :1")
                let other = try copy("other", "xclip :11")
                let second = try copy("second", "xclip :1")
                #expect(throws: HarnessFailure.self) {
                    _ = try ClipboardTurn(at: path, of: "xclip :1") { throw HarnessFailure("copy") }
                }
                for (name, turn) in [
                    ("first", first), ("second", second), ("other", other), ("second", second),
                ] {
                    try turn.end { steps.append("clear \(name)") }
                }
                let copies = ["copy first", "copy other", "copy second"]
                #expect(steps == copies + ["clear second", "clear other"])
                #expect(try Files.read(path).isEmpty)
                #expect(Files.mode(path) == 0o600)
            }
        }

        @Test func aFileThatCannotBeMadeStopsNothing() throws {
            var steps = 0
            let turn = try ClipboardTurn(at: "/dev/null/clipboard", of: "xclip :1") { steps += 1 }
            try turn.end { steps += 1 }
            // Without the file nothing tells of another copy.
            #expect(steps == 2)
        }

        @Test func eachTerminalAndDesktopHasANameOfItsOwn() {
            let environment = EnvironmentVariables([
                "DISPLAY": ":1", "WAYLAND_DISPLAY": "wayland-0", "TMUX": "/tmp/tmux,42,0",
            ])
            func name(_ place: ClipboardPlace) -> String { place.name(environment, session: 7) }
            #expect(name(.x11) == "xclip :1")
            #expect(name(.wayland) == "wl-copy wayland-0")
            #expect(name(.tmux) == "tmux /tmp/tmux")
            #expect(name(.terminal) == "terminal 7")
            #expect(ClipboardPlace.candidates(.init(["STY": "1.x"])) == [.screen])
            #expect(ClipboardPlace.candidates(.init([:])) == [.terminal])
        }
    }

    struct ClipboardHintTests {
        @Test func aClipboardManagerIsAskedToForgetTheValueIfTheHelperCan() {
            #expect(ClipboardPlace.wayland.copying == [.copy, .copyByOlder])
            #expect(
                ClipboardPlace.wayland.words(.copy)
                    == ["wl-copy", "--sensitive", "--type", "text/plain"])
            #expect(
                ClipboardPlace.wayland.words(.copyByOlder)
                    == ["wl-copy", "--type", "text/plain"])
            #expect(ClipboardPlace.x11.copying == [.copy])
        }
    }

    @Suite(.waitsForProcesses) struct TerminalClipboardTests {
        @Test func aTerminalGetsTheValueAndIsClearedUnseen() throws {
            let home = try TestHome()
            try home.save("secret")
            expect(try home.ask("settings set clear-clipboard-after 2s"), ends: 0)
            home.environment["TERM"] = "xterm"
            home.environment["SSH_CONNECTION"] = "::1 1 ::1 22"
            let session = try TerminalSession(
                home,
                [
                    "secret", "get", "mail.example", "ada", "--clip", "--no-agent",
                    "--passphrase-file", home.passphraseFile,
                ])
            try session.waitFor("\u{1B}]52;c;c2VjcmV0\u{07}")
            try session.waitFor(
                "sent mail.example ada to the terminal's clipboard (OSC 52); in 2 s it is cleared unseen, even if it has changed"
            )
            #expect(try session.finish() == 0)
            try session.waitForLater("\u{1B}]52;c;!\u{07}")
            #expect(!session.screen.contains("secret get"))
        }

        @Test(arguments: ["dumb", "linux", "vt100", ""])
        func aTerminalThatWouldShowItIsNotUsed(name: String) throws {
            let home = try TestHome()
            try home.save("secret")
            home.environment["TERM"] = name
            let session = try TerminalSession(
                home,
                [
                    "secret", "get", "mail.example", "ada", "--clip", "--no-agent",
                    "--passphrase-file", home.passphraseFile,
                ])
            #expect(try session.finish() == 1)
            #expect(session.screen.contains("no clipboard"))
            #expect(!session.screen.contains("c2VjcmV0"))
        }
    }

    /// The real tmux and screen, each in a terminal that shows what it gets.
    @Suite(.waitsForProcesses) struct MultiplexerClipboardTests {
        private let home: TestHome

        init() throws {
            home = try TestHome()
            try home.save("secret")
            expect(try home.ask("settings set clear-clipboard-after 2s"), ends: 0)
            home.environment["LANG"] = "C.UTF-8"
            home.environment["TERM"] = "xterm-256color"
        }

        /// Runs tmux, and returns what it printed.
        private func tmux(_ words: String...) throws -> String {
            let output = try SystemPipe()
            let process = try ChildProcess.start(
                ["/usr/bin/tmux", "-S", home.folder + "/tmux"] + words, output: output.writer)
            output.closeWriter()
            let text = String(decoding: output.readAll(), as: UTF8.self)
            process.wait()
            return text
        }

        private let detached =
            "copied mail.example ada to the buffer taskvault of tmux; in 3 s it is removed unseen, even if it has changed\n"
        private let report =
            "copied mail.example ada to the buffer taskvault of tmux, which sends it to the terminal's clipboard (OSC 52); in 2 s both are cleared unseen, even if they have changed\n"

        @Test(
            .enabled(if: Files.exists("/usr/bin/tmux"), "needs tmux"),
            arguments: ["external", "off"])
        func tmuxPassesTheValueOnAndKeepsNothing(mode: String) throws {
            let session = try TerminalSession(
                home, [], rows: 24,
                shell: "exec tmux -S '\(home.folder)/tmux' -f /dev/null new-session /bin/sh")
            defer { _ = try? tmux("kill-server") }
            #expect(try Processes.wait { try tmux("list-clients").contains("xterm-256color") })
            _ = try tmux("set", "-s", "set-clipboard", mode)
            home.environment["TMUX"] = home.folder + "/tmux,1,0"
            let copied = try home.run("secret get mail.example ada --clip")
            expect(copied, ends: 0)
            #expect(copied.outputText == report)
            try session.waitFor("\u{1B}]52;;c2VjcmV0\u{07}")
            try session.waitFor("\u{1B}]52;;IA==\u{07}")
            #expect(try Processes.wait { try tmux("list-buffers").isEmpty })
        }

        @Test(.enabled(if: Files.exists("/usr/bin/tmux"), "needs tmux"))
        func aDetachedTmuxHasTheValueInItsBuffer() throws {
            expect(try home.ask("settings set clear-clipboard-after 3s"), ends: 0)
            _ = try tmux("-f", "/dev/null", "new-session", "-d", "/bin/sh")
            defer { _ = try? tmux("kill-server") }
            home.environment["TMUX"] = home.folder + "/tmux,1,0"
            let copied = try home.run("secret get mail.example ada --clip")
            expect(
                copied, ends: 0,
                "warning: tmux has no terminal with a clipboard; paste with: tmux paste-buffer -b taskvault"
            )
            #expect(copied.outputText == detached)
            let shown = try tmux("show-buffer", "-b", "taskvault")
            // A slow machine may have cleared it.
            #expect(["secret", ""].contains(shown))
            #expect(try Processes.wait { try tmux("list-buffers").isEmpty })
        }

        /// An old console in place of a terminal with a clipboard.
        @Test(.enabled(if: Files.exists("/usr/bin/tmux"), "needs tmux"))
        func aTmuxInATerminalWithoutAClipboardSaysSo() throws {
            expect(try home.ask("settings set clear-clipboard-after 3s"), ends: 0)
            home.environment["TERM"] = "linux"
            let session = try TerminalSession(
                home, [], rows: 24,
                shell: "exec tmux -S '\(home.folder)/tmux' -f /dev/null new-session /bin/sh")
            defer { _ = try? tmux("kill-server") }
            #expect(try Processes.wait { try tmux("list-clients").contains("linux") })
            home.environment["TMUX"] = home.folder + "/tmux,1,0"
            let copied = try home.run("secret get mail.example ada --clip")
            #expect(copied.outputText == detached)
            #expect(copied.errorText.contains("tmux has no terminal with a clipboard"))
            #expect(try Processes.wait { try tmux("list-buffers").isEmpty })
            _ = try tmux("kill-server")
            _ = try session.finish()
            #expect(!session.screen.contains("\u{1B}]52;"))
        }

        @Test(.enabled(if: Files.exists("/usr/bin/tmux"), "needs tmux"))
        func aTmuxThatHasEndedIsNoClipboard() throws {
            home.environment["TMUX"] = home.folder + "/tmux,1,0"
            expect(
                try home.run("secret get mail.example ada --clip"), ends: 1,
                "error: no clipboard: no desktop with wl-copy or xclip, and no terminal that has one",
                "hint: on a desktop: apt install wl-clipboard xclip")
        }

        @Test(.enabled(if: Files.exists("/usr/bin/screen"), "needs screen"))
        func screenPassesTheValueOn() throws {
            let value = String(repeating: "x", count: 3_000)
            try home.save(value, "large", "ada")
            let folder = home.folder + "/screens"
            try #require(unsafe mkdir(folder, 0o700) == 0)
            home.environment["SCREENDIR"] = folder
            // The dynamic linker ignores this variable for screen, which has privileges of a group, and screen has it no more.
            let libraries = home.environment["LD_LIBRARY_PATH"] ?? ""
            let script = home.folder + "/script"
            try Files.write(
                """
                LD_LIBRARY_PATH='\(libraries)' '\(home.program)' secret get large ada --clip --no-agent --passphrase-file '\(home.passphraseFile)'
                read line
                """, to: script)
            let session = try TerminalSession(
                home, [], rows: 24, shell: "exec screen -c /dev/null /bin/sh '\(script)'")
            let encoded = Data(value.utf8).base64EncodedString()
            // Its process closes every descriptor that it does not know.
            try session.waitForLater("\u{1B}]52;c;\(encoded)\u{07}")
            try session.waitForLater("\u{1B}]52;c;!\u{07}")
            try session.type("\n")
            _ = try session.finish()
        }
    }
#endif

#if os(Linux)
    import Foundation
    import Platform
    import Testing
    import TestSupport

    @Suite(.waitsForProcesses) struct RunCommandTests {
        private let home: TestHome

        init() throws {
            home = try TestHome()
            try home.save("pass word\n")
            try home.save("token", "ci/deploy", "bot")
        }

        /// Runs a command of `run`. Beneath another program, because the exit code may be any.
        private func run(_ options: [String], _ words: [String]) throws -> RunResult {
            try home.runBare(
                ["run"] + options + ["--no-agent", "--passphrase-file", home.passphraseFile, "--"]
                    + words, beneath: ["/usr/bin/env"])
        }

        @Test func aFileHasTheValueAsOftenAsItIsRead() throws {
            let found = try run(
                ["--fd", "FIRST=mail.example/ada", "--fd=SECOND=ci%2Fdeploy/bot"],
                [
                    "/bin/sh", "-c",
                    "cat $FIRST $FIRST $SECOND; echo x 2>/dev/null >>$FIRST; cat $FIRST",
                ])
            #expect(found.outputText == "pass word\npass word\ntokenpass word\n")
            let paths = try run(
                ["--fd", "FIRST=mail.example/ada"],
                ["/bin/sh", "-c", "echo $FIRST; env | grep word"])
            #expect(paths.outputText.wholeMatch(of: /\/dev\/fd\/[0-9]+\n/) != nil)
        }

        @Test func aVariableHasTheValueAndReplacesAnInheritedOne() throws {
            home.environment["TOKEN"] = "inherited"
            home.environment["TOKENS"] = "other"
            let found = try run(
                [
                    "--env", "TOKEN=taskvault://ci%2Fdeploy/bot/password", "--env",
                    "P=mail.example/ada",
                ],
                ["/bin/sh", "-c", "echo \"$TOKEN $TOKENS $P\"; env | grep -c ^TOKEN="])
            #expect(found.outputText == "token other pass word\n\n1\n")
            #expect(found.errors.isEmpty)
        }

        @Test func aFileSetsVariablesThatOptionsDoNot() throws {
            let path = home.folder + "/refs"
            try Files.write(
                "\u{FEFF}# comment\r\n\r\nA = taskvault://mail.example/ada\r\nB=taskvault://ci%2Fdeploy/bot\r\n",
                to: path)
            let found = try run(
                ["--env-file", path, "--env", "B=mail.example/ada"],
                ["/bin/sh", "-c", "echo \"$A$B\""])
            #expect(found.outputText == "pass word\npass word\n\n")
        }

        @Test func plainValuesStandBesideReferencesInSeveralFiles() throws {
            let (first, second) = (home.folder + "/first", home.folder + "/second")
            try Files.write(
                """
                export MODE=production # for now
                TOKEN="taskvault://ci%2Fdeploy/bot"
                URL='https://ci.example/a b'
                FOLDER=a/b
                """, to: first)
            try Files.write("FOLDER=c/d\nMODE=test\n", to: second)
            let script = [
                "/bin/sh", "-c", "printf '%s\n' \"$MODE\" \"$TOKEN\" \"$URL\" \"$FOLDER\"",
            ]
            let one = try run(["--env-file", first], script)
            #expect(
                one.outputLines == ["production", "token", "https://ci.example/a b", "a/b"],
                "\(one.errorText)")
            let two = try run(["--env-file", first, "--env-file", second], script)
            #expect(two.outputLines == ["test", "token", "https://ci.example/a b", "c/d"])
            let reversed = try run(["--env-file", second, "--env-file", first], script)
            #expect(reversed.outputLines == one.outputLines)
        }

        @Test(arguments: [
            ("A", "refs, line 1, is not NAME=VALUE"),
            ("\nA B=m/a", "refs, line 2, is not NAME=VALUE"),
            ("1A=m/a", "refs, line 1, is not NAME=VALUE"),
            ("=m/a", "refs, line 1, is not NAME=VALUE"),
            ("A='b\nc'\nA=hunter2", "refs, line 3, sets A again"),
            ("A='hunter2", "refs, line 1, has text after its quotes, or no end of them"),
            (
                "A=taskvault://hunter2",
                "refs, line 1, the reference is not SERVICE/ACCOUNT or SERVICE/ACCOUNT/FIELD"
            ),
            (
                "A=taskvault://a%2/b",
                "refs, line 1, the reference has a percent sign without two hexadecimal digits of UTF-8"
            ),
        ])
        func aMalformedLineIsNamedAndNotRepeated(content: String, message: String) throws {
            let path = home.folder + "/refs"
            try Files.write(content, to: path)
            let failed = try run(["--env-file", path], ["/bin/echo", "started"])
            #expect(failed.exitCode == 2)
            #expect(failed.errorLines.first == "taskvault: error: \(home.folder)/\(message)")
            #expect(!failed.errorText.contains("hunter2"))
            #expect(failed.output.isEmpty)
        }

        @Test func wrongOptionsAreExplained() throws {
            expect(
                try run([], ["/bin/echo", "started"]), ends: 2, "error: no reference to a secret",
                "hint: give --fd NAME=REF, --env NAME=REF or --env-file FILE")
            expect(
                try run(["--fd", "A=m/a", "--env", "A=m/a"], ["/bin/echo"]), ends: 2,
                "error: variable A is given twice", "hint: give it once")
            expect(
                try run(["--env", "A"], ["/bin/echo"]), ends: 2,
                "error: option '--env' is not NAME=REF",
                "hint: such as TOKEN=taskvault://ci.example/bot")
            expect(
                try run(["--env", "A=taskvault.tasks/x"], ["/bin/echo"]), ends: 8,
                "error: secret taskvault.tasks x is reserved",
                "hint: services that begin with taskvault. are TaskVault's: give another")
        }

        @Test func theExitCodeIsThatOfTheCommand() throws {
            let options = ["--env", "A=mail.example/ada"]
            #expect(try run(options, ["/bin/sh", "-c", "exit 42"]).exitCode == 42)
            #expect(try run(options, ["/bin/sh", "-c", "kill -KILL $$"]).exitCode == 128 + 9)
            #expect(try run(options, ["/bin/sh", "-c", "kill -PIPE $$"]).exitCode == 128 + 13)
            #expect(try run(options, ["env", "true"]).exitCode == 0)
        }

        @Test func aSignalReachesTheCommand() throws {
            let mark = home.folder + "/mark"
            let process = try Executable.start(
                [
                    "run", "--env", "A=mail.example/ada", "--no-agent", "--passphrase-file",
                    home.passphraseFile, "--", "/bin/sh", "-c",
                    "trap 'exit 33' TERM; : >\(mark); while :; do sleep 0.05; done",
                ], environment: home.environment, in: home.folder, .init(errors: 2))
            #expect(Processes.wait { FileManager.default.fileExists(atPath: mark) })
            kill(process, SIGTERM)
            #expect(Executable.wait(for: process) == 33)
        }

        @Test func theCommandStartsAsWithoutTaskVault() throws {
            let script = [
                "/bin/sh", "-c", "umask; grep -E '^(SigIgn|NoNewPrivs)' /proc/self/status",
            ]
            let found = try run(["--env", "A=mail.example/ada"], script)
            #expect(found.outputLines.first == "0022")
            #expect(found.outputLines.last == "NoNewPrivs:\t0")
            let ignored = try #require(
                found.outputLines.dropFirst().first?.split(separator: "\t").last)
            let signals = try #require(UInt64(ignored, radix: 16))
            for number in [SIGPIPE, SIGXFSZ] { #expect(signals & 1 << UInt64(number - 1) == 0) }
        }

        @Test func aMissingSecretKeepsTheCommandFromStarting() throws {
            expect(
                try run(
                    ["--env", "A=mail.example/ada", "--fd", "B=mail.example/eve"],
                    ["/bin/sh", "-c", ": >\(home.folder)/started"]), ends: 5,
                "error: there is no secret mail.example eve", "hint: taskvault secret list")
            #expect(!FileManager.default.fileExists(atPath: home.folder + "/started"))
        }

        @Test func aMissingInterpreterIsNamed() throws {
            let script = home.folder + "/own-script"
            try Files.write("#!/nonexistent/python -u\n", to: script, mode: 0o700)
            for words in [[script], ["own-script"]] {
                home.environment["PATH"] = home.folder + ":/usr/bin:/bin"
                expect(
                    try run(["--env", "A=mail.example/ada"], words), ends: 126,
                    "error: cannot run \(words[0]): its interpreter /nonexistent/python does not exist",
                    "hint: \(script) names it: install it, or correct the name")
            }
        }

        @Test func aValueThatIsTooLargeForAVariableIsNamed() throws {
            try home.save(String(repeating: "x", count: 131_069), "large", "fits")
            try home.save(String(repeating: "x", count: 131_070), "large", "not")
            let fits = try run(
                ["--env", "A=large/fits"], ["/bin/sh", "-c", "printf %s \"$A\" | wc -c"])
            #expect(fits.outputText == "131069\n")
            expect(
                try run(["--env", "A=large/not"], ["/bin/echo", "started"]), ends: 8,
                "error: the value of A is too large for a variable: 131070 bytes, at most 131069",
                "hint: give it with --fd instead of --env")
            let file = try run(["--fd", "A=large/not"], ["/bin/sh", "-c", "wc -c <$A"])
            #expect(file.outputText == "131070\n")
        }

        @Test func aMissingCommandIsNamed() throws {
            let options = ["--env", "A=mail.example/ada"]
            expect(
                try run(options, ["no-such-program", "--flag"]), ends: 127,
                "error: there is no command no-such-program", "hint: check its name, and PATH")
            expect(
                try run(options, [home.folder]), ends: 126,
                "error: cannot run \(home.folder): permission denied")
        }

        @Test func aValueWithNULIsNoVariable() throws {
            try home.save("a\0b", "nul", "x")
            expect(
                try run(["--env", "A=nul/x"], ["/bin/echo"]), ends: 8,
                "error: the value of A contains a NUL byte",
                "hint: give it with --fd instead of --env")
            #expect(
                try run(["--fd", "A=nul/x"], ["/bin/sh", "-c", "cat $A"]).output == [97, 0, 98])
        }

        @Test func theCommandHasNoDescriptorOfTheVault() throws {
            let found = try run(
                ["--fd", "A=mail.example/ada"], ["/bin/ls", "-l", "/proc/self/fd"])
            #expect(found.outputLines.count { $0.contains("memfd:taskvault") } == 1)
            #expect(!found.outputText.contains(home.home))
        }

        @Test func anAgentGivesTheValuesToo() throws {
            try home.unlock()
            let found = try home.runBare(
                ["run", "--env", "A=mail.example/ada", "--", "/bin/sh", "-c", "echo $A"])
            expect(found, ends: 0)
            #expect(found.outputText == "pass word\n")
            try home.ask("lock")
            let failed = try home.runBare(["run", "--env", "A=mail.example/ada", "--", "/bin/true"])
            #expect(failed.exitCode == 3)
        }
    }

    /// Programs of others that refuse a file which other users may read, or which is executable.
    @Suite(.waitsForProcesses) struct RunProgramsTests {
        private let home: TestHome

        init() throws {
            home = try TestHome()
            home.environment["LANG"] = "C.UTF-8"
        }

        /// Runs a script of the shell in which `$FILE` has the secret.
        private func run(_ script: String) throws -> RunResult {
            try home.runBare(
                [
                    "run", "--fd", "FILE=mail.example/ada", "--no-agent", "--passphrase-file",
                    home.passphraseFile, "--", "/bin/sh", "-ec", script,
                ], beneath: ["/usr/bin/env"])
        }

        @Test(.enabled(if: Files.exists("/usr/bin/ssh-keygen"), "needs openssh-client"))
        func sshTakesAKey() throws {
            let key = home.folder + "/key"
            let made = try ChildProcess.start(
                ["/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "x", "-f", key])
            #expect(made.wait() == .exit(0))
            expect(
                try home.run(["secret", "set", "mail.example", "ada"], input: Files.read(key)),
                ends: 0)
            let found = try run("ssh-keygen -y -f $FILE")
            #expect(found.exitCode == 0, "\(found.errorText)")
            #expect(found.output == (try Files.read(key + ".pub")))
        }

        @Test(.enabled(if: Files.exists("/usr/bin/ansible-vault"), "needs ansible-core"))
        func ansibleTakesAPassword() throws {
            try home.save("correct horse\n")
            try Files.write("answer: 42\n", to: home.folder + "/plain")
            let found = try run(
                """
                ansible-vault encrypt --vault-password-file $FILE --output sealed plain >&2
                ANSIBLE_VAULT_PASSWORD_FILE=$FILE ansible-vault view sealed
                """)
            #expect(found.outputText == "answer: 42\n", "\(found.errorText)")
        }

        @Test(.enabled(if: Files.exists("/usr/bin/curl"), "needs curl"))
        func curlTakesAConfiguration() throws {
            try Files.write("body", to: home.folder + "/body")
            try home.save("url = \"file://\(home.folder)/body\"\n")
            let found = try run("curl --silent --show-error --config $FILE")
            #expect(found.outputText == "body", "\(found.errorText)")
        }

        @Test(.enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
        func psqlTakesAPasswordFile() throws {
            let server = try PostgreSQLServer(access: ["local all ada scram-sha-256"])
            try home.save("*:*:*:ada:swordfish\n")
            let found = try run(
                """
                ask() { psql -X -A -t -h '\(server.folder)' -d postgres "$@"; }
                ask -U vault -q -c "CREATE ROLE ada LOGIN PASSWORD 'swordfish'"
                PGPASSFILE=$FILE ask -U ada -w -c 'SELECT current_user'
                """)
            #expect(found.outputText == "ada\n", "\(found.errorText)")
            #expect(found.errors.isEmpty)
        }
    }
#endif

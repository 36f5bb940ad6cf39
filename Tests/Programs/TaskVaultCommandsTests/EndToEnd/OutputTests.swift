import Platform
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct CommandOutputTests {
    /// Runs a command with standard output at a descriptor, which is closed then; nil closes it in the child.
    private func run(_ home: TestHome, _ arguments: [String], output: Int32?) throws -> (
        Int32, String
    ) {
        let input = try Files.open("/dev/null", O_RDONLY)
        let path = home.folder + "/errors"
        let errors = try Files.open(path, O_WRONLY | O_CREAT | O_TRUNC)
        let process = try Executable.start(
            arguments + ["--no-agent", "--passphrase-file", home.passphraseFile],
            environment: home.environment,
            in: home.folder, .init(input: input, output: output, errors: errors))
        close(input)
        close(errors)
        if let output { close(output) }
        return (
            Executable.wait(for: process), String(decoding: try Files.read(path), as: UTF8.self)
        )
    }

    @Test(arguments: ["secret get mail.example ada", "secret list --json", "secret export", "help"])
    func aBrokenPipeEndsQuietly(command: String) throws {
        let home = try TestHome()
        try home.save("value")
        var ends: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, platform_stream_socket(), 0, &ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Other than close(), this also counts for copies in processes that other tests start now.
        shutdown(ends[0], Int32(SHUT_RDWR))
        defer { close(ends[0]) }
        let words = command.split(separator: " ").map(String.init)
        let (code, errors) = try run(home, words, output: ends[1])
        #expect(code == 1)
        #expect(!errors.contains("error"))
    }

    #if os(Linux)
        // Of the tests' own processes: one that keeps a channel of another test open would keep that one waiting.
        @Test func noOtherDescriptorIsInherited() throws {
            let home = try TestHome(withVault: false)
            home.program = "/bin/ls"
            var ends: [Int32] = [-1, -1]
            try #require(unsafe pipe(&ends) == 0)
            defer { for end in ends { close(end) } }
            // The last one is that of the folder itself.
            #expect(try home.runBare(["/proc/self/fd"]).outputLines == ["0", "1", "2", "3"])
        }
    #endif

    @Test func aFullDiskIsReportedAndLosesNothing() throws {
        let home = try TestHome()
        try home.save("value")
        guard Files.exists("/dev/full") else { return }
        let full = try Files.open("/dev/full", O_WRONLY)
        let (code, errors) = try run(home, ["secret", "list"], output: full)
        #expect(code == 1)
        #expect(errors == "taskvault: error: cannot write the output: no space left on device\n")
    }

    @Test func aClosedStandardOutputIsNotTheVault() throws {
        let home = try TestHome()
        try home.save("value")
        let (code, errors) = try run(home, ["secret", "list"], output: nil)
        #expect(code == 1)
        #expect(errors == "taskvault: error: cannot write the output: bad file descriptor\n")
        #expect(try home.value() == "value")
        #expect(try home.run("doctor").exitCode == 0)
    }

    @Test func errorsInJSONAreOneObject() throws {
        let home = try TestHome()
        Files.setMode(home.passphraseFile, 0o644)  // A warning that must not stand beside it.
        for (command, code) in [
            ("secret get a b --json", "not_found"), ("secret fetch --json", "usage"),
            ("secret get --json", "usage"), ("backup passphrase --json", "already_exists"),
            ("restore missing --json", "no_backup"), ("destroy --json", "usage"),
            ("recovery show-new --json --recovery", "recovery_code_malformed"),
        ] {
            let result = try home.run(command)
            #expect(result.exitCode != 0)
            #expect(result.output.isEmpty)
            #expect(Set(result.failure.keys) == ["code", "message", "hint"])
            #expect(result.failure["code"] as? String == code, "\(command): \(result.errorText)")
        }
    }

    @Test func everyResultInJSONIsOneValue() throws {
        let home = try TestHome()
        for command in [
            "secret set a b", "secret get a b", "secret update a b", "secret edit a b --label x",
            "secret list", "secret generate c d", "secret remove --yes c d", "secret export",
            "doctor",
            "recovery show-new", "recovery revoke", "rekey", "backup copy.db",
            "restore --replace copy.db", "destroy --yes",
        ] {
            let result = try home.run(command + " --json", input: "value")
            #expect(result.exitCode == 0, "\(command): \(result.errorText)")
            #expect(result.json != nil, "\(command): \(result.outputText)")
        }
    }

    @Test func noCommandLeavesAnythingBesideTheVault() throws {
        let home = try TestHome()
        try home.save("value")
        for command in ["secret list", "secret get x y", "doctor", "rekey", "secret get a b"] {
            try home.run(command)
            try home.run(command, lines: ["wrong passphrase"])
            #expect(Files.names(in: home.home) == ["vault.db"], "\(command)")
        }
    }
}

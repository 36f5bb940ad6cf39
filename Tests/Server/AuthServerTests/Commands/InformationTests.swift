@testable import AuthServer
import CommandLine
import Foundation
import Platform
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct InformationTests {
    private static let documents = Checkout.path("Docs")

    @Test func withoutACommandThereIsHelp() throws {
        let home = try ServerHome()
        let help = try home.run("")
        expect(help, ends: 0, "Usage:\n  taskvault-authd COMMAND [options]")
        // As taskvault does: the first commands, and where the others are.
        #expect(help.output.contains("\nFirst commands:\n  serve "))
        #expect(help.output.contains("taskvault-authd help lists all "))
        #expect(!help.output.contains("completions"))
        expect(try home.run("help"), ends: 0, "completions", "account remove")
        expect(
            try home.run("--version"), ends: 0,
            "taskvault-authd \(ProductVersion.number)\nlibsodium ",
            "\nlibmicrohttpd ")
        expect(
            try home.run("servve"), ends: 2, "taskvault-authd: error: unknown command 'servve'",
            "taskvault-authd: hint: did you mean 'taskvault-authd serve'?")
        expect(
            try home.run("list --json"), ends: 2,
            "{\"code\":\"usage\",\"message\":\"unknown command 'list'\",\"hint\":\"did you mean 'taskvault-authd account list'?\"}"
        )
    }

    @Test func everyCommandExplainsItself() throws {
        let home = try ServerHome()
        for command in CommandTable.server.commands {
            let help = try home.run(command.path + ["--help"])
            expect(help, ends: 0, "Examples:\n")
            #expect(help.output.hasPrefix("taskvault-authd \(command.name): \(command.summary)\n"))
        }
    }

    @Test func helpNeedsNoConfiguration() throws {
        let home = try ServerHome()
        try home.write("authd.conf", "wrong")
        expect(try home.run("help serve"), ends: 0)
        expect(try home.run("completions bash"), ends: 0, "_taskvault-authd")
        expect(try home.run("account list"), ends: 2, "authd.conf:1: expected 'name = value'")
    }

    #if os(Linux)
        /// With its arguments unread, it prints its help, and ends with 0.
        @Test(
            .enabled(if: HiddenProcesses.isPossible, "needs namespaces of users"),
            arguments: ["serve", "account list"])
        func argumentsAreReadWithoutProc(words: String) throws {
            let home = try ServerHome()
            home.launcher = HiddenProcesses.launcher
            expect(try home.run(words + " --lantern"), ends: 2, "--lantern")
        }
    #endif

    @Test func aFullDiskAndAClosedPipeAreNotALackOfMemory() throws {
        let home = try ServerHome()
        expect(try home.run("account invite ada@example.org"), ends: 0)
        for command in ["completions bash", "account list", "account list --json"] {
            home.launcher = ["/bin/sh", "-c", "\"$@\" >/dev/full", "sh"]
            let full = try home.run(command)
            expect(full, ends: 1, "cannot write the output: no space left on device")
            home.launcher = ["/bin/sh", "-c", "{ \"$@\"; echo $? >&2; } | true", "sh"]
            #expect(try !home.run(command).errors.contains("error"))
        }
    }

    @Test func theDocumentsMatchTheExecutable() throws {
        let home = try ServerHome()
        let files = [
            ("--markdown", "AuthServerCommandLine.md"), ("--man-page", "taskvault-authd.1"),
        ]
        for (option, file) in files {
            let printed = try home.run("help \(option)")
            expect(printed, ends: 0)
            let document = try String(contentsOfFile: "\(Self.documents)/\(file)", encoding: .utf8)
            #expect(
                printed.output == document,
                "Docs/\(file) is old: taskvault-authd help \(option) > Docs/\(file)")
        }
    }
}

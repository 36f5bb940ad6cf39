import CommandLine
import Foundation
import TaskVaultCommands
import Testing
import TestSupport

/// The files of `Transcripts`: every command shows what the file says.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct TranscriptTests {
    private static let place = "Tests/Programs/TaskVaultCommandsTests/Transcripts"
    private static let folder = Checkout.path(place)
    static let names = Files.names(in: folder).filter { $0.hasSuffix(".txt") }
    private static let isWriting =
        ProcessInfo.processInfo.environment["TASKVAULT_WRITE_TRANSCRIPTS"] == "1"

    private static func transcript(_ name: String) throws -> Transcript {
        try Transcript(String(decoding: Files.read(folder + "/" + name), as: UTF8.self))
    }

    @Test(arguments: names) func transcript(name: String) throws {
        let transcript = try Self.transcript(name)
        var problems: [TranscriptRun.Problem] = []
        if Self.isWriting {
            do {
                let written = try TranscriptRun.rewritten(transcript)
                try Files.write(written.text, to: Self.folder + "/" + name, mode: 0o644)
            } catch let problem as TranscriptRun.Problem {
                problems = [problem]
            }
        } else {
            problems = TranscriptRun.problems(of: transcript)
        }
        for problem in problems {
            Issue.record(
                "\(name), line \(problem.number): \(problem.text)",
                sourceLocation: SourceLocation(
                    fileID: "Transcripts/\(name)", filePath: "\(Self.folder)/\(name)",
                    line: problem.number, column: 1))
        }
    }

    @Test func theExampleOfTheReadmeIsRight() throws {
        let lines = Checkout.text("\(Self.place)/README.md")
            .split(separator: "\n", omittingEmptySubsequences: false)
        let example = lines.drop { $0 != "```" }.dropFirst().prefix { $0 != "```" }
        let transcript = try Transcript(example.joined(separator: "\n"))
        #expect(transcript.steps.count == 4)
        #expect(TranscriptRun.problems(of: transcript).map(\.text) == [])
    }

    /// The command `app` starts a server that outlives it, and `services` runs until a signal.
    @Test func everyGroupOfCommandsHasATranscript() throws {
        let commands = try Self.names.flatMap { name in
            try Self.transcript(name).steps.map { $0.command.joined(separator: "\n") }
        }
        for group in CommandTable.taskvault.groups where group.title != "The app and the services" {
            let isShown = group.commands.contains { command in
                commands.contains { $0.contains("taskvault \(command.name)") }
            }
            #expect(isShown, "\(group.title)")
        }
    }
}

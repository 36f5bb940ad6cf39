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

    /// The session can be typed as it is written. Ids, days, the recovery code and the clipboard's line differ.
    @Test func theSessionOfTheFrontPageIsRight() throws {
        let page = Checkout.text("README.md").split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
        let session = page.drop { $0 != "$ taskvault init" }.prefix { $0 != "```" }
        #expect(session.count <= 25)
        let passphrase = "{*four words rarely mixed*}"
        let lines = session.map { line -> String in
            switch line.trimmingCharacters(in: .whitespaces) {
            case "Create a passphrase:", "Repeat the passphrase:": return line + passphrase
            case "Value:": return line + "{*swordfish-42*}"
            case "ID         DUE        TASK": return "ID         <text>"
            case let line where line.hasPrefix("taskvault: strength: "):
                return "taskvault: strength: <text>"
            case let line where line.hasPrefix("created the vault "):
                return "created the vault <text>"
            case let line where line.hasPrefix("copied "): return "..."
            case let line where line.wholeMatch(of: /[A-Z2-7]{4}(-[A-Z2-7]{4}){13}/) != nil:
                return "    <text>"
            default:
                // The id, and its due day as a list shows it.
                return line.replacing("72parq", with: "<id:1>")
                    .replacing(#/ 20\d\d-\d\d-\d\d /#, with: " <date> ")
                    .replacing("☐  fri 09:00  ", with: "☐  <text>  ")
            }
        }
        let transcript = try Transcript(lines.joined(separator: "\n"))
        #expect(transcript.steps.count == 6)
        #expect(TranscriptRun.problems(of: transcript).map(\.text) == [])
    }

    /// The commands that no transcript can have, and why.
    private static let others = [
        "app": "starts a server that outlives it", "services": "runs until a signal",
        "agent": "runs until a signal", "inbox picture": "needs a server of pictures",
    ]

    @Test func everyCommandHasATranscript() throws {
        let commands = try Self.names.flatMap { name in
            try Self.transcript(name).steps.map { $0.command.joined(separator: "\n") + " " }
        }
        for command in CommandTable.taskvault.groups.flatMap(\.commands) {
            let isShown = commands.contains { $0.contains("taskvault \(command.name) ") }
            #expect(isShown != (Self.others[command.name] != nil), "\(command.name)")
        }
    }
}

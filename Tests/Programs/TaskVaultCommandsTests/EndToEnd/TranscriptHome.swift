import Foundation
import TestSupport

/// A home in which the commands of a transcript run, each at a terminal.
final class TranscriptHome {
    /// A command that waits for an answer that the transcript does not have.
    struct UnansweredQuestion: Error, CustomStringConvertible {
        let question: String
        var description: String { "the command waits for an answer to \"\(question)\"" }
    }

    /// The limit of a silence after a question that was not expected, in milliseconds.
    private let patience: Int32
    private let home: TestHome
    /// The runtime folder, which is in memory for texts in an editor.
    private let runtime: MemoryFolder
    private let server: AuthServer?
    /// Places that are others in each run, by their placeholders.
    private var places: TranscriptPattern.Values

    /// Makes one; with an auth server if the transcript names its address.
    init(for transcript: Transcript, patience: Int32 = 60_000) throws {
        self.patience = patience
        home = try TestHome(withVault: false)
        runtime = try MemoryFolder(
            below: MemoryFolder.isPossible ? "/dev/shm" : TemporaryFolder.base)
        let programs = URL(fileURLWithPath: Executable.path).deletingLastPathComponent().path
        // The folders of the vault and of its records are those of a new user.
        home.environment["TASKVAULT_HOME"] = nil
        home.environment["XDG_STATE_HOME"] = nil
        home.environment.merge([
            "PATH": programs + ":/usr/bin:/bin", "TMPDIR": home.folder, "TERM": "dumb",
            "LC_ALL": "C.UTF-8", "TZ": "UTC", "XDG_RUNTIME_DIR": runtime.path,
        ]) { $1 }
        places = ["<home>": home.folder]
        guard transcript.text.contains("<server>") else {
            server = nil
            return
        }
        let server = try AuthServer(in: home.folder + "/server")
        home.environment.merge(server.environment) { $1 }
        places["<server>"] = server.issuer
        self.server = server
    }

    deinit {
        // Before its folder goes.
        server?.stop()
    }

    /// Runs a command, and answers its questions.
    ///
    /// - Parameters:
    ///   - step: The command, with its answers.
    ///   - values: The values of its placeholders.
    /// - Returns: The lines on the screen, and the exit code if it is not 0.
    /// - Throws: An `UnansweredQuestion`, or what the system refused.
    func run(_ step: Transcript.Step, _ values: TranscriptPattern.Values) throws -> [String] {
        let command = try TranscriptPattern.fill(
            step.command.joined(separator: "\n"), values.merging(places) { $1 })
        let session = try TerminalSession(home, [], rows: 40, columns: 120, shell: command)
        for answer in step.answers {
            let question = TranscriptPattern(answer.question, values)
            let isAsked = try session.waitForQuestion(
                patience: answer.question.isEmpty ? 1_000 : patience,
                where: { question.match(named($0)) != nil })
            guard isAsked else { break }
            try session.reply(TranscriptPattern.fill(answer.keys, values))
        }
        if try session.waitForQuestion(patience: patience, where: { _ in false }) {
            throw UnansweredQuestion(question: named(session.openLine))
        }
        let code = try session.finish()
        var lines = named(session.dialogue).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map { String($0.reversed().drop { $0 == " " }.reversed()) }
        while lines.last == "" { lines.removeLast() }
        return lines + (code == 0 ? [] : ["[\(code)]"])
    }

    /// The text with placeholders for the places.
    private func named(_ text: String) -> String {
        places.reduce(text) { $0.replacing($1.value, with: $1.key) }
    }
}

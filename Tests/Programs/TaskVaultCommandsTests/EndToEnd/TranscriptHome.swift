import Foundation
import TestSupport

/// The homes in which the commands of a transcript run, each at a terminal: one for each machine.
final class TranscriptHome {
    /// A command that waits for an answer that the transcript does not have.
    struct UnansweredQuestion: Error, CustomStringConvertible {
        let question: String
        var description: String { "the command waits for an answer to \"\(question)\"" }
    }

    /// The limit of a silence after a question that was not expected, in milliseconds.
    private let patience: Int32
    private let home: TestHome
    private var others: [String: TestHome] = [:]
    /// The runtime folder, which is in memory for texts in an editor.
    private let runtime: MemoryFolder
    private let server: AuthServer?
    /// The commands that go on, and how many lines of each were shown.
    private var open: [String: (session: TerminalSession, shown: Int)] = [:]
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
        // Of the people at the other machines.
        for machine in Set(transcript.steps.map(\.machine)).subtracting([""]) {
            let other = try TestHome(withVault: false)
            let folder = runtime.path + "/" + machine
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            other.environment = home.environment.merging([
                "HOME": other.folder, "TMPDIR": other.folder, "XDG_RUNTIME_DIR": folder,
            ]) { $1 }
            others[machine] = other
        }
        guard transcript.text.contains("<server>") else {
            server = nil
            return
        }
        let server = try AuthServer(in: home.folder + "/server")
        home.environment.merge(server.environment) { $1 }
        home.environment["SERVER"] = String(server.id)
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
        let (session, shown) =
            try open.removeValue(forKey: step.machine) ?? (start(step, values), 0)
        for answer in step.answers {
            let question = TranscriptPattern(answer.question, values)
            let isAsked = try session.waitForQuestion(
                patience: answer.question.isEmpty ? 1_000 : patience,
                where: { question.match(named($0)) != nil })
            guard isAsked else { break }
            try session.reply(TranscriptPattern.fill(answer.keys, values))
        }
        if step.isContinued {
            return try lines(of: session, after: shown, until: step, values)
        }
        if try session.waitForQuestion(patience: patience, where: { _ in false }) {
            throw UnansweredQuestion(question: named(session.openLine))
        }
        let code = try session.finish()
        var found = lines(of: session, after: shown)
        while found.last == "" { found.removeLast() }
        return found + (code == 0 ? [] : ["[\(code)]"])
    }

    private func start(
        _ step: Transcript.Step, _ values: TranscriptPattern.Values
    ) throws -> TerminalSession {
        let command = try TranscriptPattern.fill(
            step.command.joined(separator: "\n"), values.merging(places) { $1 })
        return try TerminalSession(
            others[step.machine] ?? home, [], rows: 40, columns: 120, shell: command)
    }

    /// The whole lines of a command that goes on, as soon as they are those of the step, or when nothing more comes.
    private func lines(
        of session: TerminalSession, after shown: Int, until step: Transcript.Step,
        _ values: TranscriptPattern.Values
    ) throws -> [String] {
        func found() -> [String] { lines(of: session, after: shown).dropLast() }
        try session.wait(patience: step.screen.isEmpty ? 3_000 : patience) {
            TranscriptComparison(expected: step.screen, shown: found(), values: values).agrees
                && !step.screen.isEmpty
        }
        let whole = found()
        open[step.machine] = (session, shown + whole.count)
        return whole
    }

    /// The lines on the screen after so many.
    private func lines(of session: TerminalSession, after shown: Int) -> [String] {
        named(session.dialogue).split(separator: "\n", omittingEmptySubsequences: false)
            .dropFirst(shown).map { String($0.reversed().drop { $0 == " " }.reversed()) }
    }

    /// The text with placeholders for the places.
    private func named(_ text: String) -> String {
        places.reduce(text) { $0.replacing($1.value, with: $1.key) }
    }
}

import CommandLine
import Foundation
@testable import TaskVaultCommands
import Testing
import TestSupport
import TextCoding

/// Programs that a test runs if they are there.
enum Tool {
    static func isPresent(_ name: String) -> Bool {
        (try? run("sh", ["-c", "command -v \"$0\" >/dev/null", name])) != nil
    }

    /// Runs a program; what it prints, errors included. The environment has no locale that would change texts.
    static func run(_ name: String, _ arguments: [String], input: String = "") throws -> String {
        let path = "/tmp/taskvault-test-\(UUID())"
        try input.write(toFile: path, atomically: false, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["LC_ALL=C.UTF-8", "MANPAGER=cat", name] + arguments
        process.standardInput = FileHandle(forReadingAtPath: path)
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(.failure, String(decoding: text, as: UTF8.self))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

@Suite(.timeLimit(.minutes(60))) struct CommandLineCompletionTests {
    /// A command line, the cursor at its end, and what can stand there.
    struct Case: Sendable, CustomTestStringConvertible {
        let words: [String]
        let candidates: Set<String>

        init(_ line: String, _ candidates: [String]) {
            words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            self.candidates = Set(candidates)
        }

        var testDescription: String { words.joined(separator: " ") }
    }

    static let globalOptions = [
        "--home", "--passphrase-file", "--json", "--no-agent", "--accept-older", "--accept-other",
        "--help", "--version",
    ]

    static let cases = [
        Case("taskvault ini", ["init"]),
        Case("taskvault re", ["recovery", "rekey", "remind", "restore"]),
        Case("taskvault secret s", ["set", "show"]),
        Case("taskvault --json secret s", ["set", "show"]),
        Case("taskvault --home /tmp secret s", ["set", "show"]),
        Case("taskvault --home secret secret s", ["set", "show"]),
        Case("taskvault recovery ", ["unlock", "show-new", "revoke"]),
        Case("taskvault completions ", ["bash", "zsh", "fish"]),
        Case("taskvault completions bash ", []),
        Case("taskvault secret set mail ", []),
        Case("taskvault secret set --class ", ["while-unlocked", "after-verification"]),
        Case("taskvault --class a secret set --label ", []),
        Case("taskvault secret export --format ", ["json", "csv", "keepassxc"]),
        Case(
            "taskvault secret import --format ",
            [
                "keepassxc", "bitwarden", "1password", "lastpass", "dashlane", "protonpass", "pass",
                "browser", "aegis", "otpauth", "taskvault",
            ]),
        Case("taskvault secret set --cl", ["--class"]),
        Case("taskvault init --kdf", ["--kdf-memory", "--kdf-passes"]),
        Case("taskvault secret list --", globalOptions + ["--removed"]),
        Case("taskvault secret set -- --", []),
        Case("taskvault help se", ["secret", "services", "settings", "setup"]),
        Case("taskvault backup /usr/bi", ["/usr/bin"]),
        Case("taskvault --home /usr/bi", ["/usr/bin"]),
    ]

    @Test(.enabled(if: Tool.isPresent("bash"), "needs bash"), arguments: cases)
    func bashCompletes(example: Case) throws {
        #expect(try bash(example.words) == example.candidates)
    }

    @Test(.enabled(if: Tool.isPresent("bash"), "needs bash"))
    func bashPartsAnOptionFromItsValue() throws {
        let words = ["taskvault", "secret", "set", "--class", "="]
        let line = "taskvault secret set --class="
        #expect(try bash(words, line) == ["while-unlocked", "after-verification"])
        #expect(try bash(words + ["af"], line + "af") == ["after-verification"])
        #expect(
            try bash(
                ["taskvault", "--home", "=", "/tmp", "recovery", ""],
                "taskvault --home=/tmp recovery "
            ).count == 3)
    }

    @Test(.enabled(if: Tool.isPresent("bash"), "needs bash"))
    func bashTakesNoNameForAPattern() throws {
        try withTemporaryFolder { folder in
            for name in ["x[1].csv", "x1.csv"] { try Files.write("", to: folder + "/" + name) }
            let found = try bash(["taskvault", "task", "import", folder + "/x["])
            #expect(found == [folder + "/x[1].csv"])
        }
    }

    private func bash(_ words: [String], _ line: String? = nil) throws -> Set<String> {
        let program =
            Shell.bash.completions(for: .taskvault) + """
                COMP_LINE=$1; shift
                COMP_WORDS=("$@")
                COMP_CWORD=$(($# - 1))
                _taskvault
                printf '%s\\n' "${COMPREPLY[@]}"
                """
        let output = try Tool.run(
            "bash",
            ["--norc", "-uc", program, "bash", line ?? words.joined(separator: " ")] + words)
        return Set(output.split(separator: "\n").map(String.init))
    }

    @Test(.enabled(if: Tool.isPresent("zsh"), "needs zsh"), arguments: cases)
    func zshCompletes(example: Case) throws {
        // Stands in for the completion system, which works in a terminal only: prefixes are matched here.
        let program =
            """
            compdef() { }
            compadd() { shift; for word in "$@"; do
                [[ $word == $current* ]] && print -r -- "$word"; done }
            _files() { [[ ${1-} == -/ ]]; print -l -- $current*(N) }
            typeset -a words
            words=("$@")
            CURRENT=$#

            """ + Shell.zsh.completions(for: .taskvault) + "\n_taskvault || true\n"
        let output = try Tool.run("zsh", ["-fc", program, "zsh"] + example.words)
        #expect(Set(output.split(separator: "\n").map(String.init)) == example.candidates)
    }

    @Test(.enabled(if: Tool.isPresent("fish"), "needs fish"), arguments: cases)
    func fishCompletes(example: Case) throws {
        let line = example.words.joined(separator: " ")
        let program = Shell.fish.completions(for: .taskvault) + "\ncomplete -C '\(line)'\n"
        let output = try Tool.run("fish", ["--no-config", "-c", program])
        // fish adds a description, and a slash to a folder.
        let found = output.split(separator: "\n").map { line in
            let word = String(line.prefix { $0 != "\t" })
            return word.hasSuffix("/") ? String(word.dropLast()) : word
        }
        if example.words.last == "--", example.candidates.isEmpty { return }
        #expect(Set(found) == example.candidates)
    }

    @Test(arguments: Shell.allCases)
    func hiddenOptionsAreNotOffered(shell: Shell) {
        let script = shell.completions(for: .taskvault)
        #expect(!script.contains("markdown"))
        // A person is not offered what the script asks.
        #expect(!script.contains("-l names") && !script.contains("' --names"))
    }
}

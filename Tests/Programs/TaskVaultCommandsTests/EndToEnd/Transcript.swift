/// A session at the command line: commands, and the lines on the screen after each. `Transcripts/README.md` describes the format.
struct Transcript {
    /// A command and the screen after it.
    struct Step {
        /// The number of the line with the command, from 1.
        let number: Int
        /// The lines of the command, without their signs.
        var command: [String]
        /// The output and the answers of the person, then the exit code if it is not 0.
        var screen: [String] = []
        /// The blank lines and remarks after it.
        var remarks: [String] = []

        /// The answers in the order of the questions.
        var answers: [Answer] { screen.compactMap { Answer(in: $0) } }
    }

    /// A question and the line that the person types.
    struct Answer {
        let question: String
        let keys: String

        /// Nil if the line of a screen has no answer.
        init?(in line: String) {
            guard let match = line.wholeMatch(of: /((?:[^"]* )?)\{(\*?)([^"]*)\2\}/) else {
                return nil
            }
            question = String(match.1)
            keys = String(match.3)
        }

        /// The notation for keys that the terminal shows, or hides.
        static func notation(_ keys: String, isHidden: Bool) -> String {
            isHidden ? "{*\(keys)*}" : "{\(keys)}"
        }
    }

    /// A line that is neither a remark nor a command nor the output of one.
    struct FormatError: Error, CustomStringConvertible {
        let number: Int
        var description: String { "line \(number) is the output of no command" }
    }

    private var head: [String] = []
    var steps: [Step] = []

    init(_ text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let line = String(line.reversed().drop { $0 == " " }.reversed())
            let isRemark = line.isEmpty || line == "#" || line.hasPrefix("# ")
            if line.hasPrefix("$ ") {
                steps.append(Step(number: index + 1, command: [String(line.dropFirst(2))]))
                continue
            }
            guard var step = steps.popLast() else {
                guard isRemark else { throw FormatError(number: index + 1) }
                head.append(line)
                continue
            }
            if line == ">" || line.hasPrefix("> "), step.screen.isEmpty, step.remarks.isEmpty {
                step.command.append(String(line.dropFirst(2)))
            } else if isRemark {
                step.remarks.append(line)
            } else {
                guard !step.remarks.contains(where: { !$0.isEmpty }) else {
                    throw FormatError(number: index + 1)
                }
                // A blank line between lines of output belongs to the output.
                step.screen += step.remarks + [line]
                step.remarks = []
            }
            steps.append(step)
        }
    }

    /// The file with this content.
    var text: String {
        let lines = steps.flatMap { step in
            zip(["$ "] + step.command.dropFirst().map { _ in "> " }, step.command).map { $0 + $1 }
                + step.screen + step.remarks
        }
        return (head + lines).joined(separator: "\n")
    }
}

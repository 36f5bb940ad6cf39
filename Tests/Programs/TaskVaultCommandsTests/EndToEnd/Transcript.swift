/// A session at the command line: commands, and the lines on the screen after each. `Transcripts/README.md` describes the format.
struct Transcript {
    /// A command and the screen after it.
    struct Step {
        /// The number of the line with the command, from 1.
        let number: Int
        /// The machine; empty for the first one.
        let machine: String
        /// The lines of the command, without their signs; none if the machine's command before goes on.
        var command: [String]
        /// Whether the command goes on in a later step.
        var isContinued = false
        /// The output and the answers of the person, then the exit code if it is not 0.
        var screen: [String] = []
        /// The blank lines and remarks after it.
        var remarks: [String] = []

        /// The first line.
        var prompt: String { ([machine + "$"] + command.prefix(1)).joined(separator: " ") }

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
            if let prompt = line.wholeMatch(of: /([a-z]*)\$(?: (.*))?/) {
                let command = prompt.2.map { [String($0)] } ?? []
                steps.append(
                    Step(number: index + 1, machine: String(prompt.1), command: command))
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
        for index in steps.indices {
            let next = steps[(index + 1)...].first { $0.machine == steps[index].machine }
            steps[index].isContinued = next?.command.isEmpty == true
        }
    }

    /// The file with this content.
    var text: String {
        let lines = steps.flatMap { step -> [String] in
            let more = step.command.dropFirst().map { "> " + $0 }
            return [step.prompt] + more + step.screen + step.remarks
        }
        return (head + lines).joined(separator: "\n")
    }
}

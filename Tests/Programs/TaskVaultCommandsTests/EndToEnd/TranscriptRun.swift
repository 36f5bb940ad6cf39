/// Runs whole transcripts.
enum TranscriptRun {
    /// A command with another outcome than expected.
    struct Problem: Error {
        /// The number of its line in the file.
        let number: Int
        let text: String
    }

    /// Runs the commands in a new home, and compares the lines on the screen.
    ///
    /// - Returns: The differences. A command that could not run is the last.
    static func problems(of transcript: Transcript, patience: Int32 = 60_000) -> [Problem] {
        var problems: [Problem] = []
        var (number, command) = (1, "")
        do {
            let home = try TranscriptHome(for: transcript, patience: patience)
            var values: TranscriptPattern.Values = [:]
            for step in transcript.steps {
                (number, command) = (step.number, step.prompt)
                let comparison = TranscriptComparison(
                    expected: step.screen, shown: try home.run(step, values), values: values)
                values = comparison.values
                if !comparison.agrees {
                    let lines = comparison.difference(from: number + max(step.command.count, 1))
                    problems.append(Problem(number: number, text: "\(command)\n\(lines)"))
                }
            }
        } catch {
            problems.append(Problem(number: number, text: "\(command)\n\(error)"))
        }
        return problems
    }

    /// Runs the commands in two new homes.
    ///
    /// - Returns: The transcript with the lines on the screen. Text that differs between the homes is a placeholder.
    /// - Throws: The `Problem` of a command that could not run.
    static func rewritten(_ transcript: Transcript) throws -> Transcript {
        let homes = try (TranscriptHome(for: transcript), TranscriptHome(for: transcript))
        var values: (TranscriptPattern.Values, TranscriptPattern.Values) = ([:], [:])
        var result = transcript
        let former = transcript.text
        for (index, step) in transcript.steps.enumerated() {
            do {
                var writer = try TranscriptWriter(
                    first: TranscriptComparison(
                        expected: step.screen, shown: homes.0.run(step, values.0), values: values.0),
                    second: TranscriptComparison(
                        expected: step.screen, shown: homes.1.run(step, values.1), values: values.1),
                    former: former)
                result.steps[index].screen = writer.lines()
                values = (writer.first.values, writer.second.values)
            } catch {
                throw Problem(number: step.number, text: "\(step.prompt)\n\(error)")
            }
        }
        return result
    }
}

internal import Platform

/// The amount of an attack, and its report: the lines that `Tests/Proof/run` reads.
package enum Attack {
    /// The number in an environment variable.
    ///
    /// - Parameters:
    ///   - variable: The name of the variable.
    ///   - ordinary: The number without the variable, for an ordinary run.
    /// - Returns: The number of repetitions.
    package static func amount(_ variable: String, ordinary: Int) -> Int {
        unsafe getenv(variable).flatMap { unsafe Int(String(cString: $0)) } ?? ordinary
    }

    /// The round of `Tests/Proof/run`: a seed, so that each round makes other attempts.
    package static let round = UInt64(amount("TASKVAULT_ROUND", ordinary: 0))

    /// All of the numbers below `all`, or about `amount` of them, spread over it: in each round others.
    package static func sample(_ amount: Int, of all: Int) -> [Int] {
        if amount >= all { return Array(0..<all) }
        // Odd, so that it is not always the same bit of a byte.
        let step = all / amount | 1
        return Array(stride(from: Int(round) % step, to: all, by: step))
    }

    /// Reports the number of attempts and their result.
    package static func report(_ figures: KeyValuePairs<String, Int>) {
        print("proof: " + figures.map { "\($0)=\($1)" }.joined(separator: " "))
    }

    /// Prints the report of another process, whose output is otherwise discarded.
    package static func pass(on output: [UInt8]) {
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix("proof: ") || line.hasPrefix("control: ") {
            print(line)
        }
    }

    /// Reports the evidence that the attack can fail.
    package static func report(control: String) {
        print("control: " + control)
    }
}

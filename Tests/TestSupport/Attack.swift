internal import Platform

/// How much an attack does, and what it says that it did: the lines that `Tests/Proof/run` reads.
package enum Attack {
    /// The number in a variable of the environment.
    ///
    /// - Parameters:
    ///   - variable: Its name.
    ///   - ordinary: What an ordinary run does, without it.
    /// - Returns: How often.
    package static func amount(_ variable: String, ordinary: Int) -> Int {
        unsafe getenv(variable).flatMap { unsafe Int(String(cString: $0)) } ?? ordinary
    }

    /// Which round of `Tests/Proof/run` it is: a seed, so that the next round tries something else.
    package static let round = UInt64(amount("TASKVAULT_ROUND", ordinary: 0))

    /// Says how often something was done, and what came of it.
    package static func report(_ figures: KeyValuePairs<String, Int>) {
        print("proof: " + figures.map { "\($0)=\($1)" }.joined(separator: " "))
    }

    /// Passes on what another process reported, whose output nobody reads otherwise.
    package static func pass(on output: [UInt8]) {
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix("proof: ") || line.hasPrefix("control: ") {
            print(line)
        }
    }

    /// Says what showed that the attack can fail.
    package static func report(control: String) {
        print("control: " + control)
    }
}

import Foundation
import Testing
import TestSupport

/// One system call that fails, does nothing or is the process's last, by the injection of strace.
struct SystemCallFault: CustomStringConvertible, Sendable {
    let call: String
    /// The first call of this name is 1.
    let number: Int
    /// In strace's words, `%` being the number.
    let effect: String

    var description: String { "\(call) \(number), \(effect)" }
    var isDeadly: Bool { effect.hasPrefix("signal") }

    private var wrapper: [String] {
        [
            Tracer.path, "-f", "-qq", "-e", "trace=" + call, "-e",
            "inject=\(call):" + effect.replacing("%", with: "\(number)"), "-o",
        ]
    }

    /// Runs a command with this fault in it.
    ///
    /// - Returns: How it ended, and whether the fault came to pass.
    func strike(
        _ scenario: FaultScenario, in home: TestHome
    ) throws -> (result: RunResult, isStruck: Bool) {
        let trace = home.folder + "/trace"
        let result = try scenario.run(in: home, beneath: wrapper + [trace])
        let text = String(decoding: try Files.read(trace), as: UTF8.self)
        return (result, text.contains(isDeadly ? "killed by SIGKILL" : "INJECTED"))
    }

    /// Every call of a command after loading, as its last one.
    static func kills(of scenario: FaultScenario, in home: TestHome) throws -> [SystemCallFault] {
        let trace = home.folder + "/trace"
        try #require(
            scenario.run(in: home, beneath: [Tracer.path, "-f", "-qq", "-o", trace]).exitCode == 0)
        var numbers: [Substring: Int] = [:]
        var faults: [SystemCallFault] = []
        var isBegun = false
        for line in String(decoding: try Files.read(trace), as: UTF8.self).split(separator: "\n") {
            guard let name = line.firstMatch(of: /^\d+ +([a-z0-9_]+)\(/)?.output.1 else { continue }
            numbers[name, default: 0] += 1
            isBegun = isBegun || line.contains("PR_SET_DUMPABLE")
            guard isBegun else { continue }
            faults.append(
                SystemCallFault(
                    call: String(name), number: numbers[name, default: 0],
                    effect: "signal=KILL:when=%"))
        }
        return faults
    }

    /// Every call of some names that a command makes once it is loaded, with each effect on it.
    static func all(
        of scenario: FaultScenario, in home: TestHome, calls: [String], effects: [String]
    ) throws -> [SystemCallFault] {
        let trace = home.folder + "/trace"
        let names = calls + ["prctl"]
        let wrapper = [
            Tracer.path, "-f", "-qq", "-e", "trace=" + names.joined(separator: ","), "-o", trace,
        ]
        try #require(scenario.run(in: home, beneath: wrapper).exitCode == 0)
        let lines = String(decoding: try Files.read(trace), as: UTF8.self).split(separator: "\n")
        // The program's first act. What is before it are the loader and the libraries.
        let start = try #require(lines.firstIndex { $0.contains("PR_SET_DUMPABLE") })
        return calls.flatMap { call in
            func isCall(_ line: Substring) -> Bool { line.contains(" \(call)(") }
            let loading = lines[..<start].count(where: isCall)
            return (0..<lines[start...].count(where: isCall)).flatMap { number in
                effects.map {
                    SystemCallFault(call: call, number: loading + number + 1, effect: $0)
                }
            }
        }
    }
}

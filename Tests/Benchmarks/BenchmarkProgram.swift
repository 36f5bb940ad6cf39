internal import Platform

extension Benchmarks {
    private static let parts: [String: Part] = [
        "--vault": .vault, "--secrets": .secrets, "--services": .services, "--files": .files,
        "--tasks": .tasks, "--reminders": .reminders, "--app": .app, "--server": .server,
        "--sign-in": .signIn,
    ]

    /// Runs the benchmark with the arguments of `TestTools benchmark`.
    ///
    /// - Returns: The exit code.
    package static func run(_ arguments: [String]) -> Int32 {
        switch arguments.first {
        case BareServer.childArgument: return BareServer.runChild(Array(arguments.dropFirst()))
        case MemoryMeasurement.childArgument:
            return MemoryMeasurement.runChild(Array(arguments.dropFirst()))
        default: break
        }
        let names = arguments.filter { $0 != "--quick" }
        let chosen = names.compactMap { parts[$0] }
        guard chosen.count == names.count else {
            print(
                "usage: TestTools benchmark [\(parts.keys.sorted().joined(separator: " | "))] [--quick]"
            )
            return 2
        }
        return run(
            arguments.count > names.count ? .quick : .full,
            chosen.isEmpty ? Part.allCases : chosen)
    }
}

extension Benchmarks {
    /// Runs the benchmark with the arguments of `TestTools benchmark`.
    ///
    /// - Returns: The exit code.
    package static func run(_ arguments: [String]) -> Int32 {
        switch arguments.first {
        case BareServer.childArgument: return BareServer.runChild(Array(arguments.dropFirst()))
        case MemoryMeasurement.childArgument:
            return MemoryMeasurement.runChild(Array(arguments.dropFirst()))
        #if os(Linux)
            case GrowthMeasurement.childArgument:
                return GrowthMeasurement.runChild(Array(arguments.dropFirst()))
        #endif
        default: break
        }
        var parts: [Part] = []
        var isQuick = false
        var json: String?
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--quick" {
                isQuick = true
            } else if argument == "--json", let file = rest.popFirst() {
                json = file
            } else if argument.hasPrefix("--"),
                let part = Part(rawValue: String(argument.dropFirst(2)))
            {
                parts.append(part)
            } else {
                let names = Part.allCases.map { "--" + $0.rawValue }.joined(separator: " | ")
                print("usage: TestTools benchmark [\(names)] [--quick] [--json FILE]")
                return 2
            }
        }
        let chosen = Part.allCases.filter { parts.isEmpty ? $0 != .growth : parts.contains($0) }
        return run(chosen, isQuick: isQuick, json: json)
    }
}

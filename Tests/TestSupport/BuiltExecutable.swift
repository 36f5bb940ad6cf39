/// The executables that were built beside the tests.
package enum BuiltExecutable {
    /// The path of an executable of this package, in the configuration that the tests run in.
    package static func path(of name: String) -> String {
        let tests = CommandLine.arguments[0]
        guard let slash = tests.lastIndex(of: "/") else { return name }
        return tests[...slash] + name
    }
}

/// The executables built beside the tests.
package enum BuiltExecutable {
    /// The path of an executable of this package, in the build configuration of the tests.
    package static func path(of name: String) -> String {
        let tests = CommandLine.arguments[0]
        guard let slash = tests.lastIndex(of: "/") else { return name }
        return tests[...slash] + name
    }
}

internal import Platform

/// The executables that tests start.
package enum BuiltExecutable {
    /// The path of an executable of this package: the one that was built beside the tests, or another, such as the release build's, in the folder
    /// that `TASKVAULT_EXECUTABLES` names. `TestTools` is always the one beside the tests.
    package static func path(of name: String) -> String {
        if name != "TestTools", let folder = unsafe getenv("TASKVAULT_EXECUTABLES") {
            return unsafe String(cString: folder) + "/" + name
        }
        let tests = CommandLine.arguments[0]
        guard let slash = tests.lastIndex(of: "/") else { return name }
        return tests[...slash] + name
    }
}

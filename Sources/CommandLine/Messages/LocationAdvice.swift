/// What makes a place safe for a file that was found not to be.
package enum LocationAdvice {
    /// The command, where one does.
    ///
    /// - Parameters:
    ///   - path: The place.
    ///   - reason: What is wrong with it, as the storage says.
    /// - Returns: The hint; nil where there is none.
    package static func hint(_ path: String, _ reason: String) -> String? {
        switch reason {
        case "accessible to other users", "writable by other users":
            "chmod go= \(ShellText.quote(path)), if nobody else is meant to have it"
        default: nil
        }
    }
}

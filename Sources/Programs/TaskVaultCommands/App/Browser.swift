internal import Platform
internal import SecretMemory

/// The browser of the desktop.
enum Browser {
    /// The time in which an opener reports a failure.
    private static let timeLimit = Duration.seconds(3)

    /// Opens an address or a file.
    ///
    /// - Parameters:
    ///   - place: The address or the path. Other users of the machine can see it.
    ///   - opener: The path of the program that opens it.
    /// - Returns: Whether the opener has succeeded or still runs. A running opener may have become
    ///   the browser.
    /// - Throws: `SystemFailure`.
    static func open(_ place: String, by opener: String) throws -> Bool {
        // The browser is not part of this program, so it gets the parent's file mode mask.
        let process = try ProcessHardening.withStartFileMode {
            try ChildProcess.start([opener, place])
        }
        let end = MonotonicTime.now + timeLimit
        while MonotonicTime.now < end {
            if let ending = process.ending() { return ending == .exit(0) }
            SystemSleep.sleep(.milliseconds(20))
        }
        return true
    }
}

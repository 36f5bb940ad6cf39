/// A failed system call.
package struct SystemFailure: Error, Sendable, Hashable {
    /// The C function, such as `write`.
    package let call: String
    /// The value of `errno`.
    package let code: Int32

    /// Creates a failure of a known code.
    package init(_ call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The failure that the last call in this thread left in `errno`.
    package static func last(_ call: String) -> SystemFailure {
        SystemFailure(call, code: errno)
    }

    /// Whether the path names nothing (`ENOENT`, `ENOTDIR`).
    package var isMissingFile: Bool { code == ENOENT || code == ENOTDIR }

    /// The system's message for the code, beginning in lower case, such as `no space left on device`.
    ///
    /// The corresponding C function is `strerror`.
    package var explanation: String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        let words = unsafe String(cString: text)
        // "I/O error" keeps its capitals.
        guard let first = words.first, words.dropFirst().first?.isLowercase == true else {
            return words
        }
        return first.lowercased() + words.dropFirst()
    }
}

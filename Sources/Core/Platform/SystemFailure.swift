/// A failed system call.
package struct SystemFailure: Error, Sendable, Hashable {
    /// The C function, such as `write`.
    package let call: String
    /// The value of `errno`.
    package let code: Int32

    /// Creates a failure with a known code.
    package init(_ call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The failure of the last call in this thread, from `errno`.
    package static func last(_ call: String) -> SystemFailure {
        SystemFailure(call, code: errno)
    }

    /// Whether the path does not exist (`ENOENT`, `ENOTDIR`).
    package var isMissingFile: Bool { code == ENOENT || code == ENOTDIR }

    /// The system's message for the code, with a lower-case initial, such as `no space left on device`.
    ///
    /// The corresponding C function is `strerror`.
    package var explanation: String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        let words = unsafe String(cString: text)
        // Keep the capitals of "I/O error".
        guard let first = words.first, words.dropFirst().first?.isLowercase == true else {
            return words
        }
        return first.lowercased() + words.dropFirst()
    }
}

internal import Platform

/// The role of a process. It decides on the hardening, and is chosen before anything else happens.
package enum ProcessRole: Hashable, Sendable {
    /// A command.
    case command
    /// A command that runs a program which the owner chose, such as a browser with a sandbox of its
    /// own.
    case starter
    /// The agent, which has the keys of the vault.
    case agent
    /// The server of the page.
    case page
    /// The services beside the desktop, which run the setting reminder-command.
    case services

    /// The role for the arguments of `main`, which are there before the runtime of Swift.
    ///
    /// - Parameters:
    ///   - count: Their number.
    ///   - arguments: The arguments, with the name of the process first.
    package init(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
        func argument(_ index: Int32) -> UnsafePointer<CChar>? {
            index < count ? UnsafePointer(unsafe arguments[Int(index)]) : nil
        }
        func isEqual(_ index: Int32, to word: StaticString) -> Bool {
            guard let argument = unsafe argument(index) else { return false }
            return unsafe word.withUTF8Buffer { word in
                guard let start = word.baseAddress else { return false }
                return unsafe strlen(argument) == word.count
                    && memcmp(argument, start, word.count) == 0
            }
        }
        /// Whether one of the options and words before `--` is this one.
        func has(_ word: StaticString) -> Bool {
            for index in 1..<max(1, count) {
                if isEqual(index, to: "--") { return false }
                if isEqual(index, to: word) { return true }
            }
            return false
        }
        /// Whether the process was started by a link of this name.
        func isNamed(_ name: StaticString) -> Bool {
            guard let path = unsafe argument(0) else { return false }
            let start = unsafe strrchr(path, 0x2F).map { unsafe UnsafePointer($0) + 1 } ?? path
            return unsafe name.withUTF8Buffer { name in
                guard let word = name.baseAddress else { return false }
                return unsafe strlen(start) == name.count && memcmp(start, word, name.count) == 0
            }
        }
        self =
            if isEqual(1, to: "agent") {
                .agent
            } else if isEqual(1, to: "services") || isNamed("taskvault-services") {
                .services
            } else if isNamed("taskvault-app") || (isEqual(1, to: "app") && has("--foreground")) {
                .page
            } else if isEqual(1, to: "remind") || has("run") || has("app") {
                .starter
            } else {
                .command
            }
    }

    /// Whether programs that the process starts may gain privileges, as `sudo` and some mailers do.
    package var runsPrograms: Bool { self == .starter || self == .services }
}

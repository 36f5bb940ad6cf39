package import Platform

/// The page of the local app.
package enum AppPage {
    #if os(Linux)
        /// The program that opens an address in the default browser.
        package static let opener = "xdg-open"
    #else
        /// The program that opens an address in the default browser.
        package static let opener = "open"
    #endif

    /// Whether a text names a message or a task for the first screen: `inbox/ID` or `task/ID`.
    package static func isShown(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && ["inbox", "task"].contains(parts[0])
            && (1...64).contains(parts[1].utf8.count)
            && parts[1].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// Whether there is a desktop, and a program that opens its browser.
    package static func canOpenBrowser(_ environment: EnvironmentVariables) -> Bool {
        #if os(Linux)
            let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains {
                environment[$0]?.isEmpty == false
            }
        #else
            let hasDisplay = environment["SSH_CONNECTION"] == nil
        #endif
        return hasDisplay && Executable.path(of: opener) != nil
    }

    /// Opens the page in the background, from another program of TaskVault.
    ///
    /// - Returns: Whether the start was attempted; false without a desktop or a browser.
    package static func open(showing shown: String, _ options: ApplicationOptions) -> Bool {
        let environment = options.environment
        guard canOpenBrowser(environment), isShown(shown), let own = try? Executable.own()
        else { return false }
        let program = SafeFolder.split(own).folder + "/" + Application.program
        guard FileSystem.exists(program) else { return false }
        var words = [program, "app", "--item=" + shown]
        if let home = options.home { words.append("--home=" + home) }
        return DetachedThread.start { [words] in
            let process = try? ChildProcess.start(words, environment: environment.entries)
            process?.wait(atMost: .seconds(60))
        }
    }
}

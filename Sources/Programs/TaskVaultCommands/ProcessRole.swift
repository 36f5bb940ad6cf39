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

    /// The role for the arguments of a process, with its name first.
    package init(_ arguments: [String]) {
        let name = arguments.first?.split(separator: "/").last ?? ""
        let words = arguments.dropFirst().prefix { $0 != "--" }
        // The command may follow options, whose values are not known here.
        let followsOptions = words.first?.hasPrefix("-") == true
        func names(_ command: String) -> Bool {
            words.first == command || followsOptions && words.contains(command)
        }
        self =
            if words.first == "agent" {
                .agent
            } else if name == "taskvault-services" || names("services") {
                .services
            } else if name == "taskvault-app" || names("app") && words.contains("--foreground") {
                .page
            } else if names("remind") || names("run") || names("app") {
                .starter
            } else {
                .command
            }
    }

    /// Whether programs that the process starts may gain privileges, as `sudo` and some mailers do.
    package var runsPrograms: Bool { self == .starter || self == .services }
}

internal import CommandLine
internal import Platform

/// Where a server's files are unless it is told otherwise.
struct ServerFolders {
    /// The configuration file, which need not be there; nil where no home folder is known.
    let configuration: String?
    /// The file of the accounts; nil where no home folder is known.
    let database: String?

    /// Finds them: for the administrator where services keep such things, for others below their own folders.
    init(_ environment: EnvironmentVariables, isAdministrator: Bool = geteuid() == 0) {
        if isAdministrator {
            configuration = "/etc/taskvault-authd.conf"
            database = "/var/lib/taskvault-authd/accounts.db"
        } else {
            let folders = StandardFolders(environment)
            configuration = folders.configuration.map { $0 + "/taskvault-authd.conf" }
            database = folders.data.map { $0 + "/taskvault-authd/accounts.db" }
        }
    }
}

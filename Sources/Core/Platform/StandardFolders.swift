/// The folders in which programs keep files of a user, by the XDG base directory specification. A folder is nil if the user has no home
/// folder and the variable is not set.
package struct StandardFolders: Sendable, Hashable {
    /// The folder of data, such as the vault.
    package let data: String?
    /// The folder of state that belongs to this machine, such as rollback records.
    package let state: String?
    /// The folder of settings.
    package let configuration: String?

    /// Finds the folders by `XDG_DATA_HOME`, `XDG_STATE_HOME`, `XDG_CONFIG_HOME` and `HOME`.
    package init(_ environment: EnvironmentVariables) {
        let person = Self.absolute(environment["HOME"]) ?? Self.homeOfUser()
        data = Self.absolute(environment["XDG_DATA_HOME"]) ?? person.map { $0 + "/.local/share" }
        state = Self.absolute(environment["XDG_STATE_HOME"]) ?? person.map { $0 + "/.local/state" }
        configuration =
            Self.absolute(environment["XDG_CONFIG_HOME"]) ?? person.map { $0 + "/.config" }
    }

    /// An absolute path; the XDG specification requires that others are ignored.
    package static func absolute(_ path: String?) -> String? {
        path?.utf8.first == UInt8(ascii: "/") ? path : nil
    }

    /// The corresponding C function is `getpwuid`.
    private static func homeOfUser() -> String? {
        guard let entry = unsafe getpwuid(geteuid()), let home = unsafe entry.pointee.pw_dir else {
            return nil
        }
        return absolute(unsafe String(validatingCString: home))
    }
}

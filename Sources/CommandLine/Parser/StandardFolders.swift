internal import Platform

/// Where programs of a user keep what belongs to them, by the XDG base directory specification; nil where no home folder is known.
package struct StandardFolders: Sendable, Hashable {
    /// What programs keep.
    package let data: String?
    /// What they remember of this machine.
    package let state: String?
    /// What the user decided.
    package let configuration: String?

    /// Finds the folders by `XDG_DATA_HOME`, `XDG_STATE_HOME`, `XDG_CONFIG_HOME` and `HOME`.
    package init(_ environment: EnvironmentVariables) {
        let person = Self.absolute(environment["HOME"]) ?? Self.homeOfUser()
        data = Self.absolute(environment["XDG_DATA_HOME"]) ?? person.map { $0 + "/.local/share" }
        state = Self.absolute(environment["XDG_STATE_HOME"]) ?? person.map { $0 + "/.local/state" }
        configuration =
            Self.absolute(environment["XDG_CONFIG_HOME"]) ?? person.map { $0 + "/.config" }
    }

    /// A path that does not depend on the current folder; by the XDG specification others are to be ignored.
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

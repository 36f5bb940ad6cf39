/// The user and the process at the other end of a socket.
package enum PeerUser {
    /// Whether the peer is the user of this process; the administrator counts as another user.
    package static func isThisUser(_ descriptor: Int32) -> Bool {
        var user: uid_t = 0
        return unsafe platform_peer_user(descriptor, &user) == 0 && user == geteuid()
    }

    /// Whether the peer of a local TCP connection is the user of this process; false if the system does not report it.
    package static func isThisUser(connection descriptor: Int32) -> Bool {
        var user: uid_t = 0
        return unsafe platform_tcp_peer_user(descriptor, &user) == 0 && user == geteuid()
    }

    /// The process id of the listening process; nil if the system does not report it.
    package static func process(_ descriptor: Int32) -> Int32? {
        let process = platform_peer_process(descriptor)
        return process > 0 ? process : nil
    }

    /// A reference to a running process, which is safe against reuse of its id.
    package struct Process: ~Copyable {
        private let descriptor: Int32

        /// Opens a process; nil if there is none. The corresponding C function is `pidfd_open`.
        package init?(_ process: Int32) {
            #if os(Linux)
                descriptor = platform_process_descriptor(process)
            #else
                descriptor = -1
            #endif
            guard descriptor >= 0 else { return nil }
        }

        deinit { close(descriptor) }

        /// Whether the process still runs.
        package var isRunning: Bool {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&request, 1, 0) == 0
        }
    }

    /// The parent of a process. Reads `/proc/PID/stat`.
    package static func parent(of process: Int32) -> Int32? {
        let content = FileSystem.content("/proc/\(process)/stat", limit: 4_096)
        // The process name may contain any bytes, so search for the last parenthesis.
        guard let content, let end = content.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = content[(end + 1)...].split(separator: UInt8(ascii: " "))
        return fields.count > 1 ? Int32(String(decoding: fields[1], as: UTF8.self)) : nil
    }

    /// The name of a process, which the process itself can choose; nil if unknown. Reads `/proc/PID/comm`.
    package static func program(_ process: Int32) -> String? {
        let descriptor = unsafe platform_open("/proc/\(process)/comm", O_RDONLY, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var name = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(descriptor, &name, name.count)
        guard count > 0 else { return nil }
        return String(decoding: name.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self)
    }

    /// The application of a process in a sandbox, such as `org.example.App (Flatpak)`; nil without a sandbox that names it.
    package static func sandboxedApplication(_ process: Int32) -> String? {
        sandboxedApplication(at: "/proc/\(process)")
    }

    /// The application of a process with this folder in `/proc`.
    ///
    /// Flatpak writes `/.flatpak-info` into the sandbox of an application and of its D-Bus proxy. snapd confines by an AppArmor label.
    package static func sandboxedApplication(at folder: String) -> String? {
        func text(_ path: String) -> String? {
            FileSystem.content(folder + path, limit: 65_536).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        if let lines = text("/root/.flatpak-info")?.split(separator: "\n") {
            let group = lines.drop { $0 != "[Application]" }.dropFirst().prefix {
                !$0.hasPrefix("[")
            }
            let name = group.first { $0.hasPrefix("name=") }?.dropFirst("name=".count)
            if let name, isApplicationName(name) { return "\(name) (Flatpak)" }
        }
        // For example snap.firefox.geckodriver (enforce).
        guard let label = text("/attr/current"), label.hasPrefix("snap."),
            label.split(whereSeparator: \.isWhitespace).contains("(enforce)")
        else { return nil }
        let name = label.dropFirst("snap.".count).prefix { $0 != "." }
        return isApplicationName(name) ? "\(name) (Snap)" : nil
    }

    private static func isApplicationName(_ name: Substring) -> Bool {
        (1...255).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic
                        || "0123456789.-_".unicodeScalars.contains(scalar))
            }
    }
}

#if os(Linux)
    import Foundation
    import Glibc

    /// A user without privileges: the one who runs the tests, or the user nobody if that is the administrator.
    enum OtherUser {
        static let id: uid_t = geteuid() == 0 ? 65_534 : geteuid()
        static let isAvailable = geteuid() != 0 || Files.exists("/usr/bin/setpriv")

        /// Words that start a program as this user.
        static let launcher =
            geteuid() == 0
            ? [
                "/usr/bin/setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups",
                "--inh-caps=-all",
            ] : ["/usr/bin/env"]

        /// A home that belongs to this user, with a vault.
        static func home() throws -> TestHome {
            let home = try TestHome(withVault: false)
            if geteuid() == 0 {
                for path in [home.folder, home.passphraseFile] {
                    guard unsafe chown(path, id, id) == 0 else { throw HarnessFailure("chown") }
                }
            }
            home.launcher = launcher
            try home.make()
            return home
        }

        /// Ways to look into a process, as programs in Perl that end with 0 if they could; `$p` is the process.
        static let doors = [
            "open(my $f, '<', \"/proc/$p/mem\") or exit 1",
            "open(my $f, '<', \"/proc/$p/environ\") or exit 1; defined(read($f, my $b, 1)) or exit 1",
            "open(my $f, '<', \"/proc/$p/maps\") or exit 1; defined(read($f, my $b, 1)) or exit 1",
            "opendir(my $f, \"/proc/$p/fd\") or exit 1",
            "readlink(\"/proc/$p/exe\") or exit 1",
            // ptrace(PTRACE_ATTACH) and PTRACE_DETACH.
            "syscall($n[0], 16, $p, 0, 0) == 0 or exit 1; waitpid($p, 0); syscall($n[0], 17, $p, 0, 0)",
            // process_vm_readv of a place where nothing is: what is not forbidden fails otherwise, with EFAULT.
            "my $v = pack('QQ', 16, 8); syscall($n[1], $p, $v, 1, $v, 1, 0); exit($! == 14 ? 0 : 1)",
        ]

        /// Tries one, as this user.
        static func `try`(_ door: String, on process: pid_t, of home: TestHome) throws -> Bool {
            #if arch(arm64)
                let numbers = "117, 270"
            #else
                let numbers = "101, 310"
            #endif
            let program = "my $p = \(process); my @n = (\(numbers)); \(door); exit 0"
            let child = Process()
            child.executableURL = URL(filePath: launcher[0])
            child.arguments = launcher.dropFirst() + ["/usr/bin/perl", "-e", program]
            child.standardError = FileHandle.nullDevice
            try child.run()
            child.waitUntilExit()
            return child.terminationStatus == 0
        }
    }
#endif

#if os(Linux)
    import Foundation
    import Platform
    import TestSupport
    import Testing

    /// The disk's owner puts something else in the place of a file, or lets nothing more be written.
    @Suite(.waitsForProcesses) struct HostileDiskTests {
        /// The thing that stands in the place of a file.
        enum Impostor: String, CaseIterable, Sendable {
            case zeros, itselfAndZeros, pipe, device, linkToDevice, linkToItself, folder

            /// - Returns: Whether this user may make one.
            func take(_ path: String, of original: String) throws -> Bool {
                unsafe unlink(path)
                switch self {
                case .zeros, .itselfAndZeros:
                    try Files.write(self == .zeros ? [] : try Files.read(original), to: path)
                    return unsafe truncate(path, 3 << 30) == 0
                case .pipe: return unsafe mkfifo(path, 0o600) == 0
                case .device: return unsafe mknod(path, S_IFCHR | 0o600, 0x105) == 0
                case .linkToDevice: return unsafe symlink("/dev/zero", path) == 0
                case .linkToItself: return unsafe symlink(original, path) == 0
                case .folder: return unsafe mkdir(path, 0o700) == 0
                }
            }
        }

        /// A file that an impostor replaces, the commands that meet it, and how they end.
        enum Place: String, CaseIterable, Sendable {
            case vault, log, record, backup

            func path(in home: TestHome) throws -> String {
                switch self {
                case .vault: return home.vault
                case .log: return home.vault + "-wal"
                case .record:
                    let records = home.folder + "/state/taskvault/rollback/"
                    return try records + #require(Files.names(in: records).first)
                case .backup: return home.folder + "/backup.db"
                }
            }

            var commands: [String] {
                self == .backup
                    ? ["restore backup.db --replace"]
                    : [
                        "secret get mail.example ada", "secret update mail.example ada", "doctor",
                        "rekey", "backup other.db",
                    ]
            }

            func expected(_ impostor: Impostor) -> Int32 {
                switch (self, impostor) {
                // SQLite's header says how much of a file counts, and a log without a header does not.
                case (.vault, .itselfAndZeros), (.log, .zeros), (.log, .itselfAndZeros): 0
                // No record can be kept, which a warning says.
                case (.record, .pipe), (.record, .folder): 0
                case (.record, .linkToDevice), (.record, .linkToItself): 0
                case (.vault, .zeros), (.record, _): 7
                case (.backup, .linkToDevice), (.backup, .linkToItself): 8
                case (.backup, _): 7
                default: 8
                }
            }
        }

        /// Runs a command that may write 1 MiB into any file.
        ///
        /// - Returns: How it ended, and how many bytes it read from the home's files and from devices.
        private func runLimited(
            _ words: String, in home: TestHome
        ) throws -> (result: RunResult, read: Int) {
            let trace = home.folder + "/trace"
            let result = try home.runBare(
                words.split(separator: " ").map(String.init)
                    + ["--no-agent", "--passphrase-file", home.passphraseFile],
                input: Array("new".utf8),
                beneath: [
                    Tracer.path, "-f", "-qq", "-y", "-e",
                    "trace=read,readv,pread64,preadv,preadv2,copy_file_range,sendfile", "-o", trace,
                    "/usr/bin/prlimit", "--fsize=1048576",
                ])
            let lines = String(decoding: try Files.read(trace), as: UTF8.self)
                .split(separator: "\n")
            let read = lines.filter { $0.contains("<\(home.folder)/") || $0.contains("</dev/zero") }
                .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
            return (result, read.reduce(0, +))
        }

        @Test(
            .enabled(
                if: Tracer.isUsable && Files.exists("/usr/bin/prlimit"),
                "not run: strace or prlimit is not installed"),
            arguments: Place.allCases, Impostor.allCases)
        func whatStandsInAFilesPlaceIsLookedAtFirst(place: Place, impostor: Impostor) throws {
            let home = try TestHome()
            try home.save("value")
            try home.run("backup backup.db")
            let path = try place.path(in: home)
            let original = home.folder + "/original"
            try Files.copy(place == .log ? home.vault : path, to: original)
            guard try impostor.take(path, of: original) else { return }
            let code = place.expected(impostor)
            for command in place.commands {
                let (result, read) = try runLimited(command, in: home)
                #expect(result.exitCode == code, "\(command): \(result.errorText)")
                #expect(read <= 1 << 20, "\(command)")
                // What no regular file is, is not read at all; the count is seen to work on the others.
                let isFile = [.zeros, .itselfAndZeros].contains(impostor) || place == .record
                #expect(read > 0 || !isFile, "\(command)")
                if code == 0, place == .record {
                    #expect(
                        result.errorText.contains("cannot keep this machine's rollback record"),
                        "\(command)")
                }
            }
            if code == 0 {
                #expect(try home.value() == "new")
            } else {
                try FileManager.default.removeItem(atPath: path)
                if place != .log { try Files.copy(original, to: path) }
                #expect(try home.value() == "value")
            }
            #expect(try home.run("doctor").exitCode == 0)
        }

        // Nothing more can be written.

        /// Expects that reading works and each change is refused, for a reason; and that the vault is whole when the reason is gone.
        private static func expectOnlyReading(
            _ home: TestHome, _ reason: String, until end: () throws -> Void
        ) throws {
            #expect(try home.value() == "value")
            #expect(try home.run("secret list").exitCode == 0)
            #expect(try home.run("secret export").exitCode == 0)
            #expect(try home.run("backup backup-\(reason.count).db").exitCode == 0)
            for change in [
                "secret set other ada", "secret set --replace mail.example ada",
                "secret remove --yes mail.example ada", "rekey", "recovery revoke",
                "restore backup.db --replace",
            ] {
                let refused = try home.run(change, input: "another value")
                #expect(refused.exitCode == 1, "\(change): \(refused.errorText)")
                #expect(refused.errorText.contains(reason), "\(change): \(refused.errorText)")
                #expect(try home.value() == "value", "\(change)")
            }
            try end()
            #expect(try home.run("secret update mail.example ada", input: "new").exitCode == 0)
            #expect(try home.value() == "new")
            #expect(try home.run("doctor").exitCode == 0)
            #expect(Files.names(in: home.home).contains("vault.db"))
        }

        private static let mayMount = PrivateMounts.arePossible

        /// A home on a file system of its own, with a vault, a value and a backup elsewhere.
        private static func withDisk(_ body: (TestHome) throws -> Void) throws {
            let home = try TestHome(withVault: false)
            try FullDisk.with(home.home, size: 1 << 20) {
                try home.make()
                try home.save("value")
                expect(try home.run("backup \(home.folder)/backup.db"), ends: 0)
                try body(home)
            }
        }

        private static func remount(_ home: TestHome, _ options: String) throws {
            try SystemTool.run("/usr/bin/mount", "-o", "remount,mode=0700," + options, home.home)
        }

        @Test(.endsProcess, .enabled(if: mayMount, "not run: only the administrator may mount"))
        func aDiskWithoutInodesIsOnlyRead() async {
            await #expect(processExitsWith: .success) {
                try Self.withDisk { home in
                    // The folder and the vault.
                    try Self.remount(home, "nr_inodes=2")
                    try Self.expectOnlyReading(home, "no space left on the device") {
                        try Self.remount(home, "nr_inodes=20")
                    }
                }
            }
        }

        @Test(.endsProcess, .enabled(if: mayMount, "not run: only the administrator may mount"))
        func aDiskThatBecomesReadOnlyIsOnlyRead() async {
            await #expect(processExitsWith: .success) {
                try Self.withDisk { home in
                    try Self.remount(home, "ro")
                    try Self.expectOnlyReading(home, "cannot be written") {
                        try Self.remount(home, "rw")
                    }
                }
            }
        }

        @Test(
            .enabled(if: Tracer.isUsable, Tracer.reason))
        func aUsedUpQuotaLosesNothing() throws {
            let home = try TestHome()
            try home.save("value")
            for change in [
                "secret update mail.example ada", "secret remove --yes mail.example ada", "rekey",
            ] {
                let refused = try home.runBare(
                    change.split(separator: " ").map(String.init)
                        + ["--no-agent", "--passphrase-file", home.passphraseFile],
                    input: [1],
                    beneath: [
                        Tracer.path, "-f", "-qq", "-o", home.folder + "/trace", "-P",
                        home.vault + "-wal", "-P", home.folder + "/other.db",
                        "-e", "trace=pwrite64,write", "-e",
                        "inject=pwrite64,write:error=EDQUOT:when=1+",
                    ])
                #expect(refused.exitCode == 1, "\(change): \(refused.errorText)")
                #expect(
                    refused.errorText.contains("full") || refused.errorText.contains("quota"),
                    "\(change): \(refused.errorText)")
                #expect(try home.value() == "value", "\(change)")
            }
            #expect(try home.run("doctor").exitCode == 0)
        }
    }
#endif

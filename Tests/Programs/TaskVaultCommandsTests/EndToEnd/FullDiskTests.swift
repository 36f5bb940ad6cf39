#if os(Linux)
    import TestSupport
    import Testing

    /// A vault on a file system of its own, which is full.
    @Suite(
        .enabled(
            if: PrivateMounts.arePossible, "not run: only the administrator may mount"),
        .waitsForProcesses)
    struct FullDiskTests {
        /// The room that a change needs beside the file: SQLite's shared memory, and the log with the pages that change.
        private static let room = 128 << 10

        @Test(.endsProcess) func aVaultThatFillsItsDiskStaysWhole() async {
            await #expect(processExitsWith: .success) {
                let home = try TestHome(withVault: false)
                try FullDisk.with(home.home, size: 256 << 10) {
                    try home.make()
                    let value = String(repeating: "x", count: 8_000)
                    var saved = 0
                    while saved < 100 {
                        let result = try home.run("secret set service \(saved)", input: value)
                        if result.exitCode != 0 {
                            Self.expectFull(result)
                            break
                        }
                        saved += 1
                    }
                    #expect((5..<100).contains(saved))
                    for number in 0..<saved {
                        #expect(try home.value("service", "\(number)") == value)
                    }
                    #expect(try home.run("secret list").outputLines.count == saved + 1)
                    #expect(try home.run("doctor").exitCode == 0)
                    // A copy elsewhere, and from there on a larger disk, is always possible.
                    #expect(try home.run("backup backup.db").exitCode == 0)
                    try SystemTool.run(
                        "/usr/bin/mount", "-o", "remount,size=512k,mode=0700", home.home)
                    #expect(try home.run("secret remove --yes service 0").exitCode == 0)
                    #expect(try home.run("secret list").outputLines.count == saved)
                    #expect(try home.run("doctor").exitCode == 0)
                    #expect(Files.names(in: home.home) == ["vault.db"])
                }
            }
        }

        @Test(.endsProcess) func aDiskThatOthersFillIsReadToTheLastByte() async {
            await #expect(processExitsWith: .success) {
                let home = try TestHome(withVault: false)
                try FullDisk.with(home.home, size: 512 << 10) {
                    try home.make()
                    try home.save("value")
                    let filler = home.home + "/filler"
                    try FullDisk.fill(filler)
                    #expect(try home.value() == "value")
                    #expect(try home.run("secret list").exitCode == 0)
                    #expect(try home.run("secret export").exitCode == 0)
                    #expect(try home.run("doctor").exitCode == 0)
                    #expect(try home.run("backup backup.db").exitCode == 0)
                    let changes = [
                        "secret set other ada", "secret set --replace mail.example ada",
                        "secret remove --yes mail.example ada", "rekey", "recovery revoke",
                        "backup home/backup.db",
                        "restore backup.db --replace", "restore backup.db --replace --new-lineage",
                    ]
                    for change in changes {
                        Self.expectFull(try home.run(change, input: "another value"))
                        #expect(try home.value() == "value", "\(change)")
                    }
                    Self.expectFull(
                        try home.run(
                            "passphrase change", lines: [TestHome.passphrase, "another passphrase"])
                    )
                    #expect(try home.value() == "value")
                    try FullDisk.cut(filler, by: Self.room)
                    #expect(try home.run("secret remove --yes mail.example ada").exitCode == 0)
                    #expect(try home.run("doctor").exitCode == 0)
                    #expect(Files.names(in: home.home) == ["filler", "vault.db"])
                }
            }
        }

        private static func expectFull(
            _ result: RunResult, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            expect(
                result, ends: 1, "error: no space left on the device; nothing was changed",
                "hint: free some space and run it again", sourceLocation: sourceLocation)
        }
    }
#endif

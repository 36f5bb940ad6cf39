#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// The to-do list on a file system of its own, which is full.
    @Suite(
        .enabled(if: PrivateMounts.arePossible, "not run: only the administrator may mount"),
        .waitsForProcesses)
    struct TaskFullDiskTests {
        @Test(.endsProcess) func aListOnAFullDiskIsReadAndKept() async {
            await #expect(processExitsWith: .success) {
                let home = try TestHome(withVault: false)
                try home.surround()
                try FullDisk.with(home.home, size: 1 << 20) {
                    try home.make()
                    let id = try home.add("buy milk")
                    let protected = try home.run("task add --protected", input: "hidden\n")
                    #expect(protected.exitCode == 0)
                    let filler = home.home + "/filler"
                    try FullDisk.fill(filler)
                    func names() throws -> [String] {
                        let listed = try home.run("task list --json --reveal")
                        #expect(listed.exitCode == 0, "\(listed.errorText)")
                        return (listed.json as? [[String: Any]] ?? []).texts("name").sorted()
                    }
                    #expect(try names() == ["buy milk", "hidden"])
                    #expect(try home.run("task show \(id)").exitCode == 0)
                    #expect(try home.run("task export --reveal").exitCode == 0)
                    #expect(try home.run("task stats").exitCode == 0)
                    for command in [
                        "task add another", "task done \(id)", "task edit \(id) --name other",
                        "task add --protected", "task protect \(id)", "task remove --yes \(id)",
                    ] {
                        let refused = try home.run(command + " --json", input: "another\n")
                        #expect(refused.exitCode == 1, "\(command): \(refused.errorText)")
                        #expect(refused.failure["code"] as? String == "disk_full", "\(command)")
                        #expect(try names() == ["buy milk", "hidden"], "\(command)")
                    }
                    try FullDisk.cut(filler, by: 256 << 10)
                    #expect(try home.run("task protect \(id)").exitCode == 0)
                    #expect(try home.run("task done \(id)").exitCode == 0)
                    #expect(try names() == ["buy milk", "hidden"])
                    #expect(try home.run("doctor").exitCode == 0)
                    #expect(Files.names(in: home.home) == ["filler", "tasks.db", "vault.db"])
                }
            }
        }
    }
#endif

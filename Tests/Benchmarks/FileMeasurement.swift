internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import VaultAgent
internal import VaultCore

/// Files: how fast they go in and out, and what else that costs.
enum FileMeasurement {
    private static let mebibyte = 1_048_576

    static func run(
        _ effort: Effort, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let vault = try BenchmarkVault("files.db", in: folder)
        _ = try vault.timeFilling(upTo: 100)
        try vault.setCost(AgentMeasurement.cost)
        let home = try AgentHome(of: vault, in: folder, named: "files-home")
        defer { home.end() }
        try home.client().unlock(with: .passphrase(try BenchmarkVault.passphrase()))
        let source = folder.path(of: "source")
        try makeFile(source, size: effort.fileSize)
        try measureTransfer(effort, home, source, in: folder, into: &table)
        try measurePeers(effort, source, in: folder, into: &table)
        try measureOthers(effort, home, source, into: &table)
        try measureList(effort, in: folder, into: &table)
    }

    /// Bytes that no program can compress, written in pieces.
    private static func makeFile(_ path: String, size: Int) throws {
        let output = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        defer { close(output) }
        var piece = [UInt8](repeating: 0, count: mebibyte)
        var state: UInt64 = 1
        for index in piece.indices {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            piece[index] = UInt8(truncatingIfNeeded: state >> 56)
        }
        for number in 0..<(size / mebibyte) {
            piece[number % mebibyte] &+= 1
            guard unsafe write(output, piece, piece.count) == piece.count else {
                throw BenchmarkFailure("cannot write \(path)")
            }
        }
        fsync(output)
    }

    private static func file(_ home: AgentHome, _ words: String...) -> [String] {
        [home.executable, "--home", home.path, "file"] + words
    }

    /// Rates in MiB a second, and the memory of agent and command.
    private static func measureTransfer(
        _ effort: Effort, _ home: AgentHome, _ source: String, in folder: ScratchFolder,
        into table: inout Table
    ) throws {
        let bare = try BareFile(folder.path(of: "bare-files.db"))
        let size = Double(effort.fileSize)
        let title = "\(effort.fileSize / mebibyte) MiB"
        let out = folder.path(of: "out")
        let agent = try home.client().status().processID
        let before = try ProcessStatus.kibibytes("VmRSS:", of: "\(agent)")
        var adding = PairedTimes()
        var getting = PairedTimes()
        func rate(_ time: Double) -> Double { size / Double(mebibyte) / (time / 1e9) }
        for round in 0..<UInt8(max(3, effort.slowRounds / 3)) {
            let name = "file-\(round)"
            let added = try Child.time(file(home, "add", source, "--name", name))
            adding.add(rate(added), rate(try bare.timeAdding(source, version: round)))
            let got = try Child.time(file(home, "get", name, "--output", out))
            unsafe unlink(out)
            getting.add(rate(got), rate(try bare.timeGetting(version: round, to: out)))
            unsafe unlink(out)
            _ = try Child.time(file(home, "remove", "--permanently", "--yes", name))
        }
        let baseline = "bare secretstream and SQLite"
        table.add(rates: "file add of \(title), MiB", adding, against: baseline, atLeast: 0.7)
        table.add(rates: "file get of \(title), MiB", getting, against: baseline, atLeast: 0.7)
        let added = try memory(file(home, "add", source, "--name", "memory"), agent)
        let got = try memory(file(home, "get", "memory", "--output", out), agent)
        unsafe unlink(out)
        let growth = max(added.agent, got.agent) - before
        table.add(
            "memory of the agent, more than idle", .mebibytes(Double(growth) / 1_024),
            atMost: .mebibytes(24))
        table.add(
            "memory of the command",
            .mebibytes(Double(max(added.command, got.command)) / 1_024))
    }

    /// The most memory of the agent, and of a command while it runs, in KiB.
    ///
    /// The peak of an agent is that of an earlier derivation, and the usage of a child begins with that of its parent, so both are looked at
    /// again and again.
    private static func memory(
        _ words: [String], _ agent: UInt32
    ) throws -> (agent: Int, command: Int) {
        var status: Int32 = 0
        var most = (agent: 0, command: 0)
        let process = try Child.start(words)
        usleep(5_000)
        while unsafe waitpid(process, &status, WNOHANG) == 0 {
            most.agent = max(most.agent, try ProcessStatus.kibibytes("VmRSS:", of: "\(agent)"))
            let command = try? ProcessStatus.kibibytes("VmHWM:", of: "\(process)")
            most.command = max(most.command, command ?? 0)
            usleep(5_000)
        }
        guard status == 0 else {
            throw BenchmarkFailure("\(words.joined(separator: " ")) failed: \(status)")
        }
        return most
    }

    /// The same file with other programs, if they are installed.
    private static func measurePeers(
        _ effort: Effort, _ source: String, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let work = try folder.makeFolder("peers")
        let size = Double(effort.fileSize) / Double(mebibyte)
        let peers: [(name: String, program: String, prepare: String?, add: String, get: String)] = [
            (
                "age", "/usr/bin/age", "age-keygen -o key 2>/dev/null",
                "age -e -i key -o sealed '\(source)'", "age -d -i key -o out sealed"
            ),
            (
                "gpg", "/usr/bin/gpg", nil,
                "gpg --batch --quiet --homedir . --pinentry-mode loopback --passphrase pw -z 0 -o sealed -c '\(source)'",
                "gpg --batch --quiet --homedir . --pinentry-mode loopback --passphrase pw -o out -d sealed"
            ),
            (
                "KeePassXC attachment", "/usr/bin/keepassxc-cli",
                "printf 'pw\\npw\\n' | keepassxc-cli db-create -q -p v.kdbx && printf 'pw\\n' | keepassxc-cli add -q v.kdbx e",
                "printf 'pw\\n' | keepassxc-cli attachment-import -q v.kdbx e a '\(source)'",
                "printf 'pw\\n' | keepassxc-cli attachment-export -q v.kdbx e a out"
            ),
        ]
        for peer in peers {
            let titles = ["\(peer.name): add, MiB", "\(peer.name): get, MiB"]
            guard unsafe access(peer.program, X_OK) == 0 else {
                for title in titles { table.add(title, skipped: "no \(peer.program)") }
                continue
            }
            func time(_ line: String) throws -> Double {
                try Child.time(["/bin/sh", "-c", "cd '\(work)' && " + line])
            }
            do {
                if let prepare = peer.prepare { _ = try time(prepare) }
                for (title, line) in zip(titles, [peer.add, peer.get]) {
                    table.add(title, .perSecond(size / (try time(line) / 1e9)))
                }
            } catch is BenchmarkFailure {
                // One that takes no file of this size says so.
                for title in titles { table.add(title, skipped: "it failed") }
            }
            _ = try time("rm -f sealed out v.kdbx")
        }
    }

    /// The median of `secret get` alone, and while a file is added again and again.
    private static func measureOthers(
        _ effort: Effort, _ home: AgentHome, _ source: String, into table: inout Table
    ) throws {
        let name = try Sample.name(50)
        let get = [
            home.executable, "--home", home.path, "secret", "get", name.service, name.account,
        ]
        func median() throws -> Double {
            try (0..<effort.rounds).map { _ in try Child.time(get) }.median
        }
        let alone = try median()
        let loop =
            "n=0; while :; do '\(home.executable)' --home '\(home.path)' file add '\(source)' --name b$n; n=$((n+1)); done"
        let adding = try Child.start(["/bin/sh", "-c", loop])
        defer {
            kill(adding, SIGKILL)
            var status: Int32 = 0
            unsafe waitpid(adding, &status, 0)
        }
        usleep(200_000)
        let busy = try median()
        table.add(
            "secret get while a file is added", .time(busy), against: "alone", .time(alone),
            ratio: busy / alone, aim: 2)
    }

    private static func measureList(
        _ effort: Effort, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let vault = try BenchmarkVault("many-files.db", in: folder)
        try vault.withOpen { open in
            let files = VaultFiles(open.vault)
            for number in 0..<10_000 { _ = try files.add("IMG_\(number).jpg").finish() }
        }
        try vault.setCost(AgentMeasurement.cost)
        let home = try AgentHome(of: vault, in: folder, named: "many-files-home")
        defer { home.end() }
        try home.client().unlock(with: .passphrase(try BenchmarkVault.passphrase()))
        _ = try Child.time(file(home, "list"))
        let lists = try (0..<effort.slowRounds).map { _ in try Child.time(file(home, "list")) }
        table.add("file list of 10,000", .time(lists.median), atMost: .time(50e6))
    }
}

import Foundation
import Platform
import Testing
import TestSupport

/// Files of two homes that share a folder or an account, by commands alone.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SyncFileTests {
    static let mebibyte = 1_048_576
    private static let sealedChunk = 65_553

    /// The parts of contents in the shared folder, by name.
    static func parts(_ homes: TwoHomes) -> [String] {
        let groups = Files.names(in: homes.folder).map { homes.folder + "/" + $0 + "/files" }
        return groups.flatMap { group in Files.names(in: group).map { group + "/" + $0 } }
            .filter { !$0.contains("/.") }.sorted()
    }

    /// Adds a file, and runs a round.
    static func add(
        _ name: String, _ bytes: [UInt8], _ home: TestHome, _ options: String...
    ) throws {
        let path = try home.make(name, bytes)
        let added = try home.run(["file", "add", path] + options)
        #expect(added.exitCode == 0, "\(added.errorText)")
        try Files.remove(path)
        try home.syncNow()
    }

    /// The content of a file, as `file get` writes it; nil with its exit code if it does not.
    static func content(
        _ name: String, _ home: TestHome
    ) throws -> (bytes: [UInt8]?, result: RunResult) {
        let path = home.folder + "/got-" + name
        let got = try home.run(["file", "get", name, "--output", path])
        #expect(Files.exists(path) == (got.exitCode == 0))
        guard got.exitCode == 0 else { return (nil, got) }
        defer { try? Files.remove(path) }
        return (try Files.read(path), got)
    }

    /// The files of a home by name, with whether their content is on the machine.
    static func here(_ home: TestHome) throws -> [String: Bool] {
        let listed = try home.run("file list --json")
        #expect(listed.exitCode == 0, "\(listed.errorText)")
        let files = try #require(listed.json as? [[String: Any]])
        return Dictionary(
            uniqueKeysWithValues: files.map {
                ($0["name"] as? String ?? "", $0["here"] as? Bool ?? true)
            })
    }

    static func expectSound(_ home: TestHome) throws {
        let checked = try home.run("doctor --json")
        #expect(checked.exitCode == 0, "\(checked.outputText)")
    }

    // MARK: Travelling

    @Test func filesOfEachSizeTravelThroughTheFolder() throws {
        let homes = try TwoHomes()
        try travel(homes.first, homes.second)
        // Sizes to 64 KiB, and nothing that can be read.
        for part in Self.parts(homes) {
            let size = try #require(Files.size(part))
            #expect(size > 0 && size % Self.sealedChunk == 0, "\(part)")
        }
        #expect(try ByteSearch(for: ["two-parts.bin"]).findings(below: homes.folder).isEmpty)
        // What was fetched stays.
        try FileManager.default.removeItem(atPath: homes.folder)
        #expect(
            try Self.content("two-parts.bin", homes.second).bytes
                == FileContent.bytes(Self.mebibyte + 1))
    }

    @Test func filesOfEachSizeTravelThroughTheServer() throws {
        let homes = try TwoAccountHomes()
        try travel(homes.first, homes.second)
        #expect(
            try ByteSearch(for: ["two-parts.bin"]).findings(below: homes.server.folder).isEmpty)
    }

    private func travel(_ first: TestHome, _ second: TestHome) throws {
        let sizes = [
            "empty.bin": 0, "small.bin": 10, "chunk.bin": 65_536, "part.bin": Self.mebibyte,
            "two-parts.bin": Self.mebibyte + 1,
        ]
        for (name, size) in sizes.sorted(by: { $0.key < $1.key }) {
            try Self.add(name, FileContent.bytes(size), first)
        }
        try second.syncNow()
        #expect(try Self.here(second) == sizes.mapValues { _ in false })
        #expect(try Self.here(first) == sizes.mapValues { _ in true })
        try Self.expectSound(second)
        for (name, size) in sizes {
            #expect(try Self.content(name, second).bytes == FileContent.bytes(size), "\(name)")
        }
        #expect(try Self.here(second) == sizes.mapValues { _ in true })
        try Self.expectSound(second)
        // New names, contents and removals travel, too.
        for words in [
            ["rename", "small.bin", "tiny.bin"], ["remove", "empty.bin", "--yes"],
        ] {
            let changed = try second.run(["file"] + words)
            #expect(changed.exitCode == 0, "\(changed.errorText)")
        }
        let path = try first.make("new", FileContent.bytes(77))
        let replaced = try first.run(["file", "replace", "chunk.bin", path, "--yes"])
        #expect(replaced.exitCode == 0, "\(replaced.errorText)")
        for home in [first, second, first, second] { try home.syncNow() }
        for home in [first, second] {
            #expect(
                try Set(Self.here(home).keys)
                    == ["tiny.bin", "chunk.bin", "part.bin", "two-parts.bin"])
            #expect(try Self.content("chunk.bin", home).bytes == FileContent.bytes(77))
        }
        // The earlier content, with its own size.
        let shown = try second.run("file show chunk.bin --json").object
        let earlier = try #require((shown["earlier"] as? [[String: Any]])?.first)
        #expect(earlier["size"] as? Int == 65_536)
    }

    @Test func aProtectedFileOpensAfterAVerificationOnly() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        let bytes = FileContent.bytes(70_000)
        try Self.add("letter.bin", bytes, first)
        try second.syncNow()
        #expect(try first.run("file protect letter.bin").exitCode == 0)
        try first.syncNow()
        try second.syncNow()
        try second.unlock()
        try second.closeWindow()
        let refused = try second.runBare(["file", "get", "letter.bin", "--output", "-"])
        #expect(refused.exitCode != 0 && refused.output.isEmpty)
        #expect(try Self.here(second) == ["letter.bin": false])
        #expect(try Self.content("letter.bin", second).bytes == bytes)
    }

    @Test func filesTravelThroughAgents() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        let bytes = FileContent.bytes(70_000)
        let path = try first.make("photo.bin", bytes)
        for home in [first, second] { try home.unlock() }
        expect(try first.ask("file add \(path)"), ends: 0)
        expect(try first.ask("sync now"), ends: 0)
        expect(try second.ask("sync now"), ends: 0)
        #expect(try second.files().map { $0["here"] as? Bool } == [false])
        let got = try second.runBare(["file", "get", "photo.bin", "--output", "-"])
        #expect(got.exitCode == 0 && got.output == bytes, "\(got.errorText)")
        #expect(try second.files().map { $0["here"] as? Bool } == [nil])
    }

    @Test func anotherFolderGetsTheContentsThatNobodyOpened() throws {
        let homes = try TwoHomes()
        let bytes = FileContent.bytes(70_000)
        try Self.add("photo.bin", bytes, homes.first)
        try homes.second.syncNow()
        let other = homes.first.folder + "/other"
        try FileManager.default.createDirectory(
            atPath: other, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        #expect(try homes.second.run("sync move --folder \(other)").exitCode == 0)
        try FileManager.default.removeItem(atPath: homes.folder)
        #expect(try Self.content("photo.bin", homes.second).bytes == bytes)
    }

    // MARK: Interruptions

    @Test func anInterruptedFetchGoesOn() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        let bytes = FileContent.bytes(3 * Self.mebibyte)
        try Self.add("film.bin", bytes, first)
        try second.syncNow()
        let parts = Self.parts(homes)
        #expect(parts.count == 3)
        let aside = first.folder + "/aside"
        // The last part comes first.
        try FileManager.default.moveItem(atPath: parts[1], toPath: aside)
        let missing = try Self.content("film.bin", second).result
        #expect(missing.exitCode == 5)
        #expect(
            missing.errorLines == [
                "taskvault: error: the content of film.bin is not on this machine, and not whole at \(homes.folder)",
                "taskvault: hint: run taskvault sync now on a machine that has it",
            ])
        try Self.expectSound(second)
        #expect(try Self.here(second) == ["film.bin": false])
        try FileManager.default.moveItem(atPath: aside, toPath: parts[1])
        try Files.remove(parts[2])
        #expect(try Self.content("film.bin", second).bytes == bytes)
        try Self.expectSound(second)
    }

    @Test(.enabled(if: Tracer.isUsable, Tracer.reason), arguments: [20, 60, 200, 700])
    func aKilledFetchGoesOn(_ write: Int) throws {
        let homes = try TwoHomes()
        let bytes = FileContent.bytes(3 * Self.mebibyte)
        try Self.add("film.bin", bytes, homes.first)
        try homes.second.syncNow()
        let second = homes.second
        _ = try second.runBare(
            [
                "file", "get", "film.bin", "--output", second.folder + "/film", "--no-agent",
                "--passphrase-file", second.passphraseFile,
            ],
            beneath: [
                Tracer.path, "-f", "-qq", "-o", second.folder + "/trace", "-e",
                "trace=pwrite64", "-e", "inject=pwrite64:signal=KILL:when=\(write)",
            ])
        try Self.expectSound(second)
        #expect(try Self.content("film.bin", second).bytes == bytes)
    }

    @Test func withoutTheFolderTheErrorSaysWhereTheContentIs() throws {
        let homes = try TwoHomes()
        try Self.add("photo.bin", [1, 2, 3], homes.first)
        try homes.second.syncNow()
        try FileManager.default.moveItem(
            atPath: homes.folder, toPath: homes.first.folder + "/away")
        let failed = try Self.content("photo.bin", homes.second).result
        #expect(failed.exitCode != 0)
        #expect(failed.errorLines.count == 2)
        let text = failed.errorText
        #expect(text.contains("the content of photo.bin is not on this machine"), "\(text)")
        #expect(text.contains(homes.folder) && text.contains("taskvault file get"), "\(text)")
    }

    // MARK: A remote that changes contents

    @Test(arguments: ["missing", "cut", "damaged", "exchanged", "of another file", "longer"])
    func aChangedPartIsNeverTaken(_ kind: String) throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        let bytes = FileContent.bytes(2 * Self.mebibyte)
        try Self.add("film.bin", bytes, first)
        let parts = Self.parts(homes)
        try Self.add("other.bin", FileContent.bytes(2 * Self.mebibyte).reversed(), first)
        let others = Self.parts(homes).filter { !parts.contains($0) }
        try second.syncNow()
        switch kind {
        case "missing": try Files.remove(parts[1])
        case "cut": try Files.overwrite(parts[1], Array(Files.read(parts[1]).dropLast(100)))
        case "damaged": try Files.flip(parts[1], at: 500_000)
        case "exchanged":
            let (left, right) = (try Files.read(parts[0]), try Files.read(parts[1]))
            try Files.overwrite(parts[0], right)
            try Files.overwrite(parts[1], left)
        case "of another file": try Files.overwrite(parts[1], Files.read(others[1]))
        default: try Files.overwrite(parts[1], Files.read(parts[1]) + [0])
        }
        let refused = try Self.content("film.bin", second).result
        #expect(refused.exitCode == (kind == "missing" ? 5 : 7), "\(refused.errorText)")
        #expect(refused.errorLines.count == 2)
        try Self.expectSound(second)
        #expect(try Self.here(second)["film.bin"] == false)
        // A device that has the content puts it again; each bad part is found by itself.
        var found = refused
        for _ in 0..<2 where found.exitCode != 0 {
            try first.syncNow()
            found = try Self.content("film.bin", second).result
        }
        #expect(try Self.content("film.bin", second).bytes == bytes)
        #expect(try Self.content("other.bin", second).bytes != nil)
    }

    @Test func anEarlierContentIsNotTakenForTheNewOne() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try Self.add("plan.bin", FileContent.bytes(100), first)
        let old = Self.parts(homes)
        let path = try first.make("new", FileContent.bytes(101))
        #expect(try first.run(["file", "replace", "plan.bin", path, "--yes"]).exitCode == 0)
        try first.syncNow()
        try second.syncNow()
        let new = try #require(Self.parts(homes).first { !old.contains($0) })
        try Files.overwrite(new, Files.read(old[0]))
        #expect(try Self.content("plan.bin", second).result.exitCode == 7)
    }

    // MARK: Removing

    @Test func aSettledRemovalDropsTheContentAndNothingElse() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try Self.add("gone.bin", FileContent.bytes(100), first)
        let gone = Self.parts(homes)
        try Self.add("kept.bin", FileContent.bytes(200), first)
        let kept = Self.parts(homes).filter { !gone.contains($0) }
        try homes.sync()
        #expect(
            try first.run("file remove gone.bin --permanently --yes").exitCode == 0)
        try first.syncNow()
        // Not before all have seen it. A large change makes a snapshot, which drops other things.
        #expect(Self.parts(homes).count == 2)
        try first.save(String(repeating: "large ", count: 60_000), "large.example")
        try second.save("new", "second.example")
        for _ in 0..<4 {
            for home in [first, second] {
                let state = home.folder + "/state/taskvault/sync"
                for name in Files.names(in: state) {
                    try? Files.remove(state + "/" + name + "/expiry")
                }
                try home.syncNow()
            }
            try first.save(UUID().uuidString, "first.example.\(UUID().uuidString)")
            try second.save(UUID().uuidString, "second.example.\(UUID().uuidString)")
        }
        try homes.sync()
        #expect(Self.parts(homes) == kept)
        #expect(try Self.content("kept.bin", second).bytes == FileContent.bytes(200))
    }

    @Test func protectionOnOneMachineBringsBackWhatTheOtherRemoved() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        let bytes = FileContent.bytes(100)
        try Self.add("letter.bin", bytes, first)
        try homes.sync()
        #expect(try first.run("file remove letter.bin --yes").exitCode == 0)
        #expect(try second.run("file protect letter.bin").exitCode == 0)
        try homes.sync()
        for home in [first, second] {
            let listed = try home.run("file list --json").json as? [[String: Any]]
            #expect(listed?.first?["protected"] as? Bool == true)
            #expect(try Self.content("letter.bin", home).bytes == bytes)
        }
    }

    @Test func bothContentsOfAConcurrentReplacementAreKept() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try Self.add("plan.bin", FileContent.bytes(10), first)
        try homes.sync()
        for (home, size) in [(first, 20), (second, 30)] {
            let path = try home.make("new", FileContent.bytes(size))
            #expect(try home.run(["file", "replace", "plan.bin", path, "--yes"]).exitCode == 0)
        }
        try homes.sync()
        for home in [first, second] {
            #expect(try home.run("sync seen").outputText == "file plan.bin\n")
        }
        for home in [first, second] {
            #expect(try Self.content("plan.bin", home).bytes == FileContent.bytes(30))
            let shown = try home.run("file show plan.bin --json").object
            let earlier = try #require(shown["earlier"] as? [[String: Any]])
            let lost = try #require(earlier.first { $0["size"] as? Int == 20 })
            let revision = try #require(lost["revision"] as? Int)
            let path = home.folder + "/lost"
            let got = try home.run([
                "file", "get", "plan.bin", "--revision", "\(revision)", "--output", path,
            ])
            #expect(got.exitCode == 0, "\(got.errorText)")
            #expect(try Files.read(path) == FileContent.bytes(20))
        }
        // Looking at it clears the mark on both.
        try homes.sync()
        for home in [first, second] {
            #expect(try home.run("sync seen --json").object["files"] as? [String] == [])
        }
    }

    // MARK: Other commands

    @Test func backupsOfAMachineWithoutTheContent() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try Self.add("photo.bin", [1, 2, 3], first)
        try second.syncNow()
        try second.unlock()
        let backup = second.folder + "/backup"
        let made = try second.ask("backup \(backup)")
        #expect(made.exitCode == 0, "\(made.errorText)")
        let restored = try second.run("restore --replace \(backup)")
        #expect(restored.exitCode == 0, "\(restored.errorText)")
        #expect(restored.errorText.contains("photo.bin: file get fetches them"))
        try second.syncNow()
        #expect(try Self.content("photo.bin", second).bytes == [1, 2, 3])
        let verified = try second.run("file verify")
        #expect(verified.exitCode == 0)
        // Another file is not opened before the machine leaves.
        try Self.add("other.bin", [4], first)
        try second.syncNow()
        #expect(try second.run("file verify").errorText.contains("1 file left out"))
        try second.unlock()
        let left = try second.ask("sync disable --yes")
        #expect(left.exitCode == 0)
        #expect(left.errorText.contains("1 file without content on this machine"))
    }
}

extension Files {
    fileprivate static func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
    }

    fileprivate static func overwrite(_ path: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    fileprivate static func size(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int
    }
}

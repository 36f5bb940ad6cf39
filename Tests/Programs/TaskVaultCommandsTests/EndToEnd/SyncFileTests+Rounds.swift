import Foundation
import Platform
import Testing
import TestSupport

// What a round does with contents of files before it captures their entries, and a newcomer that begins at a snapshot.
extension SyncFileTests {
    @Test(.enabled(if: Tracer.isUsable, Tracer.reason))
    func aKilledUploadGoesOnAndIsNotAnnounced() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        let bytes = FileContent.bytes(30 * Self.mebibyte)
        let path = try first.make("film.bin", bytes)
        #expect(try first.run(["file", "add", path]).exitCode == 0)
        let killed = try first.runBare(
            ["sync", "now", "--no-agent", "--passphrase-file", first.passphraseFile],
            beneath: [
                Tracer.path, "-f", "-qq", "-o", first.folder + "/trace", "-e",
                "trace=renameat2", "-e", "inject=renameat2:signal=KILL:when=20",
            ])
        #expect(killed.exitCode != 0)
        let before = Self.parts(homes)
        #expect((1..<30).contains(before.count))
        let files = try before.map { try #require(Files.identity($0)) }
        try second.syncNow()
        #expect(try Self.here(second).isEmpty)
        // One that cannot put all parts goes on to capture and publish what is new.
        _ = try first.add("buy milk")
        let failed = try first.runBare(
            ["sync", "now", "--no-agent", "--passphrase-file", first.passphraseFile],
            beneath: [
                Tracer.path, "-f", "-qq", "-o", first.folder + "/trace", "-e",
                "trace=renameat2", "-e",
                "inject=renameat2:error=EIO:when=\(24 - before.count)",
            ])
        #expect(failed.exitCode != 0)
        #expect((before.count..<30).contains(Self.parts(homes).count))
        try second.syncNow()
        #expect(try second.tasks().texts("name") == ["buy milk"])
        #expect(try Self.here(second).isEmpty)
        try first.syncNow()
        #expect(Self.parts(homes).count == 30)
        // Parts that were there were not put again.
        #expect(try before.map { try #require(Files.identity($0)) } == files)
        try second.syncNow()
        #expect(try Self.content("film.bin", second).bytes == bytes)
    }

    /// Each part takes a second, and a round puts parts for five.
    @Test(.enabled(if: Tracer.isUsable, Tracer.reason))
    func aBackgroundRoundPutsALargeFileToItsEnd() throws {
        let homes = try TwoHomes()
        let first = homes.first
        let path = try first.make("film.bin", FileContent.bytes(6 * Self.mebibyte))
        try first.unlock()
        expect(try first.ask("file add \(path)"), ends: 0)
        let synced = try first.runBare(
            ["sync", "now", "--within", "600"],
            beneath: [
                Tracer.path, "-f", "-qq", "-o", first.folder + "/trace", "-e",
                "trace=renameat2", "-e", "inject=renameat2:delay_enter=1000000",
            ])
        #expect(synced.exitCode == 0, "\(synced.errorText)")
        #expect(Self.parts(homes).count == 6)
        try homes.second.syncNow()
        #expect(try Self.here(homes.second) == ["film.bin": false])
    }

    // MARK: Room
    @Test func aFileThatDoesNotFitKeepsNothingElseBack() throws {
        let homes = try TwoAccountHomes(options: ["--sync-quota", "8"])
        let (first, second) = (homes.first, homes.second)
        let path = try first.make("film.bin", FileContent.bytes(6 * Self.mebibyte))
        #expect(try first.run(["file", "add", path]).exitCode == 0)
        try first.save("hunter2")
        let synced = try first.run("sync now --json")
        #expect(synced.exitCode == 8)
        let problems = try #require(synced.object["problems"] as? [[String: Any]])
        #expect(problems.map { $0["code"] as? String } == ["files_too_large"])
        try second.syncNow()
        #expect(try second.value() == "hunter2")
        #expect(try Self.here(second).isEmpty)
        // Without it the rest fits.
        #expect(try first.run("file remove film.bin --yes").exitCode == 0)
        try Self.add("small.bin", [1], first)
        try second.syncNow()
        #expect(try Self.content("small.bin", second).bytes == [1])
    }

    /// A background round looks first for what is new here. A file is new only once its content is at the remote.
    @Test func aBackgroundRoundAnnouncesNoFileThatDoesNotFit() throws {
        let homes = try TwoAccountHomes(options: ["--sync-quota", "8"])
        let (first, second) = (homes.first, homes.second)
        try homes.sync()
        let path = try first.make("film.bin", FileContent.bytes(6 * Self.mebibyte))
        try first.unlock()
        expect(try first.ask("file add \(path)"), ends: 0)
        _ = try first.add("buy milk")
        for _ in 0..<2 { expect(try first.ask("sync now --within 600 --unsent"), ends: 0) }
        try second.syncNow()
        #expect(try second.tasks().texts("name") == ["buy milk"])
        #expect(try Self.here(second).isEmpty)
    }

    /// A restore captures what was not sent before it. The content of such a file is only in the vault that is set aside.
    @Test func aRestoreAnnouncesNoFileThatWasNotSent() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try first.save("one")
        try homes.sync()
        let backup = first.folder + "/backup"
        #expect(try first.run("backup \(backup)").exitCode == 0)
        try first.unlock()
        let path = try first.make("film.bin", FileContent.bytes(100))
        expect(try first.ask("file add \(path)"), ends: 0)
        let set = try first.runBare(
            ["secret", "set", "new.example", "ada"], input: Array("unsent".utf8))
        expect(set, ends: 0)
        let restored = try first.ask(
            "restore \(backup) --replace --passphrase-file \(first.passphraseFile)")
        #expect(restored.exitCode == 0, "\(restored.errorText)")
        try homes.sync()
        for home in [first, second] {
            #expect(try home.value("new.example") == "unsent")
            #expect(try Self.here(home).isEmpty)
        }
    }

    // MARK: A newcomer

    /// The segments that announced the files are gone.
    @Test func aNewcomerAtASnapshotGetsTheFiles() throws {
        let homes = try TwoHomes(isJoined: false)
        let (first, second) = (homes.first, homes.second)
        try homes.enable()
        let sizes = ["film.bin": Self.mebibyte + 1, "letter.bin": 100]
        for (name, size) in sizes.sorted(by: { $0.key < $1.key }) {
            try Self.add(name, FileContent.bytes(size), first)
        }
        try first.save("hunter2")
        let edited = try first.run("secret edit mail.example ada --tag home")
        #expect(edited.exitCode == 0, "\(edited.errorText)")
        // A snapshot takes the place of what was sent in the open and is protected now.
        #expect(try first.run("file protect letter.bin").exitCode == 0)
        for _ in 0..<2 { try first.syncNow() }
        #expect(Self.hasSnapshot(homes))
        try homes.join()
        try second.syncNow()
        #expect(try Self.here(second) == sizes.mapValues { _ in false })
        let items = try Self.items(second)
        #expect(try items == Self.items(first))
        #expect(items.contains { $0.contains("home") })
        for (name, size) in sizes {
            #expect(try Self.content(name, second).bytes == FileContent.bytes(size), "\(name)")
        }
        #expect(try Self.here(second) == sizes.mapValues { _ in true })
        try Self.expectSound(second)
    }

    /// All that entries have but their times and values.
    private static func items(_ home: TestHome) throws -> Set<String> {
        let exported = try home.run("secret export").object["items"] as? [[String: Any]]
        let wanted = ["service", "account", "field", "label", "class", "extra"]
        return Set(
            try #require(exported).map { item in
                // The order of a dictionary differs from one to the next.
                let text = try JSONSerialization.data(
                    withJSONObject: item.filter { wanted.contains($0.key) }, options: .sortedKeys)
                return String(decoding: text, as: UTF8.self)
            })
    }

    /// Whether a chain in the shared folder has a snapshot, and its first segment no more.
    private static func hasSnapshot(_ homes: TwoHomes) -> Bool {
        let groups = Files.names(in: homes.folder).map { homes.folder + "/" + $0 }
        return groups.contains { group in
            Files.names(in: group).filter { $0.utf8.count == 32 }.contains { chain in
                let names = Files.names(in: group + "/" + chain)
                return names.contains { $0.utf8.count == 64 } && !names.contains("1")
            }
        }
    }
}

extension Files {
    /// The number of a file in its file system.
    fileprivate static func identity(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber]) as? Int
    }
}

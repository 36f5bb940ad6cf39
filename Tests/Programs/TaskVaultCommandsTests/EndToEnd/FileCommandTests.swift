import Foundation
import Platform
import SecureStorage
import Testing
import TestSupport
import VaultCore

/// Files in the vault, with the real executable and agent.
@Suite(.waitsForProcesses) struct FileCommandTests {
    @Test(arguments: Access.allCases)
    func aFileComesBackBitByBit(access: Access) throws {
        let home = try TestHome.forFiles()
        for size in [0, 1, 65_535, 65_536, 65_537, 3_000_001] {
            let content = FileContent.bytes(size)
            try home.make("file \(size).bin", content)
            try home.doFile("add", "file \(size).bin", via: access)
            let out = home.folder + "/out \(size)"
            try home.doFile("get", "file \(size).bin", "--output", out, via: access)
            #expect(try Files.read(out) == content)
            #expect(Files.mode(out) == 0o600)
            let piped = try home.doFile("get", "file \(size).bin", "--output", "-", via: access)
            #expect(piped.output == content)
        }
        // From standard input, under a name, and by default into the present folder.
        let content = FileContent.bytes(200_000)
        try home.doFile("add", "-", "--name", "from pipe", input: content, via: access)
        // A folder, with and without a slash at its end, gets the file under its name.
        for (folder, typed) in [("one", "one"), ("two", "two/")] {
            let path = home.folder + "/" + folder
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
            let written = try home.doFile(
                "get", "from pipe", "--output", home.folder + "/" + typed, via: access)
            #expect(written.outputText.contains("\(folder)/from pipe"))
            #expect(try Files.read(path + "/from pipe") == content)
            let again = try home.file("get", "from pipe", "--output", path, via: access)
            #expect(again.exitCode == 6, "nothing is replaced")
        }
        #expect(
            try home.file("get", "from pipe", "--output", home.folder + "/none/", via: access)
                .exitCode == 5)
        expect(try home.doFile("get", "from pipe", via: access), ends: 0)
        #expect(try Files.read(home.folder + "/from pipe") == content)
        #expect(try home.doFile("verify", via: access).outputText == "7 files checked: whole\n")
        #expect(!Files.names(in: home.folder).contains { $0.hasPrefix(".taskvault-") })
    }

    @Test(arguments: Access.allCases)
    func aFileLives(access: Access) throws {
        let home = try TestHome.forFiles()
        let picture = FileContent.png(width: 4_000, height: 3_000)
        try home.make("IMG_10.png", picture)
        try home.make("IMG_2.png", picture + [1])
        try home.make("notes.txt", Array("hello".utf8))
        let added = try home.doFile(
            "add", "IMG_10.png", "IMG_2.png", "notes.txt", "--json", via: access)
        let all = try #require(added.json as? [[String: Any]])
        #expect(all.texts("name") == ["IMG_10.png", "IMG_2.png", "notes.txt"])
        #expect(all[0]["media_type"] as? String == "image/png")
        #expect(all[0]["width"] as? Int == 4_000 && all[0]["height"] as? Int == 3_000)
        #expect(try home.files().texts("name") == ["IMG_2.png", "IMG_10.png", "notes.txt"])
        let shown = try home.doFile("show", "IMG_10.png", via: access)
        #expect(shown.outputText.contains("pixels     4000 × 3000"))
        expect(
            try home.file("rename", "IMG_2.png", "notes.txt", via: access), ends: 6,
            "error: file notes.txt already exists",
            "hint: taskvault file replace notes.txt PATH replaces its content")
        try home.doFile("rename", "IMG_2.png", "sunset.png", via: access)
        try home.make("new.txt", Array("hello again".utf8))
        try home.doFile("replace", "notes.txt", "new.txt", via: access)
        #expect(
            try home.doFile("get", "notes.txt", "--output", "-", via: access).outputText
                == "hello again"
        )
        let earlier = try #require(
            try home.doFile("show", "notes.txt", "--json", via: access).object["earlier"]
                as? [[String: Any]])
        #expect(earlier.compactMap { $0["size"] as? Int } == [5])
        #expect(
            try home.doFile("get", "notes.txt", "--output", "-", "--revision", "1", via: access)
                .outputText == "hello")
        try home.doFile("restore", "notes.txt", via: access)
        #expect(
            try home.doFile("get", "notes.txt", "--output", "-", via: access).outputText == "hello")
        // The removed ones.
        try home.doFile("remove", "notes.txt", via: access)
        #expect(try home.file("show", "notes.txt", via: access).exitCode == 5)
        #expect(try home.files("--removed").texts("name") == ["notes.txt"])
        #expect(try home.doFile("list", "--removed", via: access).outputText.contains("notes.txt"))
        try home.doFile("add", "new.txt", "--name", "notes.txt", via: access)
        #expect(
            try home.file("restore", "notes.txt", "--name", "sunset.png", via: access).exitCode == 6
        )
        try home.doFile("restore", "notes.txt", "--name", "old notes.txt", via: access)
        #expect(
            try home.doFile("get", "old notes.txt", "--output", "-", via: access).outputText
                == "hello")
        try home.doFile("remove", "--permanently", "--yes", "old notes.txt", via: access)
        #expect(try home.files("--removed").isEmpty)
        #expect(try home.files().count == 3)
        // Also one that is removed already.
        try home.doFile("remove", "notes.txt", via: access)
        #expect(try home.files("--removed").count == 1)
        try home.doFile("remove", "--permanently", "--yes", "notes.txt", via: access)
        #expect(try home.files("--removed").isEmpty)
        #expect(
            try home.file("remove", "--permanently", "--yes", "notes.txt", via: access).exitCode
                == 5)
    }

    @Test func aFileOfAnyNameIsFoundByItsID() throws {
        let home = try TestHome.forFiles()
        try home.doFile("add", "-", "--name", "a", input: [1])
        try home.doFile("add", "-", "--name", "b", input: [2])
        let ids = try home.files().map { try #require($0["id"] as? String) }
        // Another program gives both one name, which no file of this machine can have.
        let environment = VaultEnvironment(rollbackRecords: MemoryRollbackRecords())
        let vault = try VaultFile.open(at: home.vault, environment)
            .unlock(with: TestVault.secret(TestHome.passphrase))
        for id in ids {
            let name = try SecretName(service: SecretName.fileService, account: id)
            try vault.edit(name, SecretEdit(label: "../b"), expecting: nil)
        }
        vault.lock()
        let warnings = try #require(
            try home.run("doctor --json").object["warnings"] as? [[String: String]])
        let warning = try #require(warnings.first { $0["code"] == "file_names" }?["message"])
        for id in ids { #expect(warning.contains(id)) }
        #expect(try home.doFile("get", ids[0], "--output", "-").output == [1])
        #expect(try home.doFile("get", ids[1], "--output", "-").output == [2])
        expect(
            try home.file("get", ids[1]), ends: 2, "error: ../b cannot be the name of a file",
            "hint: give another one by --output")
        try home.doFile("rename", ids[1], "c")
        try home.doFile("remove", ids[1])
        #expect(try home.files().texts("id") == [ids[0]])
        try home.doFile("restore", ids[1])
        try home.doFile("remove", "--permanently", "--yes", ids[0])
        #expect(try home.files().texts("name") == ["c"])
    }

    @Test("S13: files are listed; order and sizes are settings, which are kept and obeyed")
    func listsObeyTheSettings() throws {
        let home = try TestHome.forFiles()
        for (name, size) in [("b10", 3), ("B2", 1), ("a", 2)] {
            try home.doFile("add", "-", "--name", name, input: FileContent.bytes(size))
        }
        func names(_ options: String...) throws -> [String] {
            let listed = try home.runBare(["file", "list"] + options)
            #expect(listed.exitCode == 0, "\(listed.errorText)")
            return listed.outputLines.dropFirst().compactMap {
                $0.split(separator: " ").last.map(String.init)
            }
        }
        #expect(try names() == ["a", "B2", "b10"])
        #expect(try names("--sort", "-name") == ["b10", "B2", "a"])
        #expect(try names("--sort=size") == ["b10", "a", "B2"])
        #expect(try names("--sort", "added") == ["a", "B2", "b10"])
        #expect(try home.ask("file list").outputText.contains("SIZE"))
        #expect(try !home.ask("file list --no-sizes").outputText.contains("SIZE"))
        #expect(try home.ask("settings get file-sort").outputText == "name\n")
        expect(try home.ask("settings set file-sort -- -name"), ends: 0)
        expect(try home.ask("settings set file-sizes no"), ends: 0)
        #expect(try names() == ["b10", "B2", "a"])
        #expect(try names("--sort", "name") == ["a", "B2", "b10"])
        #expect(try home.files().texts("name") == ["b10", "B2", "a"])
        #expect(try !home.ask("file list").outputText.contains("SIZE"))
        #expect(try home.ask("file list --sizes").outputText.contains("SIZE"))
        #expect(try home.ask("settings set file-sort colour").exitCode == 2)
        #expect(try home.ask("settings list --json").object["file_sizes"] as? Bool == false)
        // They are in the vault, not in a file, and unreadable while it is locked.
        #expect(!Files.exists(home.settingsFile))
        try home.ask("lock")
        #expect(try home.ask("settings get file-sort").exitCode == 3)
        #expect(try home.run("settings get file-sort").outputText == "-name\n")
        #expect(
            try home.ask("settings list").outputText.contains("file-sort"))
    }

    @Test func aProtectedFileNeedsVerification() throws {
        let home = try TestHome.forFiles()
        try home.make("passport.pdf", Array("%PDF-1.7 canary".utf8))
        try home.doFile("add", "--protected", "passport.pdf")
        try home.closeWindow()
        expect(
            try home.file("get", "passport.pdf", "--output", "-"), ends: 8,
            "error: verification required", "hint: taskvault verify")
        expect(
            try home.file("add", "--protected", "passport.pdf", "--name", "other"), ends: 8,
            "error: verification required", "hint: taskvault verify")
        #expect(try home.file("unprotect", "passport.pdf").exitCode == 8)
        // What describes it is visible.
        #expect(try home.files().first?["protected"] as? Bool == true)
        #expect(try home.files().first?["media_type"] as? String == "application/pdf")
        #expect(
            try home.run("file get passport.pdf --output -").outputText == "%PDF-1.7 canary")
        let verified = try home.runBare([
            "file", "get", "passport.pdf", "--output", "-", "--passphrase-file",
            home.passphraseFile,
        ])
        #expect(verified.outputText == "%PDF-1.7 canary")
        // A prompt ends with Ctrl-C, and leaves no file.
        try home.closeWindow()
        let session = try TerminalSession(home, ["file", "get", "passport.pdf", "--output", "out"])
        try session.waitFor("Passphrase: ")
        #expect(try session.finish(pressing: "\u{3}") == 130)
        let left = Files.names(in: home.folder)
        #expect(!left.contains { $0.hasPrefix(".taskvault-") || $0 == "out" })
        _ = try home.runBare(["verify", "--passphrase-file", home.passphraseFile])
        try home.doFile("unprotect", "passport.pdf")
        try home.closeWindow()
        #expect(try home.file("get", "passport.pdf", "--output", "-").exitCode == 0)
        #expect(try home.file("protect", "passport.pdf").exitCode == 8)
    }

    @Test func aLockedVaultShowsNothing() throws {
        let home = try TestHome.forFiles()
        try home.make("a.txt", [1])
        try home.doFile("add", "a.txt")
        try home.ask("lock")
        for words in [
            ["list"], ["show", "a.txt"], ["get", "a.txt", "--output", "-"], ["add", "a.txt"],
            ["rename", "a.txt", "b"], ["replace", "a.txt", "a.txt"], ["remove", "a.txt"],
            ["restore", "a.txt"], ["verify"], ["protect", "a.txt"],
        ] {
            let result = try home.runBare(["file"] + words)
            expect(
                result, ends: 3, "error: the vault is locked", "hint: taskvault unlock")
        }
    }

    @Test func filesAreNoSecrets() throws {
        let home = try TestHome.forFiles()
        try home.make("canary-name.txt", Array("canary content".utf8))
        try home.doFile("add", "canary-name.txt")
        let id = try #require(try home.files().first?["id"] as? String)
        #expect(try home.ask("secret list").outputText.isEmpty)
        #expect(try !home.ask("secret list canary").outputText.contains("canary"))
        let refused = try home.runBare(["secret", "get", "taskvault.file", id])
        expect(
            refused, ends: 8, "error: secret taskvault.file \(id) is a file",
            "hint: taskvault file list shows the files")
        try home.doFile("remove", "canary-name.txt")
        #expect(try home.ask("secret list --removed").outputText.isEmpty)
        #expect(try !home.run("secret export --all").outputText.contains("canary"))
        try home.doFile("restore", "canary-name.txt")
        #expect(
            try home.run("secret export").errorText.contains(
                "left out: 1 file; taskvault file get NAME writes one out"))
    }

    @Test func noPlaintextReachesTheDisk() throws {
        let home = try TestHome.forFiles()
        try home.surround()
        let word = "canary-\(UInt64.random(in: .min ... .max))"
        let text = String(repeating: word + " ", count: 30_000)
        for access in Access.allCases {
            try home.doFile(
                "add", "-", "--name", word + access.rawValue, input: Array(text.utf8), via: access)
            try home.doFile("verify", via: access)
            #expect(
                try home.doFile("get", word + access.rawValue, "--output", "-", via: access).output
                    .count
                    == text.utf8.count)
        }
        try home.ask("file remove \(word)agent")
        #expect(try ByteSearch(for: [word]).findings(below: home.folder).isEmpty)
        // The search finds what it looks for.
        try home.doFile("get", word + "noAgent", "--output", "out")
        #expect(try ByteSearch(for: [word]).findings(below: home.folder).keys.sorted() == ["out"])
    }

    @Test func aFolderIsAddedWithAllInIt() throws {
        let home = try TestHome.forFiles()
        for folder in ["photos", "photos/trip"] {
            unsafe mkdir(home.folder + "/" + folder, 0o700)
        }
        try home.make("photos/a.jpg", [1])
        try home.make("photos/trip/b.jpg", [2])
        try home.make("photos/trip/.hidden", [3])
        unsafe symlink("a.jpg", home.folder + "/photos/link")
        let added = try home.doFile("add", "--recursive", "photos")
        #expect(try home.files().texts("name") == [".hidden", "a.jpg", "b.jpg"])
        #expect(
            added.errorText == "taskvault: warning: left out what is no file: photos/link\n")
        // Two of one name: nothing is stored.
        unsafe mkdir(home.folder + "/more", 0o700)
        unsafe mkdir(home.folder + "/more/x", 0o700)
        for path in ["more/c.jpg", "more/x/c.jpg", "more/d.jpg"] { try home.make(path, [4]) }
        expect(
            try home.file("add", "--recursive", "more"), ends: 6,
            "error: more/c.jpg and more/x/c.jpg have the same name; nothing was stored",
            "hint: add one of them with --name")
        #expect(try home.files().count == 3)
    }

    @Test func progressIsShownOnATerminal() throws {
        let home = try TestHome.forFiles()
        home.environment["TERM"] = "xterm"
        let pipe = home.folder + "/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let feed = try Files.open(pipe, O_RDWR)
        let session = try TerminalSession(
            home, ["file", "add", "-", "--name", "slow"], input: pipe, rows: 24)
        // A little at a time, until the command shows its rate.
        let isShown = SharedFlag()
        let feeder = Foundation.Thread {
            let piece = FileContent.bytes(30_000)
            while !isShown.isSet {
                _ = unsafe write(feed, piece, piece.count)
                usleep(20_000)
            }
            close(feed)
        }
        feeder.start()
        try session.waitFor("storing slow ")
        try session.waitFor("B/s")
        isShown.set()
        #expect(try session.finish() == 0)
        #expect(session.screen.contains("added slow ("))
        #expect(try home.files().count == 1)
    }
}

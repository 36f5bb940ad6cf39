import Foundation
import Platform
import Testing
import TestSupport

/// Texts in an editor: in memory only, and nothing of them is left.
@Suite(.waitsForProcesses, .enabled(if: MemoryFolder.isPossible, "no file system in memory"))
struct EditorTests {
    /// An editor, the text that shows that it has opened the file, and the keys that add `typed` at its beginning, save and leave.
    private struct Editor {
        let command: String
        let keys: (String) -> [String]
    }

    private static func isInstalled(_ name: String) -> Bool { Files.exists("/usr/bin/" + name) }

    /// A home with an unlocked vault and a runtime folder in memory; the editor is a command of the shell.
    private func home(_ editor: String, _ runtime: MemoryFolder) throws -> TestHome {
        let home = try TestHome.forTasks()
        home.environment["XDG_RUNTIME_DIR"] = runtime.path
        home.environment["EDITOR"] = editor
        try home.unlock()
        return home
    }

    private func notes(_ id: String, _ home: TestHome) throws -> String? {
        try home.shown(id)["notes"] as? String
    }

    @Test(.enabled(if: isInstalled("vim"), "needs vim"))
    func vimLeavesNothingOfTheText() throws {
        try expectNothingIsLeft(by: Editor(command: "vim") { ["i" + $0, "\u{1B}", ":wq\r"] })
    }

    @Test(.enabled(if: isInstalled("nano"), "needs nano"))
    func nanoLeavesNothingOfTheText() throws {
        try expectNothingIsLeft(
            by: Editor(command: "nano") { [$0, "\u{0F}", "\r", "\u{18}"] })
    }

    @Test(.enabled(if: isInstalled("emacs"), "needs emacs"))
    func emacsLeavesNothingOfTheText() throws {
        try expectNothingIsLeft(
            by: Editor(command: "emacs -nw") { [$0, "\u{18}\u{13}", "\u{18}\u{3}"] })
    }

    private func expectNothingIsLeft(by editor: Editor) throws {
        let runtime = try MemoryFolder()
        let home = try home(editor.command, runtime)
        // Configurations that keep swap files, undo files, backups and histories elsewhere.
        for name in ["swap", "undo", "backup"] {
            try FileManager.default.createDirectory(
                atPath: "\(home.folder)/\(name)", withIntermediateDirectories: true)
        }
        try Files.write(
            """
            set directory=\(home.folder)/swap undofile undodir=\(home.folder)/undo
            set backup backupdir=\(home.folder)/backup viminfo='100,<1000,n\(home.folder)/viminfo
            """, to: home.folder + "/.vimrc")
        try Files.write(
            "set backup\nset backupdir \(home.folder)/backup\nset historylog\nset positionlog\n",
            to: home.folder + "/.nanorc")
        try Files.write(
            "(setq backup-directory-alist '((\".\" . \"\(home.folder)/backup\"))) (savehist-mode 1)",
            to: home.folder + "/.emacs")
        home.environment["VIMINIT"] = "source \(home.folder)/.vimrc"
        let secret = SecretText()
        let id = try home.add("--protected", "--notes", "-", input: "a task\nfirst\(secret.notes)")
        let before = Set(Files.names(in: runtime.path))

        let session = try TerminalSession(home, ["task", "edit", id, "--editor"], rows: 24)
        try session.waitFor("first")
        // The folder of the text, in which the editor's own files are, too.
        let opened = Set(Files.names(in: runtime.path)).subtracting(before)
        let folder = try #require(opened.first)
        #expect(opened.count == 1)
        #expect(Files.mode(runtime.path + "/" + folder) == 0o700)
        for keys in editor.keys("typed ") { try session.type(keys) }
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(session.echoes)
        #expect(try notes(id, home) == "typed first" + secret.notes)
        #expect(Set(Files.names(in: runtime.path)) == before)
        try expectNowhere(secret, below: home, editor.command)
        for name in ["swap", "undo", "backup"] {
            #expect(Files.names(in: "\(home.folder)/\(name)").isEmpty)
        }
    }

    @Test func aFieldOfASecretIsEdited() throws {
        let runtime = try MemoryFolder()
        let home = try home("printf 'one\\ntwo\\n' >", runtime)
        try home.tell("hunter2")
        let made = try TerminalSession(
            home, ["secret", "edit", "mail", "--field", "notes", "--editor"])
        #expect(try made.finish() == 0)
        #expect(made.screen.contains("edited mail.example ada --field notes"))
        // The line end at the end is the editor's.
        #expect(try home.ask("secret get mail.example ada --field notes").outputText == "one\ntwo")
        let unchanged = try TerminalSession(home, ["secret", "edit", "mail", "--editor"])
        #expect(try unchanged.finish() == 0)
        #expect(unchanged.screen.contains("unchanged"))
        #expect(try home.ask("secret history mail.example ada --field notes").outputText.isEmpty)
        home.environment["EDITOR"] = "printf 'three\\n' >>"
        let changed = try TerminalSession(home, ["secret", "edit", "mail", "--editor"])
        #expect(try changed.finish() == 0)
        #expect(
            try home.ask("secret get mail.example ada --field notes").outputText == "one\ntwothree")
        try home.expectValue("hunter2")
        // An empty text is no value.
        home.environment["EDITOR"] = "A_VARIABLE=1 true >"
        let empty = try TerminalSession(home, ["secret", "edit", "mail", "--editor"])
        try empty.answer("Edit the text again? It is lost otherwise. [y/N]", "n")
        #expect(try empty.finish() == 2)
        for words in [
            "secret edit mail --editor --label x", "secret edit mail --field notes",
            "secret edit mail.example ada --editor --json",
        ] {
            let refused = try TerminalSession(home, words.split(separator: " ").map(String.init))
            #expect(try refused.finish() == 2, "\(words)")
        }
        #expect(try home.ask("secret edit mail.example ada --editor").exitCode == 2)
    }

    @Test func aProtectedFieldAsksFirstAndIsSavedAfterALock() throws {
        let runtime = try MemoryFolder()
        let home = try home("false", runtime)
        try home.tell("old text", "diary", options: "--class after-verification")
        try home.closeWindow()
        try Files.write(
            "#!/bin/sh\nTASKVAULT_HOME='\(home.home)' XDG_STATE_HOME='\(home.folder)/state' "
                + "XDG_RUNTIME_DIR='\(runtime.path)' '\(Executable.path)' lock >/dev/null\n"
                + "/bin/stty -a </dev/tty >'\(home.folder)/terminal'\n"
                + "printf 'new text' >\"$1\"\n", to: home.folder + "/editor", mode: 0o700)
        home.environment["EDITOR"] = home.folder + "/editor"
        let session = try TerminalSession(
            home, ["secret", "edit", "diary", "--field", "password", "--editor"])
        try session.answer("Passphrase", TestHome.passphrase)
        // The vault is locked meanwhile, and the typed text is not lost.
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0, "\(session.screen)")
        try home.expectValue("new text", "diary")
        // The question had switched the echo off.
        let terminal = String(
            decoding: try Files.read(home.folder + "/terminal"), as: UTF8.self)
        #expect(terminal.split { " ;\n".contains($0) }.contains("echo"), "\(terminal)")
    }

    @Test(
        arguments: [
            ("false", 1, "the editor false failed"), ("no-such-editor", 1, "cannot run the editor"),
            ("sh -c 'echo x >\"$0\"; kill -9 $$'", 1, "failed; nothing was changed"),
            ("rm", 1, "left no file"),
        ] as [(String, Int32, String)])
    func anEditorThatFailsChangesNothing(editor: String, code: Int32, message: String) throws {
        let runtime = try MemoryFolder()
        let home = try home(editor, runtime)
        let id = try home.add("paint", "--notes", "two colours")
        let before = Files.names(in: runtime.path)
        let session = try TerminalSession(home, ["task", "edit", id, "--editor"])
        #expect(try session.finish() == code)
        #expect(session.screen.contains(message), "\(session.screen)")
        #expect(try notes(id, home) == "two colours")
        #expect(Files.names(in: runtime.path) == before)
    }

    @Test func aTextThatCannotBeSavedIsEditedAgain() throws {
        let runtime = try MemoryFolder()
        let home = try TestHome.forTasks()
        home.environment["XDG_RUNTIME_DIR"] = runtime.path
        let script = """
            #!/bin/sh
            if [ -e '\(home.folder)/again' ]; then wc -c <"$1" >'\(home.folder)/seen'; echo short >"$1"
            else : >'\(home.folder)/again'; head -c 300000 /dev/zero | tr '\\0' x >"$1"; fi
            """
        try Files.write(script, to: home.folder + "/editor", mode: 0o700)
        home.environment["EDITOR"] = home.folder + "/editor"
        let id = try home.add("paint")
        let session = try TerminalSession(home, ["task", "edit", id, "--editor"])
        try session.waitFor("the notes")
        try session.answer("Edit the text again? It is lost otherwise. [y/N]", "y")
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(try notes(id, home) == "short")
        // The editor got what had been typed.
        #expect(try Files.read(home.folder + "/seen") == Array("300000\n".utf8))
    }

    @Test func theEditorKnowsOnlyItsOwnFolder() throws {
        let runtime = try MemoryFolder()
        let home = try home("env >", runtime)
        home.environment["VIMINIT"] = "source elsewhere"
        home.environment["XDG_CONFIG_HOME"] = home.folder + "/config"
        let id = try home.add("paint")
        let session = try TerminalSession(home, ["task", "edit", id, "--editor"])
        #expect(try session.finish() == 0, "\(session.screen)")
        let lines = try #require(try notes(id, home)).split(separator: "\n").map(String.init)
        for name in ["HOME", "PWD", "TMPDIR"] {
            let value = lines.first { $0.hasPrefix(name + "=") }
            #expect(value?.hasPrefix("\(name)=\(runtime.path)/.taskvault-") == true, "\(name)")
        }
        for name in ["XDG_", "VIMINIT", "TASKVAULT_", "EDITOR"] {
            #expect(!lines.contains { $0.hasPrefix(name) }, "\(name)")
        }
    }

    @Test(arguments: [SIGTERM, SIGHUP])
    func aSignalEndsTheEditorAndLeavesNothing(signal: Int32) throws {
        let runtime = try MemoryFolder()
        let home = try home("false", runtime)
        home.environment["EDITOR"] = home.folder + "/editor"
        try Files.write(
            "#!/bin/sh\necho $$ >'\(home.folder)/process'\necho ready\nexec sleep 1000\n",
            to: home.folder + "/editor", mode: 0o700)
        let id = try home.add("paint", "--notes", "two colours")
        let before = Files.names(in: runtime.path)
        let session = try TerminalSession(home, ["task", "edit", id, "--editor"])
        try session.waitFor("ready")
        kill(session.process, signal)
        #expect(try session.finish() == 128 + signal)
        #expect(Files.names(in: runtime.path) == before)
        let text = String(decoding: try Files.read(home.folder + "/process"), as: UTF8.self)
        let editor = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(!Processes.isRunning(editor))
        #expect(try notes(id, home) == "two colours")
    }

    /// Ctrl-C is a key of the editor.
    @Test func ctrlCReachesTheEditorOnly() throws {
        let runtime = try MemoryFolder()
        let home = try TestHome.forTasks()
        home.environment["XDG_RUNTIME_DIR"] = runtime.path
        try Files.write(
            "#!/bin/sh\ntrap 'echo interrupted >\"$file\"; exit 0' INT\nfile=$1\necho ready\n"
                + "while :; do sleep 0.1; done\n",
            to: home.folder + "/editor", mode: 0o700)
        home.environment["EDITOR"] = home.folder + "/editor"
        let id = try home.add("paint")
        let session = try TerminalSession(home, ["task", "edit", id, "--editor"])
        try session.waitFor("ready")
        try session.type("\u{3}")
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(try notes(id, home) == "interrupted")
    }

    @Test func aFolderOnADiskIsRefused() throws {
        guard let disk = try? MemoryFolder(below: "/var/tmp"), !FileSystem.isInMemory(disk.path)
        else { return }
        let home = try home("touch", disk)
        let id = try home.add("paint")
        let session = try TerminalSession(home, ["task", "edit", id, "--editor"])
        #expect(try session.finish() == 8)
        #expect(session.screen.contains("is not in memory"))
        #expect(session.screen.contains("hint: XDG_RUNTIME_DIR"))
    }

    /// A killed command leaves its folder, and the next one removes it.
    @Test func theNextEditorRemovesWhatAKilledOneLeft() throws {
        let runtime = try MemoryFolder()
        let home = try home("true", runtime)
        let left = runtime.path + "/.taskvault-scratch-0"
        try FileManager.default.createDirectory(
            atPath: left + "/.emacs.d/auto-save-list", withIntermediateDirectories: true)
        Files.setMode(left, 0o700)
        try Files.write("text", to: left + "/.emacs.d/auto-save-list/x")
        unsafe symlink(home.folder, left + "/link")
        let id = try home.add("paint")
        let session = try TerminalSession(home, ["task", "edit", id, "--editor"])
        #expect(try session.finish() == 0)
        #expect(!Files.exists(left))
        #expect(Files.exists(home.vault))
    }
}

/// A folder of mode 0700 in memory, removed at the end.
final class MemoryFolder {
    static let isPossible = FileSystem.isInMemory("/dev/shm")

    let path: String

    init(below parent: String = "/dev/shm") throws {
        var template = Array("\(parent)/taskvault-test-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw HarnessFailure("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

import Foundation
import Platform
import Testing
import TestSupport
import VaultStorage

/// Bad content for a file, and disturbances of a transfer.
@Suite(.waitsForProcesses) struct FileInputTests {
    @Test func anEmptyFileIsStoredWithAWarning() throws {
        let home = try TestHome.forFiles()
        try home.make("empty", [])
        let added = try home.doFile("add", "empty")
        #expect(added.errorText == "taskvault: warning: empty is empty\n")
        #expect(try home.doFile("get", "empty", "--output", "-").output.isEmpty)
        #expect(try home.files().first?["size"] as? Int == 0)
    }

    @Test(arguments: Access.allCases)
    func fourGibibytesAndAByteAreRefusedBeforeTheFirst(access: Access) throws {
        let home = try TestHome.forFiles()
        let path = home.folder + "/large"
        try home.make("large", [])
        #expect(unsafe truncate(path, off_t(4_294_967_297)) == 0)
        let before = try #require(size(of: home.vault))
        expect(
            try home.file("add", "large", via: access), ends: 8,
            "error: large is larger than 4 GiB",
            "hint: split it: split --bytes 4G")
        try home.make("small", [1])
        expect(
            try home.file("add", "small", "large", via: access), ends: 8,
            "error: large is larger than 4 GiB", "hint: split it: split --bytes 4G")
        #expect(try home.files().isEmpty)
        #expect(size(of: home.vault) == before)
    }

    @Test func whatIsNoFileIsRefused() throws {
        let home = try TestHome.forFiles()
        let folder = home.folder
        unsafe mkdir(folder + "/folder", 0o700)
        #expect(unsafe mkfifo(folder + "/fifo", 0o600) == 0)
        try home.make("target", [1])
        unsafe symlink("target", folder + "/link")
        expect(
            try home.file("add", "folder"), ends: 2, "error: folder is a folder, not a file",
            "hint: taskvault file add --recursive folder adds the files in it")
        expect(
            try home.file("add", "link"), ends: 2, "error: link is a symbolic link, not a file",
            "hint: name the file to which it points: readlink -f link")
        for path in ["fifo", "/dev/zero"] {
            expect(
                try home.file("add", path), ends: 2,
                "error: \(path) is a device or a pipe, not a file",
                "hint: cat \(path) | taskvault file add - --name NAME")
        }
        try home.doFile("add", "target")
        expect(
            try home.file("replace", "target", "fifo"), ends: 2,
            "error: fifo is a device or a pipe, not a file",
            "hint: cat fifo | taskvault file replace NAME -")
        expect(
            try home.file("replace", "target", "folder"), ends: 2,
            "error: folder is a folder, not a file", "hint: name a file")
        expect(
            try home.file("replace", "a/b", "target"), ends: 5, "error: there is no file a/b",
            "hint: taskvault file list")
        try home.doFile("remove", "--permanently", "--yes", "target")
        expect(
            try home.file("add", "missing"), ends: 2,
            "error: cannot read missing: no such file or directory")
        expect(
            try home.file("replace", "missing", "target"), ends: 5,
            "error: there is no file missing", "hint: taskvault file list")
        #expect(try home.files().isEmpty)
    }

    #if os(Linux)
        @Test(.enabled(if: OtherUser.isAvailable, "not run: there is no setpriv"))
        func whatCannotBeReadIsRefused() throws {
            let home = try OtherUser.home()
            Files.setMode(try home.make("a", [1]), 0o644)
            Files.setMode(try home.make("b", [1]), 0)
            if geteuid() == 0 { #expect(unsafe chown(home.folder + "/b", 0, 0) == 0) }
            expect(
                try home.file("add", "a", "b", via: .noAgent), ends: 2,
                "error: cannot read b: permission denied")
            // Those before it are stored.
            #expect(try home.run("file list").outputText.contains("a"))
        }
    #endif

    @Test func aNameMustBeOneOfAFile() throws {
        let home = try TestHome.forFiles()
        try home.make("a", [1])
        let no = "error: a name has no slash, and is not . or .."
        for name in ["x/y", "..", "."] {
            expect(
                try home.file("add", "-", "--name", name, input: [1]), ends: 2, no,
                "hint: give another name")
        }
        expect(
            try home.file("add", "a", "--name", "../a"), ends: 2, "error: a: " + no.dropFirst(7),
            "hint: --name gives it another name in the vault")
        expect(
            try home.file("add", "-", "--name", "two\nlines", input: [1]), ends: 2,
            "error: the name contains a control character, such as a newline")
        expect(
            try home.file("add", "-", "--name", String(repeating: "n", count: 1_024), input: [1]),
            ends: 2, "error: the name is longer than 255 bytes")
        #expect(try home.file("add", "-", "--name", "", input: [1]).exitCode == 2)
        // A name that is not UTF-8, as an argument and in a folder.
        let invalid = try home.runBare(
            ["file", "add"], beneath: ["/bin/sh", "-c", #""$@" "$(printf 'a\377')""#, "sh"])
        expect(invalid, ends: 2, "error: argument 3 is not valid UTF-8")
        unsafe mkdir(home.folder + "/folder", 0o700)
        let path = Array((home.folder + "/folder/a").utf8CString.dropLast()) + [-1, 0]
        let file = unsafe open(path, O_WRONLY | O_CREAT, 0o600)
        close(file)
        expect(
            try home.file("add", "--recursive", "folder"), ends: 2,
            "error: a name in folder is not valid UTF-8: a\u{FFFD}", "hint: rename the file")
        #expect(try home.files().isEmpty)
    }

    @Test func anExistingNameStays() throws {
        let home = try TestHome.forFiles()
        try home.make("a", [1])
        try home.make("b", [2])
        try home.doFile("add", "a")
        let taken = [
            "error: file a already exists",
            "hint: taskvault file replace a PATH replaces its content",
        ]
        for words in [["add", "a"], ["add", "b", "a"], ["add", "b", "--name", "a"]] {
            let result = try home.runBare(["file"] + words)
            expect(result, ends: 6, taken[0], taken[1])
        }
        #expect(try home.files().texts("name") == ["a"])
        // A file of this machine is never replaced.
        expect(
            try home.file("get", "a"), ends: 6, "error: ./a already exists",
            "hint: file get never replaces a file: give another one by --output")
        #expect(
            try home.file("get", "a", "--output", "no/where").exitCode == 5)
        #expect(try Files.read(home.folder + "/a") == [1])
    }

    @Test func wrongUseIsExplained() throws {
        let home = try TestHome.forFiles()
        try home.make("a", [1])
        expect(
            try home.file("add", "-", input: [1]), ends: 2, "error: standard input has no name",
            "hint: taskvault file add - --name NAME")
        #expect(try home.file("add", "-", "a", input: [1]).exitCode == 2)
        #expect(try home.file("add", "a", "a", "--name", "b").exitCode == 2)
        #expect(try home.file("add", "a", "--protected", "--task", "x").exitCode == 2)
        #expect(try home.file("list", "--sizes", "--no-sizes").exitCode == 2)
        expect(
            try home.file("get", "a", "--output", "-"), ends: 5, "error: there is no file a",
            "hint: taskvault file list")
        #expect(try home.file("add", "a", "--task", "zzz").exitCode == 5)
        // Bytes are not written to a terminal, and not typed there.
        try home.doFile("add", "a")
        let session = try TerminalSession(home, ["file", "get", "a", "--output", "-"])
        #expect(try session.finish() == 2)
        #expect(session.screen.contains("standard output is a terminal"))
        let typing = try TerminalSession(home, ["file", "add", "-", "--name", "b"])
        #expect(try typing.finish() == 2)
    }

    @Test(arguments: ["grows", "shrinks", "changes"])
    func aFileThatIsWrittenMeanwhileIsNotStored(how: String) throws {
        let home = try TestHome.forFiles()
        // Longer than what is in flight, so that the command is still reading when the file changes.
        let path = try home.make("moving", FileContent.bytes(40_000_000))
        let isOver = SharedFlag()
        let writer = Foundation.Thread {
            let file = (try? Files.open(path, O_RDWR)) ?? -1
            var length: off_t = 40_000_000
            while !isOver.isSet {
                switch how {
                case "grows":
                    length += 1
                    ftruncate(file, length)
                case "shrinks":
                    length -= 1
                    ftruncate(file, length)
                default:
                    var byte: UInt8 = 7
                    _ = unsafe pwrite(file, &byte, 1, 39_999_999)
                }
                usleep(100)
            }
            close(file)
        }
        writer.start()
        let result = try home.file("add", "moving")
        isOver.set()
        expect(
            result, ends: 8, "error: moving was changed while it was read, and was not stored",
            "hint: run it again when no program writes it")
        #expect(try home.files().isEmpty)
        // A file that vanishes is read to its end.
        let kept = FileContent.bytes(20_000_000)
        try home.make("vanishing", kept)
        let added = try home.runBare(
            ["file", "add", "vanishing"],
            beneath: ["/bin/sh", "-c", #""$@" & sleep 0.05; rm -f vanishing; wait $!"#, "sh"])
        if added.exitCode == 0 {
            #expect(try home.doFile("get", "vanishing", "--output", "-").output == kept)
        } else {
            #expect(added.errorText.contains("cannot read vanishing"))
        }
    }

    @Test(arguments: Access.allCases)
    func aClosedPipeEndsTheCommandSilently(access: Access) throws {
        let home = try TestHome.forFiles()
        try home.make("big", FileContent.bytes(2_000_000))
        try home.doFile("add", "big")
        let pipe = ["/bin/bash", "-c", #""$@" | head -c 10 >first; exit ${PIPESTATUS[0]}"#, "bash"]
        let options =
            access == .agent ? [] : ["--no-agent", "--passphrase-file", home.passphraseFile]
        let result = try home.runBare(
            ["file", "get", "big", "--output", "-"] + options, beneath: pipe)
        #expect(result.exitCode == 1 && result.errors.isEmpty, "\(result.errorText)")
        #expect(try Files.read(home.folder + "/first").count == 10)
        // The agent goes on.
        #expect(try home.doFile("verify").exitCode == 0)
    }

    @Test func theEndOfTheWindowEndsAPipe() throws {
        let home = try TestHome.forFiles()
        try home.make("big", FileContent.bytes(2_000_000))
        try home.doFile("add", "--protected", "big")
        for (end, code, message) in [
            ("settings set verification-window 1s", 8, "verification required"),
            ("lock", 3, "the vault is locked"),
        ] as [(String, Int32, String)] {
            try home.unlock()
            try home.run("settings set verification-window 1h")
            // The reader takes a part, has the window end, and takes the rest.
            let script = #"""
                "$0" "$@" | { head -c 100000 >part; \#(Executable.path) \#(end) >/dev/null
                while \#(Executable.path) status --json | grep -q '"verified": *true'; do :; done
                cat >>part; }
                exit ${PIPESTATUS[0]}
                """#
            let result = try home.runBare(
                ["file", "get", "big", "--output", "-"], beneath: ["/bin/bash", "-c", script])
            #expect(result.exitCode == code, "\(result.errorText)")
            #expect(result.errorText.contains("error: " + message), "\(result.errorText)")
            let part = try Files.read(home.folder + "/part")
            #expect(part.count < 2_000_000)
            #expect(part == Array(FileContent.bytes(2_000_000).prefix(part.count)))
        }
    }

    @Test(arguments: Access.allCases)
    func aDamagedChunkIsNeverGivenOut(access: Access) throws {
        let home = try TestHome.forFiles()
        let content = FileContent.bytes(300_000)
        try home.make("a.bin", content)
        try home.doFile("add", "a.bin")
        try home.doFile("add", "-", "--name", "other", input: [1])
        let storage = try VaultDatabase.open(.file(home.vault), mode: .readWrite)
        try storage.write { writer in
            var chunks: [ChunkRecord] = []
            try writer.forEachChunk { chunks.append($0) }
            let third = try #require(chunks.first { $0.number == 2 })
            let last = try #require(chunks.last { $0.version != third.version })
            for (chunk, index) in [(third, 40_000), (last, 3)] {
                var bytes = chunk.bytes
                bytes[index] ^= 1
                try writer.putChunk(
                    ChunkRecord(
                        version: chunk.version, number: chunk.number, stored: chunk.stored,
                        bytes: bytes))
            }
        }
        storage.close()
        try home.doFile("add", "-", "--name", "whole", input: [1])
        let lines = [
            "error: file a.bin is damaged or was tampered with: a part of a file cannot be decrypted",
            "hint: taskvault restore BACKUP restores a backup",
        ]
        let piped = try home.file("get", "a.bin", "--output", "-", via: access)
        expect(piped, ends: 7, lines[0], lines[1])
        // A valid prefix.
        #expect(piped.output == Array(content.prefix(131_072)))
        expect(
            try home.file("get", "a.bin", "--output", "out", via: access), ends: 7, lines[0],
            lines[1])
        #expect(!Files.exists(home.folder + "/out"))
        #expect(!Files.names(in: home.folder).contains { $0.hasPrefix(".taskvault-") })
        expect(
            try home.file("verify", "a.bin", "whole", via: access), ends: 7, lines[0], lines[1])
        // All are checked, and each damaged one is named.
        let all = try home.file("verify", via: access)
        #expect(all.exitCode == 7)
        #expect(all.errorText.contains("warning: " + lines[0].dropFirst(7)), "\(all.errorText)")
        #expect(all.errorText.contains("error: file other is damaged"), "\(all.errorText)")
    }

    /// A transfer that stands still when it is killed: it waits for more input, or for a reader of its output.
    @Test(arguments: Access.allCases, [SIGINT, SIGKILL])
    func aKilledTransferLeavesNothing(access: Access, signal: Int32) throws {
        let home = try TestHome.forFiles()
        let content = FileContent.bytes(6_000_000)
        try home.make("big", content)
        try home.doFile("add", "big")
        let errors = try Files.open(home.make("errors", []), O_WRONLY | O_APPEND)
        defer { close(errors) }
        // Nothing, a part of the second chunk, and more than what is in flight; nil for a content that is read.
        for size in [0, 70_000, 1_200_000, 5_000_000, nil] as [Int?] {
            let pipe = try SystemPipe(isBlocking: false)
            _ = fcntl(size == nil ? pipe.writer : pipe.reader, F_SETFL, 0)
            let words =
                size == nil ? ["get", "big", "--output", "-"] : ["add", "-", "--name", "copy"]
            let process = try Executable.start(
                ["file"] + words + options(for: access, home), environment: home.environment,
                in: home.folder,
                .init(
                    input: size == nil ? nil : pipe.reader,
                    output: size == nil ? pipe.writer : errors, errors: errors))
            var rest = content.prefix(size ?? 0)
            let isStanding = Processes.wait {
                guard size != nil else { return !isReady(pipe.writer, for: POLLOUT) }
                let count = unsafe rest.withUnsafeBytes {
                    unsafe write(pipe.writer, $0.baseAddress, $0.count)
                }
                if count > 0 { rest = rest.dropFirst(count) }
                return rest.isEmpty && !isReady(pipe.reader, for: POLLIN)
            }
            kill(process, signal)
            let code = Executable.wait(for: process)
            let said = String(decoding: try Files.read(home.folder + "/errors"), as: UTF8.self)
            #expect(isStanding && code == 128 + signal, "\(words), \(size ?? -1): \(code) \(said)")
            #expect(try home.files().texts("name") == ["big"])
            #expect(!Files.names(in: home.folder).contains { $0.hasPrefix(".taskvault-") })
        }
        #expect(try home.doFile("get", "big", "--output", "-").output == content)
        #expect(try home.run("doctor").exitCode == 0)
    }

    /// A command that reads or writes a file holds back the signals that end it.
    @Test(arguments: Access.allCases, [SIGINT, SIGKILL])
    func aKilledTransferOfAFileLeavesNothing(access: Access, signal: Int32) throws {
        let home = try TestHome.forFiles()
        let content = FileContent.bytes(6_000_000)
        let out = home.folder + "/out"
        try home.make("big", content)
        try home.doFile("add", "big")
        let errors = try Files.open(home.make("errors", []), O_WRONLY | O_APPEND)
        defer { close(errors) }
        func unfinished() -> [String] {
            Files.names(in: home.folder).filter { $0.hasPrefix(".taskvault-") }
        }
        for (words, waits) in [
            (["add", "big", "--name", "copy"], false), (["get", "big", "--output", "out"], false),
            (["add", "big", "--name", "copy"], true), (["get", "big", "--output", "out"], true),
        ] {
            let before = changeTime(of: home.vault + "-wal")
            let process = try Executable.start(
                ["file"] + words + options(for: access, home), environment: home.environment,
                in: home.folder, .init(input: nil, output: errors, errors: errors))
            if waits {
                // Until it has stored or written a part, or is done.
                let isUnderWay = Processes.wait {
                    let isBegun =
                        words[0] == "add"
                        ? changeTime(of: home.vault + "-wal") != before
                        : unfinished().contains { size(of: home.folder + "/" + $0) ?? 0 > 0 }
                    return isBegun || !Processes.isRunning(process)
                }
                #expect(isUnderWay)
            }
            kill(process, signal)
            let code = Executable.wait(for: process)
            let isDone = code == 0
            let said = String(decoding: try Files.read(home.folder + "/errors"), as: UTF8.self)
            #expect(isDone || code == 128 + signal, "\(words): \(code) \(said)")
            // The signal may come after the last step.
            #expect(Files.exists(out) || !isDone || words[0] == "add")
            if Files.exists(out) { #expect(try Files.read(out) == content) }
            if signal == SIGINT { #expect(unfinished().isEmpty) }
            for name in unfinished() { unsafe unlink(home.folder + "/" + name) }
            unsafe unlink(out)
            let names = try home.files().texts("name")
            #expect(names == ["big"] || words[0] == "add" && names == ["big", "copy"])
            #expect(names.count == 2 || !isDone || words[0] == "get")
            if names.count == 2 { try home.doFile("remove", "--permanently", "--yes", "copy") }
        }
        #expect(try home.run("doctor").exitCode == 0)
    }

    private func options(for access: Access, _ home: TestHome) -> [String] {
        access == .agent ? [] : ["--no-agent", "--passphrase-file", home.passphraseFile]
    }

    private func isReady(_ descriptor: Int32, for event: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        unsafe poll(&request, 1, 0)
        return request.revents & Int16(event) != 0
    }

    private func changeTime(of path: String) -> Date? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.modificationDate] as? Date
    }

    @Test func aKilledAgentLosesNothing() throws {
        let home = try TestHome.forFiles()
        try home.make("big", FileContent.bytes(6_000_000))
        try home.doFile("add", "big")
        let agent = try #require(home.agentProcess)
        let output = try Files.open("/dev/null", O_WRONLY)
        defer { close(output) }
        let adding = try Executable.start(
            ["file", "add", "big", "--name", "copy"], environment: home.environment,
            in: home.folder, .init(input: nil, output: output, errors: output))
        usleep(30_000)
        kill(agent, SIGKILL)
        let code = Executable.wait(for: adding)
        #expect([0, 1, 3].contains(code))
        try home.unlock()
        let names = try home.files().texts("name")
        // The agent may have ended after the commit and before its answer.
        #expect(names == ["big", "copy"] || names == ["big"] && code != 0)
        #expect(try home.doFile("verify").exitCode == 0)
    }

    private func size(of path: String) -> Int64? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
}

#if os(Linux)
    /// A vault and a target on file systems that fill up.
    @Suite(
        .enabled(if: PrivateMounts.arePossible, "not run: only the administrator may mount"),
        .waitsForProcesses)
    struct FileFullDiskTests {
        @Test(.endsProcess) func aFullDiskLosesNothing() async {
            await #expect(processExitsWith: .success) {
                let home = try TestHome(withVault: false)
                try FullDisk.with(home.home, size: 48 << 20) {
                    try home.make()
                    try home.make("small", FileContent.bytes(100_000))
                    try home.make("big", FileContent.bytes(40_000_000))
                    try home.doFile("add", "small", via: .noAgent)
                    try home.unlock()
                    for access in Access.allCases {
                        expect(
                            try home.file("add", "big", via: access), ends: 1,
                            "error: no space left on the device; nothing was changed",
                            "hint: free some space and run it again")
                        #expect(try home.files().texts("name") == ["small"])
                        #expect(
                            try home.doFile("get", "small", "--output", "-", via: access).output
                                == FileContent.bytes(100_000))
                    }
                    // What was begun is erased, so that there is room again.
                    try home.make("medium", FileContent.bytes(15_000_000))
                    try home.doFile("add", "medium")
                    // Where a file goes.
                    let out = home.home + "/out"
                    try FullDisk.fill(home.home + "/filler")
                    #expect(try home.file("get", "medium", "--output", out).exitCode == 1)
                    #expect(!Files.names(in: home.home).contains { $0.hasPrefix(".taskvault-") })
                    #expect(!Files.exists(out))
                    unsafe unlink(home.home + "/filler")
                    #expect(try home.run("doctor").exitCode == 0)
                    kill(try #require(home.agentProcess), SIGTERM)
                }
            }
        }

        @Test(.endsProcess) func aDiskThatIsNearlyFullIsWarnedOf() async {
            await #expect(processExitsWith: .success) {
                let home = try TestHome(withVault: false)
                try FullDisk.with(home.home, size: 128 << 20) {
                    try home.make()
                    try home.make("a", FileContent.bytes(1_000))
                    #expect(try home.doFile("add", "a", via: .noAgent).errors.isEmpty)
                    try home.make("b", FileContent.bytes(25_000_000))
                    try home.doFile("add", "b", via: .noAgent)
                    try Files.write(FileContent.bytes(88_000_000), to: home.home + "/filler")
                    let warned = try home.doFile("add", "a", "--name", "c", via: .noAgent)
                    #expect(
                        warned.errorText.hasPrefix(
                            "taskvault: warning: the disk of the vault is nearly full: "))
                    #expect(try home.ask("status").errorText.contains("is nearly full"))
                }
            }
        }
    }

    /// The memory of agent and command while a file is transferred.
    @Suite(.waitsForProcesses) struct FileMemoryTests {
        @Test func aLargeFileNeedsLittleMemory() throws {
            let home = try TestHome.forFiles()
            let agent = try #require(home.agentProcess)
            try home.make("small", FileContent.bytes(100_000))
            try home.doFile("add", "small")
            try home.doFile("get", "small", "--output", "-")
            // Its peak is that of the derivation, so what it has is looked at again and again.
            func memory() throws -> Int {
                let text = try #require(Processes.field("RssAnon", of: agent))
                return try #require(Int(text.prefix { $0 != " " }))
            }
            let before = try memory()
            try home.make("big", FileContent.bytes(40_000_000))
            var most = 0
            for words in [["add", "big"], ["get", "big", "--output", "out"]] {
                let process = try Executable.start(
                    ["file"] + words, environment: home.environment, in: home.folder,
                    .init(input: nil, output: nil, errors: nil))
                var status: Int32 = 0
                while unsafe waitpid(process, &status, WNOHANG) == 0 {
                    most = max(most, try memory())
                    usleep(1_000)
                }
            }
            #expect(try Files.read(home.folder + "/out").count == 40_000_000)
            let growth = most - before
            #expect(growth > 100, "it is looked at while files are transferred")
            #expect(growth < 16_384, "\(growth) KiB")
        }
    }
#endif

import Foundation
import Platform
import TestSupport
import Testing

/// Commands whose output is a device, a pipe, a link or a descriptor. None of the paths is below `/dev`, where a failure could leave a file.
@Suite(.waitsForProcesses) struct SpecialFileTests {
    /// Each writes `canary` to the path that follows.
    static let commands = [
        "secret export --output", "task export --output", "inject --in template --output",
        "inject --in template --replace --output", "file get canary --output",
    ]

    private let home: TestHome

    init() throws {
        home = try TestHome.forTasks()
        try home.save("canary")
        _ = try home.add("canary")
        try home.make("template", Array("{{ taskvault://mail.example/ada }}".utf8))
        try home.make("canary", Array("canary".utf8))
        expect(try home.run("file add canary"), ends: 0)
    }

    /// As it is, or in Base64.
    private static func hasCanary(_ text: String) -> Bool {
        text.contains("canary") || text.contains("Y2FuYXJ5")
    }

    @Test(arguments: commands) func aPipeIsWrittenAndStays(command: String) throws {
        let path = home.folder + "/pipe"
        try #require(unsafe mkfifo(path, 0o600) == 0)
        let reader = try Files.open(path, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        let wrote = try home.run("\(command) pipe")
        #expect(wrote.exitCode == 0, "\(wrote.errorText)")
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe read(reader, &bytes, bytes.count)
        #expect(Self.hasCanary(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)))
        #expect(!Self.hasCanary(wrote.outputText))
        #expect(try FileStatus.of(path: path)?.isRegularFile == false)
    }

    @Test(arguments: commands) func aDescriptorIsWritten(command: String) throws {
        let printed = try home.run("\(command) -")
        #expect(Self.hasCanary(printed.outputText))
        let named = try home.run("\(command) /dev/fd/1")
        #expect(named.exitCode == 0, "\(named.errorText)")
        #expect(named.output == printed.output)
        // The descriptors of the program's own files are out of reach.
        for number in 3..<7 {
            let refused = try home.run("\(command) /dev/fd/\(number)")
            #expect(refused.errorText.contains("bad file descriptor"), "\(number)")
        }
        #expect(try home.value() == "canary")
    }

    @Test(arguments: commands) func aLinkToAFileIsNeitherFollowedNorReplaced(
        command: String
    ) throws {
        try home.make("target", Array("old".utf8))
        for target in ["target", "nothing"] {
            let path = home.folder + "/link"
            try #require(unsafe symlink(target, path) == 0)
            let refused = try home.run("\(command) link")
            #expect(refused.exitCode == (command.contains("--replace") ? 8 : 6))
            #expect(!refused.outputText.contains("canary"))
            #expect(try FileStatus.of(path: path)?.isSymbolicLink == true)
            try #require(unsafe unlink(path) == 0)
        }
        #expect(try Files.read(home.folder + "/target") == Array("old".utf8))
        #expect(!Files.exists(home.folder + "/nothing"))
    }

    @Test func aBackupNamesAnUnusableTarget() throws {
        try home.unlock()
        let refused = try home.runBare(["backup", "/dev/fd/999999"])
        #expect(refused.exitCode == 1)
        #expect(refused.errorText.contains("cannot write /dev/fd/999999: bad file descriptor"))
        #expect(!refused.errorText.contains("vault.db"))
    }

    @Test func aBackupGoesIntoStandardOutput() throws {
        try home.unlock()
        let wrote = try home.runBare(["backup", "/dev/fd/1"])
        #expect(wrote.exitCode == 0, "\(wrote.errorText)")
        try home.make("copy", wrote.output)
        let restored = try home.run("restore copy --to restored")
        #expect(restored.exitCode == 0, "\(restored.errorText)")
    }
}

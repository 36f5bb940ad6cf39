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

    @Test(arguments: commands) func aFolderAndASocketWithoutAListenerStay(command: String) throws {
        let (folder, socket) = (home.folder + "/folder", home.folder + "/socket")
        try #require(unsafe mkdir(folder, 0o700) == 0)
        let listener = unsafe platform_listen(socket, 1)
        try #require(listener >= 0)
        close(listener)
        // `file get` writes into a folder.
        for name in command.hasPrefix("file get") ? ["socket"] : ["folder", "socket"] {
            let refused = try home.run("\(command) \(name)")
            #expect(refused.exitCode != 0 && !refused.outputText.contains("canary"), "\(name)")
        }
        #expect(try FileStatus.of(path: folder)?.isFolder == true)
        #expect(Files.names(in: folder).isEmpty)
        var status = stat()
        #expect(unsafe lstat(socket, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK)
    }

    /// The devices `/dev/null` and `/dev/full`, by other names.
    private static let devices: [(name: String, number: UInt, exitCode: Int32)] = [
        ("null", 0x103, 0), ("full", 0x107, 1),
    ]

    private static var canMakeDevices: Bool {
        let path = TemporaryFolder.base + "/taskvault-device-\(UUID())"
        defer { unsafe unlink(path) }
        guard unsafe mknod(path, S_IFCHR | 0o600, 0x103) == 0 else { return false }
        let descriptor = unsafe platform_open(path, O_WRONLY, 0)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    @Test(.enabled(if: canMakeDevices, "only root makes devices"), arguments: commands)
    func aDeviceIsWrittenAndStaysAndAnotherUsersPipeIsRefused(command: String) throws {
        for (name, number, exitCode) in Self.devices {
            let path = home.folder + "/" + name
            try #require(unsafe mknod(path, S_IFCHR | 0o600, dev_t(number)) == 0)
            let wrote = try home.run("\(command) \(name)")
            #expect(wrote.exitCode == exitCode, "\(name): \(wrote.errorText)")
            var status = stat()
            #expect(
                unsafe lstat(path, &status) == 0 && status.st_rdev == dev_t(number), "\(name)")
        }
        let pipe = home.folder + "/pipe"
        try #require(unsafe mkfifo(pipe, 0o666) == 0)
        try #require(unsafe chown(pipe, 65_534, 65_534) == 0)
        let reader = try Files.open(pipe, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        let refused = try home.run("\(command) pipe")
        #expect(refused.exitCode == 8, "\(refused.errorText)")
        var byte: UInt8 = 0
        #expect(unsafe read(reader, &byte, 1) == -1)
        #expect(try FileStatus.of(path: pipe)?.isRegularFile == false)
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

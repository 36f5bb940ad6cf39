import Platform
import TestSupport
import Testing

@Suite("The output to a path")
struct OutputFileTests {
    private func write(_ text: String, to path: String, replacing: Bool = true) throws {
        let file = try OutputFile(at: path, replacing: replacing)
        unsafe try Descriptor.write(Array(text.utf8).span.bytes, to: file.descriptor)
        try file.publish()
    }

    private func received(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test("a pipe is written and stays, also through a link", arguments: ["pipe", "link"])
    func pipe(name: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/pipe"
            try #require(unsafe mkfifo(path, 0o600) == 0)
            try #require(unsafe symlink("pipe", folder + "/link") == 0)
            let reader = unsafe platform_open(path, O_RDWR | O_NONBLOCK, 0)
            defer { close(reader) }
            for isReplacing in [false, true] {
                #expect(!OutputFile.isTaken(folder + "/" + name))
                try write("value", to: folder + "/" + name, replacing: isReplacing)
                #expect(received(reader) == "value")
            }
            #expect(try FileStatus.of(path: folder + "/link")?.isSymbolicLink == true)
            #expect(try FileStatus.of(path: path)?.isRegularFile == false)
            #expect(TestFile.names(in: folder) == ["link", "pipe"])
        }
    }

    @Test("a socket is connected to, and stays")
    func socket() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/socket"
            let listener = unsafe platform_listen(path, 1)
            try #require(listener >= 0)
            defer { close(listener) }
            try write("value", to: path)
            let connection = platform_accept(listener)
            defer { close(connection) }
            #expect(received(connection) == "value")
            #expect(TestFile.names(in: folder) == ["socket"])
        }
    }

    @Test("an inherited descriptor is written where it stands; this process's own is not")
    func descriptors() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            let own = unsafe platform_open(path, O_WRONLY | O_CREAT, 0o600)
            try #require(own >= 0)
            defer { close(own) }
            for place in ["/dev/fd/\(own)", "/proc/self/fd/\(own)"] {
                #expect(throws: SystemFailure("open", code: EBADF)) { try write("x", to: place) }
                // As after the start of a program with it.
                #expect(fcntl(own, F_SETFD, 0) == 0)
                #expect(!OutputFile.isTaken(place))
                try write("value,", to: place)
                #expect(fcntl(own, F_SETFD, FD_CLOEXEC) == 0)
            }
            #expect(try TestFile.read(path) == Array("value,value,".utf8))
            #expect(TestFile.names(in: folder) == ["file"])
        }
    }

    @Test(
        "names of descriptors",
        arguments: [
            ("/dev/stdout", 1), ("/dev/stderr", 2), ("/dev/fd/1", 1), ("/proc/self/fd/37", 37),
            ("/dev/fd/", nil), ("/dev/fd/+1", nil), ("/dev/fd/1/x", nil), ("-", nil),
            ("/dev/fd/99999999999", nil), ("/dev/null", nil), ("dev/stdout", nil),
        ] as [(String, Int32?)])
    func names(path: String, number: Int32?) {
        #expect(OutputFile.descriptor(named: path) == number)
    }

    @Test("a link to a file, to a folder or to nothing is neither followed nor replaced")
    func links() throws {
        try withTemporaryFolder { folder in
            try TestFile.write(Array("old".utf8), to: folder + "/file")
            for target in ["file", ".", "nothing"] {
                let path = folder + "/link"
                try #require(unsafe symlink(target, path) == 0)
                #expect(OutputFile.isTaken(path))
                #expect(throws: SystemFailure("open", code: EEXIST)) {
                    try write("new", to: path, replacing: false)
                }
                #expect(throws: UnusableFile(path, "it is a symbolic link")) {
                    try write("new", to: path)
                }
                try #require(unsafe unlink(path) == 0)
            }
            #expect(throws: SystemFailure("open", code: EISDIR)) { try write("new", to: folder) }
            #expect(try TestFile.read(folder + "/file") == Array("old".utf8))
            #expect(TestFile.names(in: folder) == ["file"])
        }
    }

    @Test("a regular file is replaced only on request; a file that appears meanwhile is not")
    func files() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            try write("first", to: path, replacing: false)
            #expect(TestFile.mode(path) == 0o600)
            #expect(throws: SystemFailure("open", code: EEXIST)) {
                try write("second", to: path, replacing: false)
            }
            try write("second", to: path)
            #expect(try TestFile.read(path) == Array("second".utf8))
            let file = try OutputFile(at: path, replacing: true)
            try #require(unsafe unlink(path) == 0)
            try #require(unsafe mkfifo(path, 0o600) == 0)
            var failure: (any Error)?
            do { try file.publish() } catch { failure = error }
            #expect(failure as? UnusableFile == UnusableFile(path, "it is not a file"))
            #expect(TestFile.names(in: folder) == ["file"])
        }
    }

    @Test(
        "another user's pipe is not written",
        .enabled(if: geteuid() == 0, "only root makes a file of another user"))
    func owner() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/pipe"
            try #require(unsafe mkfifo(path, 0o666) == 0)
            let reader = unsafe platform_open(path, O_RDWR | O_NONBLOCK, 0)
            defer { close(reader) }
            try #require(unsafe chown(path, 65_534, 65_534) == 0)
            #expect(throws: UnusableFile(path, "owned by another user")) {
                try write("value", to: path)
            }
            #expect(received(reader).isEmpty)
        }
    }
}

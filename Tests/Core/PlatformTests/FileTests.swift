import Foundation
import Platform
import TestSupport
import Testing

@Suite("Folders and files")
struct FileTests {
    @Test("a folder is created with its missing parents, for its owner only")
    func create() throws {
        try withTemporaryFolder { outer in
            let path = outer + "/a/b/c"
            try SafeFolder.create(path)
            try SafeFolder.create(path + "/")
            for folder in ["/a", "/a/b", "/a/b/c"] {
                let status = try #require(try FileStatus.of(path: outer + folder))
                #expect(status.isFolder && !status.isOpenToOthers)
            }
            try SafeFolder.require(SafeFolder.resolve(outer + "/a/../a/b/c/."))
        }
    }

    @Test(
        "a new file does not appear if a signal ends the program before it is complete",
        .endsProcess)
    func cancelled() async throws {
        let folder =
            TemporaryFolder.base + "/taskvault-new-file-\(UInt64.random(in: .min ... .max))"
        try SafeFolder.create(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // By the signal or, on a thread that blocks it, by the error.
        await #expect(processExitsWith: .failure) { [folder = folder as String] in
            let file = try NewFile(at: folder + "/export")
            raise(SIGTERM)
            try file.publish()
        }
        #expect(try FileSystem.names(in: folder).isEmpty)
    }

    @Test("a file replaces another as a whole only if it may")
    func replacing() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            try TestFile.write(Array("old".utf8), to: path)
            #expect(throws: SystemFailure("open", code: EEXIST)) { _ = try NewFile(at: path) }
            let file = try NewFile(at: path, replacing: true)
            unsafe try Descriptor.write(Array("new".utf8).span.bytes, to: file.descriptor)
            #expect(try TestFile.read(path) == Array("old".utf8))
            try file.publish()
            #expect(try TestFile.read(path) == Array("new".utf8))
            #expect(TestFile.names(in: folder) == ["file"])
        }
    }

    #if os(Linux)
        @Test("a sealed file is read as often as one likes, and nobody changes it")
        func sealed() throws {
            let bytes = Array("value\0\n".utf8)
            let file = try SealedFile(unsafe bytes.span.bytes)
            for _ in 0..<2 { #expect(try TestFile.read(file.path) == bytes) }
            var status = stat()
            #expect(unsafe fstat(file.descriptor, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o600)
            #expect(fcntl(file.descriptor, F_GETFD) & FD_CLOEXEC == 0)
            #expect(unsafe pwrite(file.descriptor, "x", 1, 0) == -1)
            #expect(ftruncate(file.descriptor, 0) == -1)
            #expect(unsafe write(file.descriptor, "x", 1) == -1)
        }
    #endif

    @Test("a folder below a file or a dangling link is not created")
    func notCreated() throws {
        try withTemporaryFolder { outer in
            try TestFile.write([], to: outer + "/file")
            #expect(throws: SystemFailure("mkdir", code: ENOTDIR)) {
                try SafeFolder.create(outer + "/file/below")
            }
            try #require(unsafe symlink(outer + "/nothing", outer + "/link") == 0)
            #expect(throws: SystemFailure.self) { try SafeFolder.create(outer + "/link/below") }
            #expect(TestFile.names(in: outer) == ["file", "link"])
        }
    }

    @Test("a folder that others can change is refused, also above the checked one")
    func require() throws {
        try withTemporaryFolder { outer in
            let outer = try SafeFolder.resolve(outer)
            let folder = outer + "/home"
            try SafeFolder.create(folder)
            for (changed, mode, reason) in [
                (folder, 0o750, "accessible to other users"),
                (outer, 0o777, "writable by other users"),
            ] {
                try #require(unsafe chmod(changed, mode_t(mode)) == 0)
                #expect(throws: UnusableFile(changed, reason)) { try SafeFolder.require(folder) }
                try #require(unsafe chmod(changed, 0o700) == 0)
            }
            try SafeFolder.require(folder)
        }
    }

    @Test(
        "a path is split at its last slash, also before an accent",
        arguments: [
            ("/a/b", "/a", "b"), ("/b", "/", "b"), ("b", ".", "b"), ("a/", "a", ""),
            ("a/\u{301}b", "a", "\u{301}b"),
        ])
    func split(path: String, folder: String, name: String) {
        let found = SafeFolder.split(path)
        #expect(found.folder == folder && found.name == name)
    }

    @Test("a file is renamed to a free name only, and two files are exchanged")
    func rename() throws {
        try withTemporaryFolder { path in
            try TestFile.write([1], to: path + "/one")
            try TestFile.write([2], to: path + "/two")
            let folder = try FileDescriptor(folder: path)
            #expect(throws: SystemFailure("rename", code: EEXIST)) {
                try folder.rename("one", to: "two")
            }
            try folder.exchange("one", "two")
            try folder.rename("one", to: "three")
            #expect(TestFile.names(in: path) == ["three", "two"])
            let three = try FileDescriptor("three", in: folder, flags: O_RDONLY)
            #expect(try three.bytes(at: 0, count: 8) == [2])
            #expect(try three.bytes(at: 1, count: 8) == [])
        }
    }

    @Test("a link is not followed, and a pipe without a writer does not block")
    func specialFiles() throws {
        try withTemporaryFolder { path in
            try TestFile.write([], to: path + "/file")
            try #require(unsafe symlink("file", path + "/link") == 0)
            try #require(unsafe mkfifo(path + "/pipe", 0o600) == 0)
            let folder = try FileDescriptor(folder: path)
            #expect(throws: SystemFailure("open", code: ELOOP)) {
                _ = try FileDescriptor("link", in: folder, flags: O_RDONLY)
            }
            let pipe = try FileDescriptor("pipe", in: folder, flags: O_RDONLY)
            #expect(try !FileStatus.of(pipe).isRegularFile)
        }
    }
}

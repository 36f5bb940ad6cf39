#if os(Linux)
    import Foundation
    import Platform
    import Testing
    import TestSupport

    @Suite("Watches of files") struct FileWatchTests {
        private static func isReadable(_ watch: FileWatch) -> Bool {
            var request = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&request, 1, 10_000) == 1
        }

        @Test("A folder: what appears, changes or vanishes in it, except names with a dot")
        func folder() throws {
            try withTemporaryFolder { path in
                let folder = path + "/group"
                // It does not exist yet.
                let watch = try FileWatch([folder + "/"])
                try SafeFolder.create(folder)
                #expect(Self.isReadable(watch))
                #expect(try watch.readEvents())
                try FileSystem.replace(folder + "/1", with: "a")
                #expect(Self.isReadable(watch))
                #expect(try watch.readEvents())
                try SafeFolder.create(folder + "/device")
                #expect(Self.isReadable(watch))
                #expect(try watch.readEvents())
                // A file that is being copied, until it has its name.
                let part = folder + "/.taskvault-new"
                try "b".write(toFile: part, atomically: false, encoding: .utf8)
                #expect(try !watch.readEvents())
                try FileSystem.rename(part, to: folder + "/2")
                #expect(Self.isReadable(watch))
                #expect(try watch.readEvents())
                // The folder goes, and comes back.
                try FileManager.default.removeItem(atPath: folder)
                #expect(Self.isReadable(watch))
                #expect(try watch.readEvents())
                try SafeFolder.create(folder)
                #expect(try watch.readEvents())
                try FileSystem.replace(folder + "/1", with: "a")
                #expect(try watch.readEvents())
            }
        }
    }
#endif

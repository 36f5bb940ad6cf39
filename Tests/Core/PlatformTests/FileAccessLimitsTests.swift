import Platform
import Testing
import TestSupport

#if os(Linux)
    /// Limits stay for good, so they are tried in a process of its own.
    struct FileAccessLimitsTests {
        @Test(
            "a process that gave them up opens no other file, and runs no program",
            .enabled(if: FileAccessLimits.areAvailable, "this kernel has no Landlock"), .endsProcess
        )
        func limited() async throws {
            try await withTemporaryFolder { folder in
                for name in ["changed", "read", "other"] {
                    #expect(unsafe mkdir("\(folder)/\(name)", 0o700) == 0)
                }
                for name in ["read", "other"] {
                    #expect(Self.opens("\(folder)/\(name)/file", O_WRONLY | O_CREAT) == 0)
                }
                await #expect(processExitsWith: .success) { [folder = folder as String] in
                    #expect(Self.opens("\(folder)/other/file", O_RDONLY) == 0, "the control")
                    #expect(!FileAccessLimits.areApplied)
                    #expect(
                        FileAccessLimits.apply(
                            changing: ["\(folder)/changed", "\(folder)/missing"],
                            reading: ["\(folder)/read"]))
                    #expect(FileAccessLimits.areApplied)
                    #expect(Self.opens("\(folder)/other/file", O_RDONLY) == EACCES)
                    #expect(Self.opens("\(folder)/other/new", O_WRONLY | O_CREAT) == EACCES)
                    #expect(Self.opens("\(folder)/read/file", O_RDONLY) == 0)
                    #expect(Self.opens("\(folder)/read/file", O_WRONLY) == EACCES)
                    #expect(Self.opens("\(folder)/changed/new", O_RDWR | O_CREAT | O_TRUNC) == 0)
                    #expect(unsafe rename("\(folder)/changed/new", "\(folder)/changed/newer") == 0)
                    #expect(unsafe unlink("\(folder)/changed/newer") == 0)
                    #expect(unsafe unlink("\(folder)/other/file") != 0)
                    // The ways to a file are open.
                    #expect(Self.opens(folder, O_RDONLY | O_DIRECTORY) == 0)
                }
            }
        }

        /// The code of the error of open(2); 0 for none.
        private static func opens(_ path: String, _ flags: Int32) -> Int32 {
            let descriptor = unsafe platform_open(path, flags, 0o600)
            guard descriptor >= 0 else { return errno }
            close(descriptor)
            return 0
        }
    }
#endif

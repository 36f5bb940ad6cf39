import Platform
import Testing
import TestSupport

#if os(Linux)
    /// A filter stays for good, so it is tried in a process of its own.
    struct SystemCallFilterTests {
        @Test("a process that gave them up starts no program, and traces none", .endsProcess)
        func refused() async {
            await #expect(processExitsWith: .success) {
                let this = UInt32(getpid())
                #expect(ChildProcessCheck.startsProgram(), "the control: it does before")
                #expect(SystemCallFilter.isActive(in: this) == false)
                #expect(SystemCallFilter.apply())
                #expect(SystemCallFilter.isActive(in: this) == true)
                #expect(!ChildProcessCheck.startsProgram())
                // What an agent needs goes on.
                #expect(FileSystem.content("/proc/self/comm", limit: 64) != nil)
                #expect((try? SystemPipe()) != nil)
            }
        }

        @Test func aProcessWithoutIt() {
            #expect(SystemCallFilter.isActive(in: .max) == nil)
        }
    }

    private enum ChildProcessCheck {
        /// Whether `true` runs and succeeds.
        static func startsProgram() -> Bool {
            var process: pid_t = 0
            var arguments = unsafe [strdup("true"), nil]
            defer { unsafe free(arguments[0]) }
            guard unsafe posix_spawn(&process, "/bin/true", nil, nil, &arguments, nil) == 0 else {
                return false
            }
            var status: Int32 = -1
            return unsafe waitpid(process, &status, 0) == process && status == 0
        }
    }
#endif

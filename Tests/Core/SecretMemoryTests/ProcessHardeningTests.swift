import Foundation
import SecretMemory
import Testing
import TestSupport

#if os(Linux)
    import Glibc

    /// Each test changes its process, so each runs in one of its own.
    @Suite("Process hardening")
    struct ProcessHardeningTests {
        /// prctl(2) is variadic, which Swift cannot call; all its arguments are words.
        private static func control(_ option: Int32, _ value: UInt = 0) -> Int32? {
            typealias Function =
                @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
            guard let symbol = unsafe dlsym(nil, "prctl") else { return nil }
            return unsafe unsafeBitCast(symbol, to: Function.self)(option, value, 0, 0, 0)
        }

        private static let getDumpable: Int32 = 3
        private static let setDumpable: Int32 = 4
        private static let getNoNewPrivileges: Int32 = 39

        @Test("forbids core dumps, tracing and new privileges", .endsProcess)
        func doors() async {
            await #expect(processExitsWith: .success) {
                #expect(Self.control(Self.getDumpable) == 1, "a process is born dumpable")
                ProcessHardening.apply()
                #expect(Self.control(Self.getDumpable) == 0)
                #expect(Self.control(Self.getNoNewPrivileges) == 1)
                var limit = rlimit(rlim_cur: 1, rlim_max: 1)
                unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
                #expect(limit.rlim_cur == 0)
                #expect(limit.rlim_max == 0)
            }
        }

        @Test("lets no handler see a crash", .endsProcess)
        func signals() async {
            await #expect(processExitsWith: .success) {
                let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT]
                func ignored() -> [Bool] {
                    crashes.map { number in
                        var action = sigaction()
                        unsafe sigaction(number, nil, &action)
                        return unsafe unsafeBitCast(
                            action.__sigaction_handler.sa_handler, to: Int.self) != 0
                    }
                }
                for number in crashes { signal(number, SIG_IGN) }
                #expect(ignored() == crashes.map { _ in true })
                ProcessHardening.apply()
                #expect(ignored() == crashes.map { _ in false })
            }
        }

        @Test("makes files for their owner only", .endsProcess)
        func fileMode() async {
            await #expect(processExitsWith: .success) {
                umask(0)
                ProcessHardening.apply()
                #expect(umask(0) == 0o077)
            }
        }

        @Test("gives the rights of files back for another program", .endsProcess)
        func fileModeRestored() async {
            await #expect(processExitsWith: .success) {
                umask(0o027)
                ProcessHardening.apply(runsPrograms: true)
                ProcessHardening.restoreFileMode()
                #expect(umask(0) == 0o027)
                #expect(Self.control(Self.getNoNewPrivileges) == 0)
            }
        }

        @Test(
            "a process of the same user cannot read the memory any more", .endsProcess,
            .enabled(if: Tracer.mayAttach, "Yama forbids it everywhere"))
        func otherProcess() async {
            await #expect(processExitsWith: .success) {
                // As root everything can be read: be somebody else, in a process that is dumpable again.
                if geteuid() == 0 { try #require(setgid(65_534) == 0 && setuid(65_534) == 0) }
                try #require(Self.control(Self.setDumpable, 1) == 0)
                #expect(try Self.childReadsMemory(), "the check sees an open door")
                ProcessHardening.apply()
                #expect(try !Self.childReadsMemory())
            }
        }

        /// Whether a child of the same user may open this process's memory.
        private static func childReadsMemory() throws -> Bool {
            // This thread's, because the main thread may have ended, and with it its memory.
            let thread = try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/thread-self")
            var child: pid_t = 0
            let script = "exec 3</proc/\(thread)/mem"
            let words = ["/bin/sh", "-c", script]
            var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
            defer { unsafe arguments.forEach { unsafe free($0) } }
            let code = unsafe posix_spawn(&child, "/bin/sh", nil, nil, &arguments, nil)
            try #require(code == 0)
            var status: Int32 = 0
            try #require(unsafe waitpid(child, &status, 0) == child)
            return status == 0
        }
    }

    @Suite("Memory locking")
    struct MemoryLockingTests {
        @Test(
            "is noticed to be impossible, and secrets work without it", .endsProcess,
            .disabled(if: Sanitizer.isActive, "a sanitizer's mlock says yes and does nothing"))
        func impossible() async {
            await #expect(processExitsWith: .success) {
                var none = rlimit(rlim_cur: 0, rlim_max: 0)
                try #require(
                    unsafe setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &none) == 0)
                // Root may lock whatever the limit is.
                if geteuid() == 0 { try #require(setuid(65_534) == 0) }
                #expect(!MemoryLocking.isAvailable)
                #expect(try Samples.bytes(Samples.secret("still here")) == Array("still here".utf8))
            }
        }

        @Test("is noticed to be possible", .enabled(if: mayLock, "the limit is below a page"))
        func possible() {
            #expect(MemoryLocking.isAvailable)
        }

        /// Whether the system's limit leaves room for a page beside what other tests lock.
        static var mayLock: Bool {
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
            return geteuid() == 0 || limit.rlim_cur >= 1 << 20
        }
    }
#endif

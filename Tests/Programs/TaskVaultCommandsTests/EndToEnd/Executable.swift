import CTestPlatform
import CommandLine
import Foundation
import Platform
import Testing
import TestSupport

/// The system refused something that a test needs.
struct HarnessFailure: Error {
    let call: String
    let code: Int32

    init(_ call: String, code: Int32 = errno) {
        self.call = call
        self.code = code
    }
}

/// The executable `taskvault`, run as another process.
enum Executable {
    static let path = BuiltExecutable.path(of: "taskvault")

    /// The standard descriptors of a child; nil closes one.
    struct Descriptors {
        var input: Int32?
        var output: Int32?
        var errors: Int32?
        /// Inherited as descriptor 3, so that its closing tells that the child has ended.
        var liveness: Int32?
        /// A terminal that becomes the controlling one, and all three descriptors; not the input, if that is given too.
        var terminal: String?
    }

    /// Starts it, or another program with the same commands; beneath another one, if `wrapper` has that one's path and arguments.
    static func start(
        _ arguments: [String], environment: [String: String], in folder: String,
        _ descriptors: Descriptors, beneath wrapper: [String] = [], program: String = path
    ) throws -> pid_t {
        #if os(Linux)
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #else
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        if let terminal = descriptors.terminal {
            // The first terminal that the leader of a new session opens becomes its controlling one.
            unsafe posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
            unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
            unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
            if let input = descriptors.input {
                unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
            }
        } else {
            let wanted = [descriptors.input, descriptors.output, descriptors.errors]
            for (number, descriptor) in wanted.enumerated() {
                if let descriptor {
                    unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
                } else {
                    unsafe posix_spawn_file_actions_addclose(&actions, Int32(number))
                }
            }
        }
        if let liveness = descriptors.liveness {
            unsafe posix_spawn_file_actions_adddup2(&actions, liveness, 3)
        }
        #if os(Linux)
            // Foundation notices the end of a process, and that of its output, only when nobody has the other end of its channels, which are open
            // for a moment without O_CLOEXEC.
            unsafe test_platform_close_from(&actions, descriptors.liveness == nil ? 3 : 4)
        #endif
        _ = unsafe platform_spawn_in_folder(&actions, folder)
        try setSignals(&attributes)

        let line = wrapper.isEmpty ? ["taskvault"] : wrapper + [program]
        var words = unsafe (line + arguments).map { unsafe strdup($0) } + [nil]
        var variables =
            unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for index in unsafe words.indices { unsafe free(words[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var process: pid_t = 0
        let code = unsafe posix_spawn(
            &process, wrapper.first ?? program, &actions, &attributes, &words, &variables)
        guard code == 0 else { throw HarnessFailure("posix_spawn", code: code) }
        return process
    }

    /// All signals as a shell leaves them, and no terminal but a given one, independent of the test runner.
    #if os(Linux)
        private typealias Attributes = posix_spawnattr_t
        // POSIX_SPAWN_SETSID, which the importer leaves out.
        private static let newSession: Int32 = 0x80
    #else
        private typealias Attributes = posix_spawnattr_t?
        private static let newSession: Int32 = 0x0400
    #endif

    private static func setSignals(_ attributes: inout Attributes) throws {
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        let flags =
            Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | newSession
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    /// Waits for the end. After ten minutes, which only a command needs that hangs, ends it and says in what each of its threads waited.
    ///
    /// - Returns: The exit code, or 128 and the number of the signal, as shells have it.
    static func wait(for process: pid_t) -> Int32 {
        let limit = DispatchWorkItem {
            Issue.record("a command hangs: \(waits(of: process))")
            kill(process, SIGKILL)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + 600, execute: limit)
        defer { limit.cancel() }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// The command line of a process, and the name, function of the kernel and system call of each of its threads, as far as this user may see them.
    private static func waits(of process: pid_t) -> String {
        let folder = "/proc/\(process)"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/task")) ?? []
        let files =
            [folder + "/cmdline"]
            + threads.flatMap { thread in
                ["comm", "wchan", "syscall"].map { "\(folder)/task/\(thread)/\($0)" }
            }
        return files.map { (try? String(contentsOfFile: $0, encoding: .utf8)) ?? "?" }
            .joined(separator: " ").debugDescription
    }
}

internal import CommandLine
internal import Platform

/// This executable, run again as another process.
enum ChildProcess {
    /// The standard descriptors of a child.
    struct Descriptors {
        let input: Int32
        let output: Int32
        let errors: Int32
    }

    /// Starts this executable.
    ///
    /// - Parameters:
    ///   - arguments: Those after the program's name.
    ///   - environment: Its environment variables.
    ///   - descriptors: Its standard descriptors.
    ///   - hasOwnSession: Whether it gets a session of its own, without a terminal.
    /// - Returns: The process.
    /// - Throws: The call of the system that failed.
    static func spawn(
        _ arguments: [String], _ environment: EnvironmentVariables, _ descriptors: Descriptors,
        ownSession hasOwnSession: Bool = false
    ) throws(SystemFailure) -> pid_t {
        #if os(Linux)
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #else
            // Pointers there, which the init functions set.
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptors.input, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptors.output, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptors.errors, 2)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(
            &attributes, hasOwnSession ? platform_spawn_new_session() : 0)

        let executable = try Self.executable()
        var words =
            unsafe ([CommandTable.taskvault.program] + arguments).map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.entries.map { unsafe strdup($0) } + [nil]
        defer {
            for index in unsafe words.indices { unsafe free(words[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var process: pid_t = 0
        let code = unsafe posix_spawn(
            &process, executable, &actions, &attributes, &words, &variables)
        guard code == 0 else { throw SystemFailure("posix_spawn", code: code) }
        return process
    }

    static func wait(for process: pid_t) -> Int32? {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
        // As WIFEXITED and WEXITSTATUS, macros that the importer leaves out.
        return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }

    /// The path of this executable, whatever name it was started by.
    private static func executable() throws(SystemFailure) -> String {
        #if os(Linux)
            return "/proc/self/exe"
        #else
            var size: UInt32 = 0
            _ = unsafe _NSGetExecutablePath(nil, &size)
            var path = [CChar](repeating: 0, count: Int(size))
            guard unsafe _NSGetExecutablePath(&path, &size) == 0 else {
                throw SystemFailure("_NSGetExecutablePath", code: ENAMETOOLONG)
            }
            return String(
                decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #endif
    }
}

/// Another program, run beside this one.
package enum ProgramProcess {
    /// The path of an installed program, or nil.
    ///
    /// `PATH` is not asked: a program that precedes the real one there would get secrets.
    package static func path(of name: String) -> String? {
        #if os(Linux)
            let folders = ["/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin"]
        #else
            let folders = ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"]
        #endif
        return folders.map { "\($0)/\(name)" }.first { FileSystem.exists($0) }
    }

    /// Starts a program in a process group of its own, with no signal blocked. Its messages are discarded.
    ///
    /// The corresponding C function is `posix_spawn` with `POSIX_SPAWN_SETPGROUP`.
    ///
    /// - Parameters:
    ///   - words: The path of the program, then its arguments.
    ///   - input: Its standard input.
    ///   - output: Its standard output, which is discarded otherwise.
    ///   - environment: Its environment variables, each as `name=value`; those of this process if left out.
    /// - Returns: The process, which leads its group.
    /// - Throws: ``SystemFailure``.
    package static func start(
        _ words: [String], input: Int32, output: Int32? = nil, environment: [String]? = nil
    ) throws -> pid_t {
        let nothing = unsafe platform_open("/dev/null", O_WRONLY, 0)
        guard nothing >= 0 else { throw SystemFailure.last("open") }
        defer { close(nothing) }
        #if os(Linux)
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #else
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output ?? nothing, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, nothing, 2)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var blocked = sigset_t()
        unsafe sigemptyset(&blocked)
        unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
        // This program ignores them, or its parent did.
        var restored = sigset_t()
        unsafe sigemptyset(&restored)
        for number in [SIGPIPE, SIGXFSZ, SIGCHLD] { unsafe sigaddset(&restored, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &restored)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        var variables = unsafe (environment ?? []).map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe variables.indices { unsafe free(variables[index]) } }
        var process: pid_t = 0
        let code = unsafe variables.withUnsafeMutableBufferPointer { variables in
            unsafe posix_spawn(
                &process, words.first ?? "", &actions, &attributes, &arguments,
                environment == nil ? platform_environment() : variables.baseAddress)
        }
        guard code == 0 else { throw SystemFailure("posix_spawn", code: code) }
        return process
    }

    /// Waits for the end of a process, and kills its group if that takes too long.
    ///
    /// The corresponding C functions are `waitpid` and `kill`.
    ///
    /// - Returns: Its exit code; nil if a signal ended it.
    package static func wait(for process: pid_t, atMost time: Duration) -> Int32? {
        let end = MonotonicTime.now + time
        while true {
            var status: Int32 = 0
            let ended = unsafe waitpid(process, &status, WNOHANG)
            if ended == process { return status & 0x7F == 0 ? status >> 8 & 0xFF : nil }
            if ended < 0, errno != EINTR { return nil }
            guard MonotonicTime.now < end else { break }
            SystemSleep.sleep(.milliseconds(5))
        }
        kill(-process, SIGKILL)
        return ChildProcess.wait(for: process)
    }

    /// Replaces this process by a program, which is looked for in `PATH` if its name has no slash. Returns only if that fails.
    ///
    /// It inherits the environment with some variables in addition or instead. Their values pass from the given memory to the system.
    ///
    /// The corresponding C function is `execvpe`.
    ///
    /// - Parameters:
    ///   - words: The program, then its arguments.
    ///   - names: The names of the variables.
    ///   - entries: `name=value` and a zero byte of each of them.
    /// - Returns: Why it could not be run.
    package static func become(
        _ words: [String], _ names: [String], _ entries: [UnsafeMutablePointer<CChar>]
    ) -> SystemFailure {
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        let beginnings = names.map { $0 + "=" }
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe []
        if let inherited = unsafe platform_environment() {
            var index = 0
            while let entry = unsafe inherited[index] {
                index += 1
                let isReplaced = beginnings.contains { beginning in
                    unsafe strncmp(entry, beginning, beginning.utf8.count) == 0
                }
                if !isReplaced { unsafe environment.append(entry) }
            }
        }
        unsafe environment.append(contentsOf: entries)
        unsafe environment.append(nil)
        unsafe platform_execute(words.first ?? "", &arguments, &environment)
        return SystemFailure.last("exec")
    }
}

/// Another program, run beside this one.
package enum ProgramProcess {
    /// Starts a program in a process group of its own, with no signal blocked and this process's environment. Its output is discarded.
    ///
    /// The corresponding C function is `posix_spawn` with `POSIX_SPAWN_SETPGROUP`.
    ///
    /// - Parameters:
    ///   - words: The path of the program, then its arguments.
    ///   - input: Its standard input.
    /// - Returns: The process, which leads its group.
    /// - Throws: ``SystemFailure``.
    package static func start(_ words: [String], input: Int32) throws -> pid_t {
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
        unsafe posix_spawn_file_actions_adddup2(&actions, nothing, 1)
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
        var process: pid_t = 0
        let code = unsafe posix_spawn(
            &process, words.first ?? "", &actions, &attributes, &arguments,
            platform_environment())
        guard code == 0 else { throw SystemFailure("posix_spawn", code: code) }
        return process
    }
}

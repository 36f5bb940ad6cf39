import Platform

/// Other processes, with nothing to read and nobody who reads what they print, but for a file of what they write to standard error.
enum Child {
    /// Starts one; standard error goes to a new file, where one is named: what another wrote says nothing about this one. The corresponding C function is `posix_spawn`.
    static func start(_ words: [String], errors: String? = nil) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in [0, 1] {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        if let errors {
            unsafe posix_spawn_file_actions_addopen(
                &actions, 2, errors, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0o600)
        }
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        var process: pid_t = 0
        let code = unsafe posix_spawn(
            &process, words[0], &actions, nil, &arguments, platform_environment())
        guard code == 0 else { throw BenchmarkFailure("cannot start \(words[0])") }
        return process
    }

    /// Starts one, waits for its end, and tells how long both took, in nanoseconds.
    static func time(_ words: [String]) throws -> Double {
        var status: Int32 = 0
        let time = try Clock.time {
            let process = try start(words)
            while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
        }
        guard status == 0 else {
            throw BenchmarkFailure("\(words.joined(separator: " ")) failed: \(status)")
        }
        return time
    }

    /// The output of a command of the shell.
    static func output(of command: String) throws -> String {
        guard let output = unsafe popen(command, "r") else {
            throw BenchmarkFailure("cannot start \(command)")
        }
        let text = unsafe TextFile.rest(of: output)
        guard unsafe pclose(output) == 0 else {
            throw BenchmarkFailure("\(command) failed: \(text)")
        }
        return text
    }
}

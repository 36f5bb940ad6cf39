/// A child process of this process.
package struct ChildProcess: Sendable, Hashable {
    /// The separation of a child from this process.
    package enum Group: Sendable {
        /// A process group of its own. No signal is blocked, and the signals that this program ignores have their default action.
        case own
        /// A session of its own, without a terminal. It inherits the signal mask and ignored signals.
        case session
        /// The group of this process, and so its terminal. No signal is blocked, and the keys that send signals have their default action.
        case foreground
    }

    /// The end of a process.
    package enum Ending: Sendable, Hashable {
        /// It exited with a code.
        case exit(Int32)
        /// A signal ended it.
        case signal(Int32)
        /// It is not a child of this process, or its status was collected elsewhere.
        case unknown

        /// Decodes a wait status, like the macros `WIFEXITED`, `WEXITSTATUS` and `WTERMSIG`, which Swift cannot import.
        fileprivate init(status: Int32) {
            self = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
        }

        /// The exit code; nil if the process did not exit.
        package var exitCode: Int32? {
            if case .exit(let code) = self { code } else { nil }
        }
    }

    /// The process id, which is also the id of its process group.
    package let id: pid_t

    /// Starts a program. It inherits only the standard descriptors.
    ///
    /// The corresponding C function is `posix_spawn`.
    ///
    /// - Parameters:
    ///   - words: The path of the program, then its arguments.
    ///   - program: The path, if the first word is only a name.
    ///   - environment: The environment variables, each as `name=value`; by default those of this process.
    ///   - input: The standard input; by default `/dev/null`.
    ///   - output: The standard output; by default `/dev/null`.
    ///   - errors: The standard error; by default `/dev/null`.
    ///   - group: The separation from this process.
    /// - Returns: The process.
    /// - Throws: ``SystemFailure``.
    package static func start(
        _ words: [String], program: String? = nil, environment: [String]? = nil,
        input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil, in group: Group = .own
    ) throws -> ChildProcess {
        #if os(Linux)
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #else
            // Pointers on this system; the init functions set them.
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #endif
        let nothing = unsafe platform_open("/dev/null", O_RDWR, 0)
        guard nothing >= 0 else { throw SystemFailure.last("open") }
        defer { close(nothing) }
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in [input, output, errors].enumerated() {
            unsafe posix_spawn_file_actions_adddup2(
                &actions, descriptor ?? nothing, Int32(number))
        }
        var flags = unsafe platform_spawn_close_others(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        switch group {
        case .session: flags |= platform_spawn_new_session()
        case .own, .foreground:
            var blocked = sigset_t()
            unsafe sigemptyset(&blocked)
            unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
            // This program or its parent ignores these signals.
            var restored = sigset_t()
            unsafe sigemptyset(&restored)
            for number in [SIGPIPE, SIGXFSZ, SIGCHLD, SIGINT, SIGQUIT] {
                unsafe sigaddset(&restored, number)
            }
            unsafe posix_spawnattr_setsigdefault(&attributes, &restored)
            flags |= Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
            if group == .own {
                unsafe posix_spawnattr_setpgroup(&attributes, 0)
                flags |= Int16(POSIX_SPAWN_SETPGROUP)
            }
        }
        unsafe posix_spawnattr_setflags(&attributes, flags)
        var process: pid_t = 0
        let code = unsafe CStrings.with(words) { arguments in
            unsafe CStrings.with(environment ?? []) { variables in
                unsafe posix_spawn(
                    &process, program ?? words.first ?? "", &actions, &attributes, arguments,
                    environment == nil ? UnsafePointer(platform_environment()) : variables)
            }
        }
        guard code == 0 else { throw SystemFailure("posix_spawn", code: code) }
        return ChildProcess(id: process)
    }

    /// Collects the status; nil while the process runs. The status can be collected once.
    ///
    /// The corresponding C function is `waitpid` with `WNOHANG`.
    package func ending() -> Ending? {
        var status: Int32 = 0
        let ended = unsafe waitpid(id, &status, WNOHANG)
        if ended == id { return Ending(status: status) }
        return ended == 0 || errno == EINTR ? nil : .unknown
    }

    /// Waits for the end and collects the status. The corresponding C function is `waitpid`.
    @discardableResult
    package func wait() -> Ending {
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) != id {
            if errno != EINTR { return .unknown }
        }
        return Ending(status: status)
    }

    /// Waits for the end, and kills the process group after a time limit.
    ///
    /// The corresponding C functions are `waitpid` and `kill`.
    @discardableResult
    package func wait(atMost time: Duration) -> Ending {
        let end = MonotonicTime.now + time
        while true {
            if let ending = ending() { return ending }
            guard MonotonicTime.now < end else { break }
            SystemSleep.sleep(.milliseconds(5))
        }
        kill(-id, SIGKILL)
        return wait()
    }

    /// Ends the process by SIGTERM, or after a time limit by SIGKILL.
    ///
    /// The corresponding C functions are `waitpid` and `kill`.
    package func end(within time: Duration) {
        kill(id, SIGTERM)
        // A stopped process does not end.
        kill(id, SIGCONT)
        let limit = MonotonicTime.now + time
        while ending() == nil {
            if MonotonicTime.now >= limit { kill(id, SIGKILL) }
            SystemSleep.sleep(.milliseconds(5))
        }
    }
}

// This executable, run again in the background.
extension ChildProcess {
    /// The end of a background process that did not become ready.
    package struct FailedStart {
        /// The exit code; nil if a signal ended the process.
        package let exitCode: Int32?
        /// The bytes that it wrote to standard error.
        package let errors: [UInt8]
    }

    /// Starts this executable in its own session, and waits until it is ready.
    ///
    /// Only the first byte of its standard output is read. Its standard error is read only after a failed start.
    ///
    /// - Parameters:
    ///   - words: The program's name, then its arguments.
    ///   - environment: The environment variables, each as `name=value`.
    ///   - errors: The standard error; the result then has none.
    ///   - readyByte: The byte that the process writes to standard output when it is ready.
    ///   - write: Writes the standard input to a descriptor; by default the input is empty.
    /// - Returns: The end of the process; nil if it became ready.
    /// - Throws: ``SystemFailure``; the error of `write`, except `EPIPE` after the process ended.
    package static func startInBackground(
        _ words: [String], _ environment: [String], errors: Int32? = nil, until readyByte: UInt8,
        writing write: (Int32) throws -> Void = { _ in }
    ) throws -> FailedStart? {
        let input = try SystemPipe()
        let output = try SystemPipe()
        let explained = try SystemPipe()
        let process = try start(
            words, program: Executable.own(), environment: environment,
            input: input.reader, output: output.writer, errors: errors ?? explained.writer,
            in: .session)
        input.closeReader()
        output.closeWriter()
        explained.closeWriter()
        do {
            try write(input.writer)
        } catch let failure as SystemFailure where failure.code == EPIPE {
            // The process has ended. The read below finds that.
        }
        input.closeWriter()
        guard output.readByte() != readyByte else {
            process.collectLater()
            return nil
        }
        let explanation = explained.readAll()
        return FailedStart(exitCode: process.wait().exitCode, errors: explanation)
    }

    /// Collects the status after the end, in a thread. Otherwise the process would stay a zombie until this process ends.
    private func collectLater() {
        // The new thread inherits blocked signals, so that it does not consume them. If no thread starts, the process stays a zombie.
        let blocked = BlockedSignals()
        _ = DetachedThread.start { wait() }
        _ = consume blocked
    }
}

/// This executable, run again as another process.
package enum ChildProcess {
    /// Starts this executable in a session of its own and waits until it says that it is ready.
    ///
    /// It reads nothing. What it writes to standard output is looked at up to the first byte, what it writes to standard error only if it ends.
    ///
    /// - Parameters:
    ///   - arguments: The program's name, then its arguments.
    ///   - environment: Its environment variables, each as `name=value`.
    ///   - mark: The byte that says so.
    /// - Returns: How it ended instead; nil if it became ready.
    /// - Throws: The call of the system that failed.
    package static func startInBackground(
        _ arguments: [String], _ environment: [String], until mark: UInt8
    ) throws -> Ending? {
        let nothing = unsafe platform_open("/dev/null", O_RDWR, 0)
        guard nothing >= 0 else { throw SystemFailure("open", code: errno) }
        defer { close(nothing) }
        let said = try SystemPipe()
        let errors = try SystemPipe()
        let process = try spawn(
            arguments, environment,
            Descriptors(input: nothing, output: said.writer, errors: errors.writer),
            ownSession: true)
        said.closeWriter()
        errors.closeWriter()
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(said.reader, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count == 1, byte == mark {
                collectLater(process)
                return nil
            }
            let explanation = errors.readAll()
            return Ending(exitCode: wait(for: process), errors: explanation)
        }
    }

    /// Starts this executable in a session of its own, gives it its standard input, and waits until it says that it is ready.
    ///
    /// - Parameters:
    ///   - arguments: The program's name, then its arguments.
    ///   - environment: Its environment variables, each as `name=value`.
    ///   - errors: Its standard error.
    ///   - mark: The byte that says so.
    ///   - write: Writes the input to a descriptor.
    /// - Returns: Whether it became ready; otherwise it has ended.
    /// - Throws: The call of the system that failed.
    package static func startInBackground(
        _ arguments: [String], _ environment: [String], errors: Int32, until mark: UInt8,
        writing write: (Int32) throws -> Void
    ) throws -> Bool {
        let input = try SystemPipe()
        let said = try SystemPipe()
        let process = try spawn(
            arguments, environment,
            Descriptors(input: input.reader, output: said.writer, errors: errors),
            ownSession: true)
        input.closeReader()
        said.closeWriter()
        do {
            try write(input.writer)
        } catch let failure as SystemFailure where failure.code == EPIPE {
            // It has ended, which is noticed below.
        }
        input.closeWriter()
        if said.readAll().first == mark {
            collectLater(process)
            return true
        }
        _ = wait(for: process)
        return false
    }

    /// Takes the exit code of a process when it ends; otherwise it would stay in the list of processes until this one ends.
    private static func collectLater(_ process: pid_t) {
        // The thread must not take the signals that another one holds. Without a thread the process stays in the list.
        let held = BlockedSignals()
        _ = DetachedThread.start { _ = wait(for: process) }
        _ = consume held
    }

    /// How a process ended that should have stayed.
    package struct Ending {
        /// Its exit code; nil if a signal ended it.
        package let exitCode: Int32?
        /// The bytes that it wrote to standard error.
        package let errors: [UInt8]
    }

    /// The standard descriptors of a child.
    package struct Descriptors {
        let input: Int32
        let output: Int32
        let errors: Int32

        package init(input: Int32, output: Int32, errors: Int32) {
            self.input = input
            self.output = output
            self.errors = errors
        }
    }

    /// Starts this executable, or another one.
    ///
    /// - Parameters:
    ///   - arguments: The program's name, then its arguments.
    ///   - environment: Its environment variables, each as `name=value`.
    ///   - descriptors: Its standard descriptors.
    ///   - hasOwnSession: Whether it gets a session of its own, without a terminal.
    ///   - program: The path of the other one.
    /// - Returns: The process.
    /// - Throws: The call of the system that failed.
    package static func spawn(
        _ arguments: [String], _ environment: [String], _ descriptors: Descriptors,
        ownSession hasOwnSession: Bool = false, program: String? = nil
    ) throws -> pid_t {
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
        // The child must not keep descriptors of its parent open.
        let closing = unsafe platform_spawn_close_others(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(
            &attributes, closing | (hasOwnSession ? platform_spawn_new_session() : 0))

        let executable = try program ?? Self.executable()
        var words =
            unsafe arguments.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
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

    package static func wait(for process: pid_t) -> Int32? {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
        // As WIFEXITED and WEXITSTATUS, macros that the importer leaves out.
        return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }

    /// The path of this executable.
    package static func executable() throws -> String {
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

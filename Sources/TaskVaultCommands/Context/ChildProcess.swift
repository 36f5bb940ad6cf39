internal import CommandLine
internal import Platform

/// This executable, run again as another process.
struct ChildProcess {
    /// How it ended and what it printed.
    struct Outcome {
        /// The exit code; nil if a signal ended it.
        let exitCode: Int32?
        /// Standard output and standard error, in the order in which they were printed.
        let text: [UInt8]
    }

    private let environment: EnvironmentVariables
    private let folder: String

    /// Makes a way to run it.
    ///
    /// - Parameters:
    ///   - environment: Its environment variables.
    ///   - folder: Its current folder.
    init(_ environment: EnvironmentVariables, in folder: String) {
        self.environment = environment
        self.folder = folder
    }

    /// Runs it and waits for its end.
    ///
    /// The corresponding C functions are `posix_spawn` and `waitpid`.
    ///
    /// - Parameters:
    ///   - arguments: Those after the program's name.
    ///   - input: What it reads; less than a pipe takes, 4 KiB everywhere.
    ///   - mask: Its signal mask.
    /// - Returns: How it ended.
    /// - Throws: The call of the system that failed.
    func run(
        _ arguments: [String], input: [UInt8], mask: sigset_t
    ) throws(SystemFailure) -> Outcome {
        precondition(input.count <= 4_096)
        let given = try ChildPipe()
        let printed = try ChildPipe()
        let process = try Self.spawn(
            nil, arguments, environment,
            Descriptors(input: given.reader, output: printed.writer, errors: printed.writer),
            in: folder, mask)
        given.closeReader()
        printed.closeWriter()
        // A child that does not read is no failure of ours; it tells by its exit code.
        unsafe try? Descriptor.write(input.span.bytes, to: given.writer)
        given.closeWriter()
        let text = printed.readAll()
        return Outcome(exitCode: Self.wait(for: process), text: text)
    }

    /// The standard descriptors of a child.
    struct Descriptors {
        let input: Int32
        let output: Int32
        let errors: Int32
    }

    /// Starts this executable, or another one of its folder.
    ///
    /// - Parameters:
    ///   - program: The name of the executable; this one if nil.
    ///   - arguments: Those after the program's name.
    ///   - environment: Its environment variables.
    ///   - descriptors: Its standard descriptors.
    ///   - folder: Its current folder; that of this process if nil.
    ///   - mask: Its signal mask; that of this process if nil.
    ///   - hasOwnSession: Whether it gets a session of its own, without a terminal.
    /// - Returns: The process.
    /// - Throws: The call of the system that failed.
    static func spawn(
        _ program: String?, _ arguments: [String], _ environment: EnvironmentVariables,
        _ descriptors: Descriptors,
        in folder: String? = nil, _ mask: sigset_t? = nil, ownSession hasOwnSession: Bool = false
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
        if let folder { unsafe platform_spawn_in_folder(&actions, folder) }
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var flags: Int16 = hasOwnSession ? platform_spawn_new_session() : 0
        if var mask {
            unsafe posix_spawnattr_setsigmask(&attributes, &mask)
            flags |= Int16(POSIX_SPAWN_SETSIGMASK)
        }
        unsafe posix_spawnattr_setflags(&attributes, flags)

        let executable: String
        if let program {
            executable = try sibling(program)
        } else {
            executable = try Self.executable()
        }
        var words =
            unsafe ([program ?? CommandTable.taskvault.program] + arguments).map {
                unsafe strdup($0)
            } + [nil]
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

    /// The path of an executable in the folder of this one.
    static func sibling(_ program: String) throws(SystemFailure) -> String {
        guard let own = unsafe realpath(try executable(), nil) else {
            throw SystemFailure("realpath", code: errno)
        }
        defer { unsafe free(own) }
        let folder = unsafe String(cString: own).split(separator: "/").dropLast()
        return "/" + (folder + [program[...]]).joined(separator: "/")
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

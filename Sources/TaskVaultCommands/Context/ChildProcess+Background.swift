internal import CommandLine
internal import Platform

extension ChildProcess {
    /// Starts this executable in a session of its own and waits until it says that it is ready.
    ///
    /// It reads nothing. What it writes to standard output is looked at up to the first byte, what it writes to standard error only if it ends.
    ///
    /// - Parameters:
    ///   - arguments: Those after the program's name.
    ///   - environment: Its environment variables.
    ///   - mark: The byte that says so.
    /// - Returns: How it ended instead; nil if it became ready.
    /// - Throws: The call of the system that failed.
    static func startInBackground(
        _ arguments: [String], _ environment: EnvironmentVariables, until mark: UInt8
    ) throws(SystemFailure) -> Ending? {
        let nothing = unsafe platform_open("/dev/null", O_RDWR, 0)
        guard nothing >= 0 else { throw SystemFailure("open", code: errno) }
        defer { close(nothing) }
        let said = try ChildPipe()
        let errors = try ChildPipe()
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
            if count == 1, byte == mark { return nil }
            let explanation = errors.readAll()
            return Ending(exitCode: wait(for: process), errors: explanation)
        }
    }

    /// How a process ended that should have stayed.
    struct Ending {
        /// Its exit code; nil if a signal ended it.
        let exitCode: Int32?
        /// What it wrote to standard error.
        let errors: [UInt8]
    }
}

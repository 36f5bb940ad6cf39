/// A folder of mode 0700 for temporary files, which is removed with everything in it at the end.
///
/// Signals that end the program are blocked until then. A folder is locked while in use, so that the next program removes those of killed
/// programs.
package struct ScratchFolder: ~Copyable {
    private static let prefix = ".taskvault-scratch-"

    private let signals: BlockedSignals
    private let folder: FileDescriptor
    private let cleanup: UInt64?
    /// The path of the folder, without symbolic links.
    package let path: String

    /// Creates the folder in `parent`, and removes the folders of killed programs there.
    ///
    /// - Throws: ``SystemFailure``.
    package init(in parent: String) throws {
        let parent = try SafeFolder.resolve(parent)
        Self.sweep(parent)
        let signals = BlockedSignals()
        while true {
            let path =
                (parent == "/" ? "" : parent) + "/" + Self.prefix
                + String(UInt64.random(in: .min ... .max), radix: 16)
            guard unsafe mkdir(path, 0o700) == 0 else { throw SystemFailure.last("mkdir") }
            guard let folder = try? FileDescriptor(folder: path),
                flock(folder.number, LOCK_EX | LOCK_NB) == 0, FileSystem.exists(path)
            else {
                // Another program took the folder for that of a killed program.
                _ = unsafe rmdir(path)
                continue
            }
            self.signals = signals
            self.folder = folder
            self.path = path
            cleanup = InterruptibleWork.addCleanup { Self.removeInUse(path) }
            return
        }
    }

    /// The path of a file in the folder.
    package func file(_ name: String) -> String { path + "/" + name }

    /// Throws if a signal that ends the program is pending.
    ///
    /// - Throws: ``SystemFailure`` with `EINTR`; the signal takes effect when the folder is removed.
    package borrowing func requireNoSignal() throws {
        if signals.isPending { throw SystemFailure("write", code: EINTR) }
    }

    /// Runs a program on the terminal of this process, with the folder as its home, and waits for its end.
    ///
    /// The keys that send signals reach the program only. A signal that ends this process ends the program first.
    ///
    /// - Parameters:
    ///   - words: The path of the program, then its arguments.
    ///   - environment: All its environment variables.
    ///   - terminal: The descriptor of the terminal.
    /// - Returns: The end of the program.
    /// - Throws: ``SystemFailure``.
    package borrowing func runAtTerminal(
        _ words: [String], _ environment: EnvironmentVariables, _ terminal: Int32
    ) throws -> ChildProcess.Ending {
        let keys = [SIGINT, SIGQUIT]
        let before = keys.map { signal($0, SIG_IGN) }
        defer {
            // First ignored again, because a blocked signal waits although it is ignored.
            for (key, action) in zip(keys, before) {
                signal(key, SIG_IGN)
                signal(key, action)
            }
        }
        let process = try ChildProcess.start(
            words, environment: environment.entries, input: terminal, output: terminal,
            errors: terminal, in: .foreground)
        while true {
            if let ending = process.ending() { return ending }
            signal(SIGINT, SIG_IGN)
            if signals.isPending {
                process.end(within: Self.timeLimit)
                throw SystemFailure("write", code: EINTR)
            }
            SystemSleep.sleep(.milliseconds(20))
        }
    }

    /// The time that a program has for its end after a signal.
    private static let timeLimit: Duration = .seconds(1)

    deinit {
        Self.remove(path)
        InterruptibleWork.forget(cleanup)
    }

    /// Removes a folder in which another thread may still create files.
    private static func removeInUse(_ path: String) {
        for _ in 0..<100 where FileSystem.exists(path) { remove(path) }
    }

    private static func remove(_ path: String) {
        for name in (try? FileSystem.names(in: path)) ?? [] {
            // A symbolic link is removed, not followed.
            if unsafe unlink(path + "/" + name) != 0 { remove(path + "/" + name) }
        }
        _ = unsafe rmdir(path)
    }

    private static func sweep(_ parent: String) {
        for name in (try? FileSystem.names(in: parent)) ?? [] where name.hasPrefix(prefix) {
            let path = parent + "/" + name
            guard let status = try? FileStatus.of(path: path), status.isFolder,
                status.owner == geteuid(), let folder = try? FileDescriptor(folder: path),
                flock(folder.number, LOCK_EX | LOCK_NB) == 0
            else { continue }
            remove(path)
        }
    }
}

#if os(Linux)
    internal import Foundation

    /// Processes stopped by tests.
    package enum StoppedProcess {
        /// Stops a process, and returns when all of its threads are stopped. The threads stop one after the other.
        ///
        /// - Throws: The error of reading `/proc` if the process is gone; ``NeverStopped`` for a zombie.
        package static func stop(_ process: Int32) throws {
            kill(process, SIGSTOP)
            // Two minutes, for a busy machine.
            for _ in 0..<1_200_000 {
                if try isStopped(process) { return }
                usleep(100)
            }
            throw NeverStopped()
        }

        /// A process did not stop.
        package struct NeverStopped: Error {}

        /// Whether all of its threads are stopped, by a signal or by a tracer that forwards the signal.
        package static func isStopped(_ process: Int32) throws -> Bool {
            let folder = "/proc/\(process)/task"
            return try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy {
                // The file of a thread that ended meanwhile is gone.
                let file = "\(folder)/\($0)/stat"
                guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
                    return false
                }
                // The name in parentheses may contain any character; the state is the word after it.
                return text.range(of: ") ", options: .backwards).map {
                    "Tt".contains(text[$0.upperBound])
                } ?? false
            }
        }
    }
#endif

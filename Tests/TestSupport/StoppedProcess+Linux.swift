#if os(Linux)
    internal import Foundation

    /// Processes that tests have stopped.
    package enum StoppedProcess {
        /// Stops a process, and returns when it stands still: one thread takes the signal, and the others go on until they hear of it.
        ///
        /// - Throws: What reading `/proc` throws where the process is gone; ``NeverStopped`` where it has ended and nobody took note.
        package static func stop(_ process: Int32) throws {
            kill(process, SIGSTOP)
            // Two minutes, for a machine that has much else to do.
            for _ in 0..<1_200_000 {
                if try isStopped(process) { return }
                usleep(100)
            }
            throw NeverStopped()
        }

        /// A process did not stop.
        package struct NeverStopped: Error {}

        /// Whether all of its threads are stopped, by a signal or by a tracer that passes the signal on.
        package static func isStopped(_ process: Int32) throws -> Bool {
            let folder = "/proc/\(process)/task"
            return try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy {
                // A thread that ends meanwhile has no file any more.
                let file = "\(folder)/\($0)/stat"
                guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
                    return false
                }
                // The name in parentheses may contain anything; the state is the word after it.
                return text.range(of: ") ", options: .backwards).map {
                    "Tt".contains(text[$0.upperBound])
                } ?? false
            }
        }
    }
#endif

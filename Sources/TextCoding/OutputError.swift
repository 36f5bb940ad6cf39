package import Platform

/// Why something could not be written.
package enum OutputError: Error, Sendable, Hashable {
    /// The reader is gone (`EPIPE`). Needs no message: the reader closed the pipe itself.
    case brokenPipe
    /// The system has no guarded memory left for a secret on its way.
    case outOfMemory
    /// The system refused: the disk is full, for example.
    case failed(SystemFailure)
}

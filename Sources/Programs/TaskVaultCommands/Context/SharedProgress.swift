internal import CommandLine

/// A progress that a closure counts. Not thread-safe.
final class SharedProgress {
    private var progress: TransferProgress

    init(_ progress: consuming TransferProgress) {
        self.progress = progress
    }

    /// Counts more transferred bytes.
    func add(_ count: Int) { progress.add(count) }
}

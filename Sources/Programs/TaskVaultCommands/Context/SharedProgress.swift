internal import Application
internal import CommandLine

/// The progress of work on a file, whose pieces a closure counts. Not thread-safe.
final class SharedProgress {
    private var line: ProgressLine
    private let total: Int
    private var done = 0

    /// Begins a line for so many bytes, and shows it at once.
    init(_ title: String, of total: UInt64, _ console: Console) {
        self.total = Int(clamping: total)
        line = ProgressLine(title, descriptor: console.surroundings.errors)
        line.update(done: 0, of: self.total)
    }

    /// Counts more bytes.
    func add(_ count: Int) {
        done += count
        line.update(done: done, of: total)
    }
}

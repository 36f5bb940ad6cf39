/// The record of one process about one operation on a shared vault.
package struct HistoryLine: Sendable {
    /// The times before and after the call, by the system's monotonic clock in nanoseconds, which all processes share.
    package var began: UInt64
    package var ended: UInt64
    /// The counter of the state that the call committed; nil without a commit.
    package var counter: UInt64?
    /// The result of ``RandomOperation/run(on:)``.
    package var answer: String

    package init(began: UInt64, ended: UInt64, counter: UInt64?, answer: String) {
        self.began = began
        self.ended = ended
        self.counter = counter
        self.answer = answer
    }

    /// Parses ``text``.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let began = UInt64(parts[0]), let ended = UInt64(parts[1]) else {
            return nil
        }
        self.init(
            began: began, ended: ended, counter: UInt64(parts[2]), answer: String(parts[3]))
    }

    /// The line without its line end.
    package var text: String { "\(began)\t\(ended)\t\(counter.map(String.init) ?? "-")\t\(answer)" }
}

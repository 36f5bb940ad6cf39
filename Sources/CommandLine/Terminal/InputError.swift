/// Why nothing could be read. No case carries what was typed.
package enum InputError: Error, Sendable, Hashable {
    /// Nobody can be asked: standard input is not a terminal, or there is none.
    case noTerminal
    /// A signal such as Ctrl-C ended the prompt; the terminal is as it was before. `taskvault` exits with 130.
    case interrupted(signal: Int32)
    /// The input ended before a line was there.
    case endOfInput
    /// The line or the whole input is larger than `maximum` bytes. Nothing of it was kept.
    case tooLong(maximum: Int)
    /// The answer is not UTF-8.
    case notText
    /// The file is a folder.
    case isFolder
    /// The file is a terminal, which would show a secret that is typed there.
    case wouldShow
    /// The system has no guarded memory left.
    case outOfMemory
    /// The system refused.
    case failed(SystemFailure)
}

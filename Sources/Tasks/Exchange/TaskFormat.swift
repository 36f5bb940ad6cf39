internal import TextCoding

/// A kind of file with tasks (`Docs/TaskExchange.md`).
public enum TaskFormat: String, Sendable, Hashable, CaseIterable {
    /// TaskVault's own JSON, which leaves nothing out.
    case taskVault = "taskvault"
    /// The JSON of Taskwarrior's `task export` and `task import`.
    case taskwarrior
    /// The lines of todo.txt.
    case todoTxt = "todo.txt"

    /// The format of a file of JSON.
    ///
    /// - Throws: `notJSON`: each text could be a todo.txt, a list of passwords as well, so that one has to be named.
    static func detect(_ bytes: RawSpan) throws(TaskExchangeError) -> TaskFormat {
        var reader = TaskJSONReader(bytes)
        do throws(TaskExchangeError) {
            if try reader.nextKind(in: bytes) == .object {
                let key = try reader.nextKey(in: bytes, isFirst: true)
                return key == "format" ? .taskVault : .taskwarrior
            }
            if try reader.isTaskArray(in: bytes) { return .taskwarrior }
        } catch {
            throw .notJSON
        }
        throw .notJSON
    }
}

extension TaskJSONReader {
    /// Whether an array of objects begins here, or an empty one; `[ ] milk` is a line of todo.txt.
    fileprivate mutating func isTaskArray(in bytes: RawSpan) throws(TaskExchangeError) -> Bool {
        guard try nextKind(in: bytes) == .array else { return false }
        guard try nextElement(in: bytes, isFirst: true) else { return isAtEnd(in: bytes) }
        return try nextKind(in: bytes) == .object
    }
}

internal import TextCoding

extension TaskJSONReader {
    /// A value that has to be text.
    mutating func text(
        of member: String, in bytes: RawSpan
    ) throws(TaskExchangeError) -> String {
        guard try nextKind(in: bytes) == .string else { throw invalid(member, in: bytes) }
        return try text(in: bytes)
    }

    /// A value that has to be text or null.
    mutating func optionalText(
        of member: String, in bytes: RawSpan
    ) throws(TaskExchangeError) -> String? {
        if try skipNull(in: bytes) { return nil }
        return try text(of: member, in: bytes)
    }

    /// A value that has to be true or false.
    mutating func flag(of member: String, in bytes: RawSpan) throws(TaskExchangeError) -> Bool {
        guard try nextKind(in: bytes) == .boolean else { throw invalid(member, in: bytes) }
        return try boolean(in: bytes)
    }

    /// The error of a value that means nothing.
    mutating func invalid(_ member: String, in bytes: RawSpan) -> TaskExchangeError {
        .invalidMember(member, line: currentLine(in: bytes))
    }
}

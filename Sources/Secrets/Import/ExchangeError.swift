internal import TextCoding

/// Why a file cannot be imported. No case and no description has content of the file.
///
/// Lines count from 1 by their line ends, also inside quotes. Columns are fields and count from 1.
public enum ExchangeError: Error, Sendable, Hashable {
    /// The file is empty, or has only empty lines.
    case empty
    /// The file is larger than `maximum` bytes.
    case tooLarge(maximum: Int)
    /// The first line is not the header of an ``ExchangeFormat``.
    case unknownFormat
    /// Two columns of the header have the same name.
    case duplicateColumn(column: Int)
    /// A NUL byte, from damage or UTF-16.
    case nulByte(line: Int)
    /// The quoted field that begins on this line has no end.
    case unterminatedQuote(line: Int)
    /// A quotation mark in the middle of a field, or text after a quoted field.
    case strayQuote(line: Int, column: Int)
    /// The record that begins on this line has more or fewer fields than the header.
    case wrongFieldCount(line: Int, expected: Int, found: Int)
    /// A field that is a name or an attribute is not UTF-8.
    case invalidText(line: Int, column: Int)
    /// A class, a time, a Base64 value or an attribute list of TaskVault's own format is not valid.
    case invalidField(line: Int, column: Int)
    /// TaskVault's own JSON is not valid.
    case invalidJSON(line: Int)
    /// TaskVault's own JSON is of a newer version.
    case unsupportedVersion(Int)
}

extension ExchangeError: JSONReadingFailure {}

extension ExchangeError: CustomStringConvertible {
    /// The reason for a person, in lower case without a full stop.
    public var description: String {
        switch self {
        case .empty: "the file is empty"
        case .tooLarge(let maximum): "the file is larger than \(maximum) bytes"
        case .unknownFormat:
            "the first line is not the header of a known format: "
                + ExchangeFormat.allCases.map(\.title).joined(separator: ", ")
        case .duplicateColumn(let column): "line 1: the name of column \(column) occurs twice"
        case .nulByte(let line): "line \(line): a NUL byte; the text is not UTF-8"
        case .unterminatedQuote(let line): "line \(line): the quoted field has no end"
        case .strayQuote(let line, let column):
            "line \(line), column \(column): an unexpected quotation mark"
        case .wrongFieldCount(let line, let expected, let found):
            "line \(line): \(found) fields where the header has \(expected)"
        case .invalidText(let line, let column): "line \(line), column \(column): not UTF-8"
        case .invalidField(let line, let column):
            "line \(line), column \(column): not valid in an export of TaskVault"
        case .invalidJSON(let line): "line \(line): not valid JSON of TaskVault"
        case .unsupportedVersion(let version): "written by a newer TaskVault (version \(version))"
        }
    }
}

public import SecureStorage
internal import TextCoding

/// Why a file could not be imported. No case and no description carries any of the file's content.
///
/// Lines count from 1 by their line ends, also inside quotes; columns are fields and count from 1.
public enum ExchangeError: Error, Sendable, Hashable {
    /// The file has no bytes, or nothing but empty lines.
    case empty
    /// The file is larger than `maximum` bytes.
    case tooLarge(maximum: Int)
    /// The first line is the header of none of ``ExchangeFormat``'s formats.
    case unknownFormat
    /// Two columns of the header have the same name.
    case duplicateColumn(column: Int)
    /// A NUL: damage, or text in UTF-16.
    case nulByte(line: Int)
    /// The quoted field that begins on this line has no end.
    case unterminatedQuote(line: Int)
    /// A quotation mark in the middle of a field, or text after a quoted field.
    case strayQuote(line: Int, column: Int)
    /// The record that begins on this line has more or fewer fields than the header.
    case wrongFieldCount(line: Int, expected: Int, found: Int)
    /// A field that is a name or an attribute is not UTF-8.
    case invalidText(line: Int, column: Int)
    /// A field of TaskVault's own format has no meaning: a class, a time, base64 or an attribute list.
    case invalidField(line: Int, column: Int)
    /// TaskVault's own JSON is not as the exporter writes it.
    case invalidJSON(line: Int)
    /// TaskVault's own JSON, from a newer version.
    case unsupportedVersion(Int)
    /// The receiver of the secrets cannot go on.
    case store(SecureStoreError)
    /// Guarded memory is used up.
    case outOfMemory
}

extension ExchangeError: JSONReadingFailure {}

extension ExchangeError: CustomStringConvertible {
    /// The reason for a person: lower case, no full stop.
    public var description: String {
        switch self {
        case .empty: "the file is empty"
        case .tooLarge(let maximum): "the file is larger than \(maximum) bytes"
        case .unknownFormat:
            "the first line is not the header of a known format: "
                + ExchangeFormat.allCases.map(\.title).joined(separator: ", ")
        case .duplicateColumn(let column): "line 1: the name of column \(column) occurs twice"
        case .nulByte(let line): "line \(line): a NUL byte, so this is not text in UTF-8"
        case .unterminatedQuote(let line): "line \(line): the quoted field has no end"
        case .strayQuote(let line, let column):
            "line \(line), column \(column): a quotation mark where none may be"
        case .wrongFieldCount(let line, let expected, let found):
            "line \(line): \(found) fields where the header has \(expected)"
        case .invalidText(let line, let column): "line \(line), column \(column): not UTF-8"
        case .invalidField(let line, let column):
            "line \(line), column \(column): not what TaskVault writes there"
        case .invalidJSON(let line): "line \(line): not the JSON that TaskVault writes"
        case .unsupportedVersion(let version): "written by a newer TaskVault (version \(version))"
        case .store(let error): "the store refused: \(error)"
        case .outOfMemory: "no guarded memory left"
        }
    }
}

internal import TextCoding

/// The reason why a file cannot be imported. No case and no description contains text of the file, except the names of columns.
///
/// Lines count from 1, and line ends inside quotes count as well. A column is the number of a
/// field, from 1.
public enum ExchangeError: Error, Sendable, Hashable {
    /// The file is empty or has only empty lines.
    case empty
    /// The file is larger than `maximum` bytes.
    case tooLarge(maximum: Int)
    /// The file has none of the ``ExchangeFormat`` formats.
    case unknownFormat
    /// The header of a CSV file is unknown. These are its columns, if they are names.
    case unknownColumns([String])
    /// The user named a column that the file does not have. These are its columns, if they are names.
    case missingColumn(String, [String])
    /// The user named columns of a file that is not CSV, or has the columns of TaskVault.
    case noColumns
    /// The export is encrypted, as a whole or in its values.
    case encrypted
    /// The file is a KeePass database and not an export.
    case keePassDatabase
    /// Two columns of the header have the same name.
    case duplicateColumn(column: Int)
    /// A NUL byte, from damage or from UTF-16.
    case nulByte(line: Int)
    /// The quoted field that starts on this line has no end.
    case unterminatedQuote(line: Int)
    /// A quotation mark in the middle of a field, or text after a quoted field.
    case strayQuote(line: Int, column: Int)
    /// The record that starts on this line has more or fewer fields than the header.
    case wrongFieldCount(line: Int, expected: Int, found: Int)
    /// A field that is a name or an attribute is not UTF-8.
    case invalidText(line: Int, column: Int)
    /// A class, a time, a Base64 value or an attribute list of TaskVault's format is invalid.
    case invalidField(line: Int, column: Int)
    /// The JSON is invalid, or has another structure.
    case invalidJSON(line: Int)
    /// The XML is not well-formed, or has another structure.
    case invalidXML(line: Int)
    /// The XML has a document type declaration, which could define entities.
    case documentType(line: Int)
    /// The ZIP archive is damaged or unsupported; `reason` is a constant text.
    case invalidArchive(reason: String)
    /// A program or library of this name is not installed.
    case notInstalled(String)
    /// The directory has no `pass` entries.
    case emptyStore
    /// `gpg` could not decrypt any `pass` entry.
    case notDecrypted
    /// TaskVault's JSON has a newer version.
    case unsupportedVersion(Int)
}

extension ExchangeError: JSONReadingFailure {}

extension ExchangeError: CustomStringConvertible {
    /// The reason for the user, in lower case without a full stop.
    public var description: String {
        switch self {
        case .empty: "the file is empty"
        case .tooLarge(let maximum): "the file is larger than \(maximum) bytes"
        case .unknownFormat:
            "the file has no known format: " + Self.formats
        case .unknownColumns(let columns):
            "the file has no known format (\(Self.formats)); its columns: " + Self.list(columns)
        case .missingColumn(let name, let columns):
            "the file has no column \(name)"
                + (columns.isEmpty ? "" : "; its columns: " + Self.list(columns))
        case .noColumns: "--map is for CSV files of other programs"
        case .encrypted: "the export is encrypted"
        case .keePassDatabase: "the file is an encrypted KeePass database, not an export"
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
        case .invalidJSON(let line): "line \(line): not valid JSON of a known format"
        case .invalidXML(let line): "line \(line): not valid XML of KeePass"
        case .documentType(let line): "line \(line): XML with a document type is refused"
        case .invalidArchive(let reason): "the ZIP archive is refused: \(reason)"
        case .notInstalled(let name): "\(name) is not installed"
        case .emptyStore: "the folder has no entries of pass"
        case .notDecrypted: "gpg cannot decrypt any entry of the folder"
        case .unsupportedVersion(let version): "written by a newer TaskVault (version \(version))"
        }
    }

    /// The titles of the known formats.
    package static var formats: String {
        ExchangeFormat.allCases.filter { $0 != .mapped }.map(\.title).joined(separator: ", ")
    }

    /// At most thirty columns.
    private static func list(_ columns: [String]) -> String {
        let shown = columns.prefix(30).map { String($0.prefix(40)) }
        return (shown + (columns.count > 30 ? ["…"] : [])).joined(separator: ", ")
    }
}

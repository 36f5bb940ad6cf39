package import Foundation

/// The source folder of the tests, with its documents, vectors and scripts.
package enum Checkout {
    /// The folder of the package.
    package static let folder = (1...4).reduce(
        URL(filePath: #filePath)
    ) { path, _ in path.deletingLastPathComponent() }

    /// The path of a file in it.
    package static func path(_ file: String) -> String { folder.appending(path: file).path }

    /// The text of a file in it; empty if the file does not exist.
    package static func text(_ file: String) -> String {
        (try? String(contentsOf: folder.appending(path: file), encoding: .utf8)) ?? ""
    }

    /// The lines of the first block of SQL after a heading of `Docs/Storage.md`, or of another document.
    package static func statements(
        under heading: String, in document: String = "Docs/Storage.md"
    ) -> [String] {
        text(document).split(separator: "\n", omittingEmptySubsequences: false)
            .drop { $0 != heading }.drop { $0 != "```sql" }.dropFirst()
            .prefix { $0 != "```" }.map(String.init)
    }

    /// The same tables and indexes for PostgreSQL, by the rules under "The tables" of `Docs/Storage.md`.
    package static func postgreSQLStatements(under heading: String) -> [String] {
        let types = [
            ("INTEGER", "bigint"), ("BLOB", "bytea"), ("TEXT", "text COLLATE \"C\""),
            (" STRICT, WITHOUT ROWID", ""), (" STRICT", ""),
        ]
        let tables = statements(under: heading).map { statement in
            types.reduce(statement) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
        }
        return ["CREATE TABLE version (version bigint NOT NULL)"] + tables
    }
}

internal import Database
internal import TextCoding

/// Why accounts were not copied.
public enum AccountCopyError: Error, Sendable, Hashable {
    /// The other database has accounts, invitations or checklists.
    case notEmpty
}

/// The result of a copy.
public struct AccountCopy: Sendable, Hashable {
    /// The number of accounts.
    public let accounts: Int
    /// The number of sessions that were ended, because the copy may bring back ended ones.
    public let endedSessions: Int
}

/// Copying all rows between databases, of either kind.
extension AccountRepository {
    /// Copies all rows into another database, in one transaction of each: no other process can write into this one meanwhile, and the other one has all
    /// of them or none.
    ///
    /// - Returns: The number of accounts.
    /// - Throws: ``AccountCopyError``; an error of either database.
    public func move(to target: AccountRepository) throws -> AccountCopy {
        try pool.write { source in
            try target.pool.write { writer in
                for table in ["accounts", "invitations", "checklists"] {
                    let hasRows =
                        try writer.row(Self.statement("SELECT 1 FROM \(table) LIMIT 1")) { _ in true
                        }
                    guard hasRows == nil else { throw AccountCopyError.notEmpty }
                }
                return AccountCopy(accounts: try Self.copy(source, to: writer), endedSessions: 0)
            }
        }
    }

    /// Replaces all rows of another database by those of this one, and ends all sessions there, in one transaction.
    ///
    /// - Parameter administration: Of the other database; it notes the ends.
    /// - Returns: The numbers of accounts and of ended sessions.
    /// - Throws: An error of either database.
    public func restore(into administration: AccountAdministration) throws -> AccountCopy {
        try pool.read { source in
            try administration.repository.pool.write { writer in
                AccountCopy(
                    accounts: try Self.copy(source, to: writer),
                    endedSessions: try administration.endAllSessions(in: AccountTransaction(writer))
                )
            }
        }
    }

    /// Copies all rows in place of those of the other database.
    private static func copy(_ source: Transaction, to target: Transaction) throws -> Int {
        var accounts = 0
        let entries = AccountSchema.entries
        for table in entries.compactMap({ CopiedTable($0, among: entries) }) {
            try target.change(statement("DELETE FROM \(table.name)"))
            let count = try table.copy(source, to: target)
            if table.name == "accounts" { accounts = count }
        }
        return accounts
    }

    fileprivate static func statement(_ text: String) -> SQL { SQL(constant: text) }
}

/// A table as its statement in the schema describes it.
private struct CopiedTable {
    /// The number of rows that are read at once: a database server's answer is in memory, and a blob of sync has up to 1 MiB.
    private var pageSize: Int { name == "sync_blobs" ? 16 : 256 }

    let name: String
    private let columns: [(name: String, type: String)]
    /// The columns of the primary key, or without one of a unique index.
    private let key: [Int]

    /// Reads the statement of a table; nil for an index.
    init?(_ entry: Schema.Entry, among entries: [Schema.Entry]) {
        let prefix = "CREATE TABLE \(entry.name) ("
        guard entry.sqlite.hasPrefix(prefix), let end = entry.sqlite.lastIndex(of: ")")
        else { return nil }
        let content = entry.sqlite[..<end].dropFirst(prefix.count)
        func parts(_ text: Substring) -> [Substring] {
            text.split(separator: ",").map { $0.drop { $0 == " " } }
        }
        let keyPlace = content.byteRange(of: ", PRIMARY KEY (")
        let described = parts(content[..<(keyPlace?.lowerBound ?? content.endIndex)])
        name = entry.name
        columns = described.map { column in
            let words = column.split(separator: " ")
            return (name: String(words[0]), type: String(words[1]))
        }
        var names =
            keyPlace.map { parts(content[$0.upperBound...].prefix { $0 != ")" }) }
            ?? described.filter { $0.hasSuffix(" PRIMARY KEY") }.map { $0.prefix { $0 != " " } }
        let place = " ON \(entry.name) ("
        if names.isEmpty,
            let index = entries.lazy.map(\.sqlite).first(where: {
                $0.hasPrefix("CREATE UNIQUE INDEX ") && $0.has(place)
            }), let range = index.byteRange(of: place)
        {
            names = parts(index[range.upperBound...].prefix { $0 != ")" })
        }
        let all = columns.map(\.name)
        key = names.compactMap { all.firstIndex(of: String($0)) }
        precondition(!key.isEmpty, "\(name) has no key")
    }

    /// Copies the rows in the order of their keys, and counts them.
    func copy(_ source: Transaction, to target: Transaction) throws -> Int {
        let all = columns.map(\.name).joined(separator: ", ")
        let keys = key.map { columns[$0].name }.joined(separator: ", ")
        let after = key.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let order = "ORDER BY \(keys) LIMIT \(pageSize)"
        let first = SQL(constant: "SELECT \(all) FROM \(name) \(order)")
        let next = SQL(constant: "SELECT \(all) FROM \(name) WHERE (\(keys)) > (\(after)) \(order)")
        let places = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let insert = SQL(constant: "INSERT INTO \(name) (\(all)) VALUES (\(places))")
        var count = 0
        var last: [DatabaseValue]?
        while true {
            let page = try source.rows(last == nil ? first : next, last ?? [], values)
            for row in page { try target.change(insert, row) }
            count += page.count
            guard page.count == pageSize, let row = page.last else { return count }
            last = key.map { row[$0] }
        }
    }

    private func values(_ row: any Row) throws -> [DatabaseValue] {
        try columns.enumerated().map { number, column in
            let number = Int32(number)
            return switch column.type {
            case "INTEGER": .integer(try row.optionalInteger(number))
            case "BLOB": .bytes(try row.optionalBytes(number))
            default: .text(try row.optionalText(number))
            }
        }
    }
}

import Database
import Platform
import TestSupport

/// Makes files that pretend to be vaults.
enum HostileFile {
    /// The schema of `Docs/Format.md`, section 7, copied from there and not from the code.
    static let schema = """
        CREATE TABLE header (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE buckets (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE links (counter INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE chunks (version BLOB NOT NULL, number INTEGER NOT NULL, stored INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (version, number)) STRICT, WITHOUT ROWID;
        CREATE TABLE earlier (item_id BLOB NOT NULL, revision INTEGER NOT NULL, class INTEGER NOT NULL, format INTEGER NOT NULL, attributes BLOB NOT NULL, value BLOB NOT NULL, moved BLOB NOT NULL, PRIMARY KEY (item_id, revision)) STRICT, WITHOUT ROWID;
        CREATE TABLE items (tag BLOB PRIMARY KEY, item_id BLOB NOT NULL, class INTEGER NOT NULL, revision INTEGER NOT NULL, format INTEGER NOT NULL, attributes BLOB NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
        PRAGMA application_id = 1414941780;
        PRAGMA user_version = 2;

        """

    /// Makes an SQLite file of mode 0600 by SQL.
    static func make(at path: String, script: String) throws {
        let database = try SQLiteConnection(path: path, options: .init(access: .create))
        defer { database.close() }
        try database.run(script: script)
        guard unsafe chmod(path, 0o600) == 0 else { throw TestFile.Failure(code: errno) }
    }

    /// Makes a vault file whose tables take any type although their text says `STRICT`.
    ///
    /// A comment of the same length stands for the word while the rows are written, and is overwritten in the file afterwards.
    static func makeLax(at path: String, rows: String) throws {
        let word = "STRICT,"
        let comment = "/*****/"
        let lax = schema.replacing(word, with: comment).replacing("NOT NULL", with: "/*null*/")
        try make(at: path, script: lax + rows)
        var bytes = try TestFile.read(path)
        for (from, to) in [(comment, word), ("/*null*/", "NOT NULL")] {
            var start = 0
            while let found = bytes.firstIndex(of: Array(from.utf8), from: start) {
                bytes.replaceSubrange(found..<found + to.utf8.count, with: Array(to.utf8))
                start = found
            }
        }
        try TestFile.write(bytes, to: path)
    }
}

internal import CSQLite

/// The SQLite library of this process.
public enum SQLiteLibrary {
    /// Its name and version, by `sqlite3_libversion`.
    public static var title: String { "SQLite " + (unsafe String(cString: sqlite3_libversion())) }
}

/// Stands for a database library of the consumer's own, whose module has a common name.
public enum SQLite {
    /// The file of some database in a folder.
    public static func file(in folder: String) -> String { folder + "/notes.db" }
}

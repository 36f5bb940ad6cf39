/// The text of a statement: one text for both databases, or one for each.
///
/// Values cannot be interpolated into a literal, which excludes SQL injection.
package struct SQL: Sendable, ExpressibleByStringLiteral {
    enum Text: Sendable {
        /// A literal. It is prepared once for each connection.
        case literal(StaticString)
        /// A concatenation of literals that the program keeps, prepared once for each connection.
        case constant(ConstantText)
        /// A concatenation of literals, prepared for each run.
        case assembled(String)
    }

    let sqlite: Text
    let postgreSQL: Text

    /// Creates a statement with the same text for both databases.
    package init(stringLiteral text: StaticString) {
        sqlite = .literal(text)
        postgreSQL = .literal(text)
    }

    /// Creates a statement with a text for each database.
    package init(sqlite: StaticString, postgreSQL: StaticString) {
        self.sqlite = .literal(sqlite)
        self.postgreSQL = .literal(postgreSQL)
    }

    /// Creates a statement from texts that the program assembled from its own literals, for a `static let`. They are prepared once, as
    /// literals are.
    package init(constantForSQLite sqlite: String, postgreSQL: String) {
        self.sqlite = .constant(ConstantText(sqlite))
        self.postgreSQL = .constant(ConstantText(postgreSQL))
    }

    /// Creates a statement with the same constant text for both databases.
    package init(constant text: String) {
        self.init(constantForSQLite: text, postgreSQL: text)
    }

    /// Texts assembled from the program's own literals, prepared for each run.
    package init(assembledForSQLite sqlite: String, postgreSQL: String) {
        self.sqlite = .assembled(sqlite)
        self.postgreSQL = .assembled(postgreSQL)
    }
}

/// The text of a statement, with an identity by which a connection finds the prepared statement.
final class ConstantText: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// One statement in the words of each database: the parameters are numbered alike, and a row has the same columns.
///
/// A connection prepares a statement once and knows it by the address of its literal.
struct AccountStatement: Sendable {
    let sqlite: StaticString
    let postgreSQL: StaticString
}

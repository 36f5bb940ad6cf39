internal import Database

/// Checklists.
extension AccountTransaction {
    /// A checklist by its id; nil if there is none.
    public func checklist(_ id: String) throws -> PublishedChecklist? {
        try transaction.row(
            """
            SELECT id, revision, published, title, summary, picture, count, items
            FROM checklists WHERE id = $1
            """, [.text(id)], PublishedChecklist.init)
    }

    /// All checklists, by title and id. Their items are left out: ``PublishedChecklist/items`` is empty.
    public func checklists() throws -> [PublishedChecklist] {
        try transaction.rows(
            """
            SELECT id, revision, published, title, summary, picture, count, ''
            FROM checklists ORDER BY title, id
            """, [], PublishedChecklist.init)
    }

    /// Stores a checklist in place of an earlier one of the same id.
    public func put(_ checklist: PublishedChecklist) throws {
        try transaction.change(
            """
            INSERT INTO checklists
                (id, revision, published, title, summary, picture, count, items)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (id) DO UPDATE SET revision = $2, published = $3, title = $4, summary = $5,
                picture = $6, count = $7, items = $8
            """,
            [
                .text(checklist.id), .integer(checklist.revision), .time(checklist.published),
                .text(checklist.title), .text(checklist.summary), .text(checklist.picture),
                .integer(Int64(checklist.count)), .text(checklist.items),
            ])
    }

    /// Removes a checklist.
    ///
    /// - Returns: Whether it existed.
    public func removeChecklist(_ id: String) throws -> Bool {
        try transaction.change("DELETE FROM checklists WHERE id = $1", [.text(id)]) == 1
    }
}

extension PublishedChecklist {
    fileprivate init(_ row: any Row) throws {
        self.init(
            id: try row.text(0), revision: try row.integer(1), published: try row.time(2),
            title: try row.text(3), summary: try row.text(4), picture: try row.optionalText(5),
            count: try row.count(6), items: try row.text(7))
    }
}

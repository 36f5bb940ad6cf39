/// Reads one row by a prepared statement and opens its two blobs.
final class BareReader {
    private let select: BareStatement
    private let keys: BareKeys
    private var attributesContext: BareContext
    private var valueContext: BareContext
    private var attributes = [UInt8](repeating: 0, count: 4_096)
    private(set) var value = [UInt8](repeating: 0, count: 4_096)

    init(_ database: BareDatabase, _ keys: BareKeys) throws {
        self.keys = keys
        select = try database.prepare(
            """
            SELECT tag, item_id, class, revision, format, attributes, value
            FROM items WHERE tag = ?1
            """)
        attributesContext = BareContext(purpose: 3, vaultID: keys.vaultID, part: 1)
        valueContext = BareContext(purpose: 4, vaultID: keys.vaultID, part: 2)
    }

    /// Reads and opens the row with a tag.
    ///
    /// - Returns: `false` if there is none.
    func read(_ tag: [UInt8]) throws -> Bool {
        try unsafe tag.withUnsafeBytes { tag in
            unsafe select.bind(tag, at: 1)
            defer { select.reset() }
            guard try select.step() else { return false }
            let (id, accessClass, revision) = unsafe (
                select.blob(at: 1), select.integer(at: 2), select.integer(at: 3)
            )
            unsafe attributesContext.set(id: id, accessClass: accessClass, revision: revision)
            try unsafe attributesContext.open(select.blob(at: 5), keys.attribute, into: &attributes)
            unsafe valueContext.set(id: id, accessClass: accessClass, revision: revision)
            try unsafe valueContext.open(select.blob(at: 6), keys.value, into: &value)
            return true
        }
    }
}

/// Reads all rows and opens the attributes of each.
final class BareLister {
    private let select: BareStatement
    private let keys: BareKeys
    private var context: BareContext
    private var attributes = [UInt8](repeating: 0, count: 4_096)

    init(_ database: BareDatabase, _ keys: BareKeys) throws {
        self.keys = keys
        select = try database.prepare(
            """
            SELECT tag, item_id, class, revision, format, attributes, value
            FROM items ORDER BY tag
            """)
        context = BareContext(purpose: 3, vaultID: keys.vaultID, part: 1)
    }

    /// - Returns: The number of rows.
    func list() throws -> Int {
        var count = 0
        while try select.step() {
            unsafe context.set(
                id: select.blob(at: 1), accessClass: select.integer(at: 2),
                revision: select.integer(at: 3))
            try unsafe context.open(select.blob(at: 5), keys.attribute, into: &attributes)
            count += 1
        }
        select.reset()
        return count
    }
}

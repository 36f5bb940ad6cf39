internal import Database

/// The content of files, in chunks.
extension StoredRecords {
    func forEachChunk(_ body: (ChunkRecord) throws -> Void) throws {
        // 2 MiB in a sound vault.
        let limit = DatabaseValue.integer(32)
        var last: ChunkRecord?
        while true {
            let page =
                if let last {
                    try transaction.rows(
                        """
                        SELECT version, number, stored, bytes FROM chunks
                        WHERE (version, number) > ($1, $2) ORDER BY version, number LIMIT $3
                        """, [.bytes(last.version), .integer(last.number), limit]
                    ) { try ChunkRecord($0) }
                } else {
                    try transaction.rows(
                        """
                        SELECT version, number, stored, bytes FROM chunks
                        ORDER BY version, number LIMIT $1
                        """, [limit]
                    ) { try ChunkRecord($0) }
                }
            for chunk in page { try body(chunk) }
            // Each page must begin after the one before, because a server that repeats rows would cause an endless loop.
            guard let end = page.last, last.map({ end.isAfter($0) }) ?? true else { return }
            last = end
        }
    }

    func putChunk(_ chunk: ChunkRecord) throws {
        try transaction.change(
            """
            INSERT INTO chunks (version, number, stored, bytes) VALUES ($1, $2, $3, $4)
            ON CONFLICT (version, number) DO UPDATE SET stored = $3, bytes = $4
            """,
            [
                .bytes(chunk.version), .integer(chunk.number), .integer(chunk.stored),
                .bytes(chunk.bytes),
            ])
    }

    func removeAllChunks() throws {
        try transaction.change("DELETE FROM chunks")
    }
}

extension ChunkRecord {
    fileprivate init(_ row: any Row) throws {
        self.init(
            version: try row.bytes(0), number: try row.integer(1), stored: try row.integer(2),
            bytes: try row.bytes(3))
    }

    fileprivate func isAfter(_ other: ChunkRecord) -> Bool {
        version == other.version
            ? number > other.number : other.version.lexicographicallyPrecedes(version)
    }
}

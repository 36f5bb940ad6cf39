extension RecordWriter {
    /// Replaces everything by what another storage has.
    package func replaceAll(with source: any RecordReader) throws(DatabaseError) {
        try removeAllBuckets()
        var tags: [[UInt8]] = []
        try Self.flat { () throws(StorageFailure<DatabaseError>) in
            try forEachItem { (item) throws(DatabaseError) in tags.append(item.tag) }
        }
        for tag in tags { try removeItem(tag: tag) }
        guard let header = try source.header(), let state = try source.state() else {
            throw .foreign(reason: "header or state is missing")
        }
        try putHeader(header)
        if let old = try self.state() {
            guard try replaceState(old, with: state) else { throw .busy }
        } else {
            try insertState(state)
        }
        for bucket in try source.buckets() {
            guard let number = UInt8(exactly: bucket.number) else {
                throw .damaged(reason: "a bucket number is out of range")
            }
            try putBucket(number, bytes: bucket.bytes)
        }
        try Self.flat { () throws(StorageFailure<DatabaseError>) in
            try source.forEachItem { (item) throws(DatabaseError) in try insertItem(item) }
        }
    }

    private static func flat(
        _ body: () throws(StorageFailure<DatabaseError>) -> Void
    ) throws(DatabaseError) {
        do throws(StorageFailure<DatabaseError>) {
            try body()
        } catch {
            switch error {
            case .storage(let error), .body(let error): throw error
            }
        }
    }
}

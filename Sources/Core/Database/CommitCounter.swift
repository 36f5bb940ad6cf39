internal import CSQLite
internal import Platform

/// A number for each state of a database: it changes with each commit, of any connection of any process.
package struct CommitCount: Sendable, Hashable {
    /// The header of the index of a file's log: the number of commits, with the sizes, salts and sums of the log.
    fileprivate var header = SIMD16<UInt32>()

    /// Makes a count that no database has.
    package init() {}
}

/// The count of the commits to a file, in the memory that SQLite's connections share. Reading it takes no lock and no system call.
///
/// `@unchecked Sendable`: the connection, which only keeps the memory, is used at the beginning and the end alone.
@safe final class CommitCounter: @unchecked Sendable {
    private let database: SQLiteDatabase
    private let index: UnsafeRawPointer
    private let path: String
    private let identity: FileIdentity

    /// Takes over a connection to the file at a path; nil if it has no log.
    init?(_ database: SQLiteDatabase, path: String) throws {
        guard let identity = try FileStatus.of(path: path)?.identity,
            let index = unsafe csqlite_log_index(try database.connection.open())
        else {
            database.close()
            return nil
        }
        self.database = database
        self.path = path
        self.identity = identity
        unsafe self.index = UnsafeRawPointer(index)
    }

    deinit {
        database.close()
    }

    /// The count; nil while a commit changes it.
    func read() -> CommitCount? {
        var count = CommitCount()
        let isRead = unsafe withUnsafeMutableBytes(of: &count.header) { header in
            unsafe csqlite_read_log_header(index, header.baseAddress)
        }
        return isRead ? count : nil
    }

    /// Whether the path still names the file.
    var isCurrent: Bool { (try? FileStatus.of(path: path))??.identity == identity }
}

/// The counter of a pool, as one thread uses it.
struct CommitCounterShare {
    /// How long a replaced file may stay unnoticed.
    private static let period = Duration.seconds(1)

    private var counter: CommitCounter?
    private var nextCheck = MonotonicTime(nanoseconds: 0)
    private var isClosed = false

    /// Reads the count. Once a second it looks whether the file was replaced, and gets another counter then.
    mutating func read(_ open: () -> CommitCounter?) -> CommitCount? {
        if isClosed { return nil }
        let now = MonotonicTime.now
        if now >= nextCheck {
            nextCheck = now + Self.period
            if counter?.isCurrent != true { counter = open() }
        }
        return counter?.read()
    }

    mutating func close() {
        isClosed = true
        counter = nil
    }
}

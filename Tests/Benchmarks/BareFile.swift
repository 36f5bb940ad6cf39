internal import CSodium
internal import Platform

/// `crypto_secretstream` and SQLite by their C functions alone: the least that a file in a vault can cost.
@safe final class BareFile {
    private static let chunk = 65_536
    private static let overhead = Int(crypto_secretstream_xchacha20poly1305_ABYTES)
    /// As many as the product writes in one transaction.
    private static let batch = 32

    private let database: BareDatabase
    private let key = [UInt8](repeating: 7, count: 32)
    private var header = [UInt8](repeating: 0, count: 24)

    /// Makes the database.
    init(_ path: String) throws {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { throw BenchmarkFailure("no file \(path)") }
        close(descriptor)
        database = try BareDatabase(path)
        try database.run(
            """
            CREATE TABLE chunks (version BLOB NOT NULL, number INTEGER NOT NULL, stored INTEGER NOT NULL, bytes BLOB NOT NULL,
                PRIMARY KEY (version, number)) STRICT, WITHOUT ROWID
            """)
    }

    /// The time to seal and store a file, durably, in nanoseconds.
    func timeAdding(_ source: String, version: UInt8) throws -> Double {
        let insert = try database.prepare("INSERT INTO chunks VALUES (?1, ?2, 0, ?3)")
        return try Clock.time {
            let input = unsafe open(source, O_RDONLY)
            defer { close(input) }
            var state = crypto_secretstream_xchacha20poly1305_state()
            unsafe crypto_secretstream_xchacha20poly1305_init_push(&state, &header, key)
            var plain = [UInt8](repeating: 0, count: Self.chunk)
            var sealed = [UInt8](repeating: 0, count: Self.chunk + Self.overhead)
            let id = [UInt8](repeating: version, count: 16)
            var number: Int64 = 0
            try database.run("BEGIN IMMEDIATE")
            while true {
                let count = unsafe read(input, &plain, plain.count)
                if count == 0 { break }
                guard count > 0 else { throw BenchmarkFailure("cannot read \(source)") }
                unsafe crypto_secretstream_xchacha20poly1305_push(
                    &state, &sealed, nil, plain, UInt64(count), nil, 0, 0)
                try unsafe id.withUnsafeBytes { id in
                    try unsafe sealed.withUnsafeBytes { sealed in
                        unsafe insert.bind(id, at: 1)
                        insert.bind(number, at: 2)
                        unsafe insert.bind(
                            UnsafeRawBufferPointer(rebasing: sealed.prefix(count + Self.overhead)),
                            at: 3)
                        try insert.run()
                    }
                }
                number += 1
                if number.isMultiple(of: Int64(Self.batch)) {
                    try database.run("COMMIT; BEGIN IMMEDIATE")
                }
            }
            try database.run("COMMIT")
        }
    }

    /// The time to open the file that was added last and to write it, durably, in nanoseconds.
    func timeGetting(version: UInt8, to target: String) throws -> Double {
        let select = try database.prepare(
            "SELECT bytes FROM chunks WHERE version = ?1 AND number = ?2")
        return try Clock.time {
            let output = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL, 0o600)
            defer { close(output) }
            var state = crypto_secretstream_xchacha20poly1305_state()
            unsafe crypto_secretstream_xchacha20poly1305_init_pull(&state, header, key)
            var plain = [UInt8](repeating: 0, count: Self.chunk)
            let id = [UInt8](repeating: version, count: 16)
            var number: Int64 = 0
            var isThere = true
            while isThere {
                try unsafe id.withUnsafeBytes { id in
                    unsafe select.bind(id, at: 1)
                    select.bind(number, at: 2)
                    isThere = try select.step()
                    defer { select.reset() }
                    guard isThere else { return }
                    let sealed = unsafe select.blob(at: 0)
                    let result = unsafe crypto_secretstream_xchacha20poly1305_pull(
                        &state, &plain, nil, nil,
                        sealed.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        UInt64(sealed.count), nil, 0)
                    let count = sealed.count - Self.overhead
                    guard result == 0, unsafe write(output, plain, count) == count else {
                        throw BenchmarkFailure("a chunk cannot be read")
                    }
                }
                number += 1
            }
            guard fsync(output) == 0 else { throw BenchmarkFailure("no fsync") }
        }
    }
}

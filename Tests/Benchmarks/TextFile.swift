internal import Platform

/// Files of text.
enum TextFile {
    static func read(_ path: String) throws -> String {
        guard let file = unsafe fopen(path, "r") else { return "" }
        defer { unsafe fclose(file) }
        return unsafe rest(of: file)
    }

    /// The rest of an open file.
    static func rest(of file: UnsafeMutablePointer<FILE>) -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe fread(&buffer, 1, buffer.count, file)
            if count == 0 { break }
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Writes a file, in place of one of that name.
    static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = unsafe fopen(path, "w") else {
            throw BenchmarkFailure("cannot write \(path)")
        }
        let count = unsafe fwrite(bytes, 1, bytes.count, file)
        guard unsafe fclose(file) == 0, count == bytes.count else {
            throw BenchmarkFailure("cannot write \(path)")
        }
    }
}

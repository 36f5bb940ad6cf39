@testable import Tasks
import TextCoding

/// Properties of all files with tasks. `HostileFileTests` and `Tests/Fuzz` search for a counterexample.
enum TaskFileProperties {
    /// A file that can be read can be exported, and the export can be read.
    ///
    /// - Returns: A description of the violation; nil if there is none.
    static func file(_ bytes: [UInt8], as format: TaskFormat) -> String? {
        let now = PointInTime(seconds: 1_795_000_000)
        guard
            let result = try? TaskImport.read(
                unsafe bytes.span.bytes, as: format, now: now, in: SystemCalendar())
        else { return nil }
        guard Set(result.tasks.map(\.id)).count == result.tasks.count else {
            return "two tasks of a file have one id"
        }
        do {
            let written = try TaskExport.write(
                result.tasks, as: format, now: now, in: SystemCalendar(), to: FileBytes())
            let export = written.bytes
            guard result.tasks.count > 0 else { return nil }
            _ = try TaskImport.read(
                unsafe export.span.bytes, as: format, now: now, in: SystemCalendar())
            return nil
        } catch {
            return "the export of a file cannot be read: \(error)"
        }
    }
}

/// A sink that keeps everything; a fuzzer has no other code of the tests.
private struct FileBytes: ByteSink {
    var bytes: [UInt8] = []

    mutating func write(_ bytes: RawSpan) throws {
        unsafe bytes.withUnsafeBytes { unsafe self.bytes.append(contentsOf: $0) }
    }

    mutating func write(secret bytes: RawSpan) throws { try write(bytes) }
}

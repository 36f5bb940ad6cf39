import SecretMemory
import Secrets

/// Properties of all files with secrets; `Tests/Fuzz` searches for a counterexample.
enum SecretFileProperties {
    /// A file that was accepted is delivered as its report says.
    ///
    /// - Returns: A description of the violation; nil if there is none.
    static func file(_ bytes: [UInt8]) -> String? {
        guard
            let file = try? SecretImport(try SecretBytes(copying: unsafe bytes.span.bytes))
        else { return nil }
        do {
            var count = 0
            let report = try file.deliver { _, _ in count += 1 }
            guard report == file.report, report.imported == count else {
                return "a file gives others secrets than its report says"
            }
            return nil
        } catch {
            return "a file that was accepted is not delivered: \(error)"
        }
    }
}

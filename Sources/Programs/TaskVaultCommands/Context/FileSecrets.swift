internal import Application
internal import CommandLine
internal import SecretMemory
internal import TextCoding

/// The secrets of a file that an option names, one per line.
final class FileSecrets: SecretSource {
    private let file: PassphraseFile

    /// Reads the secrets of a file.
    init(_ file: consuming PassphraseFile) {
        self.file = file
    }

    func next(_ question: String, _ subject: String) throws -> SecretBytes? {
        do {
            return try file.nextLine()
        } catch let error as InputError {
            throw Failure(error, reading: subject)
        }
    }
}

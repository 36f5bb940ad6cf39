import CommandLine
import Platform
import SecretMemory
import Testing
import TestSupport
import TextCoding

@Suite(.timeLimit(.minutes(60))) struct PassphraseFileTests {
    private func nextLine(_ file: borrowing PassphraseFile) throws -> String? {
        guard let line = try file.nextLine() else { return nil }
        return text(of: line)
    }

    @Test func passphrasesAreLines() throws {
        let temporary = try TemporaryFile(Array("old pass \r\nnew\n".utf8))
        let file = try PassphraseFile(path: temporary.path)
        #expect(try nextLine(file) == "old pass ")
        #expect(try nextLine(file) == "new")
        #expect(try nextLine(file) == nil)
    }

    @Test(arguments: [(0o600, false), (0o400, false), (0o640, true), (0o604, true)])
    func aFileThatOthersCanReadIsNoticed(mode: mode_t, readable: Bool) throws {
        let temporary = try TemporaryFile([0x61], mode: mode)
        let file = try PassphraseFile(path: temporary.path)
        #expect(file.isReadableByOthers == readable)
    }

    @Test func aHyphenIsTheSharedStandardInput() throws {
        let pipe = try InputPipe("pass\nrest")
        let input = SecretInput(descriptor: pipe.descriptor)
        let file = try PassphraseFile(path: "-", standardInput: input)
        #expect(try nextLine(file) == "pass")
        let rest = try input.readAll(limit: 10)
        #expect(text(of: rest) == "rest")
    }

    @Test func aFolderIsRefused() {
        #expect(throws: InputError.isFolder) { _ = try PassphraseFile(path: "/tmp") }
    }

    @Test func aMissingFileIsNamedByItsCause() {
        #expect(throws: InputError.failed(SystemFailure("open", code: ENOENT))) {
            _ = try PassphraseFile(path: "/nonexistent/passphrase")
        }
        #expect(SystemFailure("open", code: ENOENT).explanation == "no such file or directory")
    }

    @Test func aTerminalIsRefusedBecauseItWouldShow() throws {
        let terminal = try PseudoTerminal()
        #expect(throws: InputError.wouldShow) {
            _ = try PassphraseFile(
                path: "-", standardInput: SecretInput(descriptor: terminal.device))
        }
        let name = try #require(unsafe ttyname(terminal.device).map { unsafe String(cString: $0) })
        #expect(throws: InputError.wouldShow) { _ = try PassphraseFile(path: name) }
    }
}

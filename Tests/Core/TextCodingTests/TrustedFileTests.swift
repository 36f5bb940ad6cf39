@testable import TextCoding
import Foundation
import Testing
import TestSupport

@Suite struct TrustedFileTests {
    private func failure(_ path: String, followingLinks: Bool = false) -> String? {
        do {
            _ = try TrustedFile(path, limit: 8, followingLinks: followingLinks).text()
            return nil
        } catch {
            return TrustedFile.explanation(of: error)
        }
    }

    private func write(_ path: String, _ bytes: [UInt8], mode: Int = 0o600) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test(arguments: [(0o600, false), (0o640, false), (0o644, true), (0o604, true)])
    func readersAreReported(mode: Int, others: Bool) throws {
        try withTemporaryFolder { folder in
            try write(folder + "/file", Array("12345678".utf8), mode: mode)
            let file = try TrustedFile(folder + "/file", limit: 8)
            #expect(file.isReadableByOthers == others)
            #expect(try file.text() == "12345678")
        }
    }

    @Test(arguments: [0o620, 0o602, 0o666])
    func aFileWritableByOthersIsRefused(mode: Int) throws {
        try withTemporaryFolder { folder in
            try write(folder + "/file", [], mode: mode)
            #expect(failure(folder + "/file") == "other users can write it")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func aFileOfAnotherUserIsRefused() throws {
        try withTemporaryFolder { folder in
            try write(folder + "/file", [])
            try FileManager.default.setAttributes(
                [.ownerAccountID: 65_534], ofItemAtPath: folder + "/file")
            #expect(failure(folder + "/file") == "other users can write it")
        }
    }

    @Test func otherFilesThanTextAreRefused() throws {
        try withTemporaryFolder { folder in
            let file = folder + "/file"
            #expect(failure(file) == "there is no such file")
            #expect(failure(file + "/below") == "there is no such file")
            #expect(failure(folder) == "it is not a file")
            try write(file, [UInt8](repeating: 0x61, count: 9))
            #expect(failure(file) == "it is larger than 8 bytes")
            try write(file, [0xFF])
            #expect(failure(file) == "it is not UTF-8")
            let made = unsafe mkfifo(folder + "/pipe", 0o600)
            #expect(made == 0)
            #expect(failure(folder + "/pipe") == "it is not a file")
        }
    }

    @Test func linksAreFollowedWhereThatIsWanted() throws {
        try withTemporaryFolder { folder in
            try write(folder + "/file", [0x61])
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/link", withDestinationPath: folder + "/file")
            #expect(failure(folder + "/link", followingLinks: true) == nil)
            #expect(failure(folder + "/link") == "too many levels of symbolic links")
        }
    }
}

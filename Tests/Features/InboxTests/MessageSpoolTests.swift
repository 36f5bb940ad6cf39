import CDeclarationChecks
import Foundation
@testable import Inbox
import SecretMemory
import Testing
import TestSupport
import TextCoding

@Suite("Messages that wait for an unlock")
struct MessageSpoolTests {
    private func message(_ number: Int, at time: Int64) -> SealedMessage {
        SealedMessage(
            id: String(repeating: "0", count: 31) + "\(number)",
            subscription: String(repeating: "f", count: 32),
            received: PointInTime(milliseconds: time), body: Array("body \(number)".utf8))
    }

    @Test("are files of the owner alone, the oldest first, each once")
    func files() throws {
        try withTemporaryFolder { folder in
            let waiting = MessageSpool(folder + "/inbox/place")
            #expect(try waiting.count() == 0 && waiting.all() == [])
            let (early, late) = (message(1, at: 9_000), message(2, at: 1_000_000))
            #expect(try waiting.add(late))
            #expect(try waiting.add(early))
            #expect(try !waiting.add(late))
            #expect(try waiting.all() == [early, late])
            let files = try FileManager.default.contentsOfDirectory(atPath: waiting.folder)
            #expect(files.count == 2)
            for file in files {
                let path = waiting.folder + "/" + file
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: waiting.folder)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
            try waiting.remove(early)
            try waiting.remove(early)
            #expect(try waiting.all() == [late])
        }
    }

    @Test("are 2,000 at most, and the files of those stay, although a server sends 10,000")
    func tooMany() throws {
        try withTemporaryFolder { folder in
            let waiting = MessageSpool(folder)
            #expect(MessageSpool.maximumCount == 2_000)
            for number in 0..<2_000 { #expect(try waiting.add(message(number, at: 1))) }
            let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            // Each of them reads the folder, so only every hundredth one comes.
            for number in stride(from: 2_000, to: 10_000, by: 100) {
                #expect(try !waiting.add(message(number, at: 0)))
            }
            #expect(try waiting.count() == 2_000)
            let after = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(after == files)
            // There is room again for one.
            try waiting.remove(message(0, at: 1))
            #expect(try waiting.add(message(9_999, at: 2)))
            #expect(try !waiting.add(message(9_998, at: 2)))
        }
    }

    @Test("that are damaged are left out")
    func damaged() throws {
        try withTemporaryFolder { folder in
            let waiting = MessageSpool(folder)
            try waiting.add(message(1, at: 1))
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            let path = folder + "/" + (files.first ?? "")
            try Data("{".utf8).write(to: URL(filePath: path))
            #expect(try waiting.all() == [])
        }
    }
}

@Suite("A QR code")
struct QRCodeTests {
    @Test(
        "libqrencode is declared as in its own header, as the compiler checked",
        .enabled(if: declarations_had_libqrencode(), "needs libqrencode-dev"))
    func header() { #expect(declarations_had_libqrencode()) }

    @Test("has its finder patterns within a light border")
    func pattern() throws {
        let text = try SecretBytes("https://auth.example.org/")
        guard let lines = QRCode.lines(of: text) else { return }
        // Version 2 has 25 modules, and a border of 4 on each side.
        #expect(lines.count == 17 && lines.allSatisfy { $0.count == 33 })
        #expect(lines[0] == String(repeating: "█", count: 33))
        #expect(lines[2].hasPrefix("████ ▄▄▄▄▄ "))
        let long = try SecretBytes([UInt8](repeating: 97, count: 4_000))
        #expect(QRCode.lines(of: long) == nil)
    }
}

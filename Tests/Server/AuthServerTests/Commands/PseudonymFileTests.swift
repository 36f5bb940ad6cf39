@testable import AuthServer
import Foundation
import Testing
import TestSupport

/// The file of the key that hides names in the database.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct PseudonymFileTests {
    @Test func theServerMakesItBesideTheConfigurationAndKeepsIt() throws {
        let home = try ServerHome()
        let path = home.folder + "/authd.conf.key"
        var keys: [Data] = []
        for _ in 0..<2 {
            let server = try ServingProcess(home)
            server.signal(SIGTERM)
            #expect(server.finish() == 0)
            keys.append(try Data(contentsOf: URL(fileURLWithPath: path)))
        }
        #expect(keys[0].count == 32 && keys[0] == keys[1])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        // A lost key is replaced: only the guesses of the last minutes are forgotten.
        try FileManager.default.removeItem(atPath: path)
        let server = try ServingProcess(home)
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != keys[0])
    }

    @Test func anUnusableFileIsRefused() throws {
        let home = try ServerHome()
        let path = try home.write("authd.conf.key", "short")
        expect(
            try home.run("serve --listen 127.0.0.1:0 --issuer http://127.0.0.1"), ends: 7,
            "\(path) is not a key of 32 bytes", "hint: remove it")
        try home.write("authd.conf.key", String(repeating: "k", count: 32), mode: 0o644)
        expect(
            try home.run("serve --listen 127.0.0.1:0 --issuer http://127.0.0.1"), ends: 8,
            "all users can read the key", "hint: chmod")
        expect(
            try home.run(
                "serve --listen 127.0.0.1:0 --issuer http://127.0.0.1 --pseudonym-key \(home.folder)/none/key"
            ),
            ends: 8, "cannot make the key", "hint: give --pseudonym-key")
    }
}

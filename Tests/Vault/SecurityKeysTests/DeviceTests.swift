import CDeclarationChecks
import Foundation
@testable import SecurityKeys
import SoftwareAuthenticator
import TestSupport
import Testing

@Suite("Security keys that are plugged in", .waitsForProcesses)
struct DeviceTests {
    @Test(
        "libfido2 is declared as in its own header",
        .enabled(if: declarations_had_libfido2(), "needs libfido2-dev"))
    func header() {
        #expect(declarations_had_libfido2())
    }

    @Test("are found by the report descriptors of the system")
    func descriptors() throws {
        try withTemporaryFolder { folder in
            #expect(SecurityKeyDevices.paths(in: folder + "/none").isEmpty)
            #expect(SecurityKeyDevices.paths(in: folder).isEmpty)
            // A keyboard, a YubiKey, and one that ends too early.
            let descriptors = [
                "hidraw0": "05010906a101050719e029e715002501750195088102c0",
                "hidraw1": "06d0f10901a1010920150026ff007508954081020921150026ff00750895409102c0",
                "hidraw2": "06d0",
                "hidraw10": "06d0f10901a101c0",
            ]
            for (name, descriptor) in descriptors {
                let device = URL(filePath: folder + "/\(name)/device")
                try FileManager.default.createDirectory(
                    at: device, withIntermediateDirectories: true)
                try Data(try #require(HexBytes.bytes(of: descriptor)))
                    .write(to: device.appending(path: "report_descriptor"))
            }
            try FileManager.default.createDirectory(
                atPath: folder + "/hidraw3", withIntermediateDirectories: true)
            #expect(SecurityKeyDevices.paths(in: folder) == ["/dev/hidraw1", "/dev/hidraw10"])
        }
    }

    @Test("may be none, without libfido2, without permission, or in use")
    func unreachable() throws {
        let fixture = Fixture()
        #expect(fixture.keys.isPluggedIn)
        let credential = try fixture.enroll().credential
        let wanted = [(credential: credential, salt: Fixture.salt)]
        let missing = SecurityKeys(
            devices: SoftwareAuthenticator.devices([fixture.key]),
            library: { FidoLibrary(names: ["libnothing.so.1", "libsqlite3.so.0"]) })
        #expect(throws: SecurityKeyError.libraryMissing) {
            _ = try missing.evaluate(wanted, prompts: Owner())
        }
        fixture.key.change { $0.mayBeOpened = false }
        #expect(throws: SecurityKeyError.notPermitted) { try fixture.enroll() }
        #expect(throws: SecurityKeyError.notPermitted) { try fixture.evaluate(credential) }
        fixture.key.change {
            $0.mayBeOpened = true
            $0.isBusy = true
        }
        #expect(throws: SecurityKeyError.busy) { try fixture.evaluate(credential) }
        fixture.key.unplug()
        #expect(!fixture.keys.isPluggedIn)
        #expect(throws: SecurityKeyError.notPluggedIn) { try fixture.evaluate(credential) }
        #expect(throws: SecurityKeyError.notPluggedIn) { try fixture.enroll() }
        #expect(throws: SecurityKeyError.notPluggedIn) {
            _ = try missing.evaluate(wanted, prompts: Owner())
        }
    }

    #if os(Linux)
        @Test("load libfido2 only when one is used", .endsProcess)
        func loading() async {
            await #expect(processExitsWith: .success) {
                func isLoaded() throws -> Bool {
                    try MemoryMapping.all().contains { $0.name.contains("libfido2") }
                }
                let key = SoftwareAuthenticator()
                let keys = SecurityKeys(devices: SoftwareAuthenticator.devices([key]))
                key.unplug()
                _ = SecurityKeys().isPluggedIn
                #expect(!keys.isPluggedIn)
                #expect(throws: SecurityKeyError.notPluggedIn) {
                    _ = try keys.enroll(
                        salt: Fixture.salt, userName: "", excluding: [], prompts: Owner())
                }
                key.plugIn()
                #expect(keys.isPluggedIn)
                try #expect(!isLoaded())
                // libfido2 would print what it sends.
                unsafe setenv("FIDO_DEBUG", "1", 1)
                _ = try keys.enroll(
                    salt: Fixture.salt, userName: "owner", excluding: [], prompts: Owner())
                try #expect(isLoaded())
                #expect(unsafe getenv("FIDO_DEBUG") == nil)
            }
        }

        @Test(
            "The program does not load libfido2 at its start",
            .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ldd"), "needs ldd"))
        func loadList() throws {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(filePath: "/usr/bin/ldd")
            process.arguments = [BuiltExecutable.path(of: "taskvault")]
            process.standardOutput = output
            try process.run()
            let list = String(
                decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            #expect(list.contains("libsodium"))
            #expect(!list.contains("libfido2") && !list.contains("libcrypto"), "\(list)")
        }
    #endif

    // MARK: Several keys

    /// Two keys with one credential each, which wait for touches.
    private struct Two {
        let first = SoftwareAuthenticator()
        let second = SoftwareAuthenticator()
        let wanted: [(credential: SecurityKeyCredential, salt: [UInt8])]
        var keys: SecurityKeys {
            SecurityKeys(devices: SoftwareAuthenticator.devices([first, second]))
        }

        init() throws {
            wanted = try [first, second].map { key in
                let new = try SecurityKeys(devices: SoftwareAuthenticator.devices([key])).enroll(
                    salt: Fixture.salt, userName: "owner", excluding: [], prompts: Owner())
                return (new.credential, Fixture.salt)
            }
            for key in [first, second] { key.change { $0.touch = .onCall } }
        }
    }

    @Test("The touched one of several is used", arguments: [0, 1])
    func chosen(_ index: Int) throws {
        let two = try Two()
        let key = index == 0 ? two.first : two.second
        let other = index == 0 ? two.second : two.first
        let owner = Owner { _ in key.touch() }
        let found = try two.keys.evaluate(two.wanted, prompts: owner)
        #expect(found.index == index)
        #expect(owner.touches == [.choose(among: 2), .use])
        #expect(!other.isWaiting)
        // The other one ended its own wait.
        #expect(other.commands.last == .makeCredential)
        let again = Owner { _ in key.touch() }
        _ = try two.keys.enroll(
            salt: Fixture.salt, userName: "owner", excluding: [], prompts: again)
        #expect(again.touches == [.choose(among: 2), .create, .use])
    }

    @Test("The only one that can be used needs no selection")
    func onlyOne() throws {
        for change in [
            { $0.hasHMACSecret = false }, { $0.isOld = true }, { $0.mayBeOpened = false },
            { $0.isBusy = true },
        ] as [@Sendable (inout SoftwareAuthenticator.Options) -> Void] {
            let two = try Two()
            two.first.change(change)
            let owner = Owner { _ in two.second.touch() }
            #expect(try two.keys.evaluate(two.wanted, prompts: owner).index == 1)
            #expect(owner.touches == [.use])
        }
    }

    @Test("No touch selects, or all are unplugged")
    func notChosen() throws {
        let two = try Two()
        #expect(throws: SecurityKeyError.noTouch) {
            _ = try two.keys.evaluate(two.wanted, prompts: Owner(), timeout: .milliseconds(200))
        }
        #expect(!two.first.isWaiting && !two.second.isWaiting)
        let one = Owner { _ in
            two.first.unplug()
            two.second.touch()
        }
        #expect(try two.keys.evaluate(two.wanted, prompts: one).index == 1)
        two.first.plugIn()
        let none = Owner { _ in
            two.first.unplug()
            two.second.unplug()
        }
        #expect(throws: SecurityKeyError.removed) {
            _ = try two.keys.evaluate(two.wanted, prompts: none)
        }
        two.first.plugIn()
        two.second.plugIn()
        for key in [two.first, two.second] { key.change { $0.touch = .tooLate } }
        #expect(throws: SecurityKeyError.noTouch) {
            _ = try two.keys.evaluate(two.wanted, prompts: Owner())
        }
    }
}

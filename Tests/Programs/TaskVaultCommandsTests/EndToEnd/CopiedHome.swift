import Foundation
import Testing
import TestSupport

/// A copy of a machine's disk: its home and its state. Of the two halves one is at the place of both at a time, as each has it.
final class CopiedHome {
    private let home: TestHome
    private let half: String
    /// Further folders that each half has of its own.
    private let names: [String]

    /// Copies the disk; the present half stays.
    init(_ home: TestHome, with folders: [String] = []) throws {
        self.home = home
        half = home.folder + "/half"
        names = ["home", "state"] + folders
        try Self.endAgent(home)
        try FileManager.default.createDirectory(
            atPath: half, withIntermediateDirectories: false)
        for name in names {
            try FileManager.default.copyItem(
                atPath: "\(home.folder)/\(name)", toPath: "\(half)/\(name)")
        }
    }

    /// Goes on with the other half.
    func exchange() throws {
        try Self.endAgent(home)
        for name in names {
            let (own, other) = ("\(home.folder)/\(name)", "\(half)/\(name)")
            try FileManager.default.moveItem(atPath: own, toPath: own + "-away")
            try FileManager.default.moveItem(atPath: other, toPath: own)
            try FileManager.default.moveItem(atPath: own + "-away", toPath: other)
        }
    }

    /// Puts the copy in the place of the present half, which is gone.
    func putBack() throws {
        try exchange()
        try FileManager.default.removeItem(atPath: half)
    }

    /// The place of the other half's folder.
    func other(_ name: String) -> String { "\(half)/\(name)" }

    /// An agent would keep the vault of the other half open.
    private static func endAgent(_ home: TestHome) throws {
        guard let agent = home.agentProcess else { return }
        kill(agent, SIGTERM)
        #expect(Processes.wait(until: { !Processes.isRunning(agent) }))
    }
}

@testable import Application
import Foundation
import SecretMemory
import Sync
import SyncMembers
import Testing
import TestSupport

/// The contract of remotes, over a folder and over a real server.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct RemoteContractTests {
    /// A connection to a remote, and what must stay as long.
    private struct Remote {
        let connection: SyncConnection
        let keeping: Any
    }

    private static func make(_ kind: String) throws -> Remote {
        guard kind == "server" else {
            let home = try TestHome(withVault: false)
            return Remote(connection: .folder(home.folder), keeping: home)
        }
        let place = try AccountHome()
        // Its own group stays beside those of the test.
        try expectDone(place.home.run("sync enable --name first"))
        let folder = place.home.folder + "/state/taskvault/sync"
        let own = folder + "/" + (Files.names(in: folder).first ?? "")
        return Remote(
            connection: .server(SyncServer(place.server.issuer, in: own, renew: nil)),
            keeping: place)
    }

    private let group = GroupID.random(from: .system)
    private let own = DeviceID.random(from: .system)
    private let other = DeviceID.random(from: .system)

    @Test(arguments: ["folder", "server"])
    func segmentsAreCreatedListedAndRemoved(_ kind: String) throws {
        let place = try Self.make(kind)
        let remote = place.connection.segments(of: group, own)
        let reader = place.connection.segments(of: group, other)
        #expect(try remote.list(own).isEmpty)
        #expect(try remote.put([1, 2, 3], number: 7) == .stored)
        #expect(try remote.put([1, 2, 3], number: 7) == .present)
        #expect(try remote.put([4], number: 7) == .occupied([1, 2, 3]))
        let large = (0..<Segment.limit).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for number in [UInt64(1), 10, 2, 100] {
            let bytes = number == 10 ? large : [UInt8(number)]
            #expect(try remote.put(bytes, number: number) == .stored)
        }
        let listed = try reader.list(own)
        #expect(listed.map(\.dot.number) == [1, 2, 7, 10, 100])
        #expect(try reader.get(listed[2]) == [1, 2, 3])
        #expect(try reader.get(listed[3]) == large)
        #expect(try reader.list(other).isEmpty)
        #expect(try place.connection.groups().contains(group))
        for _ in 0..<2 { try remote.delete("7") }
        #expect(try reader.get(listed[2]) == nil)
        #expect(try reader.list(own).map(\.dot.number) == [1, 2, 10, 100])
        _ = place.keeping
    }

    @Test(arguments: ["folder", "server"])
    func areasAreApart(_ kind: String) throws {
        let place = try Self.make(kind)
        let remote = place.connection.members(of: group, own)
        let statement = String(repeating: "ab", count: 32)
        let names: [GroupArea: String] = [
            .members: statement, .mailbox: "\(own.text)-1", .recovery: other.text,
            .files: "\(other.text)-4095",
        ]
        for (number, (area, name)) in names.enumerated() {
            #expect(try remote.names(in: area).isEmpty)
            let bytes = [UInt8](repeating: UInt8(number), count: area.limit)
            #expect(try remote.put(bytes, as: name, in: area) == .stored)
            #expect(try remote.put(bytes, as: name, in: area) == .present)
            #expect(try remote.put([], as: name, in: area) == .occupied(bytes))
            #expect(try remote.get(name, in: area) == bytes)
            #expect(try remote.names(in: area) == [name])
        }
        #expect(try remote.get("\(own.text)-2", in: .mailbox) == nil)
        for area in [GroupArea.mailbox, .recovery, .files] {
            let name = try #require(names[area])
            for _ in 0..<2 { try remote.delete(name, in: area) }
            #expect(try remote.names(in: area).isEmpty)
        }
        _ = place.keeping
    }

    /// An idle connection may end while a request is on its way, at each moment of it.
    @Test(arguments: Relay.Moment.allCases.filter { $0 != .withinTheAnswer })
    func aRequestWithoutAnswerIsRepeated(_ moment: Relay.Moment) throws {
        let place = try Self.make("server")
        let relay = try #require(place.keeping as? AccountHome).server.relay
        let remote = place.connection.segments(of: group, own)
        let large = [UInt8](repeating: 7, count: Segment.limit)
        relay.breakNext("POST /sync/blobs", moment)
        // The server may have it already.
        let result = try remote.put(large, number: 1)
        #expect(result == (moment == .beforeTheRequest ? .stored : .present))
        relay.breakNext("GET /sync/blobs", moment)
        let listed = try remote.list(own)
        relay.breakNext("GET /sync/blobs", moment)
        #expect(try remote.get(#require(listed.first)) == large)
        relay.breakNext("POST /sync/remove", moment)
        try remote.delete("1")
        #expect(try remote.list(own).isEmpty)
        // One that ends again and again is an error.
        relay.breakNext("POST /sync/blobs", moment, forGood: true)
        #expect(throws: RemoteFailure.self) { try remote.put(large, number: 2) }
    }

    @Test func aServerTellsOfChanges() throws {
        let place = try Self.make("server")
        guard case .server(let server) = place.connection else { return }
        let first = try server.change(of: group, after: 0, within: 0)
        #expect(first == 0)
        let remote = place.connection.segments(of: group, own)
        #expect(try remote.put([1], number: 1) == .stored)
        let next = try server.change(of: group, after: first, within: 300)
        #expect(next > first)
        #expect(try server.change(of: group, after: next, within: 0) == next)
        _ = place.keeping
    }
}

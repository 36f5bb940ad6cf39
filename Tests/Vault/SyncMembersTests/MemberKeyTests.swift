import Sealing
import SecretMemory
import Sync
@testable import SyncMembers
import Testing
import TestSupport
import TextCoding

@Suite("Keys of members")
struct MemberKeyTests {
    private let random = RandomSource.seeded(1)

    private func copy(_ secrets: LevelSecrets, changing index: Int? = nil) throws -> SecretBytes {
        var bytes = try secrets.encoded()
        if let index {
            bytes.withMutableBytes { bytes in
                let byte = bytes.bytes.array[index]
                bytes.storeBytes(of: byte ^ 1, toByteOffset: index, as: UInt8.self)
            }
        }
        return bytes
    }

    @Test("the parts of a device are written and read, and belong together")
    func parts() throws {
        let secrets = try DeviceSecrets.random(from: random)
        let read = try secrets.all.map { try #require(try LevelSecrets($0.encoded())) }
        let combined = try #require(
            DeviceSecrets(list: read[0], whileUnlocked: read[1], afterVerification: read[2]))
        #expect(combined.keys == secrets.keys)
        #expect(combined.device == secrets.keys.id)
        #expect(
            DeviceSecrets(list: read[1], whileUnlocked: read[0], afterVerification: read[2]) == nil)
        let other = try DeviceSecrets.random(from: random)
        #expect(
            DeviceSecrets(
                list: read[0], whileUnlocked: other[.whileUnlocked], afterVerification: read[2])
                == nil)
    }

    @Test("a part with any changed byte does not belong to its device")
    func changed() throws {
        let secrets = try DeviceSecrets.random(from: random)
        // The lowest bit of the first byte of an X25519 key is ignored (RFC 7748, section 5).
        let ignored = 4 + 1 + 16
        for index in 0..<LevelSecrets.size where index != ignored {
            guard let part = try LevelSecrets(try copy(secrets[.whileUnlocked], changing: index))
            else { continue }
            #expect(
                DeviceSecrets(
                    list: secrets[.list], whileUnlocked: part,
                    afterVerification: secrets[.afterVerification]) == nil, "byte \(index)")
        }
        #expect(try LevelSecrets(SecretBytes(count: LevelSecrets.size - 1)) == nil)
    }

    @Test("public keys are written and read; each chain has its id and its segment key")
    func publicKeys() throws {
        let secrets = try DeviceSecrets.random(from: random)
        #expect(DeviceKeys(secrets.keys.bytes) == secrets.keys)
        #expect(DeviceKeys(secrets.keys.bytes + [0]) == nil)
        #expect(
            secrets.device.bytes
                == Blake2b.hash(size: 16) {
                    $0.feed("TVDI")
                    $0.feed(secrets.keys.bytes)
                })
        #expect(
            SyncChain.secrets.id(of: secrets.device).bytes
                == Blake2b.hash(size: 16) {
                    $0.feed("TVDS")
                    $0.feed(secrets.device.bytes)
                })
        #expect(SyncChain.list.id(of: secrets.device) == secrets.device)
        for chain in SyncChain.allCases {
            let key = secrets[chain.signingLevel].signing.publicKey
            #expect(secrets.keys.segmentKey(of: chain) == key)
        }
        #expect(secrets.keys.memberKey == secrets[.afterVerification].signing.publicKey)
        #expect(secrets.keys.boxKey(.list) == secrets[.list].box.publicKey)
        let segmentKeys = SyncChain.allCases.map { secrets.keys.segmentKey(of: $0) }
        #expect(Set(segmentKeys + [secrets.keys.memberKey]).count == 3)
    }

    @Test("keys of small order are refused", arguments: SyncLevel.allCases)
    func smallOrder(_ level: SyncLevel) throws {
        var bytes = try DeviceSecrets.random(from: random).keys.bytes
        let start = 32 * Int(level.rawValue)
        bytes.replaceSubrange(start..<(start + 32), with: [UInt8](repeating: 0, count: 32))
        #expect(DeviceKeys(bytes) == nil)
        bytes[start] = 1
        #expect(DeviceKeys(bytes) == nil)
    }
}

import Foundation
import Testing
import TestSupport
@testable import VaultAgent

/// The vectors that were made from `Docs/AgentProtocol.md` by a program of its own.
@Suite("The agent's vectors")
struct WireVectorTests {
    @Test("are there, for each type of message")
    func complete() {
        let valid = WireVector.all.filter(\.isValid)
        #expect(valid.count > 90)
        #expect(WireVector.all.count > valid.count + 150)
        let requests = Set(valid.filter(\.isRequest).compactMap(\.payload.first))
        #expect(requests == Set(FrameProperties.requests.map { $0.messageType }))
        #expect(requests.count == FrameProperties.requests.count)
        let answers = Set(valid.filter { !$0.isRequest }.compactMap(\.payload.first))
        #expect(answers == Set(FrameProperties.answers.map { $0.messageType }))
        #expect(answers.count == FrameProperties.answers.count)
    }

    @Test(
        "have the fields that they name, and are encoded as they were decoded",
        arguments: WireVector.all.filter(\.isValid))
    func valid(vector: WireVector) throws {
        var isAccepted = false
        var fields: [String]
        let secret: [UInt8]
        let carriesSecret: Bool
        if vector.isRequest {
            #expect(FrameProperties.request(vector.payload, isAccepted: &isAccepted) == nil)
            let (request, rest) = try #require(FrameProperties.readRequest(vector.payload))
            fields = WireDescription.fields(ofRequest: request)
            (secret, carriesSecret) = (rest, type(of: request).carriesSecret)
        } else {
            #expect(FrameProperties.answer(vector.payload, isAccepted: &isAccepted) == nil)
            let (answer, rest) = try #require(FrameProperties.readAnswer(vector.payload))
            fields = WireDescription.fields(ofAnswer: answer)
            (secret, carriesSecret) = (rest, type(of: answer).carriesSecret)
        }
        #expect(isAccepted)
        if carriesSecret { fields += ["secret", WireDescription.hex(secret)] }
        #expect(fields.joined(separator: " ") == vector.means)
    }

    @Test("that are no message are refused", arguments: WireVector.all.filter { !$0.isValid })
    func refused(vector: WireVector) {
        let isRead =
            vector.isRequest
            ? FrameProperties.readRequest(vector.payload) != nil
            : FrameProperties.readAnswer(vector.payload) != nil
        #expect(!isRead)
    }

    @Test("name every failure that the page has, and a client understands them all but those")
    func failures() {
        let codes = WireVector.all.filter(\.isValid).compactMap { vector -> WireFailure? in
            FrameProperties.readAnswer(vector.payload)?.0 as? WireFailure
        }
        let unknown = codes.filter { $0.refusal == nil }.map(\.code)
        #expect(Set(unknown) == ["malformed", "of_a_later_version"])
        let text = Checkout.text("Docs/AgentProtocol.md")
        for code in Set(codes.map(\.code)) where code != "of_a_later_version" {
            #expect(text.contains("`\(code)`"), "\(code) is not in the document")
        }
    }

    @Test("have each failure that an agent writes, and so has the page")
    func writtenFailures() {
        let sources = ["", "+Store", "+Vault"].map {
            Checkout.text("Sources/Vault/VaultAgent/Protocol/WireFailure\($0).swift")
        }
        let written = sources.flatMap {
            $0.matches(of: /(?:self\.init|WireFailure)\(\s*"([a-z_]+)"/)
        }
        .map { String($0.output.1) }
        #expect(written.count > 20)
        let page = Checkout.text("Docs/AgentProtocol.md")
        for code in written {
            #expect(page.contains("`\(code)`"), "\(code) is not in the document")
            let vectors = WireVector.all.filter {
                $0.testDescription.hasPrefix("answer_failure_\(code)")
            }
            #expect(!vectors.isEmpty, "\(code) has no vector")
        }
    }

    @Test("are refused, or written as they were read, however they are changed")
    func mutated() {
        var generator = SeededGenerator(seed: 0x5EED)
        var accepted = 0
        for _ in 0..<60_000 {
            guard let vector = WireVector.all.randomElement(using: &generator) else { return }
            var bytes = vector.payload.prefix(400) + []
            for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1: bytes[place] = [0, 1, 2, 0x7F, 0xFF].randomElement(using: &generator) ?? 0
                case 2: bytes.insert(bytes[place], at: place)
                default: bytes.remove(at: place)
                }
            }
            var isAccepted = false
            let fault =
                vector.isRequest
                ? FrameProperties.request(Array(bytes), isAccepted: &isAccepted)
                : FrameProperties.answer(Array(bytes), isAccepted: &isAccepted)
            if let fault {
                Issue.record("\(fault): \(WireDescription.hex(Array(bytes)))")
                return
            }
            if isAccepted { accepted += 1 }
        }
        #expect(accepted > 2_000, "only \(accepted) were read at all")
    }
}

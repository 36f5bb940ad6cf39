import Passkeys
import SecretMemory
import SecureStorage
import Testing
import TestSupport
import VaultAgent
import VaultCore

@Suite("Passkeys, through the agent")
struct PasskeyRequestTests {
    private static let page = PageOrigin(port: 40_000)

    /// Registers a passkey in the name of the owner.
    private func register(
        _ passkey: TestPasskey, _ client: AgentClient, name: String = "phone"
    ) throws {
        let challenge = try client.beginPasskey(registering: true, page: Self.page)
        let confirmation = try client.finish(passkey.registration(challenge))
        try client.addPasskey(
            passkey.assertion(confirmation), output: passkey.output(), name: name,
            verifiedBy: TestVault.secret())
    }

    private func answer(
        of passkey: TestPasskey, _ client: AgentClient
    ) throws -> PasskeyAssertion {
        passkey.assertion(try client.beginPasskey(registering: false, page: Self.page))
    }

    private func refusal(_ body: () throws -> Void) -> AgentError? {
        do {
            try body()
            return nil
        } catch {
            return error as? AgentError
        }
    }

    @Test("are registered, unlock and verify")
    func whole() throws {
        try withAgent { agent in
            let client = try agent.client()
            var passkey = TestPasskey(page: Self.page)
            passkey.flags = 0x1D
            try register(passkey, client)
            let record = try #require(client.slots().last?.record)
            #expect(record.transport == .passkey && record.isSynchronised)
            #expect(record.credentialID == passkey.id && record.name == "phone")
            #expect(record.publicKey == passkey.publicKey)
            #expect(try !client.status().isUnlocked)

            // Each challenge has the credentials with the inputs of their slots, also while the vault is locked.
            let challenge = try client.beginPasskey(registering: false, page: Self.page)
            let choice = PasskeyChallenge.Choice(id: passkey.id, input: record.input)
            #expect(challenge.choices == [choice])
            let status = try client.unlock(
                by: passkey.assertion(challenge), output: passkey.output())
            #expect(status.isUnlocked && status.isVerified)
            try client.save(
                Samples.one(), as: Samples.name, SecretAttributes(accessClass: .afterVerification))
            agent.clock.advance(by: .seconds(121))
            #expect(throws: SecureStoreError.notVerified) {
                try client.read(Samples.name) { _, _ in }
            }
            try client.verify(by: answer(of: passkey, client), output: passkey.output())
            try client.read(Samples.name) { _, _ in }
            try client.lock()
            #expect(
                refusal {
                    try client.verify(by: answer(of: passkey, client), output: passkey.output())
                }
                    == .vault(.store(.locked)))
        }
    }

    @Test("with a wrong answer open nothing, though the output is right")
    func refused() throws {
        try withAgent { agent in
            let client = try agent.client()
            let right = TestPasskey(page: Self.page)
            try register(right, client)
            var wrong = [right, right, right]
            wrong[0].flags = 0x01
            wrong[1].origin = "http://taskvault.localhost:40000"
            wrong[2] = TestPasskey(page: Self.page, key: 2)
            wrong[2].id = right.id
            for (passkey, error) in zip(
                wrong, [.notVerified, .origin, .signature] as [PasskeyError])
            {
                #expect(
                    refusal {
                        try client.unlock(by: answer(of: passkey, client), output: right.output())
                    } == .passkey(error))
            }
            let used = try answer(of: right, client)
            try client.unlock(by: used, output: right.output())
            #expect(
                refusal { try client.verify(by: used, output: right.output()) }
                    == .passkey(.challenge))
            try client.lock()
            #expect(
                refusal { try client.unlock(by: used, output: right.output()) }
                    == .passkey(.challenge))
            let late = try answer(of: right, client)
            agent.clock.advance(by: .seconds(120))
            #expect(
                refusal { try client.unlock(by: late, output: right.output()) }
                    == .passkey(.challenge))
            #expect(try !client.status().isUnlocked)
            // A right answer with another output is a wrong key, which counts as a wrong attempt.
            #expect(
                refusal {
                    try client.unlock(by: answer(of: right, client), output: wrong[2].output())
                }
                    == .vault(.wrongKey))
        }
    }

    @Test("are added in the name of the owner only, each once")
    func adding() throws {
        try withAgent { agent in
            let client = try agent.client()
            let passkey = TestPasskey(page: Self.page)
            let challenge = try client.beginPasskey(registering: true, page: Self.page)
            let confirmation = try client.finish(passkey.registration(challenge))
            let answer = passkey.assertion(confirmation)
            func add(_ secret: borrowing VaultSecret) -> AgentError? {
                refusal {
                    try client.addPasskey(
                        answer, output: passkey.output(), name: "", verifiedBy: secret)
                }
            }
            // After a wrong passphrase the answer is still good.
            #expect(try add(TestVault.secret("wrong")) == .vault(.wrongPassphrase))
            agent.clock.advance(by: .seconds(1))
            #expect(try client.slots().count == 2)
            #expect(try add(TestVault.secret()) == nil)
            #expect(try add(TestVault.secret()) == .passkey(.challenge))
            #expect(try client.slots().count == 3)
            // It is one of those that must not be registered again, and it is refused.
            let again = try client.beginPasskey(registering: true, page: Self.page)
            #expect(again.choices.map(\.id) == [passkey.id])
            #expect(
                refusal { try register(passkey, client, name: "twice") } == .vault(.duplicateKey))
        }
    }
}

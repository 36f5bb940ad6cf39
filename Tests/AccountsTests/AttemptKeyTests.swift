import Accounts
import Testing
import TestSupport

@Suite("Keys of attempts")
struct AttemptKeyTests {
    @Test("of different kinds and parts are different")
    func different() throws {
        let name = try AccountFixture.name()
        let keys = [
            AttemptKey(name), AttemptKey(network: name.text), AttemptKey(network: ""),
            AttemptKey(name, network: ""), AttemptKey(name, network: "192.0.2.1"),
            AttemptKey(network: "192.0.2.1"), AttemptKey(network: name.text + "192.0.2.1"),
            // Parts that are the same when they are written one after the other.
            AttemptKey(try AccountFixture.name("a@example.com"), network: "192.0.2.1"),
            AttemptKey(try AccountFixture.name("a@example.com1"), network: "92.0.2.1"),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(AttemptKey(name) == AttemptKey(name))
    }
}

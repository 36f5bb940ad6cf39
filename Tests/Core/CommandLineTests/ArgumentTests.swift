@testable import CommandLine
import Testing
import TextCoding

@Suite struct ArgumentTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("set", "ste", 1), ("set", "get", 1), ("kitten", "sitting", 3),
        ("abc", "abc", 0), ("ca", "abc", 3),
    ])
    func distanceCountsMistakes(left: String, right: String, distance: Int) {
        #expect(Suggestion.distance(left, right) == distance)
        #expect(Suggestion.distance(right, left) == distance)
    }

    @Test func argumentsThatAreNoTextAreRefused() throws {
        #expect(try Arguments.decode([[0x61], [], [0xC3, 0xA9]]) == ["a", "", "é"])
        #expect(throws: Failure.usage("argument 2 is not valid UTF-8")) {
            try Arguments.decode([[0x61], [0xFF]])
        }
        #expect(!Arguments.wantJSON)
        // This process's own arguments are text.
        _ = try Arguments.fromProcess()
    }
}

import Testing
import TestSupport

/// Randomly mutated requests.
@Suite("Any request")
struct RequestPropertyTests {
    static let seeds = [
        "grant_type=password&client_id=taskvault&a=%C3%A4+%2B&password=p%25&token=x&email=",
        #"{"email":"ada@example.org","password":"\u0041\ud83d\ude00\n","token":"ü","a":""}"#,
        " Ada@Exämple.org. ", "Basic bWFpbDphK2I=", "Bearer tva_abc", "/sync/blobs/a/b/c",
    ]

    @Test(arguments: 1...8)
    func hasOneMeaning(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            var bytes = Array(try #require(Self.seeds.randomElement(using: &generator)).utf8)
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1:
                    bytes[place] = Array("%&=+\"\\u{}, ".utf8).randomElement(using: &generator) ?? 0
                case 2: bytes.remove(at: place)
                default: bytes.insert(bytes[place], at: place)
                }
            }
            #expect(RequestProperties.form(bytes) == nil, "\(bytes)")
            #expect(RequestProperties.members(bytes) == nil, "\(bytes)")
            #expect(RequestProperties.text(bytes) == nil, "\(bytes)")
        }
    }
}

import Passkeys
import SecretMemory
import Testing

@Suite("Origins of pages")
struct PageOriginTests {
    @Test("each has a host of its own, of 128 random bits below the relying party id")
    func random() throws {
        let pages = (0..<500).map { _ in PageOrigin(port: 50_000) }
        #expect(Set(pages.map(\.label)).count == pages.count)
        #expect(Set(pages.flatMap(\.label)).count == 32)
        for page in pages {
            let form = ##/http://[a-z2-7]{26}\.taskvault\.localhost:50000/##
            #expect(page.text.wholeMatch(of: form) != nil, "\(page.text)")
            #expect(page.text == "http://" + page.host)
            #expect(PageOrigin(label: page.label, port: 50_000) == page)
        }
        // Each byte decides about one character, by its low bits.
        let counting = RandomSource { span in
            for offset in 0..<span.byteCount {
                span.storeBytes(of: UInt8(0xE0 + offset), toByteOffset: offset, as: UInt8.self)
            }
        }
        let page = PageOrigin(port: 1, random: counting)
        #expect(page.host == "abcdefghijklmnopqrstuvwxyz.taskvault.localhost:1")
    }

    @Test(
        "another label is refused",
        arguments: [
            "", "abcdefghijklmnopqrstuvwxy", "abcdefghijklmnopqrstuvwxyzz",
            "Abcdefghijklmnopqrstuvwxyz", "abcdefghijkl.nopqrstuvwxyz",
            "abcdefghijkl/nopqrstuvwxyz", "1bcdefghijklmnopqrstuvwxyz",
            "äcdefghijklmnopqrstuvwxyz",
        ])
    func malformed(label: String) {
        #expect(PageOrigin(label: label, port: 50_000) == nil)
    }
}

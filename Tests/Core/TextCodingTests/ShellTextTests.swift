import Testing
import TextCoding

@Suite struct ShellTextTests {
    @Test(arguments: [
        ("plain-1.2/x@y", "plain-1.2/x@y"), ("", "''"), ("a b", "'a b'"), ("$x", "'$x'"),
        ("it's", "'it'\\''s'"), ("'\u{301}", "''\\''\u{301}'"), ("~", "'~'"), ("é", "é"),
    ])
    func textIsQuotedForAShell(text: String, quoted: String) {
        #expect(ShellText.quote(text) == quoted)
    }
}

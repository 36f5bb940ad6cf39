import Testing
import TestSupport

/// Transcripts that must fail, and those that must not.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct TranscriptControlTests {
    private static func lines(_ text: String) -> [String] {
        text.isEmpty
            ? [] : text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func comparison(_ expected: String, _ shown: String) -> TranscriptComparison {
        TranscriptComparison(expected: lines(expected), shown: lines(shown))
    }

    @Test(
        arguments: [
            ("", ""), ("saved\n\nlocked", "saved\n\nlocked"), ("[2]", "[2]"),
            ("added <id:1>\ndone <id:1>", "added k7m2xq\ndone k7m2xq"),
            ("<id:1> and <id:1>", "k7m2xq and k7m2xq"), ("at <time>.", "at 2026-12-01T09:30:12Z."),
            ("<time> or <time>", "tue 2026-12-01 09:30:12 or 2026-12-01 09:30"),
            ("on <date>", "on 2026-12-01"), ("<number> (of 3)", "12 (of 3)"),
            ("for <duration>!", "for 14m59s!"), ("<code>", "tvi_Uu_dN3Ygv1-bCd"),
            ("a <text>", "a b c"),
            ("...", ""), ("first\n...\nlast", "first\n2\n3\nlast"), ("first\n...", "first\nlast"),
            ("...\n<id:1>\n...\n<id:1>", "A\nb1\nC\nb1"),
            ("use <file> [a.b]*", "use <file> [a.b]*"),
        ])
    func agree(expected: String, shown: String) {
        #expect(Self.comparison(expected, shown).agrees)
    }

    @Test(
        "wrong output, a missing line, a superfluous line, a wrong exit code, a question that was not asked",
        arguments: [
            ("saved", "removed"), ("saved", "saved it"), ("1\n2\n3", "1\n3"), ("1\n3", "1\n2\n3"),
            ("saved", ""), ("", "saved"), ("[2]", "[3]"), ("[2]", ""), ("", "[2]"),
            ("saved\n[2]", "saved"), ("1\n\n2", "1\n2"), ("Name: {ada}\nsaved", "saved"),
            ("Name: {*ada*}", "Name: {ada}"),
            ("added <id:1>\ndone <id:1>", "added k7m2xq\ndone b5gcy4"),
            ("<id:1> and <id:1>", "k7m2xq and b5gcy4"), ("added <id>", "added K7M2XQ"),
            ("at <time>", "at 2026-12-01"), ("on <date>", "on today"), ("<number>", "two"),
            ("<duration>", "15"), ("<code>", "short"), ("a<text>", "a"),
            ("first\n...\nlast", "first\n2\n3"),
            ("a.c", "abc"),
        ])
    func disagree(expected: String, shown: String) {
        #expect(!Self.comparison(expected, shown).agrees)
    }

    @Test func theDifferenceNamesTheLinesOfTheFile() {
        let comparison = Self.comparison("1\n...\n4\n5\n[2]", "1\n2\n3\n4\n6")
        #expect(
            comparison.difference(from: 9) == """
                    9   1
                   10   ...
                   11   4
                   12 - 5
                      + 6
                   13 - [2]
                """)
    }

    @Test func theTextOfATranscriptIsReadAndWrittenUnchanged() throws {
        let text = "# Remark\n\n$ cat <<END\n> 1\n> END\n1\n\n2\n[2]\n\n# Remark\n$ true\n"
        let transcript = try Transcript(text)
        #expect(transcript.text == text)
        #expect(transcript.steps.map(\.number) == [3, 12])
        #expect(transcript.steps.map(\.command) == [["cat <<END", "1", "END"], ["true"]])
        #expect(transcript.steps.map(\.screen) == [["1", "", "2", "[2]"], []])
    }

    @Test func aCommandGoesOnAfterThoseOfAnotherMachine() throws {
        let command = """
            $ echo one; sleep 0.2; echo two; printf 'More: '; read more; echo "$more"
            one
            two
            desk$ pwd
            <text:home>
            $
            More: {three}
            three
            desk$ pwd
            <text:home>
            """
        let transcript = try Transcript(command)
        #expect(transcript.text == command)
        #expect(transcript.steps.map(\.machine) == ["", "desk", "", "desk"])
        #expect(transcript.steps.map(\.isContinued) == [true, false, false, false])
        #expect(TranscriptRun.problems(of: transcript).map(\.text) == [])
        for (text, other) in [("two", "four"), ("three\n", "five\n")] {
            let wrong = try Transcript(command.replacing(text, with: other, maxReplacements: 1))
            #expect(!TranscriptRun.problems(of: wrong, patience: 1_000).isEmpty, "\(other)")
        }
    }

    @Test(arguments: ["output\n", "$ true\n# Remark\noutput\n"])
    func outputWithoutACommandIsAnError(text: String) {
        #expect(throws: Transcript.FormatError.self) { try Transcript(text) }
    }

    private static let greeting = """
        $ printf 'Name: '; read name; stty -echo; printf 'Word: '; read word; stty echo
        > echo; echo "hello $name, $word"; echo warning >&2; exit 3
        Name: {Ada}
        Word: {*swordfish*}
        hello Ada, swordfish
        warning
        [3]
        $ echo ~; pwd
        <home>
        <home>
        """

    @Test func answersAreTyped() throws {
        let problems = TranscriptRun.problems(of: try Transcript(Self.greeting))
        #expect(problems.map(\.text) == [])
    }

    @Test(arguments: [
        ("hello Ada", "hello Eve"), ("warning\n", ""), ("warning\n", "warning\nmore\n"),
        ("[3]", "[4]"), ("\n[3]", ""), ("{*swordfish*}", "{swordfish}"), ("{Ada}", "{*Ada*}"),
    ])
    func anotherOutcomeFails(text: String, other: String) throws {
        let transcript = try Transcript(Self.greeting.replacing(text, with: other))
        #expect(TranscriptRun.problems(of: transcript).map(\.number) == [1])
    }

    @Test(arguments: ["Word: {*swordfish*}\n", "Name: {Ada}\nWord: {*swordfish*}\n"])
    func aQuestionWithoutAnAnswerFails(answers: String) throws {
        let transcript = try Transcript(Self.greeting.replacing(answers, with: ""))
        let problems = TranscriptRun.problems(of: transcript, patience: 300)
        #expect(problems.map(\.number) == [1])
        #expect(problems.first?.text.contains("waits for an answer") == true)
    }

    @Test func aPlaceholderWithoutAValueFails() throws {
        let problems = TranscriptRun.problems(of: try Transcript("$ echo <id:1>\n"))
        #expect(problems.count == 1)
    }

    @Test func writingKeepsWhatAgreesAndFindsWhatDiffers() throws {
        let random = "od -An -N 4 -tx1 /dev/urandom | tr -d ' \\n' | sed 's/^/x/'"
        let transcript = try Transcript(
            """
            $ printf 'Word: '; read word; echo $(\(random)) $word >file; cat file; date +%s%N
            {fish}
            old
            $ cut -c 1-9 file
            <id:1>
            $ cat file; echo 1; echo 2; date -u +%Y-%m-%dT%H:%M:%SZ; exit 2
            <text> fish
            ...
            2
            yesterday
            [3]
            """)
        let written = try TranscriptRun.rewritten(transcript)
        #expect(written.steps[0].screen == ["Word: {fish}", "<id:2> fish", "<number>"])
        #expect(written.steps[1].screen == ["<id:1>"])
        #expect(written.steps[2].screen == ["<text> fish", "...", "2", "<time>", "[2]"])
        #expect(TranscriptRun.problems(of: written).map(\.text) == [])
    }
}

import CommandLine
import Platform
import SecretMemory
import Synchronization
import Testing
import TestSupport
import TextCoding

@Suite(.timeLimit(.minutes(60))) struct TransientPagerTests {
    static let capable = TerminalCapabilities(
        isTerminal: true, columns: 80, terminalName: "xterm", noColour: "1", locale: "C.UTF-8")

    /// Numbered lines, all with the word that must go away.
    static func secretLines(_ count: Int) -> [String] { (1...count).map { "secret \($0)." } }

    private func show(
        _ count: Int, on terminal: PseudoTerminal,
        while permission: () -> TextPermission = { .shown },
        _ person: @escaping @Sendable (PseudoTerminal) -> Void
    ) throws -> TransientPager.Ending {
        try terminal.whilePerson {
            person($0)
            // Every ending: within a person's patience.
            $0.waitFor("\u{1B}[?1049l")
        } _: {
            try TransientPager(descriptor: terminal.device, capabilities: Self.capable)
                .show(while: permission) { _ in Self.secretLines(count) }
        }
    }

    /// That the terminal is as it was, and shows what it did before.
    private func expectClean(
        _ terminal: PseudoTerminal, _ settings: [UInt32], before: String = "",
        kind: ScreenModel.Kind = .init(), sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let bytes = terminal.wholeScreen().split(separator: "<end>").joined()
        #expect(bytes.contains("secret"), sourceLocation: sourceLocation)
        // What a new size moved is in no row that was drawn.
        #expect(bytes.contains("\u{1B}[2J"), sourceLocation: sourceLocation)
        let screen = ScreenModel(bytes, rows: 200, columns: 400, kind: kind)
        let rest = screen.rows.filter { !$0.isEmpty }
        #expect(rest == (before.isEmpty ? [] : [before]), sourceLocation: sourceLocation)
        #expect(screen.scrollback == [], sourceLocation: sourceLocation)
        #expect(screen.unknown == [], sourceLocation: sourceLocation)
        #expect(!screen.isAlternate, sourceLocation: sourceLocation)
        #expect(screen.cursorIsVisible, sourceLocation: sourceLocation)
        #expect(screen.wraps, sourceLocation: sourceLocation)
        #expect(terminal.settings == settings, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["q", "Q", "\u{1B}", "\n", "\r"])
    func thePersonClosesIt(key: String) throws {
        let terminal = try PseudoTerminal()
        terminal.resize(rows: 10, columns: 40)
        let settings = terminal.settings
        terminal.print("before")
        let ending = try show(3, on: terminal) {
            $0.waitFor("q closes")
            $0.type(key)
        }
        #expect(ending == .closed)
        expectClean(terminal, settings, before: "before")
    }

    @Test func theTextIsThereWhileItIsShown() throws {
        let terminal = try PseudoTerminal()
        terminal.resize(rows: 5, columns: 40)
        let echoedWhileShown = Atomic(true)
        _ = try show(9, on: terminal) {
            $0.waitFor("lines 1-4 of 9")
            $0.print("<here>")
            echoedWhileShown.store($0.echoes, ordering: .relaxed)
            $0.type("q")
        }
        let echoed = echoedWhileShown.load(ordering: .relaxed)
        #expect(!echoed)
        let shown = try #require(terminal.wholeScreen().firstRange(of: "<here>")).lowerBound
        let screen = ScreenModel(
            String(terminal.wholeScreen()[..<shown]), rows: 5, columns: 40)
        #expect(
            screen.rows == [
                "secret 1.", "secret 2.", "secret 3.", "secret 4.",
                "q closes · lines 1-4 of 9 · / searches",
            ])
        #expect(screen.isAlternate)
        #expect(!screen.cursorIsVisible)
    }

    @Test(arguments: [
        ("j", "2-10"), ("jj", "3-11"), ("jk", "1-9"), (" ", "10-18"), ("\u{1B}[B", "2-10"),
        ("\u{1B}OB\u{1B}OB", "3-11"), ("\u{1B}[6~", "10-18"), ("  \u{1B}[5~", "10-18"),
        ("\u{1B}[F", "92-100"), ("\u{1B}[4~", "92-100"), (" \u{1B}[H", "1-9"), ("\n", "2-10"),
        ("\u{1B}[F\u{1B}[A", "91-99"), ("k ", "10-18"), ("\u{1B}[Fj", "92-100"), ("zj", "2-10"),
        ("G", "92-100"), ("Gg ", "10-18"), ("f", "10-18"), ("Gb", "83-91"), ("/42\r", "42-50"),
        ("/5.\rn", "15-23"), ("/5.\rnN", "5-13"), ("/5.\rNN", "85-93"), ("/x\u{1B}j", "2-10"),
    ])
    func keysScroll(keys: String, lines: String) throws {
        let terminal = try PseudoTerminal()
        terminal.resize(rows: 10, columns: 60)
        _ = try show(100, on: terminal) {
            $0.waitFor("lines 1-9 of 100")
            // Nothing is printed if the same lines are shown in the end: the entry of a search follows.
            let isSame = lines == "1-9"
            $0.type(isSame ? keys + "/." : keys)
            $0.waitFor(isSame ? "/." : "lines \(lines) of 100")
            $0.print("<here>")
            $0.type(isSame ? "\u{1B}q" : "q")
        }
        let bytes = terminal.wholeScreen()
        let shown = try #require(bytes.firstRange(of: "<here>")).lowerBound
        let screen = ScreenModel(String(bytes[..<shown]), rows: 10, columns: 60)
        let first = try #require(lines.split(separator: "-").first)
        #expect(screen.rows[0] == "secret \(first).")
        #expect(screen.rows[9].contains(lines == "1-9" ? "/." : "lines \(lines) of 100"))
    }

    @Test func returnGoesOnAndAtTheEndOut() throws {
        let terminal = try PseudoTerminal()
        terminal.resize(rows: 4, columns: 60)
        let ending = try show(5, on: terminal) {
            $0.waitFor("lines 1-3 of 5")
            $0.type("\n")
            $0.waitFor("lines 2-4 of 5")
            $0.type("\n")
            $0.waitFor("lines 3-5 of 5")
            $0.type("\n")
        }
        #expect(ending == .closed)
    }

    @Test func hiddenTextIsClearedAndNotWrittenAgain() throws {
        let terminal = try PseudoTerminal()
        let settings = terminal.settings
        let isAllowed = Atomic(true)
        let ending = try show(50, on: terminal) {
            if isAllowed.load(ordering: .relaxed) { return .shown }
            terminal.print("<hidden>")
            return .hidden
        } _: {
            $0.waitFor("lines 1-23 of 50")
            isAllowed.store(false, ordering: .relaxed)
        }
        #expect(ending == .hidden)
        let bytes = terminal.wholeScreen()
        let end = try #require(bytes.firstRange(of: "<hidden>")).upperBound
        #expect(!bytes[end...].contains("secret"))
        expectClean(terminal, settings)
    }

    @Test func theTimeThatIsLeftIsShownAndThenItIsOver() throws {
        let terminal = try PseudoTerminal()
        let left = Atomic(102_000)
        let ending = try show(3, on: terminal) {
            .shownFor(.milliseconds(left.load(ordering: .relaxed)))
        } _: {
            $0.waitFor("hidden in 1:42 · q closes")
            left.store(100_500, ordering: .relaxed)
            $0.waitFor("\u{1B}[24;14H1\u{1B}[0m")
            left.store(1, ordering: .relaxed)
            $0.waitFor("\u{1B}[24;11H0:01\u{1B}[0m")
            left.store(0, ordering: .relaxed)
        }
        #expect(ending == .hidden)
        // Nothing else is drawn again, because a screen reader would speak it again.
        let text = terminal.wholeScreen()
        #expect(text.components(of: "secret 1.") == 1)
        #expect(text.components(of: "q closes") == 1)
    }

    @Test func onlyRowsThatChangeAreDrawnAgain() throws {
        let terminal = try PseudoTerminal()
        terminal.resize(rows: 5, columns: 60)
        _ = try terminal.whilePerson {
            $0.waitFor("lines 1-4 of 9")
            $0.type("j")
            $0.waitFor("lines 2-5 of 9")
            $0.type("q")
            $0.waitFor("\u{1B}[?1049l")
        } _: {
            try TransientPager(descriptor: terminal.device, capabilities: Self.capable)
                .show(while: { .shown }) { _ in
                    ["first", "same", "same", "same", "same", "other", "x", "y", "z"]
                }
        }
        let text = terminal.wholeScreen()
        #expect(text.components(of: "first") == 1)
        #expect(text.components(of: "same") == 4, "three rows, and the first after a step")
    }

    @Test func aTextThatIsNotFoundIsSaid() throws {
        let terminal = try PseudoTerminal()
        terminal.resize(rows: 5, columns: 60)
        let ending = try show(9, on: terminal) {
            $0.waitFor("lines 1-4 of 9")
            $0.type("/milk")
            $0.waitFor("/milk")
            $0.type("\r")
            $0.waitFor("not found: milk · q closes")
            $0.type("q")
        }
        #expect(ending == .closed)
    }

    /// Text that is no secret stays after the pager, as far as it was visible.
    @Test func theLastScreenIsLeftIfThatIsMeant() throws {
        let terminal = try PseudoTerminal()
        terminal.resize(rows: 4, columns: 60)
        let settings = terminal.settings
        let ending = try terminal.whilePerson {
            $0.waitFor("lines 1-3 of 9")
            $0.type("j")
            $0.waitFor("lines 2-4 of 9")
            $0.type("q")
            $0.waitFor("\u{1B}[?1049l")
            $0.waitFor("secret 4.\r\n")
        } _: {
            try TransientPager(descriptor: terminal.device, capabilities: Self.capable)
                .show(while: { .shown }, leavingText: true) { _ in Self.secretLines(9) }
        }
        #expect(ending == .closed)
        #expect(terminal.settings == settings)
        let bytes = terminal.wholeScreen().split(separator: "<end>").joined()
        let screen = ScreenModel(bytes, rows: 10, columns: 60)
        #expect(
            screen.rows.filter { !$0.isEmpty } == ["secret 2.", "secret 3.", "secret 4."])
    }

    @Test(arguments: [TextPermission.hidden, .shownFor(.zero), .shownFor(.seconds(-1))])
    func textWithoutPermissionIsNeverShown(permission: TextPermission) throws {
        let terminal = try PseudoTerminal()
        let settings = terminal.settings
        let ending = try TransientPager(
            descriptor: terminal.device, capabilities: Self.capable
        ).show(while: { permission }) { _ in Self.secretLines(3) }
        #expect(ending == .hidden)
        #expect(terminal.wholeScreen() == "<end>")
        #expect(terminal.settings == settings)
    }

    @Test func aTerminalWithoutASecondScreenKeepsNothing() throws {
        let terminal = try PseudoTerminal()
        terminal.resize(rows: 200, columns: 400)
        let settings = terminal.settings
        _ = try show(300, on: terminal) {
            $0.waitFor("lines 1-199")
            $0.type(" ")
            $0.waitFor("lines 102-300")
            $0.type("q")
        }
        expectClean(terminal, settings, kind: .init(hasAlternate: false))
    }

    @Test func otherInputIsDiscarded() throws {
        let terminal = try PseudoTerminal()
        terminal.resize(rows: 4, columns: 60)
        terminal.type("jj\n")
        terminal.waitFor("jj\r\n")  // Echoed, so it has arrived.
        let ending = try show(9, on: terminal) {
            $0.waitFor("lines 1-3 of 9")
            // More than is read at once.
            $0.type("q" + String(repeating: "rm -rf x\n", count: 100))
        }
        #expect(ending == .closed)
        #expect(terminal.wholeScreen().components(of: "of 9") == 1)
        #expect(terminal.unread == 0)
    }

    @Test func controlSDoesNotKeepItOnTheScreen() throws {
        let terminal = try PseudoTerminal()
        let settings = terminal.settings
        let isAllowed = Atomic(true)
        let ending = try show(3, on: terminal) {
            isAllowed.load(ordering: .relaxed) ? .shown : .hidden
        } _: {
            $0.waitFor("q closes")
            $0.type("\u{13}")
            isAllowed.store(false, ordering: .relaxed)
        }
        #expect(ending == .hidden)
        expectClean(terminal, settings)
    }

    @Test func aTerminalThatTookNothingForAWhileIsClearedWhenItGoesOn() throws {
        let terminal = try PseudoTerminal()
        terminal.stopBlocking()
        terminal.resize(rows: 200, columns: 400)
        let settings = terminal.settings
        let calls = Atomic(0)
        let isOver = Atomic(false)
        let wide = String(repeating: "secret ", count: 57)
        let ending = try terminal.whilePerson {
            while !isOver.load(ordering: .acquiring) { usleep(1_000) }
            // Longer than a terminal is waited for after a signal.
            usleep(1_200_000)
            $0.waitFor("\u{1B}[?1049l")
        } _: {
            try TransientPager(descriptor: terminal.device, capabilities: Self.capable)
                .show {
                    // The second time is after the first drawing, which cannot be completed.
                    if calls.add(1, ordering: .relaxed).newValue < 3 { return .shown }
                    isOver.store(true, ordering: .releasing)
                    return .hidden
                } lines: { _ in
                    Array(repeating: wide, count: 200)
                }
        }
        #expect(ending == .hidden)
        #expect(!terminal.wholeScreen().contains("q closes"))
        expectClean(terminal, settings)
    }

    @Test func aTerminalThatGoesAwayEndsIt() throws {
        let terminal = try PseudoTerminal()
        let ending = try show(3, on: terminal) {
            $0.waitFor("q closes")
            $0.hangUp()
        }
        #expect(ending == .terminalGone)
    }

    @Test(arguments: ["dumb", "", nil] as [String?])
    func aTerminalThatCannotClearIsRefused(name: String?) throws {
        let terminal = try PseudoTerminal()
        let capabilities = TerminalCapabilities(
            isTerminal: true, columns: 80, terminalName: name, noColour: nil)
        #expect(throws: InputError.cannotClear) {
            _ = try TransientPager(descriptor: terminal.device, capabilities: capabilities)
        }
        #expect(terminal.wholeScreen() == "<end>")
    }

    @Test func aPipeIsNoTerminal() throws {
        let pipe = try InputPipe("q")
        #expect(throws: InputError.noTerminal) {
            _ = try TransientPager(descriptor: pipe.descriptor, capabilities: Self.capable)
        }
    }
}

extension String {
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}

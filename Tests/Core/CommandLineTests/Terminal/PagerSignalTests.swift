import CommandLine
import Platform
import Synchronization
import Testing
import TestSupport

/// Each in a process and a session of its own, because signals are for a whole process.
@Suite(.timeLimit(.minutes(60))) struct PagerSignalTests {
    @Test(.endsProcess, arguments: [SIGTERM, SIGHUP, SIGQUIT, SIGINT])
    func aSignalClearsAndRestoresSettingsAndHandlers(number: Int32) async {
        await #expect(processExitsWith: .exitCode(7)) { [number] in
            signal(number, countCall)
            try PagerScenario().interrupt(bySignal: number) { _ in kill(getpid(), number) }
            try demand(handlerCalls.load(ordering: .relaxed) == 0, "the old handler ran")
            raiseHere(number)
            try demand(handlerCalls.load(ordering: .relaxed) == 1, "the old handler is not back")
            exit(7)
        }
    }

    @Test(.endsProcess, arguments: [("\u{3}", SIGINT), ("\u{1C}", SIGQUIT)])
    func signalKeysClear(key: String, number: Int32) async {
        await #expect(processExitsWith: .exitCode(7)) { [key, number] in
            try PagerScenario().interrupt(bySignal: number) { $0.type(key) }
            exit(7)
        }
    }

    @Test(.endsProcess) func anotherSizeLaysTheLinesOutAgain() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try PagerScenario().resize()
            exit(7)
        }
    }

    @Test(.endsProcess) func controlZClearsBeforeItStopsAndShowsAgainAfterwards() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try PagerScenario().stop(mayBeShownAfterwards: true)
            exit(7)
        }
    }

    @Test(.endsProcess) func textHiddenMeanwhileIsNotShownAfterAStop() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try PagerScenario().stop(mayBeShownAfterwards: false)
            exit(7)
        }
    }

    @Test(.endsProcess) func aStopThatCannotBeCaughtIsFollowedByANewDrawing() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try PagerScenario().goOn()
            exit(7)
        }
    }

    @Test(.endsProcess) func aSizeThatChangedDuringAStopDrawsOnTheAlternateScreen() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try PagerScenario().goOn(bySize: true)
            exit(7)
        }
    }

    @Test(.endsProcess) func aTerminalThatTakesNothingDoesNotHoldBackASignal() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try PagerScenario().interruptWhileStalled(hidden: false)
            exit(7)
        }
    }

    @Test(.endsProcess) func aSignalEndsTheWaitForATerminalThatTakesNoClearing() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try PagerScenario().interruptWhileStalled(hidden: true)
            exit(7)
        }
    }

    @Test(.endsProcess) func theTerminalOfTheProcessIsFound() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try PagerScenario().showOnTheTerminalOfTheProcess()
            exit(7)
        }
    }
}

// What handlers of this file see: they cannot capture anything.
private let handlerCalls = Atomic<Int>(0)
private let stoppedTerminal = Mutex<PseudoTerminal?>(nil)

private func countCall(_ number: Int32) {
    handlerCalls.add(1, ordering: .relaxed)
}

/// In place of the stop itself, which would stop the test: what a person would see.
private func observeStop(_ number: Int32) {
    handlerCalls.add(1, ordering: .relaxed)
    stoppedTerminal.withLock { $0?.print($0?.echoes == true ? "<stopped>" : "<no echo>") }
}

/// The work of a process of its own; throws where it should not go on.
private struct PagerScenario {
    let terminal: PseudoTerminal
    let settings: [UInt32]

    init() throws {
        terminal = try PseudoTerminal(controlling: true)
        terminal.resize(rows: 10, columns: 40)
        settings = terminal.settings
    }

    func pager() throws -> TransientPager {
        try TransientPager(
            descriptor: terminal.device, capabilities: TransientPagerTests.capable)
    }

    /// That nothing is left.
    func demandClean() throws {
        let bytes = terminal.wholeScreen().split(separator: "<end>").joined()
        let screen = ScreenModel(bytes, rows: 100, columns: 200)
        try demand(bytes.contains("secret"), "nothing was shown")
        try demand(screen.unknown == [], "unknown: \(screen.unknown)")
        try demand(!screen.rows.contains { $0.contains("secret") }, "left: \(screen.rows)")
        try demand(screen.scrollback == [], "in the scrollback: \(screen.scrollback)")
        try demand(!screen.isAlternate && screen.wraps && screen.cursorIsVisible, "left so")
        try demand(terminal.settings == settings, "the settings are other ones")
    }

    func interrupt(
        bySignal number: Int32, _ act: @escaping @Sendable (PseudoTerminal) -> Void
    ) throws {
        let ending = try terminal.whilePerson {
            $0.waitFor("q closes")
            act($0)
        } _: {
            try pager().show(while: { .shown }) { _ in TransientPagerTests.secretLines(3) }
        }
        try demand(ending == .signal(number), "ended by \(ending)")
        try demandClean()
    }

    func resize() throws {
        let ending = try terminal.whilePerson {
            $0.waitFor("secret 40 ")
            $0.waitFor("lines 1-9 of 40")
            $0.resize(rows: 6, columns: 50)
            $0.waitFor("secret 50 ")
            $0.waitFor("lines 1-5 of 50")
            $0.type("q")
        } _: {
            try pager().show(while: { .shown }) { columns in
                (1...columns).map { "secret \(columns) \($0)" }
            }
        }
        try demand(ending == .closed, "ended by \(ending)")
        try demandClean()
    }

    func stop(mayBeShownAfterwards: Bool) throws {
        signal(SIGTSTP, observeStop)
        stoppedTerminal.withLock { $0 = terminal }
        let ending = try terminal.whilePerson {
            $0.waitFor("q closes")
            $0.type("\u{1A}")
            $0.waitFor("<stopped>")
            guard mayBeShownAfterwards else { return }
            $0.waitFor("q closes")
            $0.type("q")
        } _: {
            try pager().show {
                let hasStopped = handlerCalls.load(ordering: .relaxed) > 0
                return hasStopped && !mayBeShownAfterwards ? .hidden : .shown
            } lines: { _ in
                TransientPagerTests.secretLines(3)
            }
        }
        try demand(ending == (mayBeShownAfterwards ? .closed : .hidden), "ended by \(ending)")
        try demand(handlerCalls.load(ordering: .relaxed) == 1, "stopped otherwise")
        let parts = terminal.wholeScreen().split(separator: "<stopped>")
        try demand(parts.count == 2, "stopped without echo")
        let screen = ScreenModel(String(parts[0]), rows: 10, columns: 40)
        try demand(!screen.isAlternate && screen.cursorIsVisible, "stopped on its screen")
        try demand(screen.rows.allSatisfy { $0.isEmpty }, "stopped with \(screen.rows)")
        try demand(parts[1].contains("secret") == mayBeShownAfterwards, "after: \(parts[1])")
        try demand(terminal.settings == settings, "the settings are other ones")
    }

    func goOn(bySize: Bool = false) throws {
        let ending = try terminal.whilePerson {
            $0.waitFor("q closes")
            // What a shell does to the terminal before and after it lets a process go on.
            $0.showTyping()
            $0.print("\u{1B}[?1049l\u{1B}[2J")
            // Its signal may be noticed first.
            if bySize { $0.resize(rows: 9, columns: 40) } else { kill(getpid(), SIGCONT) }
            $0.waitFor("\u{1B}[?1049h")
            $0.waitFor("secret 3.")
            $0.waitFor("q closes")
            $0.type($0.echoes ? "\u{3}" : "q")
        } _: {
            try pager().show(while: { .shown }) { _ in TransientPagerTests.secretLines(3) }
        }
        try demand(ending == .closed, "ended by \(ending)")
        try demandClean()
    }

    func interruptWhileStalled(hidden: Bool) throws {
        terminal.stopBlocking()
        terminal.resize(rows: 200, columns: 400)
        let calls = Atomic(0)
        let wide = String(repeating: "secret ", count: 57)
        let ending = try pager().show {
            if calls.add(1, ordering: .relaxed).newValue == 3 { kill(getpid(), SIGTERM) }
            return hidden && calls.load(ordering: .relaxed) >= 3 ? .hidden : .shown
        } lines: { _ in
            Array(repeating: wide, count: 200)
        }
        try demand(ending == .signal(SIGTERM), "ended by \(ending)")
        try demand(terminal.settings == settings, "the settings are other ones")
    }

    func showOnTheTerminalOfTheProcess() throws {
        unsafe setenv("TERM", "xterm", 1)
        let ending = try terminal.whilePerson {
            $0.waitFor("q closes")
            $0.type("q")
        } _: {
            try TransientPager().show(while: { .shown }) { _ in
                TransientPagerTests.secretLines(3)
            }
        }
        try demand(ending == .closed, "ended by \(ending)")
        try demandClean()
    }
}

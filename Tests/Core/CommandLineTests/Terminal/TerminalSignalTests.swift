import CommandLine
import Platform
import SecretMemory
import Synchronization
import Testing
import TestSupport
import TextCoding

/// Each in a process and a session of its own, because signals are for a whole process.
@Suite(.timeLimit(.minutes(60))) struct TerminalSignalTests {
    @Test(.endsProcess) func controlCEndsThePromptAndRestoresTheEcho() async {
        await #expect(processExitsWith: .exitCode(130)) {
            try Scenario().interrupt(hidden: true, bySignal: SIGINT) { $0.type("half a pass\u{3}") }
            exit(130)
        }
    }

    @Test(.endsProcess) func controlCEndsAVisiblePromptToo() async {
        await #expect(processExitsWith: .exitCode(130)) {
            try Scenario().interrupt(hidden: false, bySignal: SIGINT) { $0.type("\u{3}") }
            exit(130)
        }
    }

    @Test(.endsProcess, arguments: [SIGTERM, SIGHUP, SIGQUIT, SIGINT])
    func aSignalEndsThePromptAndRestoresEchoAndHandlers(number: Int32) async {
        await #expect(processExitsWith: .exitCode(130)) { [number] in
            signal(number, countCall)
            try Scenario().interrupt(hidden: true, bySignal: number) { _ in kill(getpid(), number) }
            try demand(handlerCalls.load(ordering: .relaxed) == 0, "the old handler ran")
            raiseHere(number)
            try demand(handlerCalls.load(ordering: .relaxed) == 1, "the old handler is not back")
            exit(130)
        }
    }

    @Test(.endsProcess) func controlZStopsWithTheEchoOnAndAsksAgainAfterwards() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try Scenario().stopAndContinue()
            exit(7)
        }
    }

    @Test(.endsProcess) func signalsEndOrStopAWaitForTheReturnKey() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try Scenario().waitForReturn()
            exit(7)
        }
    }

    @Test(.endsProcess) func theTerminalOfTheProcessIsFoundThroughStandardInput() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try Scenario().askOnTheTerminalOfTheProcess()
            exit(7)
        }
    }

    @Test(.endsProcess) func withAnotherStandardInputTheTerminalOfTheProcessIsFound() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let scenario = try Scenario()
            let nothing = unsafe open("/dev/null", O_RDONLY)
            try demand(dup2(nothing, 0) == 0, "descriptor 0")
            try scenario.askOnTheTerminalOfTheProcess()
            exit(7)
        }
    }

    @Test(.endsProcess) func echoStaysOffBetweenQuestions() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try Scenario().typeAhead()
            exit(7)
        }
    }

    @Test(.endsProcess, arguments: [SIGTERM, SIGHUP, SIGQUIT, SIGINT, SIGTSTP])
    func aSignalBetweenQuestionsRestoresTheEchoFirst(number: Int32) async {
        await #expect(processExitsWith: .exitCode(7)) { [number] in
            signal(number, observeEcho)
            try Scenario().interruptBetweenQuestions(bySignal: number)
            exit(7)
        }
    }

    @Test(.endsProcess) func withoutATerminalThereIsNoQuestion() async {
        await #expect(processExitsWith: .exitCode(7)) {
            // The process of the tests may have a terminal.
            setsid()
            // In one step: the number of a descriptor that is closed may be another thread's next one.
            let nothing = unsafe open("/dev/null", O_RDONLY)
            try demand(dup2(nothing, 0) == 0, "descriptor 0")
            do {
                _ = try TerminalPrompt()
            } catch InputError.noTerminal {
                exit(7)
            }
        }
    }
}

// What handlers of this file see: they cannot capture anything.
private let handlerCalls = Atomic<Int>(0)
private let observedDevice = Atomic<Int32>(-1)
private let echoWhenStopped = Atomic<Int>(-1)

private func countCall(_ number: Int32) {
    handlerCalls.add(1, ordering: .relaxed)
}

private func observeEcho(_ number: Int32) {
    var settings = termios()
    unsafe tcgetattr(observedDevice.load(ordering: .relaxed), &settings)
    let echo = settings.c_lflag & tcflag_t(ECHO) != 0
    echoWhenStopped.store(echo ? 1 : 0, ordering: .relaxed)
}

/// The work of a process of its own; throws where it should not go on.
private struct Scenario {
    let terminal: PseudoTerminal

    init() throws {
        terminal = try PseudoTerminal(controlling: true)
    }

    func interrupt(
        hidden: Bool, bySignal number: Int32,
        _ act: @escaping @Sendable (PseudoTerminal) -> Void
    ) throws {
        let error = try terminal.whilePerson {
            $0.waitFor("Question: ")
            act($0)
        } _: {
            try ask(hidden: hidden)
        }
        try demand(error == .interrupted(signal: number), "ended by \(String(describing: error))")
        try demand(terminal.echoes, "the echo is off")
        try demand(!terminal.wholeScreen().contains("half"), "the secret was shown")
    }

    private func ask(hidden: Bool) throws -> InputError? {
        let prompt = try TerminalPrompt(descriptor: terminal.device)
        do {
            if hidden {
                _ = try prompt.askSecret("Question")
            } else {
                _ = try prompt.askText("Question")
            }
            return nil
        } catch let error as InputError {
            return error
        }
    }

    func stopAndContinue() throws {
        // In place of the stop itself, which would stop the test: what the process does when it would have stopped.
        signal(SIGTSTP, observeEcho)
        observedDevice.store(terminal.device, ordering: .relaxed)
        let secret = try terminal.whilePerson {
            $0.waitFor("Question: ")
            $0.type("forgotten\u{1A}")
            $0.waitFor("Question: ")
            $0.type($0.echoes ? "shown\n" : "hidden again\n")
        } _: {
            text(of: try TerminalPrompt(descriptor: terminal.device).askSecret("Question"))
        }
        try demand(secret == "hidden again", "the answer is \(secret)")
        try demand(terminal.echoes, "the echo is off")
        try demand(echoWhenStopped.load(ordering: .relaxed) == 1, "stopped without echo")
    }

    func waitForReturn() throws {
        func wait() throws -> Bool {
            try TerminalPrompt(descriptor: terminal.device).waitForReturn("Waiting") {
                SystemSleep.sleep(.milliseconds(5))
                return false
            }
        }
        signal(SIGTSTP, observeEcho)
        observedDevice.store(terminal.device, ordering: .relaxed)
        let isPressed = try terminal.whilePerson {
            $0.waitFor("Waiting")
            $0.type("\u{1A}")
            $0.waitFor("Waiting")
            $0.type("\n")
        } _: {
            try wait()
        }
        try demand(isPressed, "it was pressed")
        try demand(echoWhenStopped.load(ordering: .relaxed) == 1, "stopped without echo")
        let error = try terminal.whilePerson {
            $0.waitFor("Waiting")
            $0.type("\u{3}")
        } _: { () -> InputError? in
            do {
                _ = try wait()
                return nil
            } catch let error as InputError {
                return error
            }
        }
        try demand(error == .interrupted(signal: SIGINT), "ended by \(String(describing: error))")
        try demand(terminal.echoes, "the echo is off")
    }

    func typeAhead() throws {
        let before = terminal.settings
        let prompt = try TerminalPrompt(descriptor: terminal.device)
        try demand(prompt.keepEchoOff(), "the echo is not ours")
        try demand(!prompt.keepEchoOff(), "the echo is ours twice")
        for answer in ["first", "second"] {
            let found = try terminal.whilePerson {
                $0.waitFor("Question: ")
                $0.type(answer + "\n")
            } _: {
                text(of: try prompt.askSecret("Question"))
            }
            try demand(found == answer, "the answer is \(found)")
            try demand(!terminal.echoes, "the echo is on between questions")
            typeLineAhead()
        }
        let shown = try terminal.whilePerson {
            $0.waitFor("Question: ")
            $0.type("shown\n")
        } _: {
            try prompt.askText("Question")
        }
        try demand(shown == "shown", "the answer is \(shown)")
        try demand(!terminal.echoes, "the echo is on after a visible question")
        typeLineAhead()
        TerminalPrompt.restoreEcho()
        try demand(terminal.settings == before, "the terminal has other settings")
        try demand(terminal.unread == 0, "what was typed ahead reaches the shell")
        let screen = terminal.wholeScreen()
        try demand(!screen.contains("ahead") && screen.contains("shown"), "the screen: \(screen)")
    }

    /// Types a line that no question waits for, and waits until the terminal has it.
    private func typeLineAhead() {
        terminal.type("typed ahead\n")
        while terminal.unread == 0 { sched_yield() }
    }

    /// Each signal has the handler `observeEcho`, in place of the end or stop that would end the test.
    func interruptBetweenQuestions(bySignal number: Int32) throws {
        observedDevice.store(terminal.device, ordering: .relaxed)
        let prompt = try TerminalPrompt(descriptor: terminal.device)
        try demand(prompt.keepEchoOff(), "the echo is not ours")
        raiseHere(number)
        try demand(echoWhenStopped.load(ordering: .relaxed) == 1, "the echo was off")
        TerminalPrompt.restoreEcho()
        try demand(terminal.echoes, "the echo is off")
    }

    func askOnTheTerminalOfTheProcess() throws {
        let secret = try terminal.whilePerson {
            $0.waitFor("Question: ")
            $0.type("pass\n")
        } _: {
            text(of: try TerminalPrompt().askSecret("Question"))
        }
        try demand(secret == "pass", "the answer is \(secret)")
    }
}

@testable import CommandLine
import Platform
import SecretMemory
import Synchronization
import Testing
import TestSupport
import TextCoding

@Suite(.timeLimit(.minutes(60))) struct TerminalPromptTests {
    /// Types an answer when the question is there.
    private func answer(
        _ keys: String, to terminal: PseudoTerminal, limit: Int = TerminalPrompt.secretLimit
    ) throws -> [UInt8] {
        try terminal.whilePerson {
            $0.waitFor("Passphrase: ")
            $0.type(keys)
        } _: {
            let prompt = try TerminalPrompt(descriptor: terminal.device)
            return bytes(of: try prompt.askSecret("Passphrase", limit: limit))
        }
    }

    @Test func aSecretIsTypedWithoutBeingShown() throws {
        let terminal = try PseudoTerminal()
        let echoedWhileAsking = Atomic(true)
        try #require(terminal.echoes)
        let secret = try terminal.whilePerson {
            $0.waitFor("Passphrase: ")
            echoedWhileAsking.store($0.echoes, ordering: .relaxed)
            $0.type("correct horse\n")
        } _: {
            text(of: try TerminalPrompt(descriptor: terminal.device).askSecret("Passphrase"))
        }
        #expect(secret == "correct horse")
        let echoed = echoedWhileAsking.load(ordering: .relaxed)
        #expect(!echoed)
        #expect(terminal.echoes)
        #expect(terminal.wholeScreen() == "Passphrase: \r\n<end>")
    }

    /// `select` knows descriptors up to 1,023; a program that keeps more files open asks, too.
    @Test(.endsProcess) func aDescriptorOfAnyNumberIsAsked() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try allowDescriptors(upTo: 1_200)
            let terminal = try PseudoTerminal()
            let high = fcntl(terminal.device, F_DUPFD, 1_100)
            try demand(high >= 1_100, "no such descriptor")
            let secret = try terminal.whilePerson {
                $0.waitFor("Passphrase: ")
                $0.type("horse\n")
            } _: {
                text(of: try TerminalPrompt(descriptor: high).askSecret("Passphrase"))
            }
            try demand(secret == "horse", "another answer")
            exit(7)
        }
    }

    @Test func theReturnKeyEndsAWaitUnlessItIsOver() throws {
        let terminal = try PseudoTerminal()
        let isPressed = try terminal.whilePerson {
            $0.waitFor("Touch it\r\n")
            $0.type("unread\n")
        } _: {
            try TerminalPrompt(descriptor: terminal.device).waitForReturn("Touch it") {
                SystemSleep.sleep(.milliseconds(5))
                return false
            }
        }
        #expect(isPressed)
        var rounds = 0
        let isPressedAgain = try TerminalPrompt(descriptor: terminal.device)
            .waitForReturn("Touch \u{1B}") {
                rounds += 1
                return rounds == 3
            }
        #expect(!isPressedAgain)
        #expect(terminal.echoes)
        #expect(terminal.wholeScreen() == "Touch it\r\nTouch \\u{1B}\r\n<end>")
    }

    @Test func inputBeforeTheQuestionIsDiscarded() throws {
        let terminal = try PseudoTerminal()
        terminal.type("early\n")
        terminal.waitFor("early\r\n")  // Echoed, so it has arrived.
        #expect(try answer("late\n", to: terminal) == Array("late".utf8))
    }

    @Test func inputAfterTheLineIsDiscarded() throws {
        let terminal = try PseudoTerminal()
        #expect(try answer("first\nrm -rf x\n", to: terminal) == Array("first".utf8))
        #expect(try answer("second\n", to: terminal) == Array("second".utf8))
    }

    @Test(arguments: [
        ("abc\u{7F}\u{7F}d\n", "ad"), ("a€\u{7F}b\n", "ab"), ("abc\u{15}x\n", "x"),
        ("\u{7F}x\n", "x"), ("one two \u{17}x\n", "one x"), ("abc\u{4}", "abc"), ("\n", ""),
        ("a\r", "a"), ("e\u{301}\u{7F}\n", "e"), ("tab\there\n", "tab\there"),
        ("a\u{8}b\n", "b"),
    ])
    func keysCorrectTheLine(keys: String, secret: String) throws {
        #expect(try answer(keys, to: PseudoTerminal()) == Array(secret.utf8))
    }

    @Test(arguments: [4_095, 4_096, 5_000, 16_384])
    func longSecretsAreWhole(size: Int) throws {
        let secret = String(repeating: "0123456789abcdef", count: size / 16 + 1).prefix(size)
        #expect(try answer(secret + "\n", to: PseudoTerminal()) == Array(secret.utf8))
    }

    @Test func tooLongSecretsAreRefusedAndNotCut() throws {
        let terminal = try PseudoTerminal()
        #expect(throws: InputError.tooLong(maximum: 20)) {
            try answer("123456789012345678901\n", to: terminal, limit: 20)
        }
        #expect(terminal.echoes)
        #expect(try answer("12345678901234567890\n", to: terminal, limit: 20).count == 20)
    }

    @Test func theEndOfInputIsAnErrorAndRestoresTheEcho() throws {
        let terminal = try PseudoTerminal()
        #expect(throws: InputError.endOfInput) { try answer("\u{4}", to: terminal) }
        #expect(terminal.echoes)
    }

    @Test func textIsShownWhileItIsTyped() throws {
        let terminal = try PseudoTerminal()
        let text = try terminal.whilePerson {
            $0.waitFor("Name\\u{1B}: ")
            $0.type("Zoë\n")
        } _: {
            try TerminalPrompt(descriptor: terminal.device).askText("Name\u{1B}")
        }
        #expect(text == "Zoë")
        #expect(terminal.wholeScreen() == "Name\\u{1B}: Zoë\r\n<end>")
    }

    @Test(arguments: [
        ("y\n", true), ("YES\n", true), ("n\n", false), ("\n", false), ("yy\n", false),
    ])
    func onlyYesIsYes(keys: String, expected: Bool) throws {
        let terminal = try PseudoTerminal()
        let confirmed = try terminal.whilePerson {
            $0.waitFor("Remove it? [y/N]: ")
            $0.type(keys)
        } _: {
            try TerminalPrompt(descriptor: terminal.device).confirm("Remove it?")
        }
        #expect(confirmed == expected)
    }

    @Test(arguments: [("vault\n", true), ("Vault\n", false), ("\n", false)])
    func aNameMustBeTypedExactly(keys: String, expected: Bool) throws {
        let terminal = try PseudoTerminal()
        let confirmed = try terminal.whilePerson {
            $0.waitFor("Type vault to remove it: ")
            $0.type(keys)
        } _: {
            try TerminalPrompt(descriptor: terminal.device)
                .confirm("Type vault to remove it", byTyping: "vault")
        }
        #expect(confirmed == expected)
    }

    @Test func aPipeIsNoTerminal() throws {
        let pipe = try InputPipe("x\n")
        #expect(throws: InputError.noTerminal) {
            _ = try TerminalPrompt(descriptor: pipe.descriptor)
        }
    }
}

private func allowDescriptors(upTo count: rlim_t) throws {
    #if canImport(Glibc)
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        let kind = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    unsafe getrlimit(kind, &limit)
    limit.rlim_cur = max(limit.rlim_cur, count)
    try demand(unsafe setrlimit(kind, &limit) == 0, "the limit cannot be raised")
}

#if os(Linux)
    import TestSupport
    import Testing

    /// The passing of time, and a clock that jumps: that of the command, by libfaketime.
    @Suite(
        .enabled(if: WallClock.isAvailable, "libfaketime is missing"),
        .disabled(if: Sanitizer.isActive, "a sanitizer has to be the first library"),
        .timeLimit(.minutes(60)), .waitsForProcesses)
    struct SignInClockTests {
        /// Runs something while a home's commands have another time, such as `+3d`.
        private func at<Result>(
            _ time: String, _ home: TestHome, _ body: () throws -> Result
        ) rethrows -> Result {
            let environment = home.environment
            defer { home.environment = environment }
            home.environment["LD_PRELOAD"] = WallClock.library
            home.environment["FAKETIME"] = time
            home.environment["DONT_FAKE_MONOTONIC"] = "1"
            // So that it makes no shared memory.
            home.environment["FAKETIME_SHARED"] = "none none"
            return try body()
        }

        @Test func theTimeOfflineEnds() throws {
            let place = try AccountHome()
            place.server.stop()
            for (time, code) in [("+0d", Int32(0)), ("+6d", 0), ("+8d", 9)] {
                let found = try at(time, place.home) { try place.ask("whoami --json") }
                #expect(found.exitCode == code, "\(time)")
                if code == 0 { #expect(found.object["state"] as? String == "offline") }
            }
            try place.server.start()
            try at("+8d", place.home) { try place.expectSilentStart() }
        }

        @Test func aClockThatIsSetBackEndsIt() throws {
            let place = try AccountHome()
            place.server.stop()
            expectDone(try at("+3d", place.home) { try place.ask("whoami") })
            // Otherwise setting the clock extends the offline time.
            #expect(try place.ask("whoami").exitCode == 9)
            let said = try place.unlock()
            #expect(said.count == 1 && said[0].contains("warning: not signed in: "), "\(said)")
            #expect(try place.cachedKinds() == ["password", "session"])
            expectDone(try at("+4d", place.home) { try place.ask("whoami") })
            // The server's word ends all doubt.
            try place.server.start()
            try place.expectSilentStart()
            place.server.stop()
            expectDone(try place.ask("whoami"))
        }

        @Test(arguments: [("+0s", nil), ("+5m", "ahead of"), ("-5m", "behind")])
        func aWrongClockIsSaidWithACode(time: String, word: String?) throws {
            let place = try AccountHome()
            expectDone(
                try place.home.ask("secret set mail ada --field totp", input: "GEZDGNBVGY3TQOJQ"))
            try at(time, place.home) {
                expectDone(try place.ask("login", [place.password]))
                let result = try place.ask("secret code mail")
                #expect(result.exitCode == 0)
                let warnings = result.errorLines.filter { $0.contains("of the auth server") }
                #expect(warnings.count == (word == nil ? 0 : 1), "\(result.errorText)")
                if let word {
                    #expect(warnings.first?.contains(" s \(word) that of") == true)
                }
            }
        }

        /// The server may grant access for longer than one may be offline.
        @Test func everyQuestionNotesTheTime() throws {
            let place = try AccountHome(options: ["--access-token-lifetime", "24h"])
            expectDone(try place.home.ask("settings set offline-limit 1h"))
            place.server.stop()
            #expect(try at("+2h", place.home) { try place.ask("whoami") }.exitCode == 9)
            #expect(try place.ask("whoami").exitCode == 9)
        }

        @Test func aChangeThatCameToNothingIsForgottenAfterAWhile() throws {
            let place = try AccountHome()
            let new = AccountHome.word("changed")
            let other = AccountHome.word("other")
            place.server.relay.breakNext("POST /account/password", .beforeTheRequest)
            #expect(try place.ask("account password", [place.password, new]).exitCode == 9)
            // As long as it may be under way it is not lost for another.
            let refused = try place.ask("account password", [place.password, other])
            #expect(refused.exitCode == 8)
            #expect(refused.errorText.contains("an earlier change of the password may still be"))
            #expect(try place.cached("pending-password") == new)
            try at("+10m", place.home) {
                try place.expectSilentStart()
                #expect(try place.cached("pending-password") == nil)
                let tried = place.server.relay.passwordsTried
                try place.expectSilentStart()
                #expect(place.server.relay.passwordsTried == tried)
                expectDone(try place.ask("account password", [place.password, other]))
            }
        }
    }
#endif

import Platform
import Testing
import TestSupport

/// The output of `status` and `settings`, and what the settings do.
@Suite(.waitsForProcesses) struct AgentStatusTests {
    #if os(Linux)
        @Test(.enabled(if: OtherUser.isAvailable, "setpriv is missing"))
        func aVaultInAClosedFolderIsNotTakenForMissing() throws {
            let home = try TestHome()
            // The administrator may read everything.
            if geteuid() == 0 {
                home.launcher = OtherUser.launcher
            } else {
                Files.setMode(home.home, 0)
            }
            defer { Files.setMode(home.home, 0o700) }
            for words in ["status", "status --json"] {
                let refused = try home.ask(words)
                #expect(refused.exitCode == 1)
                #expect(refused.output.isEmpty)
                #expect(refused.errorText.contains("permission denied"), "\(refused.errorText)")
            }
        }
    #endif

    @Test func statusInEveryState() throws {
        let home = try TestHome(withVault: false)
        #expect(
            try home.ask("status").outputText
                == "there is no vault at \(home.vault)\nnext: taskvault init\n")
        #expect(try home.ask("lock").outputText == "there is no vault at \(home.vault)\n")
        try expectSameWords(home, Self.json("none", memoryLocked: nil, nil))
        try home.make()
        #expect(
            try home.ask("status").outputLines == [
                "the vault is locked", "opens with: passphrase (not used on this machine)",
                "opens with: recovery code (not used on this machine)", "next: taskvault unlock",
            ])
        #expect(try home.ask("lock").outputText == "locked\n")
        try expectSameWords(home, Self.json("locked", memoryLocked: nil, nil))
        let agent = try home.unlock()
        try home.tell("hidden", options: "--class after-verification")
        let lines = try home.ask("status").outputLines
        #expect(lines.count == 7)
        #if os(Linux)
            let files =
                FileAccessLimits.areAvailable ? "limited (Landlock)" : "not limited (no Landlock)"
            #expect(lines.contains("agent: system calls limited (seccomp), files \(files)"))
            #expect(try home.status["files_limited"] as? Bool == FileAccessLimits.areAvailable)
            #expect(try home.status["system_calls_limited"] as? Bool == true)
        #endif
        #expect(
            lines.first?.wholeMatch(of: /the vault is unlocked for [0-9ms]+, by process [0-9]+/)
                != nil)
        #expect(lines[1].wholeMatch(of: /protected secrets can be read for [0-9ms]+/) != nil)
        #expect(lines.last == "next: taskvault backup FILE")
        expect(try home.ask("backup copy.db"), ends: 0)
        #expect(try home.ask("status").outputLines.last == "next: nothing")
        let verified = try home.status
        #expect(verified["state"] as? String == "unlocked")
        #expect(verified["verified"] as? Bool == true)
        #expect((1...120).contains(try #require(verified["verification_seconds_left"] as? Int)))
        #expect((121...900).contains(try #require(verified["idle_seconds_left"] as? Int)))
        #expect((901...43_200).contains(try #require(verified["absolute_seconds_left"] as? Int)))
        #expect(verified["process_id"] as? Int == Int(agent))
        let memoryLocked = try #require(verified["memory_locked"] as? Bool)

        expect(try home.ask("settings set verification-window 1s"), ends: 0)
        try home.waitFor("unlocked")
        #expect(
            try home.ask("status").outputLines.contains(
                "protected secrets need the passphrase: taskvault verify"))
        #expect(try home.status["verification_seconds_left"] as? Int == 0)
        expect(try home.ask("lock"), ends: 0)
        let locked = try home.ask("status").outputLines
        #expect(locked.first == "the vault is locked; its agent is process \(agent)")
        #expect(locked.dropFirst(1).prefix(2) == lines.dropFirst(2).prefix(2))
        #expect(locked.last == "next: taskvault unlock")
        try expectSameWords(home, Self.json("locked", memoryLocked: memoryLocked, agent))
        #expect(
            Set(verified.keys) == Set(try home.status.keys),
            "the members are the same in every state")
    }

    /// The lines about a vault that is not unlocked.
    private static func json(_ state: String, memoryLocked: Bool?, _ agent: pid_t?) -> String {
        #"{"state":"\#(state)","verified":false,"verification_seconds_left":null,"idle_seconds_left":null,"absolute_seconds_left":null,"#
            + #""memory_locked":\#(memoryLocked.map { "\($0)" } ?? "null"),"process_id":\#(agent.map { "\($0)" } ?? "null")}"#
            + "\n"
    }

    /// Both commands say how it is after them. `status` adds the slots.
    private func expectSameWords(_ home: TestHome, _ words: String) throws {
        #expect(try home.ask("lock --json").outputText == words)
        let status = try home.ask("status --json").outputText
        #expect(status.hasPrefix(words.dropLast(2) + #","slots":"#), "\(status)")
    }

    @Test func nothingIsReadableForLongerThanTheSessionLasts() throws {
        let home = try TestHome()
        try home.unlock()
        expect(try home.ask("settings set verification-window 24h"), ends: 0)
        expect(try home.ask("settings set absolute-limit 10m"), ends: 0)
        let text = try home.ask("unlock --passphrase-file \(home.passphraseFile)").outputText
        let times = try #require(
            text.wholeMatch(of: /unlocked: protected secrets for (.+), the others for (.+)\n/))
        #expect(times.output.1 == times.output.2)
        #expect(times.output.2.contains("m"))
    }

    @Test func anAgentThatCannotRememberTheNewestStateIsNoSecret() throws {
        let home = try TestHome()
        let state = home.environment["XDG_STATE_HOME"]
        home.environment["XDG_STATE_HOME"] = "/dev/null/state"
        let warning =
            "taskvault: warning: the agent cannot keep this machine's rollback record: an older copy of the vault would not be detected"
        let unlocked = try home.ask("unlock --passphrase-file \(home.passphraseFile)")
        #expect(unlocked.exitCode == 0)
        #expect(unlocked.errorLines == [warning])
        // The agent has the environment of its starter.
        home.environment["XDG_STATE_HOME"] = state
        for command in ["status", "lock", "status"] {
            expect(try home.ask(command), ends: 0, String(warning.dropFirst("taskvault: ".count)))
        }
    }

    @Test func statusExtendsNothing() throws {
        let home = try TestHome()
        try home.unlock()
        expect(try home.ask("settings set idle-limit 2s"), ends: 0)
        // Asked all the time, it is over all the same.
        try home.waitFor("locked")
    }

    @Test func timeEndsVerificationAndSession() throws {
        let home = try TestHome()
        for limit in ["idle-limit", "absolute-limit"] {
            try home.unlock()
            expect(try home.ask("settings set \(limit) 1s"), ends: 0)
            try home.waitFor("locked")
            #expect(try home.ask("secret list").exitCode == 3)
            // The limit holds for the next session, too: it takes a fresh proof to widen it.
            let reset = try home.run("settings set \(limit) 15m")
            #expect(reset.exitCode == 0, "\(reset.errorText)")
        }
    }

    @Test func settings() throws {
        let home = try TestHome()
        try home.unlock()
        let standard = [
            "SETTING                    VALUE", "verification-window        2m",
            "idle-limit                 15m", "absolute-limit             12h",
            "require-locked-memory      no", "require-rollback-record    no",
            "verify-with-fingerprint    no", "earlier-values             10",
            "earlier-days               90", "removed-days               30",
            "theme                      system", "language                   browser",
            "server                     none", "server-endpoints           none",
            "server-client              taskvault",
            "client-secret              none", "scope                      none",
            "redirect                   http://127.0.0.1/callback",
            "server-ca                  none", "server-key                 none",
            "allow-caching-credentials  yes", "offline-limit              168h",
            "account-notices            no",
            "file-sort                  name", "file-sizes                 yes",
            "inbox-pictures             ask", "allow-saving               yes",
            "database                   sqlite", "vault                      file",
            "task-order                 due", "remind-by-default          no",
            "day-reminder               9:00", "clear-after                24h",
            "snooze                     10m", "clear-clipboard-after      45s",
            "reminder-command           none", "services-secrets           programs",
            "services-git               on", "services-docker            on",
        ]
        let lines = try home.ask("settings").outputLines
        #expect(lines.count == standard.count)
        for (line, start) in zip(lines, standard) {
            #expect(line.hasPrefix(start + "  "), "\(line)")
            #expect(line.split(separator: " ").count > 2, "a setting without its meaning: \(line)")
        }
        #expect(try home.ask("settings list").outputLines == lines)
        #expect(try home.ask("settings get absolute-limit").outputText == "12h\n")
        #expect(
            try home.ask("settings set idle-limit 1h30m5s").outputText
                == "idle-limit is 1h30m5s now\n")
        #expect(
            try home.ask("settings list --json").outputText
                == #"{"verification_window":120,"idle_limit":5405,"absolute_limit":43200,"require_locked_memory":false,"require_rollback_record":false,"verify_with_fingerprint":false,"earlier_values":10,"earlier_days":90,"removed_days":30,"theme":"system","language":"browser","server":null,"server_endpoints":null,"server_client":"taskvault","client_secret":null,"scope":null,"redirect":"http://127.0.0.1/callback","server_ca":null,"server_key":null,"allow_caching_credentials":true,"offline_limit":604800,"account_notices":false,"file_sort":"name","file_sizes":true,"inbox_pictures":"ask","allow_saving":true,"database":"sqlite","vault":"file","task_order":"due","remind_by_default":"no","day_reminder":"9:00","clear_after":"24h","snooze":"10m","clear_clipboard_after":"45s","reminder_command":null,"services_secrets":"programs","services_git":"on","services_docker":"on"}"#
                + "\n")
        #expect(
            try home.ask("settings get idle-limit --json").outputText == "{\"idle_limit\":5405}\n")
        let changed = try home.ask("settings list").outputLines[2]
        #expect(changed.hasPrefix("idle-limit                 1h30m5s  "))
        #expect(changed.hasSuffix(" (default: 15m)"))
        // Kept in the vault.
        #expect(try home.run("settings get idle-limit").outputText == "1h30m5s\n")
        #expect(try home.ask("settings unset idle-limit").outputText == "idle-limit is 15m now\n")
        expect(try home.ask("settings set verification-window 24h"), ends: 0)
        expect(try home.ask("settings set idle-limit 1s"), ends: 0)
    }

    @Test func settingsWithoutAVaultSayThatThereIsNone() throws {
        let home = try TestHome(withVault: false)
        let listed = try home.runBare(["settings"]).outputText
        #expect(listed.contains(#/\nidle-limit +\(no vault\) /#), "\(listed)")
        #expect(!listed.contains("locked)"))
    }

    @Test func aSettingThatIsUnsetHasItsDefault() throws {
        let home = try TestHome()
        try home.unlock()
        for (name, value, standard) in [
            ("task-order", "name", "due"), ("services-git", "off", "on"),
            ("server", "https://auth.example.org", "none"), ("file-sizes", "no", "yes"),
            ("inbox-pictures", "always", "ask"), ("removed-days", "7", "30"),
        ] {
            expect(try home.ask("settings set \(name) \(value)"), ends: 0)
            #expect(try home.ask("settings get \(name)").outputText == value + "\n")
            let unset = try home.ask("settings unset \(name)")
            #expect(unset.outputText == "\(name) is \(standard) now\n", "\(unset.errorText)")
            #expect(try home.ask("settings get \(name)").outputText == standard + "\n")
            // A second time it is not an error.
            expect(try home.ask("settings unset \(name)"), ends: 0)
        }
        #expect(try Files.read(home.home + "/settings").isEmpty, "no line stays in the file")
        #expect(try home.ask("settings unset no-such-thing").exitCode == 2)
        #expect(
            try home.ask("settings unset task-order --json").outputText
                == "{\"task_order\":\"due\"}\n")
    }

    @Test func aQuietStatusIsAnExitCode() throws {
        let home = try TestHome(withVault: false)
        func quiet() throws -> Int32 {
            let result = try home.ask("status --quiet")
            #expect(result.output.isEmpty && result.errorText.isEmpty)
            return result.exitCode
        }
        #expect(try quiet() == 5)
        let vault = try TestHome()
        #expect(try vault.ask("status --quiet").exitCode == 3)
        try vault.unlock()
        let unlocked = try vault.ask("status --quiet")
        #expect(unlocked.exitCode == 0 && unlocked.output.isEmpty && unlocked.errorText.isEmpty)
        try vault.ask("lock")
        let locked = try vault.ask("status --quiet")
        #expect(locked.exitCode == 3 && locked.output.isEmpty && locked.errorText.isEmpty)
    }

    @Test(arguments: [
        "0s", "24h1s", "25h", "5", "", "m", "-1s", "2d", "1s1h", "99999999999s", "yes",
    ])
    func aTimeThatIsNone(text: String) throws {
        let home = try TestHome()
        try home.unlock()
        for setting in ["verification-window", "idle-limit", "absolute-limit"] {
            let refused = try home.runBare(["settings", "set", "--", setting, text])
            expect(
                refused, ends: 2, "error: \(setting) is a time from 1s to 24h",
                "hint: taskvault settings set \(setting) 15m")
        }
        expect(
            try home.ask("settings set require-locked-memory maybe"), ends: 2,
            "error: require-locked-memory is yes or no")
        #expect(try home.ask("settings set no-such-thing 1s").exitCode == 2)
        #expect(try home.ask("settings get verification-window").outputText == "2m\n")
    }

    @Test func relaxingALimitRequiresVerification() throws {
        let home = try TestHome()
        try home.unlock()
        expect(try home.ask("settings set verification-window 1s"), ends: 0)
        try home.waitFor("unlocked")
        for change in [
            "verification-window 2s", "idle-limit 16m", "absolute-limit 24h",
            "verification-window 24h",
        ] {
            expect(
                try home.ask("settings set \(change)"), ends: 8,
                "error: verification required", "hint: taskvault verify")
        }
        expect(try home.ask("settings set idle-limit 14m"), ends: 0)
        expect(try home.ask("settings set absolute-limit 11h"), ends: 0)
        #expect(
            try home.ask("settings list").outputLines[1...4].map {
                $0.split(separator: " ")[1]
            }
                == ["1s", "14m", "11h", "no"])
    }
}

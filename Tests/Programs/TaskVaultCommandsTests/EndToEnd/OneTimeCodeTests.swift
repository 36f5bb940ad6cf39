import Foundation
import Platform
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct OneTimeCodeTests {
    private static let seed = "gezd gnbv gy3t qojq gezd gnbv gy3t qojq"

    /// The warning that depends on the machine on which the tests run.
    private var warning: [String] {
        platform_clock_is_synchronised() != 0
            ? []
            : [
                "taskvault: warning: the clock of this machine is not synchronised: the service may refuse the code"
            ]
    }

    @Test func aCodeIsBareInAPipeAndHasItsTimeInJSON() throws {
        let home = try TestHome()
        expect(
            try home.run(
                ["secret", "set", "mail.example", "ada", "--field", "totp"],
                input: Array(Self.seed.utf8)), ends: 0)
        let before = Int(Date().timeIntervalSince1970) / 30
        let found = try home.run("secret code mail.example ada --json")
        let bare = try home.run("secret code mail.example ada")
        let after = Int(Date().timeIntervalSince1970) / 30
        #expect(found.exitCode == 0)
        #expect(bare.errorLines == warning)
        #expect(found.errorText.contains("clock_not_synchronised") == !warning.isEmpty)
        let code = try #require(found.object["code"] as? String)
        #expect(code.wholeMatch(of: /[0-9]{6}/) != nil)
        #expect(bare.outputText.wholeMatch(of: /[0-9]{6}/) != nil)
        if before == after { #expect(bare.outputText == code) }
        let left = try #require(found.object["seconds_left"] as? Int)
        #expect((1...30).contains(left))
        #expect(found.object["period"] as? Int == 30)
        #expect(found.object["service"] as? String == "mail.example")
    }

    #if os(Linux)
        @Test(.enabled(if: Tool.isPresent("faketime"), "needs faketime"))
        func aCodeIsThatOfTheTime() throws {
            let home = try TestHome()
            let uri = "otpauth://totp/A?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=8\n"
            try home.run("secret set mail.example ada --field totp", input: uri)
            let found = try home.runBare(
                [
                    "secret", "code", "mail.example", "ada", "--no-agent", "--passphrase-file",
                    home.passphraseFile,
                ], beneath: ["/usr/bin/env", "TZ=UTC", "faketime", "-f", "2005-03-18 01:58:29"])
            // RFC 6238, appendix B: 1111111109.
            #expect(found.outputText == "07081804")
        }
    #endif

    @Test func aBrokenSeedIsRefusedBeforeItIsSaved() throws {
        let home = try TestHome()
        let hint =
            "hint: taskvault secret set --replace mail.example ada --field totp asks for the seed"
        let problem = "error: mail.example ada --field totp is not a TOTP seed: "
        for (seed, reason) in [
            ("hunter2!", "character 8 of the secret is not Base32 (A to Z, 2 to 7)"),
            ("otpauth://hotp/A?secret=GEZDGNBV", "codes by a counter (HOTP) are not supported"),
            ("steam://GEZDGNBV", "the codes of Steam are not supported"),
            ("otpauth://totp/A?secret=GEZDGNBV&digits=4", "parameter digits is not valid"),
            ("otpauth://totp/A", "the secret is missing"),
            ("GEZ", "the end of the secret is missing"),
        ] {
            expect(
                try home.run("secret set mail.example ada --field totp", input: seed), ends: 2,
                problem + reason, hint)
        }
        // Which digit is the first one that Base32 does not have is chance.
        let digits = try home.run("secret generate mail.example ada --field totp --digits")
        #expect(digits.exitCode == 2)
        #expect(digits.errorText.contains("of the secret is not Base32 (A to Z, 2 to 7)"))
        expect(
            try home.run("secret code mail.example ada"), ends: 5,
            "error: there is no secret mail.example ada", "hint: taskvault secret list")
        try home.run("secret set mail.example ada", input: "a password")
        expect(
            try home.run("secret code mail.example"), ends: 5,
            "error: secret mail.example ada has no TOTP seed",
            "hint: taskvault secret set mail.example ada --field totp saves one")
        try home.run("secret set mail.example ada --field totp", input: Self.seed)
        expect(
            try home.run("secret update mail.example ada --field totp", input: "1"), ends: 2,
            problem + "character 1 of the secret is not Base32 (A to Z, 2 to 7)", hint)
    }

    @Test func aSeedThatWasBrokenElsewhereIsExplained() throws {
        let home = try TestHome()
        try home.run("secret set mail.example ada", input: "not a seed!")
        // Another program may have written it.
        let exported = try home.run("secret export --format json").outputText
            .replacing("\"field\":\"password\"", with: "\"field\":\"totp\"")
        try Files.write(exported, to: home.folder + "/in.json")
        let imported = try home.run("secret import \(home.folder)/in.json")
        #expect(imported.exitCode == 0, "\(imported.errorText)")
        let failed = try home.run("secret code mail.example ada")
        #expect(failed.exitCode == 2)
        #expect(
            failed.errorLines.first
                == "taskvault: error: mail.example ada --field totp is not a TOTP seed: character 11 of the secret is not Base32 (A to Z, 2 to 7)"
        )
        #expect(failed.output.isEmpty)
    }
}

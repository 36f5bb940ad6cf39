import Application
import Foundation
import Passkeys
import TestSupport
import Testing

@testable import LocalApp

/// Refusals of `taskvault app`: other hosts, origins, ports, tokens, users and pages.
@Suite("Requests that are refused", .waitsForProcesses, .timeLimit(.minutes(60)))
struct RefusalTests {
    private func fields(
        _ home: AppHome, host: String? = nil, origin: String? = nil, site: String = "same-origin",
        bearer: String? = nil
    ) -> [(String, String)] {
        [
            ("Host", host ?? home.host),
            ("Origin", origin ?? home.origin), ("Sec-Fetch-Site", site),
            ("Authorization", "Bearer \(bearer ?? home.bearer)"),
            ("Content-Type", "application/json"),
        ]
    }

    @Test func onlyThePageIsAnswered() throws {
        let home = try AppHome(withVault: false)
        try home.open()
        func code(_ fields: [(String, String)]) throws -> String? {
            try home.send("POST", "/api/session/lock", fields, Array("{}".utf8)).code
        }
        #expect(try code(fields(home)) == nil)
        // Rebound names, the host of every start before, that of another start, a host within.
        let other = PageOrigin(port: home.port)
        let rebound = ["evil.example", "127.0.0.1", "taskvault.localhost"].map {
            "\($0):\(home.port)"
        }
        for host in rebound + ["a.\(home.host)"] {
            #expect(try code(fields(home, host: host)) == "forbidden", "\(host)")
            #expect(try code(fields(home, origin: "http://\(host)")) == "forbidden", "\(host)")
        }
        #expect(try code(fields(home, host: other.host)) == "forbidden")
        #expect(try code(fields(home, origin: other.text)) == "forbidden")
        // Another port of this machine, another scheme, a hostile page.
        #expect(try code(fields(home, origin: "\(home.origin.dropLast())x")) == "forbidden")
        #expect(try code(fields(home, origin: "https" + home.origin.dropFirst(4))) == "forbidden")
        #expect(try code(fields(home, origin: "https://evil.example")) == "forbidden")
        #expect(try code(fields(home, origin: "null")) == "forbidden")
        #expect(try code(fields(home, site: "same-site")) == "forbidden")
        #expect(try code(fields(home, site: "cross-site")) == "forbidden")
        let reversed = String(home.bearer.reversed())
        #expect(try code(fields(home, bearer: reversed)) == "unauthorized")
        #expect(try code(fields(home, bearer: "")) == "unauthorized")
    }

    /// Another user's page at a sibling host can set cookies for the domain: at most 180 of 4,096 bytes, and what partitions add.
    @Test func cookiesOfOthersKeepNobodyOut() throws {
        let home = try AppHome(withVault: false)
        try home.open()
        let cookies = (0..<183).map { "c\($0)=\(String(repeating: "x", count: 4_094))" }
        let cookie = ("Cookie", cookies.joined(separator: "; "))
        let file = try home.send(
            "GET", "/", [("Host", home.host), ("Sec-Fetch-Site", "none"), cookie])
        #expect(file.status == 200)
        let action = try home.send(
            "POST", "/api/session/lock", fields(home) + [cookie], Array("{}".utf8))
        #expect(action.status == 200)
    }

    @Test func everyRouteNeedsTheBearer() throws {
        let home = try AppHome(withVault: false)
        for route in LocalApp.routes {
            let path =
                "/api/"
                + route.path.map { $0.hasPrefix("{") ? "x" : $0 }
                .joined(separator: "/")
            let answer = try home.send(
                route.method, path,
                [
                    ("Host", home.host), ("Origin", home.origin),
                    ("Sec-Fetch-Site", "same-origin"),
                ])
            #expect(answer.status == 401, "\(route.method) \(path)")
        }
    }

    @Test func aTokenWorksOnce() throws {
        let home = try AppHome(withVault: false, showing: "task/k7m")
        #expect(try home.open()["show"] as? String == "task/k7m")
        let again = try home.ask("POST", "session", #"{"token":"\#(home.token)"}"#)
        #expect(again.status == 401)
        #expect(again.code == "bad_token")
        let wrong = try home.ask("POST", "session", #"{"token":""}"#)
        #expect(wrong.code == "bad_token")
    }

    @Test func aReloadedPageMayOnlyUnlock() throws {
        let home = try AppHome()
        let opened = try home.open()
        #expect(opened["held"] as? Bool == false)
        let unlocking = #"{"passphrase":"\#(AppHome.passphrase)"}"#
        #expect(try home.ask("POST", "session/unlock", unlocking).status == 200)
        #expect(try home.ask("GET", "tasks").status == 200)
        let earlier = home.bearer
        let key = try #require(opened["again"] as? String)
        let again = try home.open(with: "again", key)
        #expect(again["held"] as? Bool == true)
        #expect(home.bearer != earlier)
        #expect(try home.ask("POST", "session", #"{"again":"\#(key)"}"#).code == "bad_token")
        // The vault is open, but not for this page.
        let state = try home.ask("GET", "state").fields["session"] as? [String: Any]
        #expect(state?["state"] as? String == "unlocked")
        #expect(try home.ask("GET", "session").fields["state"] as? String == "unlocked")
        for (method, path) in [
            ("GET", "tasks"), ("GET", "secrets"), ("GET", "settings"), ("POST", "tasks"),
            ("POST", "secrets/get"), ("POST", "vault/recovery-code"), ("POST", "uploads"),
            ("POST", "imports"), ("POST", "backup"),
        ] {
            let refused = try home.ask(method, path, method == "GET" ? nil : "{}")
            #expect(refused.status == 403 && refused.code == "locked", "\(method) \(path)")
        }
        let wrong = try home.ask("POST", "session/unlock", #"{"passphrase":"not this one"}"#)
        #expect(wrong.code == "wrong_passphrase")
        #expect(try home.ask("GET", "tasks").code == "locked")
        // A backup can be restored, with the passphrases.
        let begun = try home.ask("POST", "restore/upload", "{}")
        let upload = try #require(begun.fields["upload"] as? String, "\(begun.object)")
        #expect(try home.ask("DELETE", "uploads/\(upload)").status == 200)
        #expect(
            try home.ask("PUT", "uploads/x?offset=0", bytes: [1], "application/octet-stream")
                .status == 404)
        #expect(
            try home.ask("POST", "restore", #"{"passphrase":"x","replace":true}"#).code
                == "no_backup")
        #expect(try home.ask("POST", "session/unlock", unlocking).status == 200)
        #expect(try home.ask("GET", "tasks").status == 200)
    }

    @Test func aFormHandsItsTokenOnOnce() throws {
        let home = try AppHome(withVault: false)
        func post(_ origin: String, kind: String = "document") throws -> AppHome.Answer {
            try home.send(
                "POST", "/open",
                [
                    ("Host", home.host), ("Origin", origin),
                    ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"),
                    ("Sec-Fetch-Dest", kind),
                    ("Content-Type", "application/x-www-form-urlencoded"),
                ], Array("token=\(home.token)".utf8))
        }
        // Neither a page of another origin nor a frame uses the token up.
        #expect(try post("https://evil.example").status == 403)
        #expect(try post("null", kind: "iframe").status == 403)
        let page = String(decoding: try post("null").body, as: UTF8.self)
        let token = try #require(
            page.firstMatch(of: #/<meta name="taskvault-token" content="([\w-]{43})">/#)
        ).1
        #expect(String(token) != home.token)
        let second = String(decoding: try post("null").body, as: UTF8.self)
        #expect(second.contains(#"<meta name="taskvault-token" content="">"#))
        let opened = try home.ask("POST", "session", #"{"token":"\#(token)"}"#)
        #expect(opened.fields["bearer"] is String)
    }

    @Test(.enabled(if: OpenSSL.isAvailable, "needs openssl"))
    func theAppProvesThatItIsTheSame() throws {
        let home = try AppHome(withVault: false)
        try home.open()
        let challenge = [UInt8](repeating: 7, count: 32)
        let answer = try home.ask(
            "POST", "challenge",
            #"{"challenge_base64":"\#(Data(challenge).base64EncodedString())"}"#)
        let proof = try AppHome.bytes(answer.fields["proof_base64"])
        // HMAC-SHA-256 by another program.
        let file = home.folder + "/challenge"
        try Data(challenge).write(to: URL(filePath: file))
        let key = home.key.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let expected = try OpenSSL.run([
            "mac", "-digest", "SHA256", "-macopt", "hexkey:" + key, "-binary", "-in", file, "HMAC",
        ])
        #expect(proof == expected)
        let short = try home.ask("POST", "challenge", #"{"challenge_base64":"AAAA"}"#)
        #expect(short.code == "bad_request")
    }

    @Test func filesHaveNoDataAndAStrictPolicy() throws {
        let home = try AppHome(withVault: false)
        let host = ("Host", home.host)
        for path in ["/"] + PageFiles().paths {
            let answer = try home.send("GET", path, [host, ("Sec-Fetch-Site", "none")])
            #expect(answer.status == 200, "\(path)")
            for line in [
                "Content-Security-Policy: default-src 'none'; script-src 'self';",
                "require-trusted-types-for 'script'", "frame-ancestors 'none'",
                "Cache-Control: no-store", "X-Content-Type-Options: nosniff",
                "Cross-Origin-Resource-Policy: same-origin",
            ] {
                #expect(answer.head.contains(line), "\(path): \(line)")
            }
            #expect(!answer.head.lowercased().contains("access-control"))
            #expect(!answer.head.lowercased().contains("set-cookie"))
        }
        #expect(
            try home.send("GET", "/", [host, ("Sec-Fetch-Site", "cross-site")]).status == 403)
        #expect(
            try home.send("GET", "/../etc/passwd", [host, ("Sec-Fetch-Site", "none")]).status
                == 404)
    }

    /// The addresses of IPv6, by the kernel.
    private static let longAddresses = try? String(
        contentsOfFile: "/proc/net/if_inet6", encoding: .utf8)

    @Test(.enabled(if: longAddresses?.contains(" lo\n") == true, "needs IPv6 on the loopback"))
    func bothLoopbackAddressesAreTaken() throws {
        let home = try AppHome(withVault: false)
        try home.open()
        let answer = try home.send(
            "POST", "/api/session/lock", fields(home), Array("{}".utf8), to: "::1")
        #expect(answer.status == 200)
    }

    @Test(
        .enabled(
            if: geteuid() == 0
                && ["/usr/bin/curl", "/usr/bin/setpriv"].allSatisfy {
                    FileManager.default.isExecutableFile(atPath: $0)
                },
            "needs another user, curl and setpriv"))
    func anotherUserGetsNoAnswer() throws {
        let home = try AppHome(withVault: false)
        func ask(as user: [String]) throws -> Int32 {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments =
                user + [
                    "/usr/bin/curl", "--silent", "--max-time", "120", "--output", "/dev/null",
                    "-H", "Host: \(home.host)", "-H", "Sec-Fetch-Site: none",
                    "http://127.0.0.1:\(home.port)/",
                ]
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }
        #expect(try ask(as: []) == 0)
        let other = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        // An empty answer, or a reset.
        #expect([52, 56].contains(try ask(as: other)))
    }

    /// Whatever is not on the list is refused, whether there is such a setting or not.
    @Test func aPageChangesOnlyTheSettingsOnItsList() throws {
        let home = try AppHome(withVault: false)
        try home.open()
        let closed: Set = ["database", "vault", "reminder-command", "server-ca"]
        // A page gives the value of this one only, never a file with it.
        let ofItsOwn: Set = ["client-secret"]
        #expect(
            Set(StoredSetting.all.map(\.name))
                == closed.union(ofItsOwn).union(PageRoute.openSettings))
        #expect(closed.union(ofItsOwn).isDisjoint(with: PageRoute.openSettings))
        for name in closed.union(["x", "Database", "server-ca "]) {
            let answer = try home.ask(
                "POST", "settings", #"{"name":"\#(name)","value":"/etc/hostname"}"#)
            #expect(answer.code == "forbidden", "\(name)")
        }
    }

    /// Each setting of the page has its meaning there, also in Ukrainian.
    @Test func settingsAreExplained() throws {
        let home = try AppHome(withVault: false)
        try home.open()
        let help = try home.ask("GET", "settings/help").fields
        let texts = String(
            decoding: try #require(PageFiles().file("/uk.json")).content, as: UTF8.self)
        for name in PageRoute.openSettings.union(["client-secret"]) {
            let sentence = try #require(help[name] as? String, "\(name)")
            #expect(texts.contains("\"\(sentence)\": \""), "\(sentence)")
        }
    }

    /// Each failure and problem of sync has a text on the page, also in Ukrainian.
    @Test func problemsOfSyncAreExplained() throws {
        let folder = "Sources/Programs/Application/"
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Checkout.path(folder + "Sync"))
        let sources =
            (files.map { "Sync/" + $0 } + ["Failures/Failure+Sync.swift"])
            .map { Checkout.text(folder + $0) }.joined()
        let named = [
            /code: "([a-z_]+)"/, /SyncProblem\(\s*"([a-z_]+)"/,
            /(?:syncFull|filesTooLarge) = "([a-z_]+)"/,
        ]
        let codes = Set(named.flatMap { sources.matches(of: $0).map { String($0.output.1) } })
        #expect(codes.isSuperset(of: ["sync_forked", "sync_full", "no_folder"]))
        func page(_ name: String) throws -> String {
            String(decoding: try #require(PageFiles().file(name)).content, as: UTF8.self)
        }
        let (texts, script) = (try page("/uk.json"), try page("/server.js"))
        let errors = try #require(texts.split(separator: "\"errors\": {").last)
        for code in codes {
            #expect(
                errors.contains("\"\(code)\": \"") || script.contains(" \(code): '"), "\(code)")
        }
    }

    /// All for which a joining waits has a text on the page, also in Ukrainian.
    @Test func waitsOfJoiningAreExplained() throws {
        let texts = String(
            decoding: try #require(PageFiles().file("/uk.json")).content, as: UTF8.self)
        for wait in JoiningWait.allCases {
            #expect(texts.contains("\"\(wait.sentence)\": \""), "\(wait.sentence)")
        }
    }

    @Test func membersAreChecked() throws {
        let home = try AppHome(withVault: false)
        try home.open()
        func code(_ path: String, _ content: String) throws -> String? {
            try home.ask("POST", path, content).code
        }
        #expect(try code("tasks", #"{"name":"a","x":1}"#) == "bad_request")
        #expect(try code("tasks", #"{"name":"a","name":"b"}"#) == "bad_request")
        #expect(try code("tasks", "[]") == "bad_request")
        #expect(try code("tasks", #"{"name":7"#) == "bad_request")
        #expect(try code("tasks/undone", #"{"ids":[]}"#) == "bad_request")
        #expect(
            try code("session/unlock", #"{"passphrase":"a\nb"}"#) == "bad_request")
    }
}

#if os(Linux)
    import Dispatch
    import Foundation
    import TestSupport
    import Testing

    /// The memory of the page's process, read by the administrator through `/proc/PID/mem`.
    @Suite(
        "Memory of the page",
        .enabled(if: geteuid() == 0, "only the administrator reads the memory of the page"),
        .disabled(if: Sanitizer.isActive, "a sanitizer keeps what was freed"), .waitsForProcesses,
        .timeLimit(.minutes(60)))
    struct PageMemoryTests {
        /// Characters that no other text has by chance, eight in a row.
        private func randomText(_ count: Int) -> String {
            let characters = Array("abcdefghijkmnpqrstuvwxyz23456789")
            return String((0..<count).map { _ in characters.randomElement() ?? "a" })
        }

        /// The names of the texts of which eight bytes in a row are there.
        private func found(_ texts: [String: String], in process: pid_t) throws -> Set<String> {
            let scan = try #require(MemoryScan(of: process))
            for (name, text) in texts { scan.add(MaskedSecret(name, try Samples.secret(text))) }
            let findings = try #require(try scan.run())
            return Set(findings.filter { $0.value.found > 0 }.keys)
        }

        /// Asks as an open page does, because a search may take longer than the app waits for pages.
        private func keepOpen(_ home: AppHome) -> any DispatchSourceTimer {
            // Each request has a connection of its own, and what it reads no longer changes.
            nonisolated(unsafe) let home = home
            let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "open page"))
            timer.schedule(deadline: .now(), repeating: .seconds(5))
            timer.setEventHandler { _ = try? unsafe home.ask("GET", "state") }
            timer.resume()
            return timer
        }

        @Test func protectedTextIsNotThereAfterItsUse() throws {
            let home = try AppHome()
            try home.unlock()
            let keeper = keepOpen(home)
            defer { keeper.cancel() }
            // Control: what the process keeps is found.
            var texts = ["bearer": home.bearer]
            #expect(try found(texts, in: home.identifier) == ["bearer"])

            let name = randomText(60)
            let notes = randomText(2_000)
            let value = randomText(90)
            texts["name"] = name
            texts["notes"] = notes
            texts["value"] = value
            texts["value in Base64"] = Data(value.utf8).base64EncodedString()
            let made = try home.ask(
                "POST", "tasks", #"{"name":"\#(name)","notes":"\#(notes)","protected":true}"#)
            let id = try #require(made.fields["id"] as? String, "\(made.object)")
            let secret = #""service":"mail.example","account":"ada""#
            let set = try home.ask(
                "POST", "secrets/set",
                "{\(secret),\"value\":\"\(value)\",\"class\":\"after-verification\"}")
            #expect(set.status == 200, "\(set.object)")
            for _ in 0..<3 {
                let list = try home.ask("GET", "tasks?reveal=1")
                #expect(list.rows.first?["name"] as? String == name, "\(list.object)")
                #expect(try home.ask("GET", "tasks/\(id)").fields["notes"] as? String == notes)
                let edited = try home.ask("PATCH", "tasks/\(id)", #"{"notes":"\#(notes)"}"#)
                #expect(edited.status == 200, "\(edited.object)")
                #expect(try home.ask("GET", "tasks/\(id)/history").status == 200)
                let got = try home.ask("POST", "secrets/get", "{\(secret)}")
                #expect(try AppHome.bytes(got.fields["value_base64"]) == Array(value.utf8))
            }
            // The thread of the last answer may still end.
            try eventually("the texts are gone after use") {
                try found(texts, in: home.identifier) == ["bearer"]
            }
            #expect(try home.ask("POST", "session/lock").status == 200)
            try eventually("the texts are gone after locking") {
                try found(texts, in: home.identifier) == ["bearer"]
            }
        }
    }
#endif

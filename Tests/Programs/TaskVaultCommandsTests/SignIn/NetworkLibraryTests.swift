import Testing
import TestSupport

#if os(Linux)
    import Glibc

    /// The library that connects is loaded by the commands that connect, and by nothing else.
    @Suite(
        .enabled(if: Tracer.isUsable, Tracer.reason), .timeLimit(.minutes(60)),
        .waitsForProcesses)
    struct NetworkLibraryTests {
        /// The files that a command opens, and the sockets that it makes. Names that a process hands over which cannot be traced are shown to the administrator only.
        private func trace(
            _ place: AccountHome, _ words: String, ends code: Int32 = 0
        ) throws -> String {
            let file = place.home.folder + "/trace"
            defer { unsafe unlink(file) }
            let result = try place.home.runBare(
                words.split(separator: " ").map(String.init),
                beneath: [Tracer.path, "-f", "-e", "trace=openat,open,socket", "-o", file])
            #expect(result.exitCode == code, "\(words): \(result.errorText)")
            return String(decoding: try Files.read(file), as: UTF8.self)
        }

        @Test(.enabled(if: geteuid() == 0, "needs root"))
        func onlySigningInLoadsIt() throws {
            let place = try AccountHome()
            try place.home.tell("value")
            // The audit finds a weak value and this address, and looks neither up.
            try place.home.tell("http://mail.example", options: "--field url")
            let file = "--passphrase-file \(place.home.passphraseFile)"
            for command in [
                "secret list", "secret get mail.example ada", "task add milk", "task list",
                "status", "help", "settings list", "settings get server",
                "unlock --offline \(file)", "secret list --no-agent \(file)", "verify \(file)",
                "secret audit",
            ] {
                let trace = try trace(place, command, ends: command == "secret audit" ? 1 : 0)
                #expect(trace.contains("openat("), "\(command)")
                #expect(!trace.contains("libcurl"), "\(command)")
                #expect(!trace.contains("AF_INET"), "\(command)")
            }
            let trace = try trace(place, "whoami")
            #expect(trace.contains("libcurl"))
            #expect(trace.contains("AF_INET"))
        }

        @Test func itIsNotOnTheLoadList() throws {
            let name = ByteSearch(for: ["libcurl.so.4"])
            // The name is there, for who loads it when it is wanted; the list is the dynamic section's, which ldd follows.
            #expect(name.findings(in: try Files.read(Executable.path)).contains("UTF-8"))
            let place = try TestHome(withVault: false)
            let loaded = try place.runBare(
                [], beneath: ["/usr/bin/env", "LD_TRACE_LOADED_OBJECTS=1"])
            #expect(loaded.outputText.contains("libsodium"), "\(loaded.outputText)")
            #expect(!loaded.outputText.contains("libcurl"))
            #expect(!loaded.outputText.contains("libssl"))
        }
    }
#endif

import Foundation
import Platform
import TestSupport
import Testing

@Suite("Pipes, threads and times")
struct ProcessTests {
    private func isReadable(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) == 1
    }

    @Test("a signal makes the reader readable, and it stays readable")
    func signal() throws {
        let pipe = try SystemPipe(isBlocking: false)
        #expect(!isReadable(pipe.reader))
        for _ in 0..<100_000 { pipe.signal() }
        #expect(isReadable(pipe.reader))
    }

    @Test("a pipe is not inherited, and read to its end")
    func readAll() throws {
        let pipe = try SystemPipe()
        for end in [pipe.reader, pipe.writer] {
            #expect(fcntl(end, F_GETFD) & FD_CLOEXEC != 0)
        }
        let bytes = [UInt8](repeating: 7, count: 100_000)
        let isStarted = DetachedThread.start {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe Array(rest).withUnsafeBytes {
                    unsafe write(pipe.writer, $0.baseAddress, $0.count)
                }
                rest = rest.dropFirst(max(0, count))
            }
            pipe.closeWriter()
        }
        try #require(isStarted)
        #expect(pipe.readAll() == bytes)
    }

    @Test("a monitor wakes a waiting thread, and a wait ends at its time")
    func monitor() throws {
        let monitor = Monitor(0)
        #expect(monitor.wait(until: .now) { $0 == 1 ? true : nil } == nil)
        try #require(DetachedThread.start(stackSize: 1 << 20) { monitor.update { $0 = 1 } })
        #expect(monitor.wait { $0 == 1 ? true : nil } == true)
    }

    @Test("a sandboxed application is named by its sandbox, and only by a plain name")
    func sandboxes() throws {
        try withTemporaryFolder { folder in
            #expect(PeerUser.sandboxedApplication(at: folder) == nil)
            #expect(PeerUser.sandboxedApplication(getpid()) == nil)
            try SafeFolder.create(folder + "/attr")
            for (label, name) in [
                ("snap.firefox.geckodriver (enforce)\n", "firefox (Snap)"),
                ("snap.code.code (complain)\n", nil), ("unconfined\n", nil),
            ] as [(String, String?)] {
                try FileSystem.replace(folder + "/attr/current", with: label)
                #expect(PeerUser.sandboxedApplication(at: folder) == name)
            }
            try SafeFolder.create(folder + "/root")
            for (lines, name) in [
                (
                    "[Application]\nname=org.example.App\n[Instance]\nname=no\n",
                    "org.example.App (Flatpak)"
                ),
                ("[Instance]\nname=no\n[Application]\nruntime=x\n", nil),
                ("[Application]\nname=a\u{1B}[31m\n", nil), ("[Application]\nname=\n", nil),
                ("", nil),
            ] as [(String, String?)] {
                try FileSystem.replace(folder + "/root/.flatpak-info", with: lines)
                #expect(PeerUser.sandboxedApplication(at: folder) == name)
            }
        }
    }

    @Test("a time after a duration that is too long is never reached")
    func overflow() {
        let now = MonotonicTime.now
        #expect(now + .seconds(1) > now)
        #expect(now + .seconds(Int64.max) == .never)
        #expect(MonotonicTime.never + .seconds(1) == .never)
    }

    @Test(
        "a failure of the system is explained in lower case, but for capitals",
        arguments: [(ENOSPC, "no space left on device"), (EIO, "input/output error")])
    func explanation(code: Int32, text: String) {
        #expect(SystemFailure("write", code: code).explanation == text)
    }

    @Test("milliseconds are rounded down")
    func milliseconds() {
        #expect(Duration.microseconds(1_999).milliseconds == 1)
    }

    #if os(Linux)
        @Test("code that is given back at rest runs again when it is needed")
        func rest() throws {
            func mapped() throws -> Int {
                let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                let line = text.split(separator: "\n").first { $0.hasPrefix("RssFile:") }
                return try #require(
                    line?.split { " \t".contains($0) }.dropFirst().first.flatMap { Int($0) })
            }
            let before = try mapped()
            platform_rest()
            #expect(try mapped() < before)
        }
    #endif
}

@Suite("Processes that were started", .waitsForProcesses)
struct ChildProcessTests {
    private func output(
        of script: String, environment: [String]? = nil, in group: ChildProcess.Group = .own
    ) throws -> (text: String, ending: ChildProcess.Ending) {
        let said = try SystemPipe()
        let process = try ChildProcess.start(
            ["/bin/sh", "-c", script], environment: environment, output: said.writer, in: group)
        said.closeWriter()
        let text = String(decoding: said.readAll(), as: UTF8.self)
        return (text, process.wait())
    }

    @Test("end with a code, or by a signal")
    func endings() throws {
        #expect(try output(of: "exit 0").ending == .exit(0))
        #expect(try output(of: "exit 41").ending == .exit(41))
        #expect(try output(of: "kill -9 $$").ending == .signal(SIGKILL))
        #expect(ChildProcess.Ending.exit(41).exitCode == 41)
        #expect(ChildProcess.Ending.signal(SIGKILL).exitCode == nil)
        #expect(throws: SystemFailure.self) { try ChildProcess.start(["/bin/none-of-this-name"]) }
    }

    @Test("the end is taken once")
    func once() throws {
        let input = try SystemPipe()
        let process = try ChildProcess.start(["/bin/cat"], input: input.reader)
        #expect(process.ending() == nil)
        input.closeReader()
        input.closeWriter()
        #expect(process.wait() == .exit(0))
        #expect(process.ending() == .unknown)
        #expect(process.wait() == .unknown)
    }

    @Test("one that takes too long is killed with its group")
    func patience() throws {
        let said = try SystemPipe()
        let process = try ChildProcess.start(
            ["/bin/sh", "-c", "sleep 1000 & echo x; wait"], output: said.writer)
        said.closeWriter()
        #expect(said.readByte() == UInt8(ascii: "x"))
        #expect(process.wait(atMost: .milliseconds(20)) == .signal(SIGKILL))
        // The pipe ends only when the process behind has ended too.
        #expect(said.readAll() == Array("\n".utf8))
    }

    @Test("get the environment that is given, or that of this process")
    func environment() throws {
        #expect(try output(of: "echo $ONE-$HOME", environment: ["ONE=1"]).text == "1-\n")
        #expect(try output(of: "test -n \"$PATH\"").ending == .exit(0))
    }

    #if os(Linux)
        @Test(
            "are in a group or a session of their own",
            arguments: [ChildProcess.Group.own, .session])
        func groups(group: ChildProcess.Group) throws {
            // The fields of stat after the name: state, parent, group, session.
            let found = try output(
                of: "sed 's/.*) //' /proc/$$/stat | cut -d' ' -f3,4; echo $$", in: group)
            let numbers = found.text.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
            try #require(numbers.count == 3)
            #expect(numbers[0] == numbers[2])
            #expect(numbers[1] == (group == .session ? numbers[2] : getsid(0)))
        }

        @Test("have no descriptors but three")
        func descriptors() throws {
            // One that would be inherited.
            let open = dup(2)
            defer { close(open) }
            let found = try output(of: "ls /proc/$$/fd")
            let numbers = found.text.split(separator: "\n").compactMap { Int32($0) }
            #expect(numbers.filter { $0 <= 2 } == [0, 1, 2])
            #expect(!numbers.contains(open))
        }
    #endif
}

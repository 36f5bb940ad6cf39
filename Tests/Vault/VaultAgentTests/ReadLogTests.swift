import Platform
import SecretMemory
import SecureStorage
import Testing
import TestSupport
import TextCoding
@testable import VaultAgent
import VaultCore

@Suite("The log of reads")
struct ReadLogTests {
    static let vaultID = [UInt8](repeating: 7, count: 16)
    static let reader = ReadingProgram(process: 9, program: "git", parent: "make")

    /// A log in a folder, and the vault whose reads it has.
    struct Machine {
        let place: ReadLogPlace
        let vault: MemorySecureStore

        init(_ folder: String, fullSize: Int? = nil, of other: Machine? = nil) {
            vault = other?.vault ?? MemorySecureStore(now: { 1_000 })
            var place = ReadLogPlace(folder: folder + "/reads") { "0123" }
            if let fullSize { place.fullSize = fullSize }
            self.place = place
        }

        /// The current file; empty before a process had the vault open.
        var path: String {
            do {
                guard let key = try ReadLog.secretKey(place, in: vault) else { return "" }
                return try place.file(of: ReadLogTests.vaultID, under: key)
            } catch {
                return ""
            }
        }

        var former: String { ReadLogPlace.former(path) }

        /// A process that has the vault open.
        func process() -> ReadLog {
            let log = ReadLog(place, now: { 5 }, random: .system)
            log.open(ReadLogTests.vaultID, in: vault)
            return log
        }

        /// The commit of the process.
        func commit(_ log: ReadLog) throws {
            for secret in log.deferredSecrets() {
                if (try? vault.describe(secret.name)) != nil {
                    try vault.update(secret.name, to: secret.value)
                } else {
                    try vault.save(secret.value, as: secret.name, SecretAttributes())
                }
            }
        }

        /// The secret that the command reads.
        func content() throws -> ReadLogContent {
            guard let key = try ReadLog.secretKey(place, in: vault) else {
                return ReadLogContent()
            }
            let head = try? vault.value(of: place.headName()).withBytes { $0.array }
            return try ReadLogContent(
                path, of: ReadLogTests.vaultID, secretKey: key, head: head)
        }

        /// The services that the log has.
        func services() throws -> [String] { try content().reads.map(\.name.service) }
    }

    private func add(_ services: String..., to log: ReadLog) throws {
        for service in services { try Self.add(service, to: log) }
        log.flush()
        #expect(log.failure == 0)
    }

    static func add(_ service: String, to log: ReadLog) throws {
        log.add(try SecretName(service: service, account: "ada"), by: reader)
    }

    private func bytes(_ machine: Machine) throws -> [UInt8] {
        try #require(FileSystem.content(machine.path, limit: 1 << 20))
    }

    private func write(_ bytes: some Collection<UInt8>, _ machine: Machine) throws {
        let file = try LockedLog(machine.path)
        try file.cut(to: 0)
        try file.append(Array(bytes), at: 0)
    }

    /// The ends of the header and of each record.
    private func ends(_ bytes: [UInt8]) throws -> [Int] {
        var ends = [ReadLogFile.headerSize]
        _ = ReadLogFile.walk(bytes, Self.vaultID) { _, _, body, _ in
            ends.append(ends[ends.count - 1] + body.count + 5)
        }
        return ends
    }

    @Test("has the reader and the secret of each read, also of two processes at once")
    func twoProcesses() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            let (agent, command) = (machine.process(), machine.process())
            try add("a", "b", to: agent)
            try add("c", to: command)
            try add("d", to: agent)
            #expect(try machine.services() == ["a", "b", "c", "d"])
            agent.close()
            try add("e", to: command)
            #expect(try machine.services() == ["a", "b", "c", "d", "e"])
            let first = try #require(try machine.content().reads.first)
            #expect(first.time == 5 && first.reader == Self.reader)
        }
    }

    @Test("leaves TaskVault's own items out, but not files and secrets of other programs")
    func ownItems() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            let log = machine.process()
            log.add(
                try SecretName(
                    service: SecretName.sessionService, account: SecretName.namesKeyAccount),
                by: Self.reader)
            try add(
                "taskvault.task", SecretName.fileService, SecretName.readsService,
                SecretName.programService, SecretName.sessionService, to: log)
            let expected = [
                SecretName.fileService, SecretName.programService, SecretName.sessionService,
            ]
            #expect(try machine.services() == expected)
        }
    }

    @Test("has its key in the vault from the unlock on and in no file, its head from a commit on")
    func joins() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            // As an earlier build left it.
            let old = machine.place.folder + "/" + Hexadecimal.text(Self.vaultID) + ".key"
            try SafeFolder.create(machine.place.folder)
            _ = try LockedLog(old)
            let log = machine.process()
            #expect(!FileSystem.exists(old))
            #expect(
                try machine.vault.describe(machine.place.keyName()).attributes.accessClass
                    == .afterVerification)
            #expect(log.deferredSecrets().isEmpty)
            try add("a", to: log)
            #expect(try FileSystem.names(in: machine.place.folder).count == 1)
            let key = try Samples.bytes(machine.vault.value(of: machine.place.keyName()))
            #expect(try bytes(machine).firstRange(of: key) == nil)
            try machine.commit(log)
            #expect(log.deferredSecrets().isEmpty, "nothing was read since")
            log.close()
            let later = machine.process()
            try add("b", to: later)
            try machine.commit(later)
            #expect(try machine.services() == ["a", "b"])
        }
    }

    @Test("makes no file before the first read, and no second key")
    func lazily() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            let (first, late) = (machine.process(), machine.process())
            first.close()
            #expect(!FileSystem.exists(machine.place.folder))
            let log = machine.process()
            try add("a", to: log)
            try machine.commit(log)
            try add("b", to: late)
            #expect(try machine.services() == ["a", "b"])
        }
    }

    @Test("begins anew for a copy that lacks the key, and stays as it is for the vault")
    func olderBackup() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            let log = machine.process()
            try add("a", to: log)
            try machine.commit(log)
            let before = try bytes(machine)
            let older = Machine(folder)
            let later = older.process()
            try add("b", to: later)
            #expect(try older.services() == ["b"])
            try older.commit(later)
            #expect(try older.services() == ["b"])
            #expect(try bytes(machine) == before)
            try add("c", to: log)
            #expect(try machine.services() == ["a", "c"] && !machine.content().isCut)
        }
    }

    @Test("in which any byte was changed is not believed")
    func changed() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            let log = machine.process()
            try add("a", to: log)
            try add("b", to: log)
            let good = try bytes(machine)
            for place in good.indices {
                var bad = good
                bad[place] ^= 1
                try write(bad, machine)
                #expect(throws: ReadLogError.self, "\(place)") { try machine.services() }
            }
            try write(good, machine)
            #expect(try machine.services() == ["a", "b"])
        }
    }

    @Test("from which a record was taken, or in which two were exchanged, is not believed")
    func reordered() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            // Two segments of a beginning and two records.
            for names in [["a", "b"], ["c", "d"]] {
                let log = machine.process()
                for name in names { try add(name, to: log) }
                log.close()
            }
            let good = try bytes(machine)
            let ends = try ends(good)
            #expect(ends.count == 7 && ends.last == good.count)
            for record in 0..<5 {
                try write(good[..<ends[record]] + good[ends[record + 1]...], machine)
                #expect(throws: ReadLogError.self, "without \(record)") { try machine.services() }
                let pair =
                    good[ends[record + 1]..<ends[record + 2]]
                    + good[ends[record]..<ends[record + 1]]
                try write(good[..<ends[record]] + pair + good[ends[record + 2]...], machine)
                #expect(throws: ReadLogError.self, "\(record) later") { try machine.services() }
            }
        }
    }

    @Test("that ends before the vault's last commit is not believed")
    func truncated() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            let log = machine.process()
            try add("a", to: log)
            let first = try bytes(machine).count
            try add("b", to: log)
            try machine.commit(log)
            let good = try bytes(machine)
            try add("c", to: log)
            #expect(try machine.services() == ["a", "b", "c"])
            try write(good, machine)
            #expect(try machine.services() == ["a", "b"], "after the last commit nothing is known")
            for size in [0, 1, ReadLogFile.headerSize, first, good.count - 1] {
                try write(good[..<size], machine)
                #expect(throws: ReadLogError.self, "\(size)") { try machine.services() }
            }
            // A process that goes on does not hide the gap.
            try write(good[..<first], machine)
            try add("d", to: machine.process())
            #expect(throws: ReadLogError.truncated) { try machine.services() }
        }
    }

    @Test("that was cut or removed says so for good, also after the vault's next commit")
    func cut() throws {
        for size in [0, ReadLogFile.headerSize] {
            for isSameProcess in [false, true] {
                for isRead in [false, true] {
                    try withTemporaryFolder { folder in
                        let machine = Machine(folder)
                        var log = machine.process()
                        try add("a", to: log)
                        try machine.commit(log)
                        #expect(try !machine.content().isCut)
                        try write(bytes(machine).prefix(size), machine)
                        if !isSameProcess { log = machine.process() }
                        // It is noticed by a read, or by a commit alone.
                        if isRead || isSameProcess || size == 0 { try add("b", to: log) }
                        try machine.commit(log)
                        let content = try machine.content()
                        #expect(content.isCut && content.lost == 0, "\(size)")
                        try add("c", to: log)
                        try machine.commit(log)
                        #expect(try machine.content().isCut)
                    }
                }
            }
        }
    }

    private func removeFolder(_ machine: Machine) throws {
        for name in try FileSystem.names(in: machine.place.folder) {
            try FileSystem.remove(machine.place.folder + "/" + name)
        }
        #expect(unsafe rmdir(machine.place.folder) == 0)
    }

    @Test("goes on after its folder was removed", arguments: [false, true], [false, true])
    func folderRemoved(isRunning: Bool, isCommitted: Bool) throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            var log = machine.process()
            try add("a", to: log)
            if isCommitted { try machine.commit(log) }
            try removeFolder(machine)
            if !isRunning { log = machine.process() }
            try add("b", to: machine.process())
            try add("c", to: log)
            try machine.commit(log)
            let content = try machine.content()
            #expect(content.reads.map(\.name.service) == ["b", "c"])
            // Without a commit, a process that begins knows of no earlier read.
            #expect(content.isCut == (isCommitted || isRunning))
        }
    }

    @Test("has a read that came before the vault was opened for the log")
    func early() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            let log = ReadLog(machine.place, now: { 5 }, random: .system)
            try add("a", to: log)
            #expect(!FileSystem.exists(machine.place.folder))
            log.open(Self.vaultID, in: machine.vault)
            log.flush()
            #expect(try machine.services() == ["a"])
        }
    }

    @Test("goes on after a record that was cut by a crash")
    func crash() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            try add("a", to: machine.process())
            let good = try bytes(machine)
            try write(good + [200, 0, 0, 0, 2, 1, 2], machine)
            #expect(throws: ReadLogError.truncated) { try machine.services() }
            try add("b", to: machine.process())
            #expect(try machine.services() == ["a", "b"])
        }
    }

    @Test("that cannot be written stops no read, says so, and catches up")
    func unwritable() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            let log = machine.process()
            try add("x", to: log)
            // Another process that was stopped holds the file.
            do {
                let held = try LockedLog(machine.path)
                log.add(try SecretName(service: "a", account: "ada"), by: Self.reader)
                log.flush()
                #expect(log.failure == EWOULDBLOCK)
                #expect(log.deferredSecrets().isEmpty)
                _ = consume held
            }
            try add("b", to: log)
            #expect(try machine.services() == ["x", "a", "b"])
        }
    }

    @Test("in a folder that cannot be made says so")
    func noFolder() throws {
        let place = ReadLogPlace(folder: "/dev/null/reads") { "0123" }
        let log = ReadLog(place, now: { 5 }, random: .system)
        log.open(Self.vaultID, in: MemorySecureStore(now: { 1_000 }))
        #expect(log.failure == 0)
        log.add(try SecretName(service: "a", account: "ada"), by: Self.reader)
        log.close()
        #expect(log.failure == ENOTDIR)
    }

    @Test("takes names of the largest size, and many reads")
    func large() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            let log = machine.process()
            let long = String(repeating: "x", count: SecretName.maximumSize)
            for _ in 0..<200 {
                log.add(try SecretName(service: long, account: long, field: long), by: Self.reader)
            }
            log.flush()
            #expect(try machine.services() == [String](repeating: long, count: 200))
            #expect(try ends(bytes(machine)).count > 3)
        }
    }

    @Test("names the sandboxed application that a client reads for")
    func sandboxed() {
        let program = ConnectedProgram()
        program.announce(UInt32(getpid()), "org.example.App (Flatpak)")
        let found = program.program(at: -1)
        #expect(found.program == "org.example.App (Flatpak)")
        #expect(found.process == UInt32(getpid()))
        program.announce(UInt32(getpid()), "")
        #expect(program.program(at: -1) == ReadingProgram.own)
    }

    @Test("names this process")
    func ownProcess() {
        let own = ReadingProgram.own
        #expect(own.process == UInt32(getpid()))
        #expect(!own.program.isEmpty)
        #expect(ReadingProgram(of: 0x3FFF_FFFF).program.isEmpty)
    }
}

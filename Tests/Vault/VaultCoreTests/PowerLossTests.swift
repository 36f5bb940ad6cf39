#if os(Linux)
    import Foundation
    import SecureStorage
    import TestSupport
    import Testing
    import Sealing
    import VaultStorage

    @testable import VaultCore

    /// The state of a vault after a power cut, on a file system that loses what was not synced.
    @Suite(
        "Power loss",
        .enabled(
            if: LossyDisk.isPossible,
            "not run: it takes the administrator, loop devices and mkfs.ext4"), .waitsForProcesses)
    struct PowerLossTests {
        /// Enough for the promise; `TASKVAULT_POWER_CUTS` asks for more.
        private static let cuts = Attack.amount("TASKVAULT_POWER_CUTS", ordinary: 20)
        /// How often the control loses power.
        private static let controls = max(10, cuts / 10)

        @Test(
            "at any moment of a writer loses nothing that it acknowledged, and leaves nothing half done",
            .endsProcess
        )
        func acknowledgedSteps() async {
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardOutputContent]
            ) {
                try Self.withDisk { disk in
                    let vault = try WriterVault(at: Self.path(on: disk))
                    var random = SeededGenerator()
                    let seed = random.seed
                    var done = 0
                    for cut in 0..<Self.cuts {
                        let writer = try WriterProcess(
                            ["steps", vault.path, "\(done)"], vault.code)
                        let acknowledged = try Self.cutPower(
                            of: disk, under: writer, after: Int(random.next() % 6),
                            delay: random.next() % 40_000)
                        let steps = try vault.steps(
                            acknowledged: acknowledged ?? done, isChecked: true)
                        done = try #require(
                            steps, "cut \(cut) of seed \(seed), acknowledged \(acknowledged ?? -1)")
                    }
                    #expect(done > Self.cuts, "the writer must have come to write")
                    // Each cut left a number of steps that was acknowledged, or one more.
                    Attack.report(["power-cuts": Self.cuts, "acknowledged": done, "lost": 0])
                }
            }
            Attack.pass(on: result?.standardOutputContent ?? [])
        }

        @Test(
            "at any moment of a writer of files loses none that it acknowledged, and leaves none half done",
            .endsProcess
        )
        func acknowledgedFiles() async {
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardOutputContent]
            ) {
                // Files leave 16 MiB free.
                try Self.withDisk(megabytes: 48) { disk in
                    let vault = try WriterVault(at: Self.path(on: disk))
                    var random = SeededGenerator()
                    let seed = random.seed
                    var done = 0
                    for cut in 0..<(Self.cuts / 2) {
                        let writer = try WriterProcess(
                            ["files", vault.path, "\(done)"], vault.code)
                        let acknowledged = try Self.cutPower(
                            of: disk, under: writer, after: Int(random.next() % 6),
                            delay: random.next() % 300_000)
                        done = try #require(
                            try vault.fileSteps(acknowledged: acknowledged ?? done),
                            "cut \(cut) of seed \(seed), acknowledged \(acknowledged ?? -1)")
                    }
                    #expect(done > Self.cuts / 2, "the writer must have come to write")
                    Attack.report(["power-cuts": Self.cuts / 2, "acknowledged": done, "lost": 0])
                }
            }
            Attack.pass(on: result?.standardOutputContent ?? [])
        }

        /// Shows that the disk does lose what is not synced.
        @Test(
            "loses acknowledged steps of a writer whose syncs do nothing", .endsProcess,
            .enabled(if: Tracer.isUsable, Tracer.reason))
        func withoutSyncs() async {
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardOutputContent]
            ) {
                var losses = 0
                for _ in 0..<Self.controls {
                    try Self.withDisk { disk in
                        let vault = try WriterVault(at: Self.path(on: disk))
                        // With -D the writer, and not strace, is the child of this process.
                        let tracer = [
                            Tracer.path, "-D", "-f", "-qq", "-o", "/dev/null", "-e",
                            "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:retval=0",
                        ]
                        let writer = try WriterProcess(
                            ["steps", vault.path, "0"], vault.code, beneath: tracer)
                        let acknowledged = try Self.cutPower(
                            of: disk, under: writer, after: 4, delay: 0)
                        let done = try #require(acknowledged)
                        // What cannot even be opened is lost as well.
                        if (try? vault.steps(acknowledged: done, isChecked: false)) == nil {
                            losses += 1
                        }
                    }
                }
                #expect(losses * 10 >= Self.controls * 9, "\(losses) of \(Self.controls)")
                Attack.report(
                    control:
                        "a writer whose syncs do nothing lost acknowledged steps in \(losses) of \(Self.controls) power cuts"
                )
            }
            Attack.pass(on: result?.standardOutputContent ?? [])
        }

        @Test("after an operation on files or keys leaves what it did", .endsProcess)
        func operations() async {
            await #expect(processExitsWith: .success) {
                try Self.withDisk { disk in
                    let path = try Self.path(on: disk)
                    let records = FileRollbackRecords(
                        folder: disk.root + "/rollback", place: path)
                    let environment = TestVault.environment(rollbackRecords: records)
                    func changed(_ passphrase: String, _ change: () throws -> Void) throws {
                        try change()
                        try disk.cutPower()
                        try disk.restorePower()
                        let vault = try VaultFile.open(at: path, environment)
                            .unlock(with: TestVault.secret(passphrase))
                        #expect(try vault.check().problems.isEmpty)
                        vault.lock()
                    }
                    func authenticated(
                        _ passphrase: String, _ body: (consuming AuthenticatedVault) throws -> Void
                    ) throws {
                        try body(
                            VaultFile.open(at: path, environment)
                                .authenticate(with: TestVault.secret(passphrase)))
                    }
                    let backup = disk.root + "/backup.db"
                    try changed("first") {
                        _ = try VaultFile.create(
                            at: path, environment, passphrase: TestVault.passphrase("first"),
                            cost: TestVault.cost)
                    }
                    try changed("first") {
                        let storage = try VaultDatabase.openFile(at: path, mode: .readOnly)
                        defer { storage.close() }
                        try storage.backup(to: backup)
                    }
                    try changed("second") {
                        try authenticated("first") { vault in
                            _ = try vault.changePassphrase(
                                to: TestVault.passphrase("second"), cost: TestVault.cost)
                        }
                    }
                    try changed("second") {
                        try authenticated("second") { vault in _ = try vault.rekey() }
                    }
                    try changed("first") {
                        let outcome = try TestBackup.install(
                            backup, at: path, with: TestVault.secret("first"), replacing: true,
                            environment)
                        #expect(outcome.previousVaultPath != nil)
                    }
                    // The removal of the scratch folder may be lost.
                    let names = try FileManager.default.contentsOfDirectory(
                        atPath: disk.root + "/home"
                    ).filter { !$0.hasPrefix(".") }
                    #expect(names.sorted() == ["vault.db", "vault.db.replaced-1"])
                }
            }
        }

        /// Runs `body` with a disk that nobody else sees.
        private static func withDisk(
            megabytes: Int = 16, _ body: (LossyDisk) throws -> Void
        ) throws {
            try PrivateMounts.begin()
            try withTemporaryFolder { folder in
                try LossyDisk.with(in: folder, megabytes: megabytes, body)
            }
        }

        /// A place for a vault.
        private static func path(on disk: LossyDisk) throws -> String {
            try VaultLocation.prepareFolder(at: disk.root + "/home")
            return disk.root + "/home/vault.db"
        }

        /// Stops a writer that works on a disk, cuts the power, and starts the disk again without the writer.
        private static func cutPower(
            of disk: LossyDisk, under writer: WriterProcess, after acknowledgements: Int,
            delay: UInt64
        ) throws -> Int? {
            let acknowledged = try writer.end(after: acknowledgements, delay: delay, with: SIGSTOP)
            {
                // A sync that overlaps the cut could return success for nothing.
                let process = writer.process.processIdentifier
                while try !StoppedProcess.isStopped(process) { usleep(100) }
                try disk.cutPower()
            }
            try disk.restorePower()
            return acknowledged
        }
    }
#endif

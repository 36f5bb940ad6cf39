#if os(Linux)
    import Platform
    import SecretMemory
    import SecureStorage
    import TestSupport
    import VaultAgent
    import VaultCore

    /// The Secret Service beside GNOME's keyring, each on a bus of its own: a lookup by `secret-tool`, searches, and memory.
    enum ServicesMeasurement {
        fileprivate static let tool = "/usr/bin/secret-tool"
        private static let keyring = "/usr/bin/gnome-keyring-daemon"
        private static let python = "/usr/bin/python3"

        static func run(
            _ effort: Effort, in folder: ScratchFolder, into table: inout Table
        ) throws {
            for count in [100, 10_000] {
                guard DesktopSession.isWanted, isThere(tool), isThere(keyring) else {
                    table.add(
                        "secret-tool lookup of \(count)",
                        skipped: "no gnome-keyring-daemon or secret-tool")
                    continue
                }
                try measure(count, effort, in: folder, into: &table)
            }
            try measureGrowth(effort, in: folder, into: &table)
        }

        private static func isThere(_ program: String) -> Bool {
            unsafe access(program, X_OK) == 0
        }

        private static func measure(
            _ count: Int, _ effort: Effort, in folder: ScratchFolder, into table: inout Table
        ) throws {
            let served = try Served(count, in: folder, named: "services")
            defer { served.end() }
            let ours = served.environment
            let lookup = served.lookup

            let peerDesktop = try DesktopSession(
                in: try folder.makeFolder("keyring-bus-\(count)"))
            defer { peerDesktop.end() }
            let data = try folder.makeFolder("keyring-data-\(count)")
            try saveKeyring(count, in: folder, "keyring-data-\(count)/keyrings")
            let theirs = environment(peerDesktop.address, data) + ["XDG_DATA_HOME=" + data]
            let peer = try Child.start(
                theirs + [keyring, "--foreground", "--components=secrets"])
            defer { end(peer) }
            try wait(for: theirs + lookup)

            let times = try PairedTimes.measure(rounds: effort.rounds) {
                try Child.time(ours + lookup)
            } _: {
                try Child.time(theirs + lookup)
            }
            table.add(
                "secret-tool lookup of \(count)", times, against: "gnome-keyring",
                aim: count == 100 ? 1 : 0.3)
            guard count > 100 else { return }
            try measureCalls(served, theirs, effort, in: folder, into: &table)
        }

        /// A lookup among 100,000 items beside one among 100: a search, and the read of what it finds.
        private static func measureGrowth(
            _ effort: Effort, in folder: ScratchFolder, into table: inout Table
        ) throws {
            let name = "lookup by a program"
            guard DesktopSession.isWanted, isThere(tool), isThere(python) else {
                return table.add(name, skipped: "no D-Bus, secret-tool or Python")
            }
            let small = try Served(Vaults.smallCount, in: folder, named: "growth")
            defer { small.end() }
            let large = try Served(Benchmarks.largeCount, in: folder, named: "growth")
            defer { large.end() }
            let times = try PairedTimes.measure(rounds: effort.rounds) {
                try time(200, large.number, large.environment, in: folder, "lookup")
            } _: {
                try time(200, small.number, small.environment, in: folder, "lookup")
            }
            table.add(name + ", 100,000", times, against: "the same of 100", aim: 1.5)
        }

        /// The median time of calls for the item of a number, in nanoseconds.
        private static func time(
            _ count: Int, _ number: Int, _ environment: [String], in folder: ScratchFolder,
            _ kind: String = "search"
        ) throws -> Double {
            let output = folder.path(of: "calls-\(count)")
            _ = try Child.time(
                environment + [
                    "/bin/sh", "-c", #"exec "$0" "$@" >\#(output)"#, python,
                    Checkout.path("Tests/SecretServiceClients/time-calls"), "\(count)",
                    "s\(number)", kind,
                ])
            let text = try TextFile.read(output).prefix { $0 != "\n" }
            guard let microseconds = Double(text) else {
                throw BenchmarkFailure("no time: \(text)")
            }
            return microseconds * 1e3
        }

        fileprivate static func environment(_ bus: String, _ home: String) -> [String] {
            [
                "/usr/bin/env", "-i", "HOME=" + home, "XDG_RUNTIME_DIR=" + home,
                "DBUS_SESSION_BUS_ADDRESS=" + bus,
            ]
        }

        private static func measureCalls(
            _ served: Served, _ theirs: [String], _ effort: Effort, in folder: ScratchFolder,
            into table: inout Table
        ) throws {
            func resident() throws -> Double {
                Double(try ProcessStatus.kibibytes("VmRSS:", of: "\(served.process)")) / 1_024
            }
            usleep(3_000_000)
            table.add(
                "services at rest with 10,000 items", .mebibytes(try resident()),
                atMost: .mebibytes(12))
            func call(_ count: Int, _ environment: [String]) throws -> Double {
                try time(count, served.number, environment, in: folder)
            }
            table.add(
                "SearchItems among 10,000", .time(try call(1_000, served.environment)),
                against: "gnome-keyring",
                .time(try call(1_000, theirs)), atMost: .time(10e6))
            let before = try resident()
            _ = try call(effort.rest > 60 ? 100_000 : 10_000, served.environment)
            usleep(3_000_000)
            table.add(
                "growth of the services by \(effort.rest > 60 ? "100,000" : "10,000") calls",
                .mebibytes(try resident() - before), atMost: .mebibytes(1))
        }

        /// A keyring without a password, which the daemon reads at its start. To store so many by calls takes an hour.
        private static func saveKeyring(
            _ count: Int, in folder: ScratchFolder, _ name: String
        ) throws {
            _ = try folder.makeFolder(name)
            var text = "[keyring]\ndisplay-name=plain\nctime=0\nmtime=0\n"
            text += "lock-on-idle=false\nlock-after=false\n"
            for number in 0..<count {
                text += "\n[\(number + 1)]\nitem-type=0\ndisplay-name=item\n"
                text += "secret=password-\(number)\nmtime=0\nctime=0\n"
                for (place, pair) in [("service", "s\(number)"), ("account", "ada")].enumerated() {
                    text += "\n[\(number + 1):attribute\(place)]\nname=\(pair.0)\ntype=string\n"
                    text += "value=\(pair.1)\n"
                }
            }
            try folder.save(Array(text.utf8), as: name + "/plain.keyring")
            try folder.save(Array("plain".utf8), as: name + "/default")
        }

        fileprivate static func wait(for words: [String]) throws {
            for _ in 0..<600 {
                if (try? Child.time(words)) != nil { return }
                usleep(100_000)
            }
            throw BenchmarkFailure("\(words.joined(separator: " ")) does not succeed")
        }

        fileprivate static func end(_ process: pid_t) {
            kill(process, SIGTERM)
            var status: Int32 = 0
            unsafe waitpid(process, &status, 0)
        }
    }

    /// The services over a vault with items of programs, on a bus of their own.
    private final class Served {
        /// The number of one of the items.
        let number: Int
        /// The command that runs a program on the bus.
        let environment: [String]
        /// The services.
        let process: pid_t
        private let home: AgentHome
        private let desktop: DesktopSession

        /// Unlocks the vault, and waits until a lookup finds its item.
        init(_ count: Int, in folder: ScratchFolder, named name: String) throws {
            let vault = try BenchmarkVault("\(name)-services-\(count).db", in: folder)
            try vault.fillForPrograms(count)
            try vault.setCost(AgentMeasurement.cost)
            number = count / 2
            home = try AgentHome(of: vault, in: folder, named: "\(name)-home-\(count)")
            try home.client().unlock(with: .passphrase(try BenchmarkVault.passphrase()))
            desktop = try DesktopSession(in: try folder.makeFolder("\(name)-bus-\(count)"))
            environment = ServicesMeasurement.environment(desktop.address, home.path)
            process = try Child.start(
                environment + [home.executable, "services", "--home", home.path])
            try ServicesMeasurement.wait(for: environment + lookup)
        }

        /// The command that finds the item.
        var lookup: [String] {
            [ServicesMeasurement.tool, "lookup", "service", "s\(number)", "account", "ada"]
        }

        func end() {
            ServicesMeasurement.end(process)
            desktop.end()
            home.end()
        }
    }

    extension BenchmarkVault {
        /// Saves items as programs store them over D-Bus, in one transaction.
        fileprivate func fillForPrograms(_ count: Int) throws {
            let value = try SecretBytes(count: Sample.valueSize)
            try withOpen { open in
                try open.vault.saveAll { (save) throws(SecureStoreError) in
                    for number in 0..<count {
                        let digits = String(number, radix: 16)
                        let id = String(repeating: "0", count: 32 - digits.count) + digits
                        let name = try SecretName(service: SecretName.programService, account: id)
                        let extra = [
                            ExtraAttribute(key: ":account", text: "ada"),
                            ExtraAttribute(key: ":service", text: "s\(number)"),
                        ]
                        try save(value, name, SecretAttributes(label: "item", extra: extra), nil)
                    }
                }
            }
        }
    }
#endif

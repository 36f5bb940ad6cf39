internal import Accounts
internal import Database
internal import Platform
internal import TestSupport

/// Introspections on connections that are kept alive, against a handler of libmicrohttpd that answers a constant of the same size.
enum IntrospectionMeasurement {
    private static let connections = 64
    /// The fields that the library writes by itself.
    private static let ownFields = ["Date", "Connection", "Content-Length"]

    static func run(
        _ effort: ServerEffort, _ accounts: SampleAccounts, in folder: ScratchFolder,
        into table: inout Table
    ) throws {
        let title = "introspections a second, \(connections) connections"
        guard let wrk = LoadGenerator.path else {
            table.add(title, skipped: "needs Debian's package wrk")
            return
        }
        let database = folder.path(of: "introspection.db")
        let repository = try AccountRepository.openOrCreate(.file(database))
        defer { repository.close() }
        try accounts.fill(repository)
        let server = try AuthServerProcess(database: database, named: "introspection", in: folder)
        defer { server.end() }
        let sample = try answer(of: server.port, accounts, at: 0)
        let bare = try BareServer.start(like: sample, leavingOut: ownFields, in: folder)
        defer { bare.end() }
        let reading = try BareServer.start(
            like: sample, leavingOut: ownFields, reading: database, in: folder)
        defer { reading.end() }
        for number in accounts.entries.indices {
            let product = try answer(of: server.port, accounts, at: number)
            let constant = try answer(of: bare.port, accounts, at: number)
            guard product.status == 200, constant.status == 200,
                product.text.hasPrefix("{\"active\":true,"),
                product.text.contains(accounts.entries[number].email),
                constant.body == sample.body, constant.size == product.size
            else {
                throw BenchmarkFailure(
                    "the answers differ: \(product.size) and \(constant.size) bytes, \(product.text)"
                )
            }
        }
        let generator = try LoadGenerator(
            wrk, connections: connections, seconds: effort.loadSeconds,
            requests: accounts.entries.map { HTTPText.introspect($0.access) }, in: folder)
        var times = PairedTimes()
        var latencies: [Double] = []
        let rates = try PairedTimes.measure(rounds: effort.rounds) {
            let (load, time) = try generator.run(server.process, sample.size)
            latencies.append(load.slowest)
            times.add(time, .nan)
            return load.rate
        } _: {
            let (load, time) = try generator.run(bare, sample.size)
            times.add(.nan, time)
            return load.rate
        }
        let limits = try PairedTimes.measure(rounds: effort.rounds) {
            try generator.run(reading, sample.size).load.rate
        } _: {
            try generator.run(bare, sample.size).load.rate
        }
        let product = times.first.filter { !$0.isNaN }.median
        let constant = times.second.filter { !$0.isNaN }.median
        table.add(
            rates: title, rates, against: "libmicrohttpd, a constant", atLeast: 0.35)
        table.add(
            "processor time of one", .time(product), against: "libmicrohttpd, a constant",
            .time(constant), ratio: product / constant)
        table.add(
            rates: "  libmicrohttpd that reads the same row", limits,
            against: "libmicrohttpd, a constant")
        table.add("introspection under that load, 99th percentile", .time(latencies.median))
        try measurePeer(effort, wrk, in: folder, into: &table) {
            try generator.run(server.process, sample.size).load.rate
        }
    }

    /// Against Glewlwyd, an OpenID server in C over SQLite, too.
    private static func measurePeer(
        _ effort: ServerEffort, _ wrk: String, in folder: ScratchFolder, into table: inout Table,
        _ product: () throws -> Double
    ) throws {
        let title = "introspections a second, beside Glewlwyd"
        let root = Checkout.path(".build/glewlwyd/root")
        guard unsafe access(root, F_OK) == 0 else {
            table.add(title, skipped: "needs Tests/OAuth/foreign, which unpacks Glewlwyd")
            return
        }
        let peer = try LineProcess(
            "/usr/bin/python3",
            [
                Checkout.path("Tests/OAuth/glewlwyd.py"), try folder.makeFolder("glewlwyd"), "", "",
                root, "benchmark",
            ])
        defer { peer.end() }
        try peer.write(SampleAccounts.password)
        let words = try peer.readLine()?.split(separator: " ").map(String.init) ?? []
        guard words.count == 3, let port = UInt16(words[0]) else {
            throw BenchmarkFailure("Glewlwyd does not start")
        }
        let request = HTTPText.introspect(
            words[1], at: "/api/oidc/introspect", as: "Basic " + words[2])
        let sample = try HTTPConnection(port: port).ask(request)
        guard sample.status == 200, sample.text.contains("\"active\":true") else {
            throw BenchmarkFailure("Glewlwyd answers \(sample.status): \(sample.text)")
        }
        let generator = try LoadGenerator(
            wrk, connections: connections, seconds: effort.loadSeconds, requests: [request],
            named: "glewlwyd", in: folder)
        let rates = try PairedTimes.measure(rounds: effort.rounds, product) {
            try generator.run(port: port, sample.size).rate
        }
        table.add(rates: title, rates, against: "Glewlwyd", atLeast: 5)
    }

    private static func answer(
        of port: UInt16, _ accounts: SampleAccounts, at number: Int
    ) throws -> HTTPAnswerBuffer {
        try HTTPConnection(port: port).ask(HTTPText.introspect(accounts.entries[number].access))
    }
}

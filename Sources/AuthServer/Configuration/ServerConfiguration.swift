internal import Accounts
internal import CommandLine
internal import HTTPServer
internal import Sealing

/// All that the server is told, checked as a whole.
struct ServerConfiguration: Sendable {
    /// Where to listen.
    let listen: ListenAddress
    /// The server's name; nil where it is the address that it listens at.
    let issuer: IssuerURL?
    /// The files of certificate and key; nil without TLS.
    let tls: TLSFiles?
    /// The confidential clients.
    let clients: [OAuthClient]
    /// What holds for accounts.
    let rules: AccountRules
    /// What connections, requests and workers are limited to.
    let limits: HTTPServerOptions
    /// How many fields a form may have, and how many members an object; 0 is no limit.
    let contents: (formFields: Int, jsonMembers: Int)
    /// How long requests under way may take to be answered after a signal to end.
    let stopTimeout: Duration
    /// What an operator should know, and may want.
    private(set) var warnings: [Warning] = []

    /// Checks what several settings say together.
    ///
    /// - Throws: A failure that says where the mistake is.
    init(
        _ sources: SettingSources, processors: Int = Machine.processors
    ) throws {
        listen = sources.certain(SettingTable.listen)
        issuer = sources.value(SettingTable.issuer)
        clients = sources.clients
        tls = try TLSFiles(sources)
        rules = AccountRules(sources)
        contents = (
            sources.certain(SettingTable.formFields), sources.certain(SettingTable.jsonMembers)
        )
        stopTimeout = sources.certain(SettingTable.stopTimeout).orUnlimited
        let threads = sources.certain(SettingTable.threads)
        let workers = sources.value(SettingTable.workers) ?? processors
        limits = HTTPServerOptions(
            address: listen.address, port: listen.port,
            threads: threads == 0 ? processors : threads,
            lanes: [
                .derivation: .init(
                    workers: workers, waiting: sources.certain(SettingTable.waiting)),
                .storage: .init(
                    workers: sources.certain(SettingTable.storageWorkers),
                    waiting: sources.certain(SettingTable.storageWaiting)),
            ],
            maximumConnections: sources.certain(SettingTable.connections),
            maximumConnectionsOfOneAddress: sources.certain(SettingTable.connectionsOfOneAddress),
            trustedProxies: sources.value(SettingTable.trustedProxy) ?? [],
            maximumBodySize: sources.certain(SettingTable.bodySize),
            timeout: sources.certain(SettingTable.timeout))
        try checkEncryption(sources)
        try checkIssuer(sources)
        warnings = try Self.checkPlainIssuer(issuer, listen, hasTLS: tls != nil, sources)
        try Self.checkTimes(sources)
        try checkLimits(sources)
        try Self.checkMemory(sources, rules.passwordCost, workers: workers)
    }

    /// Plain HTTP where others can read it has to be said twice.
    private func checkEncryption(_ sources: SettingSources) throws {
        if tls != nil || listen.isLoopback { return }
        let isTold = (
            sources.certain(SettingTable.plainHTTP),
            sources.certain(SettingTable.protectedElsewhere)
        )
        if isTold == (true, true) { return }
        let missing = isTold.0 ? SettingTable.protectedElsewhere : SettingTable.plainHTTP
        throw sources.failure(
            SettingTable.listen, "is not loopback, and passwords would be sent without TLS",
            hint: isTold.0 || isTold.1
                ? "--\(missing.description.name) is needed as well"
                : "give --tls-certificate and --tls-key, or let a proxy on this machine do it",
            as: .refused)
    }

    private func checkIssuer(_ sources: SettingSources) throws {
        let setting = SettingTable.issuer
        if let issuer {
            if tls != nil, !issuer.isEncrypted {
                throw sources.failure(setting, "has to begin with https:// where there is TLS")
            }
        } else if listen.isEvery || listen.port == 0 {
            throw sources.failure(
                setting,
                "is needed where listen stands for all addresses, or leaves the port to the system",
                hint: "--issuer https://auth.example.org")
        }
    }

    /// How many descriptors the server needs: one for each connection, and some for files, pipes and the database. nil where there is no limit.
    var neededDescriptors: Int? {
        let storage = limits.lanes[.storage]?.workers ?? 0
        if storage == 0 || limits.maximumConnections == 0 { return nil }
        return limits.maximumConnections + 4 * storage + 4 * limits.threads + 64
    }

    /// The server's name as clients know it.
    var issuerText: String {
        issuer?.text ?? (tls == nil ? "http://" : "https://") + listen.text()
    }

    /// A limit can be switched off where nobody but this machine asks: behind a proxy, or under a name of others, all of them do.
    private func checkLimits(_ sources: SettingSources) throws {
        let isForOthers =
            !listen.isLoopback || issuer.map { !$0.isLoopback } ?? false
            || !limits.trustedProxies.isEmpty
        guard isForOthers else { return }
        for setting in SettingTable.all where setting.hasNone {
            guard let given = sources.given(setting), given.text == "0" else { continue }
            throw CommandFailure(
                .refused, code: "configuration",
                "\(given.origin.subject(of: setting)) is 0, which is for loopback only"
            )
        }
    }

    /// All workers at once must not need more memory than there is.
    private static func checkMemory(
        _ sources: SettingSources, _ cost: KeyDerivationCost, workers: Int
    ) throws {
        do throws(SealingError) {
            try KeyDerivationLimits.standard().check(cost)
        } catch {
            throw sources.failure(
                SettingTable.memory,
                "with password-passes is more than this machine can spend", as: .refused)
        }
        let needed = UInt64(workers) * UInt64(cost.memoryKiB) * 1_024
        guard needed <= KeyDerivationLimits.machineMemory / 4 * 3 else {
            throw sources.failure(
                SettingTable.memory,
                "for each of \(workers) workers is more memory than this machine has to spare",
                hint: "lower --workers", as: .refused)
        }
    }
}

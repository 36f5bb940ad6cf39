internal import Accounts
internal import CommandLine
internal import HTTPServer
internal import Platform
internal import Sealing

/// The counters of the server, for Prometheus (text format 0.0.4). Thread-safe.
final class ServerMetrics: Sendable {
    /// Events that are counted in addition to requests.
    enum Event: String, CaseIterable {
        case signedIn = "sign_in_accepted"
        case rejected = "sign_in_rejected"
        case secondFactorRejected = "second_factor_rejected"
        case throttled = "attempt_throttled"
        case refreshed = "token_refreshed"
        case refreshRefused = "token_refresh_refused"
        case tokenReused = "refresh_token_reused"
        case tokenRevoked = "token_revoked"
        case deviceAdded = "device_added"
        case derived = "argon2"
        case created = "account_created"
        case passwordChanged = "password_changed"
        case blobStored = "sync_blob_stored"
        case syncFull = "sync_quota_exceeded"
        case unavailable = "database_unavailable"
    }

    /// The upper bounds of the histograms' buckets, in microseconds, and as texts in seconds.
    private static let bounds: [(microseconds: Int64, text: String)] = [
        (250, "0.00025"), (1_000, "0.001"), (5_000, "0.005"), (25_000, "0.025"),
        (100_000, "0.1"), (250_000, "0.25"), (500_000, "0.5"), (1_000_000, "1"),
        (2_500_000, "2.5"), (10_000_000, "10"), (60_000_000, "60"),
    ]

    private struct RequestKind: Hashable {
        let route: Route?
        let status: Int
    }

    private struct Histogram {
        /// The numbers of durations in each bucket, the last one without a bound.
        var counts = [Int](repeating: 0, count: ServerMetrics.bounds.count + 1)
        var microseconds: Int64 = 0

        mutating func add(_ other: Histogram) {
            for index in counts.indices { counts[index] += other.counts[index] }
            microseconds += other.microseconds
        }
    }

    private struct Counts {
        var requests: [RequestKind: Int] = [:]
        var durations: [Route?: Histogram] = [:]
        var events: [Event: Int] = [:]
    }

    private let start: PointInTime
    /// Each thread counts for itself.
    private let counts = ThreadShares(Counts())

    /// Creates the counters of a server that starts now.
    init(start: PointInTime) {
        self.start = start
    }

    /// Counts a request.
    func note(_ exchange: HTTPExchange, _ route: Route?) {
        let kind = RequestKind(route: route, status: exchange.status ?? 0)
        let time = exchange.duration.microseconds
        let bucket =
            Self.bounds.firstIndex { time <= $0.microseconds } ?? Self.bounds.count
        counts.withOwn {
            $0.requests[kind, default: 0] += 1
            $0.durations[route, default: Histogram()].counts[bucket] += 1
            $0.durations[route, default: Histogram()].microseconds += time
        }
    }

    /// Counts an event.
    func note(_ event: Event) {
        counts.withOwn { $0.events[event, default: 0] += 1 }
    }

    /// The number of occurrences of an event.
    func count(of event: Event) -> Int {
        total.events[event] ?? 0
    }

    /// The sums of all threads.
    private var total: Counts {
        var total = Counts()
        counts.forEach { counts in
            total.requests.merge(counts.requests, uniquingKeysWith: +)
            total.events.merge(counts.events, uniquingKeysWith: +)
            for (route, histogram) in counts.durations {
                total.durations[route, default: Histogram()].add(histogram)
            }
        }
        return total
    }

    /// The text of all counters, of the given values, and of the process.
    func text(_ values: [ServerValue]) -> String {
        let counts = total
        var text = Self.head("build_info", "The version of the program.", "gauge")
        text += "taskvault_build_info{version=\"\(ProductVersion.number)\"} 1\n"
        text += Self.head("requests_total", "Answered requests.", "counter")
        let requests = counts.requests.map {
            (Self.name($0.key.route), $0.key.status, $0.value)
        }
        for (route, status, count) in requests.sorted(by: { ($0.0, $0.1) < ($1.0, $1.1) }) {
            text += "taskvault_requests_total{route=\"\(route)\",status=\"\(status)\"} \(count)\n"
        }
        text += Self.head(
            "request_duration_seconds", "Time from request head to answer.", "histogram")
        let durations = counts.durations.map { (Self.name($0.key), $0.value) }
        for (route, histogram) in durations.sorted(by: { $0.0 < $1.0 }) {
            text += Self.lines(of: histogram, route)
        }
        text += Self.head("events_total", "Events.", "counter")
        for event in Event.allCases {
            text +=
                "taskvault_events_total{event=\"\(event.rawValue)\"} \(counts.events[event] ?? 0)\n"
        }
        for value in values {
            text += Self.head(value.name, value.help, value.kind.rawValue)
            text += "taskvault_\(value.name) \(value.value)\n"
        }
        return text + ProcessMetrics.text(start: start)
    }

    private static func lines(of histogram: Histogram, _ route: String) -> String {
        let name = "taskvault_request_duration_seconds"
        var text = ""
        var sum = 0
        for (bound, count) in zip(bounds.map(\.text) + ["+Inf"], histogram.counts) {
            sum += count
            text += "\(name)_bucket{route=\"\(route)\",le=\"\(bound)\"} \(sum)\n"
        }
        text += "\(name)_sum{route=\"\(route)\"} \(seconds(histogram.microseconds))\n"
        return text + "\(name)_count{route=\"\(route)\"} \(sum)\n"
    }

    private static func name(_ route: Route?) -> String { route?.rawValue ?? "other" }

    /// Microseconds as a text in seconds.
    static func seconds(_ microseconds: Int64) -> String {
        let digits = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)."
            + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }

    private static func head(_ name: String, _ help: String, _ type: String) -> String {
        "# HELP taskvault_\(name) \(help)\n# TYPE taskvault_\(name) \(type)\n"
    }
}

/// A value for the metrics.
public struct ServerValue: Sendable, Hashable {
    /// The types of Prometheus.
    public enum Kind: String, Sendable {
        /// A monotonic number; its name ends with `_total`.
        case counter
        /// A current number.
        case gauge
    }

    /// The name after `taskvault_`, in lower case with underscores.
    public let name: String
    /// The description, as a sentence.
    public let help: String
    /// The type.
    public let kind: Kind
    /// The value.
    public let value: Int

    /// Creates a current number.
    public init(gauge name: String, _ help: String, _ value: Int) {
        self.name = name
        self.help = help
        self.value = value
        kind = .gauge
    }

    /// Creates a monotonic number; `_total` is appended to its name.
    public init(counter name: String, _ help: String, _ value: Int) {
        self.name = name + "_total"
        self.help = help
        self.value = value
        kind = .counter
    }
}

/// Counts derivations of passwords, for the `argon2` event of the metrics.
struct CountedHashing: PasswordHashing {
    let hashing: any PasswordHashing
    let count: @Sendable () -> Void

    func hash(
        _ password: borrowing AccountPassword, cost: KeyDerivationCost
    ) throws -> PasswordHash {
        count()
        return try hashing.hash(password, cost: cost)
    }

    func matches(
        _ password: borrowing AccountPassword, _ hash: PasswordHash
    ) throws -> Bool {
        count()
        return try hashing.matches(password, hash)
    }
}

internal import Accounts
internal import HTTPServer
internal import Sealing
internal import Synchronization

/// The counters of the server, for Prometheus (text format 0.0.4). Thread-safe.
final class ServerMetrics: Sendable {
    /// Events counted beside requests.
    enum Event: String, CaseIterable {
        case signedIn = "sign_in_accepted"
        case rejected = "sign_in_rejected"
        case throttled = "attempt_throttled"
        case refreshed = "token_refreshed"
        case refreshRefused = "token_refresh_refused"
        case derived = "argon2"
        case created = "account_created"
        case passwordChanged = "password_changed"
        case unavailable = "database_unavailable"
    }

    private struct RequestKind: Hashable {
        let route: String
        let status: Int
    }

    private struct Counts {
        var requests: [RequestKind: (count: Int, microseconds: Int64)] = [:]
        var events: [Event: Int] = [:]
    }

    private let counts = Mutex(Counts())

    /// Counts a request.
    func note(_ exchange: HTTPExchange) {
        let kind = RequestKind(
            route: Route.find(exchange.request.path)?.route.rawValue ?? "other",
            status: exchange.status ?? 0)
        let time = exchange.duration.microseconds
        counts.withLock {
            let sum = $0.requests[kind] ?? (0, 0)
            $0.requests[kind] = (sum.count + 1, sum.microseconds + time)
        }
    }

    /// Counts an event.
    func note(_ event: Event) {
        counts.withLock { $0.events[event, default: 0] += 1 }
    }

    /// The number of occurrences of an event.
    func count(of event: Event) -> Int {
        counts.withLock { $0.events[event] ?? 0 }
    }

    /// The text of all counters and the given gauges.
    func text(gauges: [ServerGauge]) -> String {
        let (requests, events) = counts.withLock { ($0.requests, $0.events) }
        var text = Self.head("requests_total", "Answered requests.", "counter")
        let sorted = requests.sorted {
            ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status)
        }
        for (kind, sum) in sorted {
            text += "taskvault_requests_total\(Self.labels(kind)) \(sum.count)\n"
        }
        text += Self.head("request_seconds_total", "Time from request head to answer.", "counter")
        for (kind, sum) in sorted {
            text +=
                "taskvault_request_seconds_total\(Self.labels(kind)) \(seconds(sum.microseconds))\n"
        }
        text += Self.head("events_total", "Events.", "counter")
        for event in Event.allCases {
            text += "taskvault_events_total{event=\"\(event.rawValue)\"} \(events[event] ?? 0)\n"
        }
        for gauge in gauges {
            text += Self.head(gauge.name, gauge.help, "gauge")
            text += "taskvault_\(gauge.name) \(gauge.value)\n"
        }
        return text
    }

    private func seconds(_ microseconds: Int64) -> String {
        let digits = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)."
            + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }

    private static func head(_ name: String, _ help: String, _ type: String) -> String {
        "# HELP taskvault_\(name) \(help)\n# TYPE taskvault_\(name) \(type)\n"
    }

    private static func labels(_ kind: RequestKind) -> String {
        "{route=\"\(kind.route)\",status=\"\(kind.status)\"}"
    }
}

/// A current value for the metrics.
public struct ServerGauge: Sendable, Hashable {
    /// The name after `taskvault_`, in lower case with underscores.
    public let name: String
    /// The description, as a sentence.
    public let help: String
    /// The value.
    public let value: Int

    /// Creates a gauge.
    public init(_ name: String, _ help: String, _ value: Int) {
        self.name = name
        self.help = help
        self.value = value
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

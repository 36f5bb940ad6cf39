internal import HTTPServer
internal import Synchronization

/// Counts what happens, for Prometheus (text format 0.0.4).
final class ServerMetrics: Sendable {
    /// What is counted beside requests.
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
            route: Route(rawValue: exchange.request.path)?.rawValue ?? "other",
            status: exchange.status ?? 0)
        let time = exchange.duration.microseconds
        counts.withLock {
            let sum = $0.requests[kind] ?? (0, 0)
            $0.requests[kind] = (sum.count + 1, sum.microseconds + time)
        }
    }

    /// Counts something else.
    func note(_ event: Event) {
        counts.withLock { $0.events[event, default: 0] += 1 }
    }

    /// How often something happened.
    func count(of event: Event) -> Int {
        counts.withLock { $0.events[event] ?? 0 }
    }

    /// All counters, and the gauges that are given.
    func text(gauges: [ServerGauge]) -> String {
        let (requests, events) = counts.withLock { ($0.requests, $0.events) }
        var text = Self.head("requests_total", "Requests that were answered.", "counter")
        let sorted = requests.sorted {
            ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status)
        }
        for (kind, sum) in sorted {
            text += "taskvault_requests_total\(Self.labels(kind)) \(sum.count)\n"
        }
        text += Self.head("request_seconds_total", "Time from head to answer.", "counter")
        for (kind, sum) in sorted {
            text +=
                "taskvault_request_seconds_total\(Self.labels(kind)) \(seconds(sum.microseconds))\n"
        }
        text += Self.head("events_total", "What happened.", "counter")
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

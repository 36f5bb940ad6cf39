internal import HTTPClient
package import Platform
internal import SecretMemory
internal import Synchronization
package import TextCoding

/// A sign-in on any device by the device grant (RFC 8628).
package final class DeviceSignIn: WebSignIn {
    /// The longest interval after failed connections, in seconds.
    private static let maximumInterval: UInt32 = 60
    /// The increase of the interval after `slow_down`, in seconds.
    private static let slowing: UInt32 = 5

    private let client: OAuthClient
    private let deviceCode: SecretBytes
    private let end: MonotonicTime
    /// The interval in seconds, and the time of the next request.
    private let pace: Mutex<(interval: UInt32, next: MonotonicTime)>
    private let now: @Sendable () -> MonotonicTime
    private let sleep: @Sendable (Duration) -> Void
    private let date: @Sendable () -> PointInTime

    package let address: String
    package let completeAddress: String?
    package let code: String?

    /// Requests the codes.
    ///
    /// - Parameters:
    ///   - client: The server.
    ///   - now: The clock of the time limit and the interval.
    ///   - sleep: Waits on that clock.
    ///   - date: The time for the expiry of an ID token.
    /// - Throws: `unsupported`, or another ``SignInError``.
    package init(
        _ client: OAuthClient, now: @escaping @Sendable () -> MonotonicTime = { .now },
        sleep: @escaping @Sendable (Duration) -> Void = { SystemSleep.sleep($0) },
        date: @escaping @Sendable () -> PointInTime = { .now }
    ) throws {
        let granted = try client.authorizeDevice()
        self.client = client
        self.now = now
        self.sleep = sleep
        self.date = date
        address = granted.address.description
        completeAddress = (granted.completeAddress ?? granted.address).description
        code = granted.userCode
        let time = now()
        end = time + .seconds(Int64(granted.lifetime))
        pace = Mutex((granted.interval, time + .seconds(Int64(granted.interval))))
        deviceCode = granted.deviceCode
    }

    package func wait(atMost time: Duration) throws -> GrantedTokens? {
        let callEnd = now() + time
        while true {
            let next = pace.withLock { $0.next }
            let time = now()
            guard time < end else { throw SignInError.notCompleted }
            if next <= time {
                if let tokens = try ask() { return tokens }
                continue
            }
            guard time < callEnd else { return nil }
            let wake = min(next, min(callEnd, end))
            sleep(.nanoseconds(wake.nanoseconds - time.nanoseconds))
        }
    }

    /// Asks the server once.
    private func ask() throws -> GrantedTokens? {
        do {
            switch try client.askDevice(deviceCode, at: date()) {
            case .granted(let tokens): return tokens
            case .pending: adjust { $0 }
            case .slowDown: adjust { $0 + Self.slowing }
            }
        } catch SignInError.unreachable {
            // Exponential backoff (RFC 8628, section 3.5).
            adjust { max($0, min(2 * $0, Self.maximumInterval)) }
        } catch SignInError.throttled(let seconds) {
            adjust { max($0 + Self.slowing, min(seconds ?? 0, Self.maximumInterval)) }
        }
        return nil
    }

    private func adjust(_ interval: (UInt32) -> UInt32) {
        let time = now()
        pace.withLock { pace in
            pace.interval = interval(pace.interval)
            pace.next = time + .seconds(Int64(pace.interval))
        }
    }
}

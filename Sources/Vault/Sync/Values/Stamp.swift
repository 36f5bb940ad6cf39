package import SecureStorage

/// The time of a record by a hybrid logical clock (Kulkarni et al., 2014), and the device that gave it. Stamps only order.
package struct Stamp: Hashable, Comparable, Sendable {
    /// The first clock that no record may have: a clock above could leave no later one.
    package static let limit: UInt64 = 1 << 63
    /// The first clock that no wall clock gives, in the year 3084.
    package static let wallLimit: UInt64 = 1 << 61
    /// The clocks above ``wallLimit`` for which each segment that an author has seen, and its own ones, make room.
    private static let room: UInt64 = 1 << 20
    /// The lowest stamp, which no record has.
    package static let zero = Stamp(clock: 0, device: .zero)

    /// 48 bits of milliseconds since 1970-01-01 UTC, then 16 bits of a counter.
    package let clock: UInt64
    /// The device that gave the stamp.
    package let device: DeviceID

    package init(clock: UInt64, device: DeviceID) {
        self.clock = clock
        self.device = device
    }

    /// A stamp of a time before sync began, such as the modification time of an item in the first exchange.
    package init(milliseconds: Int64, device: DeviceID) {
        self.init(clock: HybridClock.clock(at: milliseconds), device: device)
    }

    /// Milliseconds since 1970-01-01 UTC.
    package var milliseconds: Int64 { Int64(clock >> 16) }

    package static func < (left: Stamp, right: Stamp) -> Bool {
        left.clock == right.clock ? left.device < right.device : left.clock < right.clock
    }

    /// The first clock that no record of a segment may have. Otherwise the thief of a locked machine could give the last one of all, and no
    /// device could write again.
    static func limit(in segment: Origin) -> UInt64 {
        let most = (limit - wallLimit) / room
        let others = segment.seen.numbers.filter { $0.key != segment.dot.device }.values
        let own = min(segment.dot.number, most)
        let segments = others.reduce(own) { min($0 + min($1, most), most) }
        return wallLimit + segments * room
    }
}

/// Gives a device's stamps. Each is newer than all that the device gave or saw before, even if the wall clock went back.
package struct HybridClock: Hashable, Sendable {
    /// The newest clock given or seen.
    package private(set) var last: UInt64

    package init(last: UInt64 = 0) {
        self.last = last
    }

    /// The next clock.
    ///
    /// - Parameter now: The wall clock, in milliseconds since 1970-01-01 UTC.
    /// - Returns: The clock of a stamp.
    /// - Throws: `SyncError.clockExhausted` if a member's stamps left no later one.
    package mutating func next(at now: Int64) throws(SyncError) -> UInt64 {
        guard last < Stamp.limit - 1 else { throw .clockExhausted }
        last = max(last + 1, Self.clock(at: now))
        return last
    }

    /// Notes a stamp of another device.
    package mutating func see(_ clock: UInt64) { last = max(last, clock) }

    /// The clock of a time, within the limits.
    static func clock(at milliseconds: Int64) -> UInt64 {
        UInt64(min(max(milliseconds, 0), Int64(Stamp.wallLimit >> 16) - 1)) << 16
    }
}

extension ByteWriter {
    package mutating func stamp(_ stamp: Stamp) {
        integer(stamp.clock)
        id(stamp.device)
    }
}

extension ByteReader {
    package mutating func stamp() -> Stamp? {
        guard let clock = clock(), let device = id(of: SyncSubject.Device.self) else { return nil }
        return Stamp(clock: clock, device: device)
    }

    /// Reads the clock of a stamp; nil from ``Stamp/limit`` on.
    package mutating func clock() -> UInt64? {
        integer(UInt64.self).flatMap { $0 < Stamp.limit ? $0 : nil }
    }
}

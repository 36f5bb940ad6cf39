internal import HTTPServer
internal import Platform
internal import TextCoding

/// Checks whether the database can be written, at most once a second: each client may ask for the health of the server. Thread-safe.
final class WriteProbe: Sendable {
    private struct Last {
        let time: PointInTime
        let failure: (any Error)?
    }

    private static let period = Duration.seconds(1)

    private let last = LockedValue<Last?>(nil)

    /// Calls `write` if the last result is older than a second.
    ///
    /// - Throws: The error of `write`, now or at the last call.
    func check(at now: PointInTime, _ write: () throws -> Void) throws {
        try last.withLock { last in
            let isRecent = last.map { $0.time <= now && now < $0.time.advanced(by: Self.period) }
            if isRecent != true {
                let failure = Result { try write() }.failure
                last = Last(time: now, failure: failure)
            }
            if let failure = last?.failure { throw failure }
        }
    }
}

extension Result {
    /// The error; nil for a success.
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// Checks whether the database answers within a short time. Thread-safe.
///
/// One check runs at a time. If it exceeds the time limit, each answer reports the database as
/// unavailable.
final class HealthProbe: Sendable {
    private struct State {
        var waiting: [DeferredResponse] = []
        /// The start of the running check; nil without one.
        var beginning: MonotonicTime?
        /// The number of started checks.
        var number = 0
    }

    private enum Step {
        case begin(Int)
        case wait
        case giveUp
    }

    private let timeLimit: Duration
    private let state = Monitor(State())

    /// Creates a probe with a time limit for the database.
    init(timeLimit: Duration = .seconds(2)) {
        self.timeLimit = timeLimit
    }

    /// Answers with the result of `check`, or of a check that is already running.
    func ask(_ answer: DeferredResponse, _ check: @escaping @Sendable () -> HTTPResponse) {
        let step = state.update { state -> Step in
            if let beginning = state.beginning {
                if beginning + timeLimit <= .now { return .giveUp }
                state.waiting.append(answer)
                return .wait
            }
            state.beginning = .now
            state.number += 1
            state.waiting = [answer]
            return .begin(state.number)
        }
        switch step {
        case .wait: return
        case .giveUp: answer.give(RequestError.unavailable(.problem).response)
        case .begin(let number): begin(number, check)
        }
    }

    private func begin(_ number: Int, _ check: @escaping @Sendable () -> HTTPResponse) {
        let isChecking = DetachedThread.start { [self] in
            let response = check()
            give(response, ending: true)
        }
        guard isChecking else {
            return give(RequestError.overload(.problem).response, ending: true)
        }
        // If the thread cannot start, answers wait for the check.
        _ = DetachedThread.start { [self] in
            let hasEnded: Bool? = state.wait(until: .now + timeLimit) { state in
                state.number == number && state.beginning != nil ? nil : true
            }
            if hasEnded == nil {
                give(RequestError.unavailable(.problem).response, ending: false)
            }
        }
    }

    private func give(_ response: HTTPResponse, ending isEnd: Bool) {
        let answers = state.update { state in
            if isEnd { state.beginning = nil }
            defer { state.waiting = [] }
            return state.waiting
        }
        for answer in answers { answer.give(response) }
    }
}

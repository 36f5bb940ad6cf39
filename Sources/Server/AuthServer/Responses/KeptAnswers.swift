internal import Accounts
internal import Database
internal import HTTPServer
internal import Platform
internal import TextCoding

/// Descriptions of tokens that stay right as long as nothing is committed to the database, by this server or another one. Each thread keeps its
/// own, so that none waits for another one. Thread-safe.
final class KeptAnswers: Sendable {
    /// A question.
    struct Question: Hashable {
        /// The hash of the token: tokens themselves are kept nowhere.
        let token: TokenHash
        /// The client that asks.
        let client: String
    }

    /// An answer, and how long it stays right.
    struct Answer {
        let response: HTTPResponse
        /// Nil for an answer that is not kept.
        let end: PointInTime?
    }

    private struct Share {
        var count = CommitCount()
        var answers: [Question: Answer] = [:]
    }

    /// The largest number of answers that a thread keeps.
    private static let maximum = 4_096

    private let repository: AccountRepository
    private let shares = ThreadShares(Share())

    init(_ repository: AccountRepository) {
        self.repository = repository
    }

    /// The answer to a question: the kept one, or a new one.
    func answer(
        _ question: Question, at now: PointInTime, _ make: () throws -> Answer
    ) rethrows -> HTTPResponse {
        // Read before the database: an answer to a later state is only forgotten too early.
        guard let count = repository.commitCount() else { return try make().response }
        let known = shares.withOwn { share -> HTTPResponse? in
            if share.count != count {
                share.answers.removeAll(keepingCapacity: true)
                share.count = count
            }
            guard let answer = share.answers[question], let end = answer.end, now < end
            else { return nil }
            return answer.response
        }
        if let known { return known }
        let made = try make()
        guard made.end != nil else { return made.response }
        shares.withOwn { share in
            guard share.count == count else { return }
            if share.answers.count >= Self.maximum {
                share.answers.removeAll(keepingCapacity: true)
            }
            share.answers[question] = made
        }
        return made.response
    }
}

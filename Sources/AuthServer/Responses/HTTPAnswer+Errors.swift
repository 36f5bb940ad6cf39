internal import Accounts
internal import HTTPServer

extension HTTPAnswer {
    /// The same answer with more header fields, whenever it comes.
    func adding(_ fields: [HTTPHeaders.Field]) -> HTTPAnswer {
        switch self {
        case .now(let response): .now(response.adding(fields))
        case .later(let lane, let work, let overload):
            .later(lane, { work().adding(fields) }, overload: overload.adding(fields))
        }
    }
}

extension HTTPResponse {
    /// The same answer with more header fields.
    func adding(_ fields: [HTTPHeaders.Field]) -> HTTPResponse {
        var response = self
        for field in fields { response.headers.append(field.name, field.value) }
        return response
    }
}

extension AuthServer {
    /// Answers, with the errors of OAuth.
    func oauth(_ body: () throws(OAuthError) -> HTTPAnswer) -> HTTPAnswer {
        do throws(OAuthError) {
            return try body()
        } catch {
            return .now(error.response)
        }
    }

    /// Answers, with problem details for errors.
    func problems(_ body: () throws(Problem) -> HTTPAnswer) -> HTTPAnswer {
        do throws(Problem) {
            return try body()
        } catch {
            return .now(error.response)
        }
    }

    /// What an OAuth endpoint says of an error.
    func oauthError(_ error: AccountServiceError) -> OAuthError {
        switch error {
        case .tooManyAttempts(let time):
            metrics.note(.throttled)
            return .tooManyAttempts(time)
        case .rejected, .tokenRejected, .invitationRejected, .alreadyExists, .missing:
            return .rejected
        case .outOfMemory, .repository:
            noteFailure(error)
            return .unavailable
        }
    }

    /// What another endpoint says of an error.
    func problem(_ error: AccountServiceError) -> Problem {
        switch error {
        case .tooManyAttempts(let time):
            metrics.note(.throttled)
            return .tooManyAttempts(time)
        case .rejected: return .wrongPassword
        case .tokenRejected, .missing: return .unauthorized
        case .invitationRejected: return .invitation
        case .alreadyExists: return .taken
        case .outOfMemory, .repository:
            noteFailure(error)
            return .unavailable
        }
    }

    private func noteFailure(_ error: AccountServiceError) {
        metrics.note(.unavailable)
        note("failure", error)
    }
}

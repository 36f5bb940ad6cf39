internal import TextCoding

/// A request that is refused before a command runs.
struct PageRequestError: Error, JSONReadingFailure {
    let status: Int
    let code: String
    let message: String

    init(_ message: String, status: Int = 400, code: String = "bad_request") {
        self.status = status
        self.code = code
        self.message = message
    }

    static func invalidJSON(line: Int) -> PageRequestError {
        PageRequestError("the content is not JSON")
    }

    static func repeatedMember(_ name: String, line: Int) -> PageRequestError {
        PageRequestError("a member is there twice")
    }
}

/// The constants of `Docs/AgentProtocol.md`.
package enum AgentProtocol {
    /// The protocol version of this program.
    package static let version: UInt32 = 1
    /// The largest payload, in bytes: a value of 1 MiB with its description, and some margin.
    static let largestPayload = 2 * 1_024 * 1_024
    /// The largest payload before the hellos, in bytes.
    static let largestHello = 4 * 1_024
    /// The largest size of a program version, in bytes.
    static let largestVersionText = 64
    /// The number of bytes of pipelined requests while a client waits for answers: they fit the socket's buffer.
    static let mostAhead = 4 * 1_024
    /// The number of requests for parts of a file that may be outstanding.
    static let mostPartsAhead = 4
    /// The size at which a page of a list ends, in bytes.
    static let pageSize = 64 * 1_024
    /// The largest batch of secrets that are saved in one step, in bytes.
    static let largestBatch = 96 * 1_024 * 1_024
    /// The name of the socket in its folder.
    static let socketName = "agent.sock"
    /// The name of the file in the vault's folder with the path of a socket elsewhere.
    static let noteName = "agent.place"

    /// The first byte of a request.
    enum RequestType: UInt8 {
        case hello = 0x00
        case end = 0x01
        case status = 0x10
        case unlock = 0x11
        case verify = 0x12
        case lock = 0x13
        case settings = 0x14
        case changeSetting = 0x15
        case restored = 0x16
        case slots = 0x17
        case addKey = 0x18
        case renameKey = 0x19
        case removeSlot = 0x1A
        case verifyByFinger = 0x1B
        case read = 0x20
        case save = 0x21
        case update = 0x22
        case edit = 0x23
        case remove = 0x24
        case list = 0x25
        case describe = 0x26
        case saveAll = 0x27
        case history = 0x28
        case removed = 0x29
        case restore = 0x2A
        case restoreRemoved = 0x2B
        case find = 0x2C
        case change = 0x2D
        case generation = 0x2E
        case reader = 0x2F
        case beginPasskey = 0x30
        case registerPasskey = 0x31
        case unlockByPasskey = 0x32
        case verifyByPasskey = 0x33
        case addPasskey = 0x34
        case listFiles = 0x40
        case earlierFiles = 0x41
        case beginFile = 0x42
        case appendToFile = 0x43
        case finishFile = 0x44
        case readFile = 0x45
        case nextChunk = 0x46
        case editFile = 0x47
        case removeFile = 0x48
        case restoreFile = 0x49
        case fileSettings = 0x4A
        case changeFileSettings = 0x4B
    }

    /// The first byte of an answer.
    enum AnswerType: UInt8 {
        case hello = 0x80
        case done = 0x81
        case status = 0x82
        case settings = 0x83
        case item = 0x84
        case value = 0x85
        case items = 0x86
        case refused = 0x87
        case restored = 0x89
        case earlier = 0x88
        case slots = 0x8A
        case passkey = 0x8B
        case finger = 0x8C
        case file = 0x8D
        case files = 0x8E
        case earlierFiles = 0x8F
        case chunk = 0x90
        case fileSettings = 0x91
        case generation = 0x92
        case failure = 0xFF
    }
}

/// The timeouts of both ends.
struct AgentTimeLimits: Sendable {
    /// For the hello, from the connection on.
    var hello: Duration
    /// For the rest of a frame after its first byte, and for sending a whole frame.
    var frame: Duration
    /// For a whole list, which is kept in memory meanwhile.
    var list: Duration = .seconds(30)
    /// For the first byte of an answer: longer than a store waits for other processes, or the list of a large vault takes.
    var answer: Duration = .seconds(30)
    /// For the first byte of an answer to a verification, where earlier attempts may each wait for a delay and a slow key derivation,
    /// and to a batch of secrets.
    var proof: Duration = .seconds(180)

    /// The limits of the protocol, and those that a client chooses.
    static let standard = AgentTimeLimits(hello: .seconds(5), frame: .seconds(10))
}

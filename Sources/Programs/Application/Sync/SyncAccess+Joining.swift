internal import Platform
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import TextCoding

/// The person at one end of a joining.
package protocol JoiningPerson {
    /// Prints a line.
    func say(_ line: String) throws

    /// Says for what the joining waits now.
    func waits(for wait: JoiningWait) throws

    /// Shows six digits, which a person types on the other end.
    ///
    /// - Parameters:
    ///   - digits: The digits in two groups.
    ///   - device: The other end: `new device` or `other device`.
    /// - Throws: A failure, to give up.
    func show(_ digits: String, for device: String) throws

    /// Asks for the digits that the other device shows.
    func digits(_ question: String) throws -> String

    /// Called about once a second while the other end is silent.
    ///
    /// - Throws: A failure, to give up.
    func keepWaiting() throws
}

/// The reasons for which a joining waits, as a terminal and the page tell them.
package enum JoiningWait: String, CaseIterable, Sendable {
    case keys = "the new device has begun; waiting until its keys come, too"
    case addition = "waiting for the other device to add this one; a folder may take its time"
    case firstChange =
        "the new device is added; waiting until its first change comes (to end this does no harm)"
    case name =
        "the new device has not said its name yet; if its digits were refused there, remove it"

    /// A sentence.
    package var sentence: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() + "." }
}

/// The messages of joining at a remote.
private struct Mailbox {
    let remote: any GroupRemote

    init(_ remote: any GroupRemote) { self.remote = remote }

    func put(_ message: JoinMessage) throws(RemoteFailure) {
        let name = MailboxName(message.exchange, message.number).text
        guard case .occupied = try remote.put(message.bytes, as: name, in: .mailbox) else { return }
        throw RemoteFailure(name, "another message has this name")
    }

    /// A message of an exchange; nil if it has not come, or is not complete.
    func message(
        _ number: UInt8, of exchange: ExchangeID
    ) throws(RemoteFailure) -> JoinMessage? {
        let name = MailboxName(exchange, number).text
        guard let bytes = try remote.get(name, in: .mailbox) else { return nil }
        return try? JoinMessage(bytes)
    }

    /// A commitment that no member has answered.
    func openCommitment() throws(RemoteFailure) -> JoinMessage? {
        let names = try remote.names(in: .mailbox).compactMap { MailboxName($0) }
        let answered = Set(names.filter { $0.number == 2 }.map(\.exchange))
        for name in names where name.number == 1 && !answered.contains(name.exchange) {
            if let found = try message(1, of: name.exchange) { return found }
        }
        return nil
    }

    /// Removes the messages of devices that are members meanwhile: an earlier approval was ended before it did.
    func removeEnded(_ state: GroupState) {
        let members = Set(state.members.keys)
        for message in (try? remote.messages()) ?? [] {
            guard let newcomer = message.newcomer, members.contains(newcomer) else { continue }
            remove(message.exchange)
        }
    }

    /// Removes the messages of an exchange that is over. What stays does no harm.
    func remove(_ exchange: ExchangeID) {
        for number in UInt8(1)...3 {
            try? remote.delete(MailboxName(exchange, number).text, in: .mailbox)
        }
    }
}

// Joining: each end shows six digits that are typed on the other. The remote carries the messages.
extension SyncAccess {
    /// How often the remote is asked for the next message.
    private static let pause: Duration = .seconds(1)
    /// How long a new device may be silent after its commitment was answered: each message and statement may take minutes through a folder.
    private static let silence: Duration = .seconds(900)
    /// How long a wait lasts before the person is told for what.
    private static let quiet: Duration = .seconds(5)
    /// How often a message of the new device must be missing, asked once a second, before its exchange is over.
    private static let mostAbsences = 10

    /// Joins the group of a folder, or of the account.
    ///
    /// Before the digits of the other device are right, nothing of the group is believed, and nothing of this home is sent.
    ///
    /// - Parameters:
    ///   - folder: The folder; nil for the account that is signed in. It has a group.
    ///   - name: The name of this device; nil for that of the machine.
    ///   - store: The verified vault.
    ///   - person: The person at this device.
    /// - Returns: The device.
    /// - Throws: A failure; ``JoinFailure``; the errors of vault and folder.
    package func join(
        _ folder: String?, as name: String?, _ store: OpenStore, _ person: some JoiningPerson
    ) throws -> EnabledDevice {
        try requireNotEnabled()
        try requireFiles()
        let wished = try deviceName(name)
        let connection = try connection(to: folder, store)
        let group = try group(of: connection, folder)
        let place = try place
        let secrets = try DeviceSecrets.random(from: .system)
        let mailbox = Mailbox(connection.members(of: group, secrets.device))
        var joining = JoiningDevice(group, secrets, random: .system)
        try place.exclusively(within: Self.patience) {
            // While the verification of the person lasts. Keys without a group do nothing.
            try saveKeys(secrets, store)
            try removeEarlier(mailbox, place)
            try FileSystem.replace(place.joining, with: joining.commitment.exchange.text)
        }
        try mailbox.put(joining.commitment)
        // Their removal tells the member that the digits were refused. After a joining the member removes them: in a folder a removal can be
        // faster than the statement that was written before it.
        var isJoined = false
        defer { if !isJoined { mailbox.remove(joining.commitment.exchange) } }
        try person.say(
            "now run \(Application.program) device approve on a device of the group (Ctrl-C ends this)"
        )
        let answer = try message(
            2, of: joining.commitment.exchange, mailbox, Waiting(person))
        let opening = try counting(place) {
            try joining.receive(answer, &$0, now: now().milliseconds)
        }
        try mailbox.put(opening)
        try person.show(Self.shown(joining.digits ?? ""), for: "other device")
        let confirmed = try joining.confirm(person.digits("Digits of the other device"))
        try person.waits(for: .addition)
        let state = try state(of: confirmed, secrets, mailbox, Waiting(person))
        let device = SyncDevice(group, at: connection.remote, secrets[.list])
        try place.exclusively(within: Self.patience) {
            try requireNotEnabled()
            try begin(device, connection, state.kept, place)
        }
        isJoined = true
        // Before the name, for which the member waits: then it has what this device sends.
        let sent = Result { try round(within: Self.patience, store) }
        let name = try vault.verifying(store) {
            try withSession(store) { session in
                let free = try knownMembership(session).freeName(wished, for: secrets.device)
                _ = try write(session) { try $0.rename(secrets.device, to: free) }
                return free
            }
        }
        _ = try sent.get()
        return EnabledDevice(
            remote: connection.remote, group: group.text, id: secrets.device.text, name: name,
            isBehind: try withSession(store) { session in
                let reached = try heads(session)
                return state.members[secrets.device]?.heads.contains {
                    reached[$0]?.number ?? 0 < $1.number
                } == true
            })
    }

    /// Adds a device that waits for this one.
    ///
    /// - Parameters:
    ///   - store: The verified vault.
    ///   - person: The person at this device.
    /// - Returns: The new device, without a name if it has not said one yet.
    /// - Throws: A failure; ``JoinFailure``; the errors of vault and folder.
    package func approve(
        _ store: OpenStore, _ person: some JoiningPerson
    ) throws -> SyncMember {
        let device = try device()
        let place = try place
        let connection = connection(of: device, place, store)
        try requireRemote(connection)
        let state = try withSession(store) { try membership($0).state }
        // Before anyone types digits.
        guard state.members.count < GroupState.deviceLimit else { throw GroupError.full }
        var approving = try ApprovingMember(state, device.id)
        let mailbox = Mailbox(connection.members(of: device.group, device.id))
        mailbox.removeEnded(state)
        try person.say(
            "waiting for a device that runs \(Application.program) sync join (Ctrl-C ends this)")
        let commitment = try commitment(mailbox, Waiting(person))
        defer { mailbox.remove(commitment.exchange) }
        let answer = try counting(place) {
            try approving.receive(
                commitment, &$0, now: now().milliseconds, random: .system)
        }
        try mailbox.put(answer)
        try approving.receive(
            message(
                3, of: commitment.exchange, mailbox,
                Waiting(person, .keys)))
        let (newcomer, digits) = try approving.confirm(person.digits("Digits of the new device"))
        try vault.verifying(store) {
            try withSession(store) { session in
                let heads = try heads(session)
                try write(session) { try $0.add(newcomer, heads: heads) }
            }
        }
        try person.show(Self.shown(digits), for: "new device")
        try round(within: Self.patience, store)
        guard try takesPart(newcomer.id, commitment.exchange, mailbox, store, person) else {
            try vault.verifying(store) {
                try withSession(store) { session in
                    let heads = try heads(session)
                    try write(session) { try $0.remove([newcomer.id], heads: heads) }
                }
            }
            throw Failure(
                .refused, code: "join_refused",
                "the new device did not accept the digits, and was removed again",
                hint: "begin again on both devices: sync join there, device approve here")
        }
        // The device is added, whatever becomes of what it has sent.
        _ = try? round(within: Self.patience, store)
        let name = try? withSession(store) { try knownMembership($0).names[newcomer.id] }
        return SyncMember(id: newcomer.id.text, name: name ?? "", isOwn: false, heard: nil)
    }

    /// The group of a remote.
    ///
    /// - Parameters:
    ///   - connection: The remote.
    ///   - folder: The folder as it was typed; nil for the account.
    /// - Returns: The group.
    /// - Throws: A failure if there is none, or several; `RemoteFailure`.
    func group(of connection: SyncConnection, _ folder: String?) throws -> GroupID {
        let groups = try connection.groups()
        let place = connection.described(as: folder)
        guard let group = groups.first else {
            let enable = errors.command("sync enable" + SyncConnection.option(folder))
            throw Failure(
                .notFound, code: "no_group", "\(place) has no group",
                hint: folder == nil
                    ? "on the first machine: " + enable
                    : "if another machine has run sync enable, wait until the folder was copied; else "
                        + enable)
        }
        guard groups.count == 1 else {
            let ids = groups.map(\.text).joined(separator: ", ")
            throw Failure(
                .refused, code: "several_groups", "\(place) has several groups: \(ids)",
                hint: folder == nil
                    ? "two machines ran sync enable at once: use another account, or a folder"
                    : "run sync disable on all devices but one, and remove the other folders there")
        }
        return group
    }

    /// Removes the messages of an exchange that this machine began and did not end.
    private func removeEarlier(_ mailbox: Mailbox, _ place: SyncPlace) throws {
        guard let bytes = FileSystem.content(place.joining, limit: 1_024),
            let exchange = ExchangeID(text: String(decoding: bytes, as: UTF8.self))
        else { return }
        mailbox.remove(exchange)
    }

    /// Counts an attempt durably, before its message is sent.
    private func counting(
        _ place: SyncPlace,
        _ body: (inout JoinAttempts) throws -> JoinMessage
    ) throws -> JoinMessage {
        try place.exclusively(within: Self.patience) {
            let stored = FileSystem.content(place.attempts, limit: 1_024)
            var attempts = stored.flatMap { JoinAttempts($0) } ?? JoinAttempts()
            let message = try body(&attempts)
            let file = try NewFile(at: place.attempts, replacing: true)
            unsafe try Descriptor.write(attempts.bytes.span.bytes, to: file.descriptor)
            try file.publish()
            return message
        }
    }

    /// Waits for a message of an exchange.
    ///
    /// - Throws: A failure if a device that has begun is silent for a quarter of an hour, or gave up: it removes its messages, also those that an
    ///   interrupted joining left, when a person begins again there.
    private func message(
        _ number: UInt8, of exchange: ExchangeID, _ mailbox: Mailbox, _ waiting: Waiting
    ) throws -> JoinMessage {
        var absences = 0
        while true {
            if let found = try mailbox.message(number, of: exchange) { return found }
            if number == 3 {
                absences = try mailbox.message(1, of: exchange) == nil ? absences + 1 : 0
                guard absences <= Self.mostAbsences, !waiting.hasLasted(Self.silence) else {
                    throw Failure(
                        .refused, code: "join_silent", "the new device says nothing more",
                        hint: "begin again on both devices: sync join there, device approve here")
                }
            }
            try waiting.pause()
        }
    }

    /// Waits for a device that wants to join.
    private func commitment(_ mailbox: Mailbox, _ waiting: Waiting) throws -> JoinMessage {
        while true {
            if let found = try mailbox.openCommitment() { return found }
            try waiting.pause()
        }
    }

    /// Waits until the folder has the statements by which this device is a member, and the keys for it.
    private func state(
        of confirmed: ConfirmedGroup, _ secrets: DeviceSecrets, _ mailbox: Mailbox,
        _ waiting: Waiting
    ) throws -> GroupState {
        while true {
            let received = try mailbox.remote.exchangeStatements(known: []).received
            // The folder may not have been copied yet.
            if GroupState(confirmed.group, received).create != nil {
                do {
                    let state = try confirmed.state(of: received)
                    if try state.openEpochs(with: secrets.all).sealing != nil { return state }
                } catch GroupError.noMember {}
            }
            try waiting.pause()
        }
    }

    /// Waits until a new device says its name, as it does when it has accepted the digits. One that removes its messages without that has
    /// refused them.
    ///
    /// - Returns: Whether it takes part, or said nothing at all for a quarter of an hour.
    private func takesPart(
        _ newcomer: DeviceID, _ exchange: ExchangeID, _ mailbox: Mailbox, _ store: OpenStore,
        _ person: some JoiningPerson
    ) throws -> Bool {
        let waiting = Waiting(person, .firstChange)
        var absences = 0
        while !waiting.hasLasted(Self.silence) {
            let statements = try withSession(store) { try membership($0).state.statements }
            if statements.contains(where: { $0.author == newcomer }) { return true }
            absences = try mailbox.message(3, of: exchange) == nil ? absences + 1 : 0
            if absences > Self.mostAbsences { return false }
            try waiting.pause()
        }
        try person.waits(for: .name)
        try person.say(errors.command("device remove \(newcomer.text.prefix(8))"))
        return true
    }

    /// Six digits in two groups.
    private static func shown(_ digits: String) -> String {
        digits.prefix(3) + " " + digits.dropFirst(3)
    }

    /// A wait for the other end. The person is told once for what.
    private final class Waiting {
        private let person: any JoiningPerson
        private var wait: JoiningWait?
        private let start = MonotonicTime.now

        init(_ person: any JoiningPerson, _ wait: JoiningWait? = nil) {
            self.person = person
            self.wait = wait
        }

        func hasLasted(_ time: Duration) -> Bool { MonotonicTime.now >= start + time }

        func pause() throws {
            if let wait, hasLasted(SyncAccess.quiet) {
                try person.waits(for: wait)
                self.wait = nil
            }
            try person.keepWaiting()
            SystemSleep.sleep(SyncAccess.pause)
        }
    }
}

internal import Sync
internal import SyncMembers
internal import TextCoding

extension Failure {
    /// Maps each error of sync to its exit code, code and message.
    init(_ error: SyncError, _ errors: ErrorContext) {
        let again =
            errors.command("sync disable") + ", then " + errors.command("sync join --folder DIR")
        switch error {
        case .clockExhausted:
            self.init(
                .damaged, code: "sync_clock",
                "a device gave the last possible time to a change: nothing can follow it",
                hint: "make a new group: sync disable on all devices, then sync enable")
        case .recordTooLarge, .changeTooLarge:
            self.init(
                .refused, code: "sync_too_large", "a change is too large to be sent",
                hint: "make the value smaller: the limit is 1 MiB")
        case .epochMissing:
            self.init(
                .refused, code: "sync_keys_missing",
                "the keys of this group have not come to this device",
                hint: "run taskvault sync now on another device, then here")
        case .levelLocked(let level):
            self.init(
                .locked, code: "sync_locked",
                level == .afterVerification
                    ? "protected changes wait for a verification" : "secrets wait for the vault",
                hint: errors.command(level == .afterVerification ? "verify" : "unlock"))
        case .valueSealed:
            self.init(
                .refused, code: "sync_value_sealed",
                "another device has changed this protected value; its change is applied first",
                hint: errors.command("verify") + ", then " + errors.command("sync now"))
        case .cloned(let number):
            self.init(
                .damaged, code: "sync_cloned",
                "another machine writes as this device: change \(number) at the remote is not from here",
                hint:
                    "after \(errors.command("verify")), \(errors.command("sync now")) makes this machine a device of its own; nothing is lost"
            )
        case .numberOccupied(let number):
            self.init(
                .damaged, code: "sync_occupied",
                "the remote has something else in the place of change \(number) of this device",
                hint: "remove it there, or use another folder or account: "
                    + errors.command("sync move --folder DIR"))
        case .storeDamaged:
            self.init(
                .damaged, code: "sync_store_damaged",
                "this machine's records of sync are damaged", hint: again)
        }
    }

    /// Explains why the remote cannot be used.
    init(_ failure: RemoteFailure, _ errors: ErrorContext) {
        let (place, reason) = (failure.place, failure.reason)
        switch failure.kind {
        case .unusable where SyncConnection.isFolder(place):
            self.init(
                .failure, code: "folder_unusable", "cannot use the folder \(place): \(reason)",
                hint: "changes stay here until the folder can be used again")
        case .unusable:
            self.init(
                .refused, code: "server_unusable", "cannot sync with \(place): \(reason)",
                hint: "changes stay here")
        case .unreachable:
            self.init(
                .serverUnreachable, "cannot reach \(place): \(reason)",
                hint: "changes stay here until the server answers again")
        case .rejected:
            self.init(
                .serverRejected, code: "sync_not_signed_in", "\(place): \(reason)",
                hint: "changes stay here: " + errors.command("login") + ", then "
                    + errors.command("sync now"))
        case .full:
            self.init(
                .refused, code: "sync_full", "\(place): \(reason)",
                hint: "changes stay here: the server's operator can raise its sync-quota")
        }
    }

    /// The vault lacks the keys of this machine's device.
    static func syncKeysMissing(_ errors: ErrorContext) -> Failure {
        Failure(
            .damaged, code: "sync_keys_lost",
            "this vault does not have the keys of this device: it is an older one, or another",
            hint: errors.command("sync disable") + ", then "
                + errors.command("sync join --folder DIR"))
    }

    /// Maps each error of the members to its exit code, code and message.
    init(_ error: GroupError, _ errors: ErrorContext) {
        switch error {
        case .noMember:
            self.init(
                .refused, code: "device_removed", "this device is no member of the group any more",
                hint: errors.command("sync disable") + ", then "
                    + errors.command("sync join --folder DIR"))
        case .full:
            self.init(
                .refused, code: "group_full", "the group has 16 devices already",
                hint: errors.command("device remove NAME") + " makes room")
        case .consent:
            self.init(
                .refused, code: "join_refused", "the new device did not sign its keys",
                hint: "begin again on both devices")
        case .name:
            self.init(
                .usage, code: "invalid_name",
                "the name of a device has 1 to 120 bytes and no control characters",
                hint: "give another one, such as laptop")
        case .epochMissing: self.init(SyncError.epochMissing, errors)
        case .otherGroup:
            self.init(
                .damaged, code: "other_group",
                "the remote shows another group than the other device confirmed",
                hint: "the remote was changed: begin again on both devices")
        }
    }

    /// Maps each failure of a joining to its exit code, code and message.
    init(_ failure: JoinFailure, _ errors: ErrorContext) {
        let again = "begin again on both devices: sync join there, device approve here"
        switch failure {
        case .digits:
            self.init(
                .refused, code: "wrong_digits",
                "the digits are wrong: mistyped, or messages were changed on the way",
                hint: again)
        case .message, .commitment, .consent, .step:
            self.init(
                .damaged, code: "join_invalid",
                "a message of the other device is not valid: it may have been changed on the way",
                hint: again)
        case .laterVersion:
            self.init(
                .damaged, code: "join_later_version", "the other device has a later version",
                hint: "update TaskVault here")
        case .tooManyAttempts(let time):
            self.init(
                .refused, code: "too_many_attempts",
                "three attempts in an hour are possible; the next one from \(Timestamp.rfc3339(milliseconds: time)) on",
                hint: "guessing the digits must not become possible: wait")
        }
    }
}

internal import Inbox
internal import SecretMemory
internal import SecureStorage
internal import SignIn
internal import TextCoding

extension SignInAccess {
    /// Puts what the owner of the account should know into the inbox, each event once for all machines of the vault. A failure is a warning.
    func takeNotices(
        _ accessToken: borrowing SecretBytes, _ place: SignInPlace, into store: any SecureStore
    ) {
        do {
            let inbox = InboxStore(store)
            var new = 0
            for event in try place.client.events(accessToken).reversed()
            where try inbox.take(event, of: place, at: now()) { new += 1 }
            guard new > 0 else { return }
            owner.remark(
                "\(counted(new, "notice")) about the account: \(errors.command("inbox list"))")
        } catch SignInError.unsupported {
            // Another server than TaskVault's.
        } catch {
            owner.warn(
                "notices_not_read",
                "notices about the account cannot be read: \(errors.failure(error).message)")
        }
    }
}

extension InboxStore {
    /// Saves an event as a message; false if the vault has it, or had it.
    fileprivate func take(
        _ event: RemoteEvent, of place: SignInPlace, at now: PointInTime
    ) throws -> Bool {
        do {
            return try receive(event.message(from: place.server), from: place.server, at: now)
                != nil
        } catch SecureStoreError.duplicate {
            return false
        }
    }
}

internal import SecretMemory
internal import SecureStorage
internal import TextCoding

extension CredentialCache {
    /// How it stands with a password that was to be noted.
    enum Noted {
        /// It is there now.
        case now
        /// It was there already, for a change that may still be under way.
        case again
        /// Another one is there, for a change that may still be under way.
        case not
    }

    /// Notes a password before the server is asked to change to it, unless another one is there that the server may still take.
    func notePending(
        _ password: borrowing SecretBytes, of account: AccountName, at now: PointInTime
    ) throws(SecureStoreError) -> Noted {
        let name = name(.pending, account)
        let extra = [
            ExtraAttribute(key: Self.machineKey, text: machine.text), .time(Self.timeKey, now),
        ]
        while true {
            let earlier = try self.password(.pending, of: account)
            do throws(SecureStoreError) {
                switch earlier {
                case .none:
                    try store.save(password, as: name, SecretAttributes(extra: extra))
                    return .now
                case .some(let earlier):
                    let isOver = maySettle(earlier, at: now)
                    guard isOver || earlier.value.isEqual(to: password) else { return .not }
                    try store.update(
                        name, to: password, SecretEdit(extra: extra), expecting: earlier.revision)
                    return isOver ? .now : .again
                }
            } catch .conflict {
            } catch .duplicate {
            } catch .notFound {
                // Another machine was there between the two; what there is now is looked at again.
            }
        }
    }
}

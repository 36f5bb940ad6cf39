/// An event of the machine or the desktop session, as reported by the login manager.
enum LoginEvent {
    /// The machine is about to suspend, and waits a few seconds for ``LoginEvents/releaseSleep()``.
    case willSleep
    /// The machine has resumed; call ``LoginEvents/delaySleep()``.
    case didWake
    /// A desktop session of this user was locked.
    case sessionLocked
    /// The bus is disconnected; this is the last event.
    case disconnected
}

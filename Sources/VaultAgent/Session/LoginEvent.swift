/// What the login manager tells about the machine and the desktop session.
enum LoginEvent {
    /// The machine is about to sleep, and waits for a few seconds until ``LoginEvents/releaseSleep()``.
    case willSleep
    /// The machine is awake again; call ``LoginEvents/delaySleep()``.
    case didWake
    /// A desktop session of this user was locked.
    case sessionLocked
    /// The bus is gone, and no event comes after this one.
    case disconnected
}

// What the login manager (logind, elogind) tells over D-Bus: sleep, and locked desktop sessions. Only on Linux.
#ifndef TASKVAULT_LOGIN_EVENTS_H
#define TASKVAULT_LOGIN_EVENTS_H
#ifdef __linux__

#include <stdbool.h>
#include <stdint.h>

/// A connection to the system bus. Not thread-safe, and of no use in a forked child.
struct platform_login;

enum platform_login_event {
    platform_login_none,
    platform_login_will_sleep,
    platform_login_did_wake,
    platform_login_session_locked,
    platform_login_disconnected,
};

/// Connects and takes the delay of sleep; NULL where there is no library, no bus or no login manager, or where they do not answer.
///
/// `library` is a name for dlopen(3), or NULL for libsystemd's, else libelogind's; `address` one of the bus, or NULL for the system's.
/// No function here waits longer than `timeout`, in microseconds.
struct platform_login *platform_login_open(const char *library, const char *address, uint64_t timeout);

/// What poll(2) is to wait on, -1 after the connection has ended: poll leaves that out.
int platform_login_descriptor(const struct platform_login *login);

/// What poll(2) is to wait for.
short platform_login_poll_events(const struct platform_login *login);

/// How long poll(2) may wait, in milliseconds: 0 while something is there that was read already, -1 for any time.
int platform_login_poll_timeout(const struct platform_login *login);

/// The next event, without waiting for one. After the last, platform_login_disconnected, there are none.
enum platform_login_event platform_login_next(struct platform_login *login);

/// Asks for sleep to be delayed from now on; whether it is.
bool platform_login_delay_sleep(struct platform_login *login);

/// Whether sleep is delayed.
bool platform_login_delays_sleep(const struct platform_login *login);

/// Lets the machine sleep.
void platform_login_release_sleep(struct platform_login *login);

/// Ends the connection and the delay.
void platform_login_close(struct platform_login *login);

#endif
#endif

// Events of the login manager (logind, elogind) over D-Bus: suspend, and locked desktop sessions. Linux only.
#ifndef TASKVAULT_LOGIN_EVENTS_H
#define TASKVAULT_LOGIN_EVENTS_H
#ifdef __linux__

#include <stdbool.h>
#include <stdint.h>

/// A connection to the system bus. Not thread-safe, and unusable in a forked child.
struct platform_login;

enum platform_login_event {
    platform_login_none,
    platform_login_will_sleep,
    platform_login_did_wake,
    platform_login_session_locked,
    platform_login_disconnected,
};

/// Connects and delays sleep; NULL without the library, a bus or a login manager, or if they do not respond.
///
/// `library` is a name for dlopen(3), or NULL for libsystemd, else libelogind; `address` is that of a bus, or NULL for the system bus. No
/// function here waits longer than `timeout`, in microseconds.
struct platform_login *platform_login_open(const char *library, const char *address, uint64_t timeout);

/// The descriptor for poll(2); -1 after the connection has ended, which poll ignores.
int platform_login_descriptor(const struct platform_login *login);

/// The events for poll(2).
short platform_login_poll_events(const struct platform_login *login);

/// The timeout for poll(2), in milliseconds: 0 while buffered data exists, -1 for none.
int platform_login_poll_timeout(const struct platform_login *login);

/// The next event, without waiting. The last event is platform_login_disconnected.
enum platform_login_event platform_login_next(struct platform_login *login);

/// Requests a delay of sleep from now on; returns whether sleep is delayed.
bool platform_login_delay_sleep(struct platform_login *login);

/// Whether sleep is delayed.
bool platform_login_delays_sleep(const struct platform_login *login);

/// Allows the machine to suspend.
void platform_login_release_sleep(struct platform_login *login);

/// Ends the connection and the delay.
void platform_login_close(struct platform_login *login);

#endif
#endif

// Suspend and locked sessions, by logind over D-Bus.
// In C, because functions of sd-bus are variadic.
#ifdef __linux__
#define _GNU_SOURCE

#include "CPlatform.h"
#include "system_bus.h"

#include <stdlib.h>
#include <string.h>

struct platform_login {
    struct system_bus bus;
    /// The descriptor that delays sleep while it is open, or -1.
    int inhibitor;
    /// The login manager's unique name on the bus; empty without one.
    char owner[256];
};

static const char login_name[] = "org.freedesktop.login1";
static const char manager_path[] = "/org/freedesktop/login1";
static const char manager_interface[] = "org.freedesktop.login1.Manager";
static const char session_interface[] = "org.freedesktop.login1.Session";

static const char *const rules[] = {
    "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
    "arg0='org.freedesktop.login1'",
    "type='signal',sender='org.freedesktop.login1',interface='org.freedesktop.login1.Manager',member='PrepareForSleep'",
    "type='signal',sender='org.freedesktop.login1',interface='org.freedesktop.login1.Session',member='Lock'",
    // The only signal that GNOME sends when the user locks the screen.
    "type='signal',sender='org.freedesktop.login1',interface='org.freedesktop.DBus.Properties',"
    "member='PropertiesChanged',arg0='org.freedesktop.login1.Session'",
};

static bool add_matches(struct platform_login *login) {
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (!system_bus_add_match(&login->bus, rules[i])) return false;
    }
    return true;
}

static bool find_owner(struct platform_login *login) {
    sd_bus_message *reply = NULL;
    const char *owner = NULL;
    if (!system_bus_may_call(&login->bus)
        || login->bus.sd_bus_call_method(
               login->bus.connection, system_bus_name, system_bus_path, system_bus_name, "GetNameOwner", NULL, &reply, "s", login_name)
               < 0)
        return false;
    if (login->bus.sd_bus_message_read(reply, "s", &owner) > 0) system_bus_copy_name(login->owner, owner);
    login->bus.sd_bus_message_unref(reply);
    return login->owner[0] != 0;
}

static bool take_inhibitor(struct platform_login *login) {
    sd_bus_message *reply = NULL;
    int descriptor = -1;
    // Addressed to the owner instead of the name, so that the call starts no service.
    if (login->inhibitor >= 0) return true;
    if (login->owner[0] == 0 || !system_bus_may_call(&login->bus)
        || login->bus.sd_bus_call_method(
               login->bus.connection, login->owner, manager_path, manager_interface, "Inhibit", NULL, &reply, "ssss",
               "sleep", "TaskVault", "lock the vault", "delay")
               < 0)
        return false;
    // Closing the message closes its descriptor.
    if (login->bus.sd_bus_message_read(reply, "h", &descriptor) > 0)
        login->inhibitor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    login->bus.sd_bus_message_unref(reply);
    return login->inhibitor >= 0;
}

/// Whether a session belongs to this user; true if unknown, because an unnecessary lock is less harmful.
static bool is_own_session(struct platform_login *login, const char *path) {
    sd_bus_message *reply = NULL;
    uint32_t user = getuid();
    const char *ignored;
    if (!system_bus_may_call(&login->bus)
        || login->bus.sd_bus_get_property(
               login->bus.connection, login->owner, path, session_interface, "User", NULL, &reply, "(uo)")
               < 0)
        return true;
    if (login->bus.sd_bus_message_read(reply, "(uo)", &user, &ignored) <= 0) user = getuid();
    login->bus.sd_bus_message_unref(reply);
    return user == getuid();
}

/// Whether a session's LockedHint has become true.
static bool tells_lock(struct platform_login *login, sd_bus_message *message) {
    const char *name = NULL;
    if (login->bus.sd_bus_message_read(message, "s", &name) <= 0 || strcmp(name, session_interface) != 0
        || login->bus.sd_bus_message_enter_container(message, 'a', "{sv}") <= 0)
        return false;
    while (login->bus.sd_bus_message_enter_container(message, 'e', "sv") > 0) {
        int locked = 0;
        if (login->bus.sd_bus_message_read(message, "s", &name) <= 0) return false;
        if (strcmp(name, "LockedHint") == 0)
            return login->bus.sd_bus_message_read(message, "v", "b", &locked) > 0 && locked;
        if (login->bus.sd_bus_message_skip(message, "v") < 0
            || login->bus.sd_bus_message_exit_container(message) < 0)
            return false;
    }
    return false;
}

static enum platform_login_event event_of(struct platform_login *login, sd_bus_message *message) {
    // Any process may send a signal directly to this connection, despite the match rules. The bus guarantees the sender's name.
    const char *sender = login->bus.sd_bus_message_get_sender(message);
    if (!sender) return platform_login_none;
    if (strcmp(sender, system_bus_name) == 0) {
        const char *name, *before, *owner;
        if (login->bus.sd_bus_message_is_signal(message, system_bus_name, "NameOwnerChanged") > 0
            && login->bus.sd_bus_message_read(message, "sss", &name, &before, &owner) > 0
            && strcmp(name, login_name) == 0) {
            system_bus_copy_name(login->owner, owner);
            // A new login manager may not know about the delay, nor about a suspend that the previous one announced.
            if (owner[0] != 0) {
                platform_login_release_sleep(login);
                take_inhibitor(login);
            }
        }
        return platform_login_none;
    }
    if (login->owner[0] == 0 || strcmp(sender, login->owner) != 0) return platform_login_none;
    if (login->bus.sd_bus_message_is_signal(message, manager_interface, "PrepareForSleep") > 0) {
        int begins = 0;
        if (login->bus.sd_bus_message_read(message, "b", &begins) <= 0) return platform_login_none;
        return begins ? platform_login_will_sleep : platform_login_did_wake;
    }
    bool locks = login->bus.sd_bus_message_is_signal(message, session_interface, "Lock") > 0
                 || (login->bus.sd_bus_message_is_signal(
                         message, "org.freedesktop.DBus.Properties", "PropertiesChanged")
                         > 0
                     && tells_lock(login, message));
    const char *path = login->bus.sd_bus_message_get_path(message);
    return locks && path && is_own_session(login, path) ? platform_login_session_locked
                                                        : platform_login_none;
}

static void disconnect(struct platform_login *login) {
    platform_login_release_sleep(login);
    system_bus_close(&login->bus);
}

struct platform_login *platform_login_open(const char *library, const char *address, uint64_t timeout) {
    struct platform_login *login = calloc(1, sizeof *login);
    if (!login) return NULL;
    login->inhibitor = -1;
    // The match rules come before the query, so that no change of the owner is missed.
    if (!system_bus_open(&login->bus, library, address, timeout) || !add_matches(login) || !find_owner(login)) {
        platform_login_close(login);
        return NULL;
    }
    // If the delay is not permitted, the events are still useful.
    take_inhibitor(login);
    return login;
}

int platform_login_descriptor(const struct platform_login *login) {
    return system_bus_descriptor(&login->bus);
}

short platform_login_poll_events(const struct platform_login *login) {
    return system_bus_poll_events(&login->bus);
}

int platform_login_poll_timeout(const struct platform_login *login) {
    return system_bus_poll_timeout(&login->bus);
}

enum platform_login_event platform_login_next(struct platform_login *login) {
    if (!login->bus.connection) return platform_login_none;
    system_bus_begin(&login->bus);
    // Limited, because an endless sender would keep the caller here. The poll functions report remaining data.
    for (int count = 0; count < 64; count++) {
        sd_bus_message *message = NULL;
        int progress = login->bus.sd_bus_process(login->bus.connection, &message);
        if (progress < 0) {
            disconnect(login);
            return platform_login_disconnected;
        }
        if (progress == 0) return platform_login_none;
        if (!message) continue;
        enum platform_login_event event = event_of(login, message);
        login->bus.sd_bus_message_unref(message);
        if (event != platform_login_none) return event;
    }
    return platform_login_none;
}

bool platform_login_delay_sleep(struct platform_login *login) {
    system_bus_begin(&login->bus);
    return take_inhibitor(login);
}

bool platform_login_delays_sleep(const struct platform_login *login) {
    return login->inhibitor >= 0;
}

void platform_login_release_sleep(struct platform_login *login) {
    if (login->inhibitor >= 0) close(login->inhibitor);
    login->inhibitor = -1;
}

void platform_login_close(struct platform_login *login) {
    disconnect(login);
    free(login);
}
#endif

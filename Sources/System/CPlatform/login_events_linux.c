// In C, because functions of sd-bus are variadic. The library is loaded on demand, so neither the build nor the start
// needs it, and never unloaded: it may keep thread-local state.
#ifdef __linux__
#define _GNU_SOURCE

#include "CPlatform.h"
#include "sd_bus.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct platform_login {
    /// NULL after the connection has ended.
    sd_bus *bus;
    /// The descriptor that delays sleep while it is open, or -1.
    int inhibitor;
    /// The login manager's unique name on the bus; empty without one.
    char owner[256];
    uint64_t timeout;
    uint64_t deadline;
#define FIELD(name) __typeof__(name) *name;
    SD_BUS_FUNCTIONS(FIELD)
};

static const char login_name[] = "org.freedesktop.login1";
static const char manager_path[] = "/org/freedesktop/login1";
static const char manager_interface[] = "org.freedesktop.login1.Manager";
static const char session_interface[] = "org.freedesktop.login1.Session";
static const char bus_name[] = "org.freedesktop.DBus";
static const char bus_path[] = "/org/freedesktop/DBus";

static const char *const rules[] = {
    "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
    "arg0='org.freedesktop.login1'",
    "type='signal',sender='org.freedesktop.login1',interface='org.freedesktop.login1.Manager',member='PrepareForSleep'",
    "type='signal',sender='org.freedesktop.login1',interface='org.freedesktop.login1.Session',member='Lock'",
    // The only signal that GNOME sends when the user locks the screen.
    "type='signal',sender='org.freedesktop.login1',interface='org.freedesktop.DBus.Properties',"
    "member='PropertiesChanged',arg0='org.freedesktop.login1.Session'",
};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/// Starts the time limit of a function of the header.
static void begin(struct platform_login *login) {
    login->deadline = now() + login->timeout;
}

static uint64_t time_left(const struct platform_login *login) {
    uint64_t time = now();
    return time < login->deadline ? login->deadline - time : 0;
}

/// Gives the next call the remaining time; false if none remains.
static bool may_call(struct platform_login *login) {
    uint64_t left = time_left(login);
    return login->bus && left > 0 && login->sd_bus_set_method_call_timeout(login->bus, left) >= 0;
}

static bool load(struct platform_login *login, const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
#define RESOLVE(name) \
    if (!(login->name = (__typeof__(name) *)dlsym(library, #name))) return false;
    SD_BUS_FUNCTIONS(RESOLVE)
    return true;
}

/// Connects without blocking: sd_bus_call would wait for the bus's greeting without a limit.
static bool connect_to(struct platform_login *login, const char *address) {
    if (!address) {
        if (login->sd_bus_open_system(&login->bus) < 0) return false;
    } else if (
        login->sd_bus_new(&login->bus) < 0 || login->sd_bus_set_address(login->bus, address) < 0
        || login->sd_bus_set_bus_client(login->bus, true) < 0 || login->sd_bus_start(login->bus) < 0) {
        return false;
    }
    for (;;) {
        int progress = login->sd_bus_process(login->bus, NULL);
        if (progress < 0) return false;
        if (login->sd_bus_is_ready(login->bus) > 0) return true;
        if (progress > 0) continue;
        uint64_t left = time_left(login);
        if (left == 0) return false;
        int waited = login->sd_bus_wait(login->bus, left);
        if (waited < 0 && waited != -EINTR) return false;
    }
}

static bool add_matches(struct platform_login *login) {
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (!may_call(login)
            || login->sd_bus_call_method(
                   login->bus, bus_name, bus_path, bus_name, "AddMatch", NULL, NULL, "s", rules[i])
                   < 0)
            return false;
    }
    return true;
}

static void set_owner(struct platform_login *login, const char *owner) {
    size_t length = strlen(owner);
    if (length >= sizeof login->owner) length = 0;
    memcpy(login->owner, owner, length);
    login->owner[length] = 0;
}

static bool find_owner(struct platform_login *login) {
    sd_bus_message *reply = NULL;
    const char *owner = NULL;
    if (!may_call(login)
        || login->sd_bus_call_method(
               login->bus, bus_name, bus_path, bus_name, "GetNameOwner", NULL, &reply, "s", login_name)
               < 0)
        return false;
    if (login->sd_bus_message_read(reply, "s", &owner) > 0) set_owner(login, owner);
    login->sd_bus_message_unref(reply);
    return login->owner[0] != 0;
}

static bool take_inhibitor(struct platform_login *login) {
    sd_bus_message *reply = NULL;
    int descriptor = -1;
    // Addressed to the owner instead of the name, so that the call starts no service.
    if (login->inhibitor >= 0) return true;
    if (login->owner[0] == 0 || !may_call(login)
        || login->sd_bus_call_method(
               login->bus, login->owner, manager_path, manager_interface, "Inhibit", NULL, &reply, "ssss",
               "sleep", "TaskVault", "lock the vault", "delay")
               < 0)
        return false;
    // Closing the message closes its descriptor.
    if (login->sd_bus_message_read(reply, "h", &descriptor) > 0)
        login->inhibitor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    login->sd_bus_message_unref(reply);
    return login->inhibitor >= 0;
}

/// Whether a session belongs to this user; true if unknown, because an unnecessary lock is the lesser harm.
static bool is_own_session(struct platform_login *login, const char *path) {
    sd_bus_message *reply = NULL;
    uint32_t user = getuid();
    const char *ignored;
    if (!may_call(login)
        || login->sd_bus_get_property(
               login->bus, login->owner, path, session_interface, "User", NULL, &reply, "(uo)")
               < 0)
        return true;
    if (login->sd_bus_message_read(reply, "(uo)", &user, &ignored) <= 0) user = getuid();
    login->sd_bus_message_unref(reply);
    return user == getuid();
}

/// Whether a session's LockedHint has become true.
static bool tells_lock(struct platform_login *login, sd_bus_message *message) {
    const char *name = NULL;
    if (login->sd_bus_message_read(message, "s", &name) <= 0 || strcmp(name, session_interface) != 0
        || login->sd_bus_message_enter_container(message, 'a', "{sv}") <= 0)
        return false;
    while (login->sd_bus_message_enter_container(message, 'e', "sv") > 0) {
        int locked = 0;
        if (login->sd_bus_message_read(message, "s", &name) <= 0) return false;
        if (strcmp(name, "LockedHint") == 0)
            return login->sd_bus_message_read(message, "v", "b", &locked) > 0 && locked;
        if (login->sd_bus_message_skip(message, "v") < 0
            || login->sd_bus_message_exit_container(message) < 0)
            return false;
    }
    return false;
}

static enum platform_login_event event_of(struct platform_login *login, sd_bus_message *message) {
    // Any process may send a signal directly to this connection, despite the match rules. The bus guarantees the sender's name.
    const char *sender = login->sd_bus_message_get_sender(message);
    if (!sender) return platform_login_none;
    if (strcmp(sender, bus_name) == 0) {
        const char *name, *before, *owner;
        if (login->sd_bus_message_is_signal(message, bus_name, "NameOwnerChanged") > 0
            && login->sd_bus_message_read(message, "sss", &name, &before, &owner) > 0
            && strcmp(name, login_name) == 0) {
            set_owner(login, owner);
            // A new login manager may not know about the delay, nor about a suspend that the previous one announced.
            if (owner[0] != 0) {
                platform_login_release_sleep(login);
                take_inhibitor(login);
            }
        }
        return platform_login_none;
    }
    if (login->owner[0] == 0 || strcmp(sender, login->owner) != 0) return platform_login_none;
    if (login->sd_bus_message_is_signal(message, manager_interface, "PrepareForSleep") > 0) {
        int begins = 0;
        if (login->sd_bus_message_read(message, "b", &begins) <= 0) return platform_login_none;
        return begins ? platform_login_will_sleep : platform_login_did_wake;
    }
    bool locks = login->sd_bus_message_is_signal(message, session_interface, "Lock") > 0
                 || (login->sd_bus_message_is_signal(
                         message, "org.freedesktop.DBus.Properties", "PropertiesChanged")
                         > 0
                     && tells_lock(login, message));
    const char *path = login->sd_bus_message_get_path(message);
    return locks && path && is_own_session(login, path) ? platform_login_session_locked
                                                        : platform_login_none;
}

static void disconnect(struct platform_login *login) {
    platform_login_release_sleep(login);
    if (!login->bus) return;
    login->sd_bus_close(login->bus);
    login->sd_bus_unref(login->bus);
    login->bus = NULL;
}

struct platform_login *platform_login_open(const char *library, const char *address, uint64_t timeout) {
    struct platform_login *login = calloc(1, sizeof *login);
    if (!login) return NULL;
    login->inhibitor = -1;
    login->timeout = timeout;
    begin(login);
    bool loaded = library ? load(login, library)
                          : load(login, "libsystemd.so.0") || load(login, "libelogind.so.0");
    // The match rules precede the query, so that no change of the owner is missed.
    if (!loaded || !connect_to(login, address) || !add_matches(login) || !find_owner(login)) {
        platform_login_close(login);
        return NULL;
    }
    // If a delay is not allowed, the events are still useful.
    take_inhibitor(login);
    return login;
}

int platform_login_descriptor(const struct platform_login *login) {
    int descriptor = login->bus ? login->sd_bus_get_fd(login->bus) : -1;
    return descriptor >= 0 ? descriptor : -1;
}

short platform_login_poll_events(const struct platform_login *login) {
    int events = login->bus ? login->sd_bus_get_events(login->bus) : 0;
    return events > 0 ? (short)events : 0;
}

int platform_login_poll_timeout(const struct platform_login *login) {
    uint64_t due = UINT64_MAX;
    if (!login->bus || login->sd_bus_get_timeout(login->bus, &due) <= 0 || due == UINT64_MAX) return -1;
    uint64_t time = now();
    uint64_t left = due > time ? (due - time + 999) / 1000 : 0;
    return left < INT_MAX ? (int)left : INT_MAX;
}

enum platform_login_event platform_login_next(struct platform_login *login) {
    if (!login->bus) return platform_login_none;
    begin(login);
    // Limited, because an endless sender would keep the caller here. The poll functions report the remaining data.
    for (int count = 0; count < 64; count++) {
        sd_bus_message *message = NULL;
        int progress = login->sd_bus_process(login->bus, &message);
        if (progress < 0) {
            disconnect(login);
            return platform_login_disconnected;
        }
        if (progress == 0) return platform_login_none;
        if (!message) continue;
        enum platform_login_event event = event_of(login, message);
        login->sd_bus_message_unref(message);
        if (event != platform_login_none) return event;
    }
    return platform_login_none;
}

bool platform_login_delay_sleep(struct platform_login *login) {
    begin(login);
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

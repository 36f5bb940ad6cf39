// The fingerprint reader, by fprintd over D-Bus.
// In C, because functions of sd-bus are variadic.
#ifdef __linux__
#define _GNU_SOURCE

#include "CPlatform.h"
#include "system_bus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct platform_finger {
    struct system_bus bus;
    /// The unique name of the connection that answered as fprintd, and the reader's path there. Only that connection is called and trusted.
    char owner[system_bus_name_size];
    char path[system_bus_name_size];
    bool is_claimed;
    /// Whether fprintd waits for a finger on our behalf.
    bool is_started;
};

static const char fprint_name[] = "net.reactivated.Fprint";
static const char manager_path[] = "/net/reactivated/Fprint/Manager";
static const char manager_interface[] = "net.reactivated.Fprint.Manager";
static const char device_interface[] = "net.reactivated.Fprint.Device";

static enum platform_finger_event event_of_error(const sd_bus_error *error, int code) {
    static const struct {
        const char *name;
        enum platform_finger_event event;
    } known[] = {
        {"net.reactivated.Fprint.Error.NoSuchDevice", platform_finger_no_reader},
        {"net.reactivated.Fprint.Error.NoEnrolledPrints", platform_finger_not_enrolled},
        {"net.reactivated.Fprint.Error.AlreadyInUse", platform_finger_busy},
        {"net.reactivated.Fprint.Error.PermissionDenied", platform_finger_denied},
        {"org.freedesktop.DBus.Error.AccessDenied", platform_finger_denied},
        {"org.freedesktop.DBus.Error.ServiceUnknown", platform_finger_absent},
        {"org.freedesktop.DBus.Error.NameHasNoOwner", platform_finger_gone},
        {"org.freedesktop.DBus.Error.UnknownObject", platform_finger_removed},
        {"org.freedesktop.DBus.Error.UnknownMethod", platform_finger_removed},
    };
    for (size_t i = 0; error->name && i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(error->name, known[i].name) == 0) return known[i].event;
    }
    return code == -ENOTCONN || code == -ECONNRESET ? platform_finger_gone : platform_finger_failed;
}

/// Calls a method of the reader, which gets `argument` if that is not NULL.
static enum platform_finger_event call(struct platform_finger *finger, const char *member, const char *argument) {
    sd_bus_error error = {NULL, NULL, 0};
    int code = -ENOTCONN;
    if (system_bus_may_call(&finger->bus))
        code = finger->bus.sd_bus_call_method(
            finger->bus.connection, finger->owner, finger->path, device_interface, member, &error, NULL,
            argument ? "s" : "", argument);
    enum platform_finger_event event = code < 0 ? event_of_error(&error, code) : platform_finger_ready;
    finger->bus.sd_bus_error_free(&error);
    // fprintd existed before, so it has ended.
    return event == platform_finger_absent ? platform_finger_gone : event;
}

/// Finds the reader and the connection that serves it, by the name of fprintd or of that connection.
static enum platform_finger_event find(
    struct platform_finger *finger, const char *name, char owner[system_bus_name_size], char path_there[system_bus_name_size]) {
    sd_bus_error error = {NULL, NULL, 0};
    sd_bus_message *reply = NULL;
    const char *path = NULL;
    int code = -ENOTCONN;
    if (system_bus_may_call(&finger->bus))
        code = finger->bus.sd_bus_call_method(
            finger->bus.connection, name, manager_path, manager_interface, "GetDefaultDevice", &error, &reply, "");
    enum platform_finger_event event = platform_finger_failed;
    if (code < 0) {
        event = event_of_error(&error, code);
    } else {
        // The bus guarantees the sender, so no query of the name's owner is needed.
        const char *sender = finger->bus.sd_bus_message_get_sender(reply);
        if (sender && finger->bus.sd_bus_message_read(reply, "o", &path) > 0) {
            system_bus_copy_name(owner, sender);
            system_bus_copy_name(path_there, path);
            if (owner[0] && path_there[0]) event = platform_finger_ready;
        }
    }
    finger->bus.sd_bus_message_unref(reply);
    finger->bus.sd_bus_error_free(&error);
    return event;
}

/// Whether the owner is a process of the system. On a bus where other users can own the name, the name alone proves nothing.
static bool is_of_system(struct platform_finger *finger) {
    sd_bus_message *reply = NULL;
    uint32_t user = UINT32_MAX;
    if (!system_bus_may_call(&finger->bus)
        || finger->bus.sd_bus_call_method(
               finger->bus.connection, system_bus_name, system_bus_path, system_bus_name, "GetConnectionUnixUser", NULL,
               &reply, "s", finger->owner)
               < 0)
        return false;
    bool is_known = finger->bus.sd_bus_message_read(reply, "u", &user) > 0;
    finger->bus.sd_bus_message_unref(reply);
    return is_known && user == 0;
}

/// Subscribes to the reader's signals and to the end of its owner.
static bool add_matches(struct platform_finger *finger) {
    char rule[1024];
    int size = snprintf(
        rule, sizeof rule,
        "type='signal',sender='%s',path='%s',interface='net.reactivated.Fprint.Device',member='VerifyStatus'", finger->owner,
        finger->path);
    if (size < 0 || (size_t)size >= sizeof rule || !system_bus_add_match(&finger->bus, rule)) return false;
    size = snprintf(
        rule, sizeof rule,
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='%s'",
        finger->owner);
    return size > 0 && (size_t)size < sizeof rule && system_bus_add_match(&finger->bus, rule);
}

static enum platform_finger_event start(struct platform_finger *finger) {
    enum platform_finger_event event = call(finger, "VerifyStart", "any");
    finger->is_started = event == platform_finger_ready;
    return event;
}

static enum platform_finger_event claim(struct platform_finger *finger) {
    enum platform_finger_event event = find(finger, fprint_name, finger->owner, finger->path);
    if (event != platform_finger_ready) return event;
    if (!is_of_system(finger)) return platform_finger_not_trusted;
    // Without a name, fprintd uses that of the calling user.
    event = call(finger, "Claim", "");
    if (event != platform_finger_ready) return event;
    finger->is_claimed = true;
    // Not earlier: the last signal to the previous user of the reader may concern another user's finger.
    return add_matches(finger) ? start(finger) : platform_finger_failed;
}

struct platform_finger *platform_finger_open(const char *address, uint64_t timeout, enum platform_finger_event *result) {
    struct platform_finger *finger = calloc(1, sizeof *finger);
    *result = platform_finger_failed;
    if (!finger) return NULL;
    *result = system_bus_open(&finger->bus, NULL, address, timeout) ? claim(finger) : platform_finger_absent;
    if (*result == platform_finger_ready) return finger;
    platform_finger_close(finger);
    return NULL;
}

enum platform_finger_event platform_finger_again(struct platform_finger *finger) {
    system_bus_begin(&finger->bus);
    call(finger, "VerifyStop", NULL);
    return start(finger);
}

int platform_finger_descriptor(const struct platform_finger *finger) {
    return system_bus_descriptor(&finger->bus);
}

short platform_finger_poll_events(const struct platform_finger *finger) {
    return system_bus_poll_events(&finger->bus);
}

int platform_finger_poll_timeout(const struct platform_finger *finger) {
    return system_bus_poll_timeout(&finger->bus);
}

/// Releases the reader.
static void release(struct platform_finger *finger) {
    if (finger->is_started) call(finger, "VerifyStop", NULL);
    if (finger->is_claimed) call(finger, "Release", NULL);
    finger->is_started = finger->is_claimed = false;
}

/// The reason of a failure. fprintd reports the same error for an unplugged reader, and forgets that reader soon after its release.
static enum platform_finger_event reason(struct platform_finger *finger) {
    char owner[system_bus_name_size], path[system_bus_name_size];
    system_bus_begin(&finger->bus);
    release(finger);
    for (int look = 0; look < 10; look++) {
        if (look > 0) usleep(100000);
        enum platform_finger_event event = find(finger, finger->owner, owner, path);
        if (event == platform_finger_no_reader) return platform_finger_removed;
        if (event != platform_finger_ready) return platform_finger_failed;
        if (strcmp(path, finger->path) != 0) return platform_finger_removed;
    }
    return platform_finger_failed;
}

static enum platform_finger_event event_of_result(const char *result) {
    static const struct {
        const char *result;
        enum platform_finger_event event;
    } known[] = {
        {"verify-match", platform_finger_match},
        {"verify-no-match", platform_finger_no_match},
        {"verify-retry-scan", platform_finger_retry},
        {"verify-swipe-too-short", platform_finger_retry},
        {"verify-finger-not-centered", platform_finger_retry},
        {"verify-remove-and-retry", platform_finger_retry},
        {"verify-disconnected", platform_finger_removed},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(result, known[i].result) == 0) return known[i].event;
    }
    return platform_finger_failed;
}

static enum platform_finger_event event_of(struct platform_finger *finger, sd_bus_message *message) {
    // Any process may send a signal directly to this connection, despite the match rules. The bus guarantees the sender's name.
    const char *sender = finger->bus.sd_bus_message_get_sender(message);
    if (!sender) return platform_finger_none;
    if (strcmp(sender, system_bus_name) == 0) {
        const char *name, *before, *owner;
        bool is_gone = finger->bus.sd_bus_message_is_signal(message, system_bus_name, "NameOwnerChanged") > 0
                       && finger->bus.sd_bus_message_read(message, "sss", &name, &before, &owner) > 0
                       && strcmp(name, finger->owner) == 0;
        return is_gone ? platform_finger_gone : platform_finger_none;
    }
    const char *path = finger->bus.sd_bus_message_get_path(message);
    const char *result = NULL;
    int is_done = 0;
    if (!finger->is_started || strcmp(sender, finger->owner) != 0 || !path || strcmp(path, finger->path) != 0
        || finger->bus.sd_bus_message_is_signal(message, device_interface, "VerifyStatus") <= 0
        || finger->bus.sd_bus_message_read(message, "sb", &result, &is_done) <= 0)
        return platform_finger_none;
    enum platform_finger_event event = event_of_result(result);
    return event == platform_finger_failed ? reason(finger) : event;
}

enum platform_finger_event platform_finger_next(struct platform_finger *finger) {
    if (!finger->bus.connection) return platform_finger_gone;
    // Limited, because an endless sender would keep the caller here. The poll functions report remaining data.
    for (int count = 0; count < 64; count++) {
        sd_bus_message *message = NULL;
        int progress = finger->bus.sd_bus_process(finger->bus.connection, &message);
        if (progress < 0) {
            system_bus_close(&finger->bus);
            return platform_finger_gone;
        }
        if (progress == 0) return platform_finger_none;
        if (!message) continue;
        enum platform_finger_event event = event_of(finger, message);
        finger->bus.sd_bus_message_unref(message);
        if (event != platform_finger_none) return event;
    }
    return platform_finger_none;
}

void platform_finger_close(struct platform_finger *finger) {
    system_bus_begin(&finger->bus);
    release(finger);
    system_bus_close(&finger->bus);
    free(finger);
}
#endif

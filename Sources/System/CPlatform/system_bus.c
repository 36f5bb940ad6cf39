// The system bus (D-Bus), by libsystemd or libelogind.
// The library is loaded on demand, so neither the build nor the start needs it. It is never unloaded, because it may keep thread-local
// state.
#ifdef __linux__
#define _GNU_SOURCE

#include "system_bus.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

const char system_bus_name[] = "org.freedesktop.DBus";
const char system_bus_path[] = "/org/freedesktop/DBus";

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static uint64_t time_left(const struct system_bus *bus) {
    uint64_t time = now();
    return time < bus->deadline ? bus->deadline - time : 0;
}

void system_bus_begin(struct system_bus *bus) {
    bus->deadline = now() + bus->timeout;
}

bool system_bus_may_call(struct system_bus *bus) {
    uint64_t left = time_left(bus);
    return bus->connection && left > 0 && bus->sd_bus_set_method_call_timeout(bus->connection, left) >= 0;
}

static bool load(struct system_bus *bus, const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
#define RESOLVE(name) \
    if (!(bus->name = (__typeof__(name) *)dlsym(library, #name))) return false;
    SD_BUS_FUNCTIONS(RESOLVE)
    return true;
}

/// Connects without blocking: sd_bus_call would wait for the bus's greeting without a limit.
static bool connect_to(struct system_bus *bus, const char *address) {
    if (!address) {
        if (bus->sd_bus_open_system(&bus->connection) < 0) return false;
    } else if (
        bus->sd_bus_new(&bus->connection) < 0 || bus->sd_bus_set_address(bus->connection, address) < 0
        || bus->sd_bus_set_bus_client(bus->connection, true) < 0 || bus->sd_bus_start(bus->connection) < 0) {
        return false;
    }
    for (;;) {
        int progress = bus->sd_bus_process(bus->connection, NULL);
        if (progress < 0) return false;
        if (bus->sd_bus_is_ready(bus->connection) > 0) return true;
        if (progress > 0) continue;
        uint64_t left = time_left(bus);
        if (left == 0) return false;
        int waited = bus->sd_bus_wait(bus->connection, left);
        if (waited < 0 && waited != -EINTR) return false;
    }
}

bool system_bus_open(struct system_bus *bus, const char *library, const char *address, uint64_t timeout) {
    bus->timeout = timeout;
    system_bus_begin(bus);
    bool loaded = library ? load(bus, library) : load(bus, "libsystemd.so.0") || load(bus, "libelogind.so.0");
    return loaded && connect_to(bus, address);
}

bool system_bus_add_match(struct system_bus *bus, const char *rule) {
    return system_bus_may_call(bus)
           && bus->sd_bus_call_method(
                  bus->connection, system_bus_name, system_bus_path, system_bus_name, "AddMatch", NULL, NULL, "s", rule)
                  >= 0;
}

void system_bus_copy_name(char name[system_bus_name_size], const char *from) {
    size_t length = strlen(from);
    if (length >= system_bus_name_size) length = 0;
    memcpy(name, from, length);
    name[length] = 0;
}

int system_bus_descriptor(const struct system_bus *bus) {
    int descriptor = bus->connection ? bus->sd_bus_get_fd(bus->connection) : -1;
    return descriptor >= 0 ? descriptor : -1;
}

short system_bus_poll_events(const struct system_bus *bus) {
    int events = bus->connection ? bus->sd_bus_get_events(bus->connection) : 0;
    return events > 0 ? (short)events : 0;
}

int system_bus_poll_timeout(const struct system_bus *bus) {
    uint64_t due = UINT64_MAX;
    if (!bus->connection || bus->sd_bus_get_timeout(bus->connection, &due) <= 0 || due == UINT64_MAX) return -1;
    uint64_t time = now();
    uint64_t left = due > time ? (due - time + 999) / 1000 : 0;
    return left < INT_MAX ? (int)left : INT_MAX;
}

void system_bus_close(struct system_bus *bus) {
    if (!bus->connection) return;
    bus->sd_bus_close(bus->connection);
    bus->sd_bus_unref(bus->connection);
    bus->connection = NULL;
}
#endif

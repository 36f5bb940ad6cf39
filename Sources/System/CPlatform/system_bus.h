// A connection to the system bus, shared by login events and the fingerprint reader.
#ifndef TASKVAULT_SYSTEM_BUS_H
#define TASKVAULT_SYSTEM_BUS_H

#include "sd_bus.h"

#include <stdbool.h>
#include <stdint.h>

struct system_bus {
    /// NULL after the connection has ended.
    sd_bus *connection;
    /// The longest wait of an operation, and its end, in microseconds.
    uint64_t timeout;
    uint64_t deadline;
#define SYSTEM_BUS_FIELD(name) __typeof__(name) *name;
    SD_BUS_FUNCTIONS(SYSTEM_BUS_FIELD)
#undef SYSTEM_BUS_FIELD
};

/// The name of the bus itself, as a sender and a destination.
extern const char system_bus_name[];
extern const char system_bus_path[];

/// The size of a unique name on a bus, including its end.
enum { system_bus_name_size = 256 };

/// Loads `library`, or libsystemd, else libelogind, and connects to `address`, or the system bus. Begins the first operation.
bool system_bus_open(struct system_bus *bus, const char *library, const char *address, uint64_t timeout);

/// Starts the time limit of an operation.
void system_bus_begin(struct system_bus *bus);

/// Sets the timeout of the next call to the remaining time; false if no time is left.
bool system_bus_may_call(struct system_bus *bus);

bool system_bus_add_match(struct system_bus *bus, const char *rule);

/// Copies a name; empties it if it is too long.
void system_bus_copy_name(char name[system_bus_name_size], const char *from);

/// For poll(2); the timeout is 0 while buffered data exists, -1 for none.
int system_bus_descriptor(const struct system_bus *bus);
short system_bus_poll_events(const struct system_bus *bus);
int system_bus_poll_timeout(const struct system_bus *bus);

void system_bus_close(struct system_bus *bus);

#endif

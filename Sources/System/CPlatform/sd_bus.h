// The used part of sd-bus(3), as <systemd/sd-bus.h> declares it; that header need not be installed. Nothing is linked: the
// functions are looked up by name.
#ifndef TASKVAULT_SD_BUS_H
#define TASKVAULT_SD_BUS_H

#include <stdint.h>

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct {
    const char *name;
    const char *message;
    int need_free;
} sd_bus_error;

int sd_bus_new(sd_bus **);
int sd_bus_open_system(sd_bus **);
int sd_bus_set_address(sd_bus *, const char *);
int sd_bus_set_bus_client(sd_bus *, int);
int sd_bus_set_method_call_timeout(sd_bus *, uint64_t);
int sd_bus_start(sd_bus *);
int sd_bus_is_ready(sd_bus *);
int sd_bus_wait(sd_bus *, uint64_t);
int sd_bus_process(sd_bus *, sd_bus_message **);
int sd_bus_get_fd(sd_bus *);
int sd_bus_get_events(sd_bus *);
int sd_bus_get_timeout(sd_bus *, uint64_t *);
void sd_bus_close(sd_bus *);
sd_bus *sd_bus_unref(sd_bus *);
int sd_bus_call_method(
    sd_bus *, const char *destination, const char *path, const char *interface, const char *member,
    sd_bus_error *, sd_bus_message **reply, const char *types, ...);
int sd_bus_get_property(
    sd_bus *, const char *destination, const char *path, const char *interface, const char *member,
    sd_bus_error *, sd_bus_message **reply, const char *type);
void sd_bus_error_free(sd_bus_error *);
int sd_bus_message_is_signal(sd_bus_message *, const char *interface, const char *member);
const char *sd_bus_message_get_sender(sd_bus_message *);
const char *sd_bus_message_get_path(sd_bus_message *);
int sd_bus_message_read(sd_bus_message *, const char *types, ...);
int sd_bus_message_skip(sd_bus_message *, const char *types);
int sd_bus_message_enter_container(sd_bus_message *, char type, const char *contents);
int sd_bus_message_exit_container(sd_bus_message *);
sd_bus_message *sd_bus_message_unref(sd_bus_message *);

/// EACH(name) for all of them.
#define SD_BUS_FUNCTIONS(EACH) \
    EACH(sd_bus_new) EACH(sd_bus_open_system) EACH(sd_bus_set_address) EACH(sd_bus_set_bus_client) \
    EACH(sd_bus_set_method_call_timeout) EACH(sd_bus_start) EACH(sd_bus_is_ready) EACH(sd_bus_wait) \
    EACH(sd_bus_process) EACH(sd_bus_get_fd) EACH(sd_bus_get_events) EACH(sd_bus_get_timeout) \
    EACH(sd_bus_close) EACH(sd_bus_unref) EACH(sd_bus_call_method) EACH(sd_bus_get_property) \
    EACH(sd_bus_message_is_signal) EACH(sd_bus_message_get_sender) EACH(sd_bus_message_get_path) \
    EACH(sd_bus_message_read) EACH(sd_bus_message_skip) EACH(sd_bus_message_enter_container) \
    EACH(sd_bus_message_exit_container) EACH(sd_bus_message_unref) EACH(sd_bus_error_free)

#endif

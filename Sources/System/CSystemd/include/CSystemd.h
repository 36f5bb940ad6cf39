// The used part of sd-bus(3), as declared by <systemd/sd-bus.h>; that header need not be installed. Nothing is linked: the library is
// loaded on demand, so neither the build nor the start needs it. Tests/Support/CDeclarationChecks compares this file with the real header.
#ifndef TASKVAULT_CSYSTEMD_H
#define TASKVAULT_CSYSTEMD_H

#include <stddef.h>
#include <stdint.h>

// libsystemd's own tags.
struct sd_bus;
struct sd_bus_message;

/// EACH(result, name, parameters) for all functions. None blocks: replies are messages that sd_bus_process returns.
#define CSYSTEMD_FUNCTIONS(EACH) \
    EACH(int, sd_bus_new, (struct sd_bus *_Nullable *_Nonnull)) \
    EACH(int, sd_bus_set_address, (struct sd_bus *_Nonnull, const char *_Nonnull)) \
    EACH(int, sd_bus_set_bus_client, (struct sd_bus *_Nonnull, int)) \
    EACH(int, sd_bus_negotiate_fds, (struct sd_bus *_Nonnull, int)) \
    EACH(int, sd_bus_start, (struct sd_bus *_Nonnull)) \
    EACH(int, sd_bus_process, (struct sd_bus *_Nonnull, struct sd_bus_message *_Nullable *_Nullable)) \
    EACH(int, sd_bus_get_fd, (struct sd_bus *_Nonnull)) \
    EACH(int, sd_bus_get_events, (struct sd_bus *_Nonnull)) \
    EACH(int, sd_bus_get_timeout, (struct sd_bus *_Nonnull, uint64_t *_Nonnull)) \
    EACH(void, sd_bus_close, (struct sd_bus *_Nullable)) \
    EACH(struct sd_bus *_Nullable, sd_bus_unref, (struct sd_bus *_Nullable)) \
    EACH(int, sd_bus_send, (struct sd_bus *_Nonnull, struct sd_bus_message *_Nonnull, uint64_t *_Nullable cookie)) \
    EACH(int, sd_bus_message_new_method_call, \
         (struct sd_bus *_Nonnull, struct sd_bus_message *_Nullable *_Nonnull, const char *_Nullable destination, \
          const char *_Nonnull path, const char *_Nullable interface, const char *_Nonnull member)) \
    EACH(struct sd_bus_message *_Nullable, sd_bus_message_unref, (struct sd_bus_message *_Nullable)) \
    EACH(int, sd_bus_message_append_basic, (struct sd_bus_message *_Nonnull, char type, const void *_Nonnull)) \
    EACH(int, sd_bus_message_open_container, (struct sd_bus_message *_Nonnull, char type, const char *_Nonnull contents)) \
    EACH(int, sd_bus_message_close_container, (struct sd_bus_message *_Nonnull)) \
    EACH(int, sd_bus_message_read_basic, (struct sd_bus_message *_Nonnull, char type, void *_Nonnull)) \
    EACH(int, sd_bus_message_enter_container, (struct sd_bus_message *_Nonnull, char type, const char *_Nonnull contents)) \
    EACH(int, sd_bus_message_exit_container, (struct sd_bus_message *_Nonnull)) \
    EACH(int, sd_bus_message_get_reply_cookie, (struct sd_bus_message *_Nonnull, uint64_t *_Nonnull)) \
    EACH(int, sd_bus_message_is_signal, \
         (struct sd_bus_message *_Nonnull, const char *_Nullable interface, const char *_Nullable member)) \
    EACH(int, sd_bus_message_is_method_error, (struct sd_bus_message *_Nonnull, const char *_Nullable name)) \
    EACH(const char *_Nullable, sd_bus_message_get_sender, (struct sd_bus_message *_Nonnull)) \
    EACH(int, sd_bus_get_unique_name, (struct sd_bus *_Nonnull, const char *_Nullable *_Nonnull)) \
    EACH(int, sd_bus_message_is_method_call, \
         (struct sd_bus_message *_Nonnull, const char *_Nullable interface, const char *_Nullable member)) \
    EACH(int, sd_bus_message_get_expect_reply, (struct sd_bus_message *_Nonnull)) \
    EACH(const char *_Nullable, sd_bus_message_get_path, (struct sd_bus_message *_Nonnull)) \
    EACH(const char *_Nullable, sd_bus_message_get_interface, (struct sd_bus_message *_Nonnull)) \
    EACH(const char *_Nullable, sd_bus_message_get_member, (struct sd_bus_message *_Nonnull)) \
    EACH(int, sd_bus_message_has_signature, (struct sd_bus_message *_Nonnull, const char *_Nonnull)) \
    EACH(int, sd_bus_message_peek_type, \
         (struct sd_bus_message *_Nonnull, char *_Nullable type, const char *_Nullable *_Nullable contents)) \
    EACH(int, sd_bus_message_skip, (struct sd_bus_message *_Nonnull, const char *_Nullable types)) \
    EACH(int, sd_bus_message_rewind, (struct sd_bus_message *_Nonnull, int complete)) \
    EACH(int, sd_bus_message_read_array, \
         (struct sd_bus_message *_Nonnull, char type, const void *_Nullable *_Nonnull bytes, size_t *_Nonnull size)) \
    EACH(int, sd_bus_message_append_array, \
         (struct sd_bus_message *_Nonnull, char type, const void *_Nullable bytes, size_t size)) \
    EACH(int, sd_bus_message_sensitive, (struct sd_bus_message *_Nonnull)) \
    EACH(int, sd_bus_message_new_method_return, \
         (struct sd_bus_message *_Nonnull call, struct sd_bus_message *_Nullable *_Nonnull)) \
    EACH(int, sd_bus_message_new_method_errorf, \
         (struct sd_bus_message *_Nonnull call, struct sd_bus_message *_Nullable *_Nonnull, const char *_Nonnull name, \
          const char *_Nonnull format, ...)) \
    EACH(int, sd_bus_message_new_signal, \
         (struct sd_bus *_Nonnull, struct sd_bus_message *_Nullable *_Nonnull, const char *_Nonnull path, \
          const char *_Nonnull interface, const char *_Nonnull member)) \
    EACH(int, sd_bus_message_set_destination, (struct sd_bus_message *_Nonnull, const char *_Nonnull))

/// The functions of a loaded library.
struct csystemd_library {
#define CSYSTEMD_FIELD(result, name, parameters) result (*_Nonnull name) parameters;
    CSYSTEMD_FUNCTIONS(CSYSTEMD_FIELD)
#undef CSYSTEMD_FIELD
};

/// Creates the error reply to a call: sd_bus_message_new_method_errorf with one text, because Swift cannot call variadic functions.
int csystemd_new_error(
    const struct csystemd_library *_Nonnull, struct sd_bus_message *_Nonnull call,
    struct sd_bus_message *_Nullable *_Nonnull made, const char *_Nonnull name, const char *_Nonnull text);

/// Loads a library permanently, by a name for dlopen(3); NULL if it is missing or lacks a function. Thread-safe.
const struct csystemd_library *_Nullable csystemd_load(const char *_Nonnull name);

#endif

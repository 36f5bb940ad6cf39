// The fingerprint reader, through fprintd on the system bus. Linux only.
#ifndef TASKVAULT_FINGERPRINT_H
#define TASKVAULT_FINGERPRINT_H
#ifdef __linux__

#include <stdbool.h>
#include <stdint.h>

/// A claimed reader. Not thread-safe.
struct platform_finger;

enum platform_finger_event {
    platform_finger_none,
    /// The reader waits for a finger.
    platform_finger_ready,
    platform_finger_match,
    /// The finger did not match.
    platform_finger_no_match,
    /// The finger was not read well; the reader waits for it again.
    platform_finger_retry,
    /// The library, the bus or fprintd is missing.
    platform_finger_absent,
    platform_finger_no_reader,
    platform_finger_not_enrolled,
    /// Another program has claimed the reader.
    platform_finger_busy,
    /// The system does not permit this user to verify.
    platform_finger_denied,
    /// The name of fprintd belongs to a process that is not the system's.
    platform_finger_not_trusted,
    /// The reader was unplugged.
    platform_finger_removed,
    /// The reader or fprintd failed.
    platform_finger_failed,
    /// fprintd or the bus has ended.
    platform_finger_gone,
};

/// Claims the reader for this user, and waits for a finger. The result is platform_finger_ready; otherwise the reason, and NULL.
///
/// `address` is the address of the bus. No function here waits longer than `timeout`, in microseconds.
struct platform_finger *platform_finger_open(const char *address, uint64_t timeout, enum platform_finger_event *result);

/// Waits for another finger after platform_finger_no_match. Returns platform_finger_ready, or the reason of a failure.
enum platform_finger_event platform_finger_again(struct platform_finger *finger);

/// The descriptor, events and timeout for poll(2), as those of login_events.h.
int platform_finger_descriptor(const struct platform_finger *finger);
short platform_finger_poll_events(const struct platform_finger *finger);
int platform_finger_poll_timeout(const struct platform_finger *finger);

/// The next event, without waiting.
enum platform_finger_event platform_finger_next(struct platform_finger *finger);

/// Releases the reader.
void platform_finger_close(struct platform_finger *finger);

#endif
#endif

// The arguments of main.
#include "CPlatform.h"

static int argument_count;
static char **arguments;

// The loader calls it before main, and before the runtime of Swift.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}

#ifdef __linux__
// The runtime's own function, which a release executable would contain, reads /proc/self/maps at each start.
char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
    *count = argument_count;
    return arguments;
}
#endif

const char *platform_argument(int index) {
    return index >= 0 && index < argument_count ? arguments[index] : NULL;
}

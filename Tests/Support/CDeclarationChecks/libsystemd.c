// A difference between Sources/System/CSystemd and libsystemd's header, where that is installed, is an error of the compiler here.
#include "CDeclarationChecks.h"

#if __has_include(<systemd/sd-bus.h>)
#include <CSystemd.h>
#include <systemd/sd-bus.h>

#define SAME_FUNCTION(result, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), __typeof__(result) parameters), #name);
CSYSTEMD_FUNCTIONS(SAME_FUNCTION)

bool declarations_had_libsystemd(void) {
    return true;
}
#else
bool declarations_had_libsystemd(void) {
    return false;
}
#endif

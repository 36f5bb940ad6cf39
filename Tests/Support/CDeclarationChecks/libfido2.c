// A difference between Sources/System/CFido2 and libfido2's header, where that is installed, is an error of the compiler here.
#include "CDeclarationChecks.h"

#if __has_include(<fido.h>)
#include <CFido2.h>
#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>

#define SAME_FUNCTION(result, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), __typeof__(result) parameters), #name);
CFIDO2_FUNCTIONS(SAME_FUNCTION)

#define SAME_NUMBER(name, value) _Static_assert((value) == (name), #name);
CFIDO2_NUMBERS(SAME_NUMBER)

#define SAME_FIELD(name) \
    _Static_assert(offsetof(struct cfido2_io, name) == offsetof(fido_dev_io_t, name), #name); \
    _Static_assert( \
        __builtin_types_compatible_p(__typeof__(((struct cfido2_io *)0)->name), __typeof__(((fido_dev_io_t *)0)->name)), #name);
_Static_assert(sizeof(struct cfido2_io) == sizeof(fido_dev_io_t), "fido_dev_io_t");
SAME_FIELD(open)
SAME_FIELD(close)
SAME_FIELD(read)
SAME_FIELD(write)

bool declarations_had_libfido2(void) {
    return true;
}
#else
bool declarations_had_libfido2(void) {
    return false;
}
#endif

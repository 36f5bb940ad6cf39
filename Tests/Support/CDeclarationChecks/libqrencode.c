// A difference between Sources/System/CQREncode and libqrencode's header, where that is installed, is an error of the compiler here.
#include "CDeclarationChecks.h"

#if __has_include(<qrencode.h>)
#include <CQREncode.h>
#include <qrencode.h>
#include <stddef.h>

_Static_assert(__builtin_types_compatible_p(__typeof__(QRcode_encodeData), QRcode *(int, const unsigned char *, int, QRecLevel)), "encodeData");
_Static_assert(__builtin_types_compatible_p(__typeof__(QRcode_free), void(QRcode *)), "free");
_Static_assert(__builtin_types_compatible_p(QRecLevel, unsigned int), "QRecLevel");
_Static_assert((int)QR_ECLEVEL_L == CQRENCODE_LOWEST_LEVEL, "QR_ECLEVEL_L");
_Static_assert(sizeof(QRcode) == sizeof(struct cqrencode_code), "QRcode");
_Static_assert(offsetof(QRcode, width) == offsetof(struct cqrencode_code, width), "width");
_Static_assert(offsetof(QRcode, data) == offsetof(struct cqrencode_code, data), "data");

bool declarations_had_libqrencode(void) {
    return true;
}
#else
bool declarations_had_libqrencode(void) {
    return false;
}
#endif

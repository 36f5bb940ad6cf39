// A difference between Sources/System/CCrypto and libcrypto's headers, where these are installed, is an error of the compiler here.
#include "CDeclarationChecks.h"

#if __has_include(<openssl/evp.h>)
#include <CCrypto.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#define SAME_FUNCTION(result, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), __typeof__(result) parameters), #name);
CCRYPTO_FUNCTIONS(SAME_FUNCTION)

bool declarations_had_libcrypto(void) {
    return true;
}
#else
bool declarations_had_libcrypto(void) {
    return false;
}
#endif

// The functions of a loaded library.
#ifndef TASKVAULT_CCURL_LIBRARY_H
#define TASKVAULT_CCURL_LIBRARY_H

#include "CCurl.h"

struct ccurl_library {
#define FIELD(result, name, parameters) result (*_Nonnull name) parameters;
    CCURL_FUNCTIONS(FIELD)
#undef FIELD
    bool has_openssl;
    // SSL_CTX_set_options of OpenSSL 3; NULL with another TLS library.
    uint64_t (*_Nullable set_options)(void *_Nonnull context, uint64_t options);
};

#endif

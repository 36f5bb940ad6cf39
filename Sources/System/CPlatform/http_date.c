// For strptime and timegm of glibc.
#define _GNU_SOURCE
#include "CPlatform.h"

#include <time.h>

bool platform_read_http_date(const char *text, int64_t *seconds) {
    struct tm time = {0};
    const char *end = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &time);
    if (end == NULL || *end != 0) return false;
    *seconds = timegm(&time);
    return true;
}

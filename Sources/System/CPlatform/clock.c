// Whether the wall clock is synchronised, by adjtimex(2).
#include "CPlatform.h"

#ifdef __linux__
#include <sys/timex.h>
#endif

int platform_clock_is_synchronised(void) {
#ifdef __linux__
    struct timex clock = {0};
    int state = adjtimex(&clock);
    return state < 0 || (state != TIME_ERROR && !(clock.status & STA_UNSYNC));
#else
    return 1;
#endif
}

// Detached threads with a stack of a given size.
#include "CPlatform.h"

#include <pthread.h>
#include <stdatomic.h>

int platform_start_thread(size_t stack_size, void *(*body)(void *), void *context) {
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code) return code;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_size > 0) pthread_attr_setstacksize(&attributes, stack_size);
    pthread_t thread;
    code = pthread_create(&thread, &attributes, body, context);
    pthread_attr_destroy(&attributes);
    return code;
}

unsigned platform_thread_number(void) {
    static atomic_uint count;
    static _Thread_local unsigned number;
    // 0 is a thread that was not counted.
    if (number == 0) number = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) + 1;
    return number - 1;
}

// Detached threads with a stack of a given size.
#include "CPlatform.h"

#include <pthread.h>

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

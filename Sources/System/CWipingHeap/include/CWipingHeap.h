#pragma once

// An executable that links this module wipes memory before it frees it: its free(3), realloc(3) and reallocarray(3) replace those of the C library
// in all of its libraries. So strings, arrays, JSON, and the buffers of libmicrohttpd and sd-bus do not stay in the heap after their use.
//
// Not without the GNU C library, and not under a sanitizer, which has a heap of its own.

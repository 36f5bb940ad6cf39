// malloc(3) and its family, which overwrite memory before freeing it.
#ifndef TASKVAULT_CCURL_MEMORY_H
#define TASKVAULT_CCURL_MEMORY_H

#include <stddef.h>

void *ccurl_memory_allocate(size_t size);
void ccurl_memory_free(void *pointer);
void *ccurl_memory_reallocate(void *pointer, size_t size);
char *ccurl_memory_duplicate(const char *text);
void *ccurl_memory_allocate_zeros(size_t count, size_t size);

#endif

// The files of the local app's page, embedded into the program.
#ifndef CAPPFILES_H
#define CAPPFILES_H

#include <stddef.h>

/// A file of the page.
typedef struct {
    /// The path of the file, such as `/core.js`.
    const char *path;
    const unsigned char *bytes;
    size_t count;
} app_file;

/// The file with an index from 0; NULL after the last one.
const app_file *app_file_at(size_t index);

#endif

// The used part of libqrencode, as declared by <qrencode.h>; that header need not be installed. Nothing is linked: the library is loaded on
// demand, so neither the build nor the start needs it. Tests/Support/CDeclarationChecks compares this file with the real header.
#ifndef TASKVAULT_CQRENCODE_H
#define TASKVAULT_CQRENCODE_H

/// QRcode: `width` rows of `width` bytes; the lowest bit is set for a dark module.
struct cqrencode_code {
    int version;
    int width;
    unsigned char *_Nonnull data;
};

/// QRecLevel: QR_ECLEVEL_L.
enum { CQRENCODE_LOWEST_LEVEL = 0 };

/// The functions of a loaded library. Enumerations are integers here.
struct cqrencode_library {
    struct cqrencode_code *_Nullable (*_Nonnull QRcode_encodeData)(
        int size, const unsigned char *_Nonnull bytes, int version, unsigned int level);
    void (*_Nonnull QRcode_free)(struct cqrencode_code *_Nullable);
};

/// Loads a library permanently, by a name for dlopen(3); NULL if it is missing or lacks a function.
const struct cqrencode_library *_Nullable cqrencode_load(const char *_Nonnull name);

#endif

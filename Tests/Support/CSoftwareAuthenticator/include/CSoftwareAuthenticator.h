// The cryptography of the software authenticator that libsodium lacks, by OpenSSL's libcrypto.
#ifndef TASKVAULT_CSOFTWAREAUTHENTICATOR_H
#define TASKVAULT_CSOFTWAREAUTHENTICATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// P-256. A secret key is a number of 32 bytes, big-endian; a point is its coordinates x and y, 32 bytes each. All fail for numbers that
// are out of range, and for points that are not on the curve.

/// The public key of a secret key.
bool soft_p256_public(const uint8_t *_Nonnull secret, uint8_t *_Nonnull point);
/// ECDH: the coordinate x of the shared point, 32 bytes.
bool soft_p256_agree(const uint8_t *_Nonnull secret, const uint8_t *_Nonnull point, uint8_t *_Nonnull x);
/// ECDSA with SHA-256, in DER: at most 72 bytes.
///
/// - Returns: The size; 0 for failure.
size_t soft_p256_sign(
    const uint8_t *_Nonnull secret, const uint8_t *_Nonnull message, size_t count, uint8_t *_Nonnull signature);
/// AES-256-CBC without padding; the count is a multiple of 16.
bool soft_aes256_cbc(
    bool encrypts, const uint8_t *_Nonnull key, const uint8_t *_Nonnull iv, const uint8_t *_Nonnull input, size_t count,
    uint8_t *_Nonnull output);

#endif

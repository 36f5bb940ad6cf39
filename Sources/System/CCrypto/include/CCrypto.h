// The used part of libcrypto of OpenSSL, as its headers declare it; they need not be installed. Nothing is linked: the library is loaded on
// demand, so neither the build nor the start needs it. Tests/Support/CDeclarationChecks compares this file with the real headers.
#ifndef TASKVAULT_CCRYPTO_H
#define TASKVAULT_CCRYPTO_H

#include <stddef.h>
#include <time.h>

// libcrypto's own tags.
struct asn1_string_st;
struct bio_st;
struct engine_st;
struct evp_cipher_st;
struct evp_cipher_ctx_st;
struct evp_md_st;
struct evp_md_ctx_st;
struct evp_pkey_st;
struct evp_pkey_ctx_st;
struct bignum_st;
struct bignum_ctx;
struct bn_mont_ctx_st;
struct x509_st;

/// EACH(result, name, parameters) for all functions, which version 1.1.1 has too.
#define CCRYPTO_FUNCTIONS(EACH) \
    EACH(const struct evp_md_st *_Nullable, EVP_sha1, (void)) \
    EACH(const struct evp_md_st *_Nullable, EVP_sha256, (void)) \
    EACH(const struct evp_md_st *_Nullable, EVP_sha512, (void)) \
    EACH(unsigned char *_Nullable, HMAC, \
         (const struct evp_md_st *_Nullable, const void *_Nullable key, int keySize, const unsigned char *_Nullable message, \
          size_t messageSize, unsigned char *_Nullable code, unsigned int *_Nullable codeSize)) \
    EACH(struct evp_pkey_st *_Nullable, d2i_PUBKEY, \
         (struct evp_pkey_st *_Nullable *_Nullable, const unsigned char *_Nullable *_Nonnull bytes, long size)) \
    EACH(struct evp_pkey_st *_Nullable, d2i_PrivateKey, \
         (int type, struct evp_pkey_st *_Nullable *_Nullable, const unsigned char *_Nullable *_Nonnull bytes, long size)) \
    EACH(int, i2d_PUBKEY, (const struct evp_pkey_st *_Nonnull, unsigned char *_Nullable *_Nullable bytes)) \
    EACH(void, EVP_PKEY_free, (struct evp_pkey_st *_Nullable)) \
    EACH(struct evp_pkey_ctx_st *_Nullable, EVP_PKEY_CTX_new, \
         (struct evp_pkey_st *_Nonnull, struct engine_st *_Nullable)) \
    EACH(void, EVP_PKEY_CTX_free, (struct evp_pkey_ctx_st *_Nullable)) \
    EACH(int, EVP_PKEY_derive_init, (struct evp_pkey_ctx_st *_Nonnull)) \
    EACH(int, EVP_PKEY_derive_set_peer, (struct evp_pkey_ctx_st *_Nonnull, struct evp_pkey_st *_Nonnull)) \
    EACH(int, EVP_PKEY_derive, (struct evp_pkey_ctx_st *_Nonnull, unsigned char *_Nullable key, size_t *_Nonnull size)) \
    EACH(const struct evp_cipher_st *_Nullable, EVP_aes_128_gcm, (void)) \
    EACH(struct evp_cipher_ctx_st *_Nullable, EVP_CIPHER_CTX_new, (void)) \
    EACH(void, EVP_CIPHER_CTX_free, (struct evp_cipher_ctx_st *_Nullable)) \
    EACH(int, EVP_CIPHER_CTX_ctrl, (struct evp_cipher_ctx_st *_Nonnull, int type, int size, void *_Nullable bytes)) \
    EACH(int, EVP_CipherInit_ex, \
         (struct evp_cipher_ctx_st *_Nonnull, const struct evp_cipher_st *_Nullable, struct engine_st *_Nullable, \
          const unsigned char *_Nullable key, const unsigned char *_Nullable nonce, int encrypts)) \
    EACH(int, EVP_CipherUpdate, \
         (struct evp_cipher_ctx_st *_Nonnull, unsigned char *_Nullable output, int *_Nonnull size, \
          const unsigned char *_Nullable input, int inputSize)) \
    EACH(int, EVP_CipherFinal_ex, (struct evp_cipher_ctx_st *_Nonnull, unsigned char *_Nullable output, int *_Nonnull size)) \
    EACH(int, CRYPTO_secure_malloc_init, (size_t size, size_t smallest)) \
    EACH(struct evp_md_ctx_st *_Nullable, EVP_MD_CTX_new, (void)) \
    EACH(void, EVP_MD_CTX_free, (struct evp_md_ctx_st *_Nullable)) \
    EACH(int, EVP_DigestVerifyInit, \
         (struct evp_md_ctx_st *_Nonnull, struct evp_pkey_ctx_st *_Nullable *_Nullable, const struct evp_md_st *_Nullable, \
          struct engine_st *_Nullable, struct evp_pkey_st *_Nonnull)) \
    EACH(int, EVP_DigestVerify, \
         (struct evp_md_ctx_st *_Nonnull, const unsigned char *_Nullable signature, size_t signatureSize, \
          const unsigned char *_Nullable message, size_t messageSize)) \
    EACH(const struct evp_cipher_st *_Nullable, EVP_aes_128_cbc, (void)) \
    EACH(struct bignum_st *_Nullable, BN_get_rfc2409_prime_1024, (struct bignum_st *_Nullable)) \
    EACH(struct bignum_st *_Nullable, BN_new, (void)) \
    EACH(struct bignum_st *_Nullable, BN_bin2bn, (const unsigned char *_Nullable bytes, int size, struct bignum_st *_Nullable)) \
    EACH(int, BN_bn2binpad, (const struct bignum_st *_Nonnull, unsigned char *_Nonnull bytes, int size)) \
    EACH(void, BN_clear_free, (struct bignum_st *_Nullable)) \
    EACH(struct bignum_ctx *_Nullable, BN_CTX_secure_new, (void)) \
    EACH(void, BN_CTX_free, (struct bignum_ctx *_Nullable)) \
    EACH(int, BN_mod_exp_mont_consttime, \
         (struct bignum_st *_Nonnull result, const struct bignum_st *_Nonnull base, const struct bignum_st *_Nonnull exponent, \
          const struct bignum_st *_Nonnull modulus, struct bignum_ctx *_Nonnull, struct bn_mont_ctx_st *_Nullable)) \
    EACH(struct bio_st *_Nullable, BIO_new_mem_buf, (const void *_Nonnull bytes, int size)) \
    EACH(int, BIO_free, (struct bio_st *_Nullable)) \
    EACH(struct x509_st *_Nullable, PEM_read_bio_X509, \
         (struct bio_st *_Nonnull, struct x509_st *_Nullable *_Nullable, \
          int (*_Nullable password)(char *_Nullable, int, int, void *_Nullable), void *_Nullable context)) \
    EACH(void, X509_free, (struct x509_st *_Nullable)) \
    EACH(int, X509_check_host, \
         (struct x509_st *_Nonnull, const char *_Nonnull name, size_t size, unsigned int flags, char *_Nullable *_Nullable found)) \
    EACH(int, X509_check_ip_asc, (struct x509_st *_Nonnull, const char *_Nonnull address, unsigned int flags)) \
    EACH(const struct asn1_string_st *_Nullable, X509_get0_notBefore, (const struct x509_st *_Nonnull)) \
    EACH(const struct asn1_string_st *_Nullable, X509_get0_notAfter, (const struct x509_st *_Nonnull)) \
    EACH(int, X509_cmp_time, (const struct asn1_string_st *_Nonnull, time_t *_Nonnull time))

/// The functions of a loaded library.
struct ccrypto_library {
#define CCRYPTO_FIELD(result, name, parameters) result (*_Nonnull name) parameters;
    CCRYPTO_FUNCTIONS(CCRYPTO_FIELD)
#undef CCRYPTO_FIELD
};

/// Loads a library permanently, by a name for dlopen(3); NULL if it is missing or lacks a function. Thread-safe.
const struct ccrypto_library *_Nullable ccrypto_load(const char *_Nonnull name);

/// The first installed library of the names that systems have, loaded at the first call; NULL if there is none. Thread-safe.
const struct ccrypto_library *_Nullable ccrypto_shared(void);

#endif

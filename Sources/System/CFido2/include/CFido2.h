// The used part of libfido2, as declared by <fido.h>; that header need not be installed. Nothing is linked: the library is loaded on
// demand, so neither the build nor the start needs it. Tests/Support/CDeclarationChecks compares this file with the real header.
#ifndef TASKVAULT_CFIDO2_H
#define TASKVAULT_CFIDO2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libfido2's own tags.
struct eddsa_pk;
struct es256_pk;
struct fido_assert;
struct fido_cbor_info;
struct fido_cred;
struct fido_dev;
struct fido_dev_io;

/// EACH(result, name, parameters) for all functions.
#define CFIDO2_FUNCTIONS(EACH) \
    EACH(void, fido_init, (int flags)) \
    EACH(struct fido_dev *_Nullable, fido_dev_new, (void)) \
    EACH(void, fido_dev_free, (struct fido_dev *_Nullable *_Nonnull)) \
    EACH(int, fido_dev_set_io_functions, (struct fido_dev *_Nonnull, const struct fido_dev_io *_Nonnull)) \
    EACH(int, fido_dev_set_timeout, (struct fido_dev *_Nonnull, int milliseconds)) \
    EACH(int, fido_dev_open, (struct fido_dev *_Nonnull, const char *_Nonnull path)) \
    EACH(int, fido_dev_close, (struct fido_dev *_Nonnull)) \
    EACH(int, fido_dev_cancel, (struct fido_dev *_Nonnull)) \
    EACH(bool, fido_dev_is_fido2, (const struct fido_dev *_Nonnull)) \
    EACH(bool, fido_dev_has_pin, (const struct fido_dev *_Nonnull)) \
    EACH(bool, fido_dev_has_uv, (const struct fido_dev *_Nonnull)) \
    EACH(bool, fido_dev_supports_pin, (const struct fido_dev *_Nonnull)) \
    EACH(bool, fido_dev_supports_cred_prot, (const struct fido_dev *_Nonnull)) \
    EACH(int, fido_dev_get_cbor_info, (struct fido_dev *_Nonnull, struct fido_cbor_info *_Nonnull)) \
    EACH(int, fido_dev_get_retry_count, (struct fido_dev *_Nonnull, int *_Nonnull)) \
    EACH(int, fido_dev_get_touch_begin, (struct fido_dev *_Nonnull)) \
    EACH(int, fido_dev_get_touch_status, (struct fido_dev *_Nonnull, int *_Nonnull touched, int milliseconds)) \
    EACH(int, fido_dev_make_cred, (struct fido_dev *_Nonnull, struct fido_cred *_Nonnull, const char *_Nullable pin)) \
    EACH(int, fido_dev_get_assert, (struct fido_dev *_Nonnull, struct fido_assert *_Nonnull, const char *_Nullable pin)) \
    EACH(struct fido_cbor_info *_Nullable, fido_cbor_info_new, (void)) \
    EACH(void, fido_cbor_info_free, (struct fido_cbor_info *_Nullable *_Nonnull)) \
    EACH(char *_Nullable *_Nullable, fido_cbor_info_extensions_ptr, (const struct fido_cbor_info *_Nonnull)) \
    EACH(size_t, fido_cbor_info_extensions_len, (const struct fido_cbor_info *_Nonnull)) \
    EACH(uint64_t, fido_cbor_info_maxcredcntlst, (const struct fido_cbor_info *_Nonnull)) \
    EACH(uint64_t, fido_cbor_info_maxcredidlen, (const struct fido_cbor_info *_Nonnull)) \
    EACH(bool, fido_cbor_info_new_pin_required, (const struct fido_cbor_info *_Nonnull)) \
    EACH(struct fido_cred *_Nullable, fido_cred_new, (void)) \
    EACH(void, fido_cred_free, (struct fido_cred *_Nullable *_Nonnull)) \
    EACH(int, fido_cred_set_type, (struct fido_cred *_Nonnull, int algorithm)) \
    EACH(int, fido_cred_set_clientdata_hash, (struct fido_cred *_Nonnull, const unsigned char *_Nonnull, size_t)) \
    EACH(int, fido_cred_set_rp, (struct fido_cred *_Nonnull, const char *_Nonnull id, const char *_Nullable name)) \
    EACH(int, fido_cred_set_user, \
         (struct fido_cred *_Nonnull, const unsigned char *_Nonnull id, size_t, const char *_Nonnull name, \
          const char *_Nullable display_name, const char *_Nullable icon)) \
    EACH(int, fido_cred_set_extensions, (struct fido_cred *_Nonnull, int)) \
    EACH(int, fido_cred_set_prot, (struct fido_cred *_Nonnull, int)) \
    EACH(int, fido_cred_set_rk, (struct fido_cred *_Nonnull, unsigned int)) \
    EACH(int, fido_cred_set_uv, (struct fido_cred *_Nonnull, unsigned int)) \
    EACH(int, fido_cred_exclude, (struct fido_cred *_Nonnull, const unsigned char *_Nonnull id, size_t)) \
    EACH(const unsigned char *_Nullable, fido_cred_id_ptr, (const struct fido_cred *_Nonnull)) \
    EACH(size_t, fido_cred_id_len, (const struct fido_cred *_Nonnull)) \
    EACH(const unsigned char *_Nullable, fido_cred_pubkey_ptr, (const struct fido_cred *_Nonnull)) \
    EACH(size_t, fido_cred_pubkey_len, (const struct fido_cred *_Nonnull)) \
    EACH(const unsigned char *_Nullable, fido_cred_authdata_raw_ptr, (const struct fido_cred *_Nonnull)) \
    EACH(size_t, fido_cred_authdata_raw_len, (const struct fido_cred *_Nonnull)) \
    EACH(struct fido_assert *_Nullable, fido_assert_new, (void)) \
    EACH(void, fido_assert_free, (struct fido_assert *_Nullable *_Nonnull)) \
    EACH(int, fido_assert_set_rp, (struct fido_assert *_Nonnull, const char *_Nonnull id)) \
    EACH(int, fido_assert_set_clientdata_hash, (struct fido_assert *_Nonnull, const unsigned char *_Nonnull, size_t)) \
    EACH(int, fido_assert_allow_cred, (struct fido_assert *_Nonnull, const unsigned char *_Nonnull id, size_t)) \
    EACH(int, fido_assert_set_extensions, (struct fido_assert *_Nonnull, int)) \
    EACH(int, fido_assert_set_hmac_salt, (struct fido_assert *_Nonnull, const unsigned char *_Nonnull, size_t)) \
    EACH(int, fido_assert_set_up, (struct fido_assert *_Nonnull, unsigned int)) \
    EACH(int, fido_assert_set_uv, (struct fido_assert *_Nonnull, unsigned int)) \
    EACH(size_t, fido_assert_count, (const struct fido_assert *_Nonnull)) \
    EACH(const unsigned char *_Nullable, fido_assert_id_ptr, (const struct fido_assert *_Nonnull, size_t index)) \
    EACH(size_t, fido_assert_id_len, (const struct fido_assert *_Nonnull, size_t index)) \
    EACH(const unsigned char *_Nullable, fido_assert_hmac_secret_ptr, (const struct fido_assert *_Nonnull, size_t index)) \
    EACH(size_t, fido_assert_hmac_secret_len, (const struct fido_assert *_Nonnull, size_t index)) \
    EACH(int, fido_assert_verify, \
         (const struct fido_assert *_Nonnull, size_t index, int algorithm, const void *_Nonnull public_key)) \
    EACH(struct es256_pk *_Nullable, es256_pk_new, (void)) \
    EACH(void, es256_pk_free, (struct es256_pk *_Nullable *_Nonnull)) \
    EACH(int, es256_pk_from_ptr, (struct es256_pk *_Nonnull, const void *_Nonnull, size_t)) \
    EACH(struct eddsa_pk *_Nullable, eddsa_pk_new, (void)) \
    EACH(void, eddsa_pk_free, (struct eddsa_pk *_Nullable *_Nonnull)) \
    EACH(int, eddsa_pk_from_ptr, (struct eddsa_pk *_Nonnull, const void *_Nonnull, size_t))

/// EACH(name, value) for all numbers. The name here has the prefix `C`.
#define CFIDO2_NUMBERS(EACH) \
    EACH(FIDO_OK, 0) \
    EACH(FIDO_ERR_TIMEOUT, 0x05) \
    EACH(FIDO_ERR_CHANNEL_BUSY, 0x06) \
    EACH(FIDO_ERR_CBOR_UNEXPECTED_TYPE, 0x11) \
    EACH(FIDO_ERR_INVALID_CBOR, 0x12) \
    EACH(FIDO_ERR_UNSUPPORTED_EXTENSION, 0x16) \
    EACH(FIDO_ERR_CREDENTIAL_EXCLUDED, 0x19) \
    EACH(FIDO_ERR_INVALID_CREDENTIAL, 0x22) \
    EACH(FIDO_ERR_UNSUPPORTED_ALGORITHM, 0x26) \
    EACH(FIDO_ERR_OPERATION_DENIED, 0x27) \
    EACH(FIDO_ERR_KEY_STORE_FULL, 0x28) \
    EACH(FIDO_ERR_KEEPALIVE_CANCEL, 0x2d) \
    EACH(FIDO_ERR_NO_CREDENTIALS, 0x2e) \
    EACH(FIDO_ERR_USER_ACTION_TIMEOUT, 0x2f) \
    EACH(FIDO_ERR_PIN_INVALID, 0x31) \
    EACH(FIDO_ERR_PIN_BLOCKED, 0x32) \
    EACH(FIDO_ERR_PIN_AUTH_BLOCKED, 0x34) \
    EACH(FIDO_ERR_PIN_NOT_SET, 0x35) \
    EACH(FIDO_ERR_PIN_REQUIRED, 0x36) \
    EACH(FIDO_ERR_PIN_POLICY_VIOLATION, 0x37) \
    EACH(FIDO_ERR_ACTION_TIMEOUT, 0x3a) \
    EACH(FIDO_ERR_UV_BLOCKED, 0x3c) \
    EACH(FIDO_ERR_UV_INVALID, 0x3f) \
    EACH(FIDO_ERR_TX, -1) \
    EACH(FIDO_ERR_RX, -2) \
    EACH(FIDO_ERR_RX_NOT_CBOR, -3) \
    EACH(FIDO_ERR_RX_INVALID_CBOR, -4) \
    EACH(FIDO_ERR_INVALID_PARAM, -5) \
    EACH(FIDO_ERR_INVALID_SIG, -6) \
    EACH(FIDO_ERR_INTERNAL, -9) \
    EACH(FIDO_DISABLE_U2F_FALLBACK, 0x02) \
    EACH(FIDO_OPT_FALSE, 1) \
    EACH(FIDO_OPT_TRUE, 2) \
    EACH(FIDO_EXT_HMAC_SECRET, 0x01) \
    EACH(FIDO_EXT_CRED_PROTECT, 0x02) \
    EACH(FIDO_CRED_PROT_UV_REQUIRED, 0x03) \
    EACH(COSE_ES256, -7) \
    EACH(COSE_EDDSA, -8)

enum {
#define CFIDO2_NUMBER(name, value) C##name = value,
    CFIDO2_NUMBERS(CFIDO2_NUMBER)
#undef CFIDO2_NUMBER
};

/// The functions of a loaded library.
struct cfido2_library {
#define CFIDO2_FIELD(result, name, parameters) result (*_Nonnull name) parameters;
    CFIDO2_FUNCTIONS(CFIDO2_FIELD)
#undef CFIDO2_FIELD
};

/// fido_dev_io_t: the functions for input and output. A read waits at most the given time, or without limit if the time is negative.
struct cfido2_io {
    void *_Nullable (*_Nonnull open)(const char *_Nonnull path);
    void (*_Nonnull close)(void *_Nonnull handle);
    int (*_Nonnull read)(void *_Nonnull handle, unsigned char *_Nonnull bytes, size_t count, int milliseconds);
    int (*_Nonnull write)(void *_Nonnull handle, const unsigned char *_Nonnull bytes, size_t count);
};

/// Loads a library permanently, by a name for dlopen(3); NULL if it is missing or lacks a function. Removes FIDO_DEBUG from the
/// environment, with which libfido2 would print every message.
const struct cfido2_library *_Nullable cfido2_load(const char *_Nonnull name);

/// fido_dev_set_io_functions.
int cfido2_set_io(
    const struct cfido2_library *_Nonnull, struct fido_dev *_Nonnull, const struct cfido2_io *_Nonnull);

#endif

#include "CSoftwareAuthenticator.h"

#if __has_include(<openssl/evp.h>)
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/param_build.h>
#include <string.h>

/// Multiplies a point, or the generator if it is NULL, and writes the result: 64 bytes, or 32 without y.
static bool multiply(const uint8_t *secret, const uint8_t *point, uint8_t *x, uint8_t *y) {
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    BIGNUM *scalar = BN_bin2bn(secret, 32, NULL), *bx = BN_new(), *by = BN_new();
    EC_POINT *start = EC_POINT_new(group), *result = EC_POINT_new(group);
    bool done = BN_cmp(scalar, EC_GROUP_get0_order(group)) < 0 && !BN_is_zero(scalar);
    if (done && point) {
        BN_bin2bn(point, 32, bx);
        BN_bin2bn(point + 32, 32, by);
        // Fails for a point that is not on the curve.
        done = EC_POINT_set_affine_coordinates(group, start, bx, by, NULL) == 1 &&
               EC_POINT_mul(group, result, NULL, start, scalar, NULL) == 1;
    } else if (done) {
        done = EC_POINT_mul(group, result, scalar, NULL, NULL, NULL) == 1;
    }
    done = done && EC_POINT_get_affine_coordinates(group, result, bx, by, NULL) == 1 && BN_bn2binpad(bx, x, 32) == 32 &&
           (!y || BN_bn2binpad(by, y, 32) == 32);
    EC_POINT_free(result);
    EC_POINT_free(start);
    BN_free(by);
    BN_free(bx);
    BN_clear_free(scalar);
    EC_GROUP_free(group);
    return done;
}

bool soft_p256_public(const uint8_t *secret, uint8_t *point) {
    return multiply(secret, NULL, point, point + 32);
}

bool soft_p256_agree(const uint8_t *secret, const uint8_t *point, uint8_t *x) {
    return multiply(secret, point, x, NULL);
}

size_t soft_p256_sign(const uint8_t *secret, const uint8_t *message, size_t count, uint8_t *signature) {
    uint8_t point[65] = {4};
    if (!soft_p256_public(secret, point + 1)) return 0;
    BIGNUM *scalar = BN_bin2bn(secret, 32, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0);
    OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, scalar);
    OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point);
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    EVP_PKEY *key = NULL;
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    size_t size = 72;
    bool done = EVP_PKEY_fromdata_init(context) == 1 && EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters) == 1 &&
                EVP_DigestSignInit(digest, NULL, EVP_sha256(), NULL, key) == 1 &&
                EVP_DigestSign(digest, signature, &size, message, count) == 1;
    EVP_MD_CTX_free(digest);
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_clear_free(scalar);
    return done ? size : 0;
}

bool soft_aes256_cbc(
    bool encrypts, const uint8_t *key, const uint8_t *iv, const uint8_t *input, size_t count, uint8_t *output) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int written = 0;
    bool done = count % 16 == 0 && EVP_CipherInit_ex(context, EVP_aes_256_cbc(), NULL, key, iv, encrypts) == 1 &&
                EVP_CIPHER_CTX_set_padding(context, 0) == 1 &&
                EVP_CipherUpdate(context, output, &written, input, (int)count) == 1 && (size_t)written == count;
    EVP_CIPHER_CTX_free(context);
    return done;
}
#else
bool soft_p256_public(const uint8_t *secret, uint8_t *point) {
    (void)secret, (void)point;
    return false;
}

bool soft_p256_agree(const uint8_t *secret, const uint8_t *point, uint8_t *x) {
    (void)secret, (void)point, (void)x;
    return false;
}

size_t soft_p256_sign(const uint8_t *secret, const uint8_t *message, size_t count, uint8_t *signature) {
    (void)secret, (void)message, (void)count, (void)signature;
    return 0;
}

bool soft_aes256_cbc(
    bool encrypts, const uint8_t *key, const uint8_t *iv, const uint8_t *input, size_t count, uint8_t *output) {
    (void)encrypts, (void)key, (void)iv, (void)input, (void)count, (void)output;
    return false;
}
#endif

// What cannot be undercut: the bare calls of libsodium and SQLite that the product must make, each timed by itself.
//
//     limits FILE ROUNDS      prints "name<TAB>nanoseconds", medians; makes FILE and removes it
//
// Argon2id with the product's cost, an AEAD over a value of 16 bytes with the product's padding and associated data, a synced insert and a
// read of a row as long as an item's, in a table of 10,000 with the product's settings of SQLite.
#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { padded = 64, associated = 51, row = 168 + 104 + 16 + 2, rows = 10000, batch = 1000 };

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print(const char *name, double *samples, int count) {
    qsort(samples, (size_t)count, sizeof *samples, compare);
    printf("%s\t%.0f\n", name, samples[count / 2]);
    fflush(stdout);
}

static void require(int truth, const char *what) {
    if (!truth) {
        fprintf(stderr, "limits: %s\n", what);
        exit(1);
    }
}

static void derive(int rounds) {
    double samples[64];
    unsigned char key[64], salt[crypto_pwhash_SALTBYTES] = {1};
    for (int index = 0; index < rounds; index++) {
        long long start = now();
        require(crypto_pwhash(key, sizeof key, "four words nobody guesses", 25, salt, 3, 256u << 20, crypto_pwhash_ALG_ARGON2ID13) == 0, "crypto_pwhash");
        samples[index] = (double)(now() - start);
    }
    print("Argon2id, 3 passes over 256 MiB", samples, rounds);
}

static void seal_and_open(int rounds) {
    double sealing[64], opening[64];
    unsigned char key[32] = {2}, nonce[24] = {3}, text[padded] = {4}, context[associated] = {5}, sealed[padded + 16], opened[padded];
    unsigned long long length;
    for (int index = 0; index < rounds; index++) {
        long long start = now();
        for (int turn = 0; turn < batch; turn++) {
            nonce[turn % 24]++;
            crypto_aead_xchacha20poly1305_ietf_encrypt(sealed, &length, text, padded, context, associated, NULL, nonce, key);
        }
        long long middle = now();
        for (int turn = 0; turn < batch; turn++)
            require(crypto_aead_xchacha20poly1305_ietf_decrypt(opened, &length, NULL, sealed, sizeof sealed, context, associated, nonce, key) == 0, "it does not open");
        sealing[index] = (double)(middle - start) / batch;
        opening[index] = (double)(now() - middle) / batch;
    }
    require(memcmp(opened, text, padded) == 0, "it opens as something else");
    print("XChaCha20-Poly1305, seal", sealing, rounds);
    print("XChaCha20-Poly1305, open", opening, rounds);
}

static sqlite3_stmt *prepared(sqlite3 *database, const char *text) {
    sqlite3_stmt *statement = NULL;
    require(sqlite3_prepare_v2(database, text, -1, &statement, NULL) == SQLITE_OK, sqlite3_errmsg(database));
    return statement;
}

static void execute(sqlite3 *database, const char *text) {
    require(sqlite3_exec(database, text, NULL, NULL, NULL) == SQLITE_OK, sqlite3_errmsg(database));
}

static void insert(sqlite3_stmt *statement, unsigned number) {
    unsigned char tag[32], bytes[row];
    crypto_generichash(tag, sizeof tag, (const unsigned char *)&number, sizeof number, NULL, 0);
    memset(bytes, (int)number, sizeof bytes);
    sqlite3_bind_blob(statement, 1, tag, sizeof tag, SQLITE_STATIC);
    sqlite3_bind_blob(statement, 2, bytes, sizeof bytes, SQLITE_STATIC);
    require(sqlite3_step(statement) == SQLITE_DONE, "it is not inserted");
    sqlite3_reset(statement);
}

static void insert_and_read(const char *path, int rounds) {
    double inserting[64], reading[64];
    sqlite3 *database;
    require(sqlite3_open(path, &database) == SQLITE_OK, "the file does not open");
    execute(database, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; CREATE TABLE items (tag BLOB PRIMARY KEY, bytes BLOB) WITHOUT ROWID; BEGIN");
    sqlite3_stmt *adding = prepared(database, "INSERT INTO items VALUES (?, ?)");
    unsigned number = 0;
    while (number < rows) insert(adding, number++);
    execute(database, "COMMIT");
    sqlite3_stmt *finding = prepared(database, "SELECT bytes FROM items WHERE tag = ?");
    for (int index = 0; index < rounds; index++) {
        long long start = now();
        insert(adding, number++);
        inserting[index] = (double)(now() - start);
        unsigned wanted = (unsigned)(index * 7919) % rows;
        unsigned char tag[32];
        crypto_generichash(tag, sizeof tag, (const unsigned char *)&wanted, sizeof wanted, NULL, 0);
        start = now();
        sqlite3_bind_blob(finding, 1, tag, sizeof tag, SQLITE_STATIC);
        require(sqlite3_step(finding) == SQLITE_ROW && sqlite3_column_bytes(finding, 0) == row, "it is not found");
        sqlite3_reset(finding);
        reading[index] = (double)(now() - start);
    }
    print("SQLite, a row inserted and synced", inserting, rounds);
    print("SQLite, a row read by its tag", reading, rounds);
    sqlite3_finalize(adding);
    sqlite3_finalize(finding);
    sqlite3_close(database);
    unlink(path);
}

int main(int count, char **arguments) {
    int rounds = count == 3 ? atoi(arguments[2]) : 0;
    if (rounds < 1 || rounds > 64 || sodium_init() < 0) return 64;
    derive(rounds);
    seal_and_open(rounds);
    insert_and_read(arguments[1], rounds);
    return 0;
}

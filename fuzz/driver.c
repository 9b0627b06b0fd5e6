/* SPDX-License-Identifier: MIT */
/* A small stand-in for libFuzzer, for compilers without it: replays the files given, then runs
 * mutations of them.
 *
 *     fuzz_mesh_obj [-runs=N] [-seed=S] [-max_total_time=SECONDS] [-artifact_prefix=PREFIX]
 *       FILE-OR-FOLDER ...
 *
 * The options are named as libFuzzer's; others that begin with '-' are ignored. Without -runs
 * and -max_total_time only the files are replayed. The same seed and files give the same inputs.
 * It is blind (no coverage): a smoke test, not a search. An input that aborts is written to
 * PREFIXcrash-NAME. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 1 << 16 };

typedef struct input {
    uint8_t *bytes;
    size_t size;
} input;

static input *inputs;
static size_t input_count;
static const char *artifact_prefix = "";

/* What is running, for the handler. */
static const uint8_t *current;
static size_t current_size;

static void on_abort(int signal_number)
{
    char name[512];
    snprintf(name, sizeof name, "%scrash-%s-%ld", artifact_prefix, FUZZ_NAME, (long)getpid());
    FILE *file = fopen(name, "wb");
    if (file) {
        fwrite(current, 1, current_size, file);
        fclose(file);
        fprintf(stderr, "the input is in %s; replay it with: %s %s\n", name, FUZZ_NAME, name);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* In memory of the exact size, so that a sanitizer sees any step beyond it. */
static void run(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        exit(3);
    if (size)
        memcpy(copy, bytes, size);
    current = copy;
    current_size = size;
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void add_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    uint8_t *bytes = malloc(LONGEST);
    input *grown = realloc(inputs, (input_count + 1) * sizeof *inputs);
    if (!file || !bytes || !grown) {
        fprintf(stderr, "%s: cannot be read\n", name);
        exit(3);
    }
    inputs = grown;
    inputs[input_count].size = fread(bytes, 1, LONGEST, file);
    inputs[input_count++].bytes = bytes;
    fclose(file);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_path(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        fprintf(stderr, "%s: does not exist\n", path);
        exit(3);
    }
    if (!S_ISDIR(info.st_mode)) {
        add_file(path);
        return;
    }
    struct dirent **entries;
    const int count = scandir(path, &entries, NULL, by_name);
    for (int i = 0; i < count; ++i) {
        char name[1024];
        if (entries[i]->d_name[0] != '.' &&
            snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name) < (int)sizeof name)
            add_path(name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* splitmix64 */
static uint64_t random_state;

static uint64_t random_bits(void)
{
    uint64_t z = (random_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t below(size_t n)
{
    return n ? (size_t)(random_bits() % n) : 0;
}

/* Replaces bytes [at, at + drop) by `size` bytes of `with`. */
static size_t splice(uint8_t *bytes, size_t length, size_t at, size_t drop, const uint8_t *with, size_t size)
{
    if (drop > length - at)
        drop = length - at;
    if (length - drop + size > LONGEST)
        return length;
    memmove(bytes + at + size, bytes + at + drop, length - at - drop);
    memcpy(bytes + at, with, size);
    return length - drop + size;
}

static size_t mutate(uint8_t *bytes, size_t length)
{
    static const char *const words[] = { "0",    "-1",   "1e999", "4294967295", "99999999999", "nan", "\n",
                                         "\r\n", "\\\n", "#",     "/",          " ",           "[",   "]",
                                         "{",    "}",    "\"",    "null",       "1e-400" };
    uint8_t few[8];
    for (size_t changes = 1 + below(4); changes > 0; --changes) {
        const size_t at = below(length + 1);
        const uint64_t bits = random_bits();
        memcpy(few, &bits, sizeof few);
        switch (below(6)) {
        case 0: length = splice(bytes, length, at, 1, few, 1); break;
        case 1:
            if (at < length)
                bytes[at] = (uint8_t)(bytes[at] ^ 1u << below(8));
            break;
        case 2: length = splice(bytes, length, at, 1 + below(16), few, 0); break;
        case 3: length = splice(bytes, length, at, 0, few, 1 + below(8)); break;
        case 4: {
            const char *word = words[below(sizeof words / sizeof *words)];
            length = splice(bytes, length, at, below(4), (const uint8_t *)word, strlen(word));
            break;
        }
        default: {
            const input *other = &inputs[below(input_count)];
            const size_t from = below(other->size), left = other->size - from;
            length = splice(bytes, length, at, below(32), other->bytes + from, below(left < 64 ? left : 64));
        }
        }
    }
    return length;
}

int main(int argc, char **argv)
{
    uint64_t runs = 0, seconds = 0;
    for (int i = 1; i < argc; ++i) {
        const char *value = strchr(argv[i], '=');
        if (strncmp(argv[i], "-runs=", 6) == 0)
            runs = strtoull(value + 1, NULL, 10);
        else if (strncmp(argv[i], "-seed=", 6) == 0)
            random_state = strtoull(value + 1, NULL, 10);
        else if (strncmp(argv[i], "-max_total_time=", 16) == 0)
            seconds = strtoull(value + 1, NULL, 10);
        else if (strncmp(argv[i], "-artifact_prefix=", 17) == 0)
            artifact_prefix = value + 1;
        else if (argv[i][0] != '-')
            add_path(argv[i]);
    }
    signal(SIGABRT, on_abort);
    for (size_t i = 0; i < input_count; ++i)
        run(inputs[i].bytes, inputs[i].size);
    static uint8_t bytes[LONGEST + 64];
    const time_t end = time(NULL) + (time_t)seconds;
    uint64_t done = 0;
    for (; input_count > 0 && (runs ? done < runs : seconds > 0); ++done) {
        if (seconds && (done & 63) == 0 && time(NULL) >= end)
            break;
        const input *seed = &inputs[below(input_count)];
        memcpy(bytes, seed->bytes, seed->size);
        run(bytes, mutate(bytes, seed->size));
    }
    printf("%s: %zu inputs replayed, %llu mutations run, no finding\n", FUZZ_NAME, input_count,
           (unsigned long long)done);
    for (size_t i = 0; i < input_count; ++i)
        free(inputs[i].bytes);
    free(inputs);
    return 0;
}

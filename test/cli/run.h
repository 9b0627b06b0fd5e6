/* SPDX-License-Identifier: MIT */
/* Runs the built command and catches all it does: exit code or signal, standard output, standard
 * error. Both go through temporary files, so nothing can block. The program's path is
 * ABUT_COMMAND; it runs in the source folder. */
#ifndef ABUT_TEST_CLI_RUN_H
#define ABUT_TEST_CLI_RUN_H

#if !defined(_POSIX_C_SOURCE) && !defined(_XOPEN_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN_ARGUMENTS 64

typedef struct run_result {
    int code;   /* -1 when a signal ended it */
    int signal; /* 0 when it exited */
    char *out, *err;
    size_t out_length;
} run_result;

typedef struct run_setup {
    const char *input;   /* text on standard input; NULL: nothing */
    const char *out_to;  /* write standard output to this file instead */
    int out_fd;          /* or to this descriptor, when > 0 */
    bool close_out;      /* or close it */
    bool ignore_sigpipe; /* as some parents do */
    int err_fd;          /* standard error goes to this descriptor, when > 0 */
} run_setup;

static inline char *run_read_back(FILE *file, size_t *length)
{
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    char *text = (char *)calloc((size_t)size + 1, 1);
    rewind(file);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
        TEST_FAIL("cannot read back the output");
    if (length)
        *length = (size_t)size;
    return text;
}

static inline run_result run_argv(const run_setup *setup, char *const *argv)
{
    static const run_setup plain;
    run_result result = { .code = -1 };
    if (!setup)
        setup = &plain;
    FILE *const in = tmpfile(), *const out = tmpfile(), *const err = tmpfile();
    if (!in || !out || !err)
        TEST_FAIL("no temporary files");
    if (setup->input)
        fputs(setup->input, in);
    fflush(in);
    rewind(in);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(120);
        if (chdir(ABUT_SOURCE_DIR) != 0)
            _exit(126);
        signal(SIGPIPE, setup->ignore_sigpipe ? SIG_IGN : SIG_DFL);
        dup2(fileno(in), 0);
        if (setup->out_to)
            dup2(open(setup->out_to, O_WRONLY), 1);
        else if (setup->out_fd > 0)
            dup2(setup->out_fd, 1);
        else if (setup->close_out)
            close(1);
        else
            dup2(fileno(out), 1);
        dup2(setup->err_fd > 0 ? setup->err_fd : fileno(err), 2);
        execv(ABUT_COMMAND, argv);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        TEST_FAIL("cannot run %s", ABUT_COMMAND);
    if (WIFEXITED(status))
        result.code = WEXITSTATUS(status);
    else
        result.signal = WTERMSIG(status);
    result.out = run_read_back(out, &result.out_length);
    result.err = run_read_back(err, NULL);
    fclose(in);
    fclose(out);
    fclose(err);
    return result;
}

/* The line is split at blanks. @name represents the scene test/cli/scenes/name.json, %name for
 * the bundled scenes/name.json, '' for an empty argument, and ~ in an argument for a blank. */
static inline run_result run_with(const run_setup *setup, const char *line)
{
    static char copy[4096], scenes[RUN_ARGUMENTS][512];
    char *argv[RUN_ARGUMENTS + 2] = { (char *)(uintptr_t) "abut" };
    int argc = 1;
    if (strlen(line) >= sizeof copy)
        TEST_FAIL("line too long");
    memcpy(copy, line, strlen(line) + 1);
    for (char *word = strtok(copy, " "); word && argc <= RUN_ARGUMENTS; word = strtok(NULL, " ")) {
        if (word[0] == '@') {
            snprintf(scenes[argc - 1], sizeof scenes[0], "test/cli/scenes/%s.json", word + 1);
            word = scenes[argc - 1];
        } else if (word[0] == '%') {
            snprintf(scenes[argc - 1], sizeof scenes[0], "scenes/%s.json", word + 1);
            word = scenes[argc - 1];
        } else if (strcmp(word, "''") == 0) {
            word[0] = 0;
        }
        for (char *c = word; *c; ++c)
            if (*c == '~')
                *c = ' ';
        argv[argc++] = word;
    }
    return run_argv(setup, argv);
}

static inline run_result run_line(const char *line)
{
    return run_with(NULL, line);
}

static inline void run_free(run_result *result)
{
    free(result->out);
    free(result->err);
    *result = (run_result){ .code = -1 };
}

/* The usual expectation; prints what came instead. */
static inline void run_expect(const char *line, const run_result *result, int code)
{
    TEST_CHECK(result->code == code, "abut %s: exit %d (signal %d), expected %d\nstdout: %s\nstderr: %s",
               line, result->code, result->signal, code, result->out, result->err);
}

#endif

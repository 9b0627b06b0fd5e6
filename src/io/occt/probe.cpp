// SPDX-License-Identifier: MIT
// A first reading in a child process: Open CASCADE crashes, hangs or asks for all memory on some damaged
// files, and none of that may happen to the caller. What the child survives is read again here.
#include "io/occt/probe.hpp"

#if defined(__unix__) || defined(__APPLE__)
#define ABUT_OCCT_PROBE
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace abut_occt {

#ifdef ABUT_OCCT_PROBE

namespace {

enum outcome { ORDERLY = 0, NO_MEMORY = 3 };

template <class kind> void limit(kind resource, double most)
{
    rlimit now{};
    if (getrlimit(resource, &now) != 0)
        return;
    const rlim_t wanted = static_cast<rlim_t>(most);
    if (now.rlim_max == RLIM_INFINITY || wanted < now.rlim_max)
        now.rlim_max = wanted;
    if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > now.rlim_max)
        now.rlim_cur = now.rlim_max;
    (void)setrlimit(resource, &now);
}

// What the process has mapped already, which the limit counts, too.
double mapped()
{
    double pages = 0;
    if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%lf", &pages) != 1)
            pages = 0;
        std::fclose(file);
    }
    return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void run_child(const std::function<void()> &read, double bytes)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU };
    for (const int s : signals)
        std::signal(s, SIG_DFL);
    const int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, 3 + 10e-6 * bytes);
    const double before = mapped();
    if (before > 0)
        limit(RLIMIT_AS, before + 2e9 + 200 * bytes);
    try {
        read();
    } catch (const std::bad_alloc &) {
        _exit(NO_MEMORY);
    } catch (...) {
        _exit(ORDERLY);
    }
    _exit(ORDERLY);
}

} // namespace

std::string probe(const char *path, const std::function<void()> &read)
{
    struct stat about {};
    const double bytes = stat(path, &about) == 0 ? static_cast<double>(about.st_size) : 0;
    const pid_t child = fork();
    if (child < 0)
        return {};
    if (child == 0)
        run_child(read, bytes);
    int status = 0;
    pid_t done;
    do
        done = waitpid(child, &status, 0);
    while (done < 0 && errno == EINTR);
    if (done != child)
        return {};
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        return "Open CASCADE does not come to an end with it; the file is damaged";
    if (WIFSIGNALED(status))
        return "Open CASCADE crashes on it (signal " + std::to_string(WTERMSIG(status)) +
               "); the file is damaged";
    if (WEXITSTATUS(status) == NO_MEMORY)
        return "Open CASCADE asks for more memory than a file of its size can need; the file is damaged";
    if (WEXITSTATUS(status) != ORDERLY)
        return "Open CASCADE gives up on it; the file is damaged";
    return {};
}

#else

std::string probe(const char *, const std::function<void()> &)
{
    return {};
}

#endif

} // namespace abut_occt

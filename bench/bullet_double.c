/* SPDX-License-Identifier: MIT */
/* Loads the module with the double-precision build of Bullet. RTLD_DEEPBIND makes the module and
 * the libraries it brings find their own names before those of the float build, which the
 * program itself is linked with. */
#define _GNU_SOURCE
#include "peers.h"

#include <dlfcn.h>
#include <stdio.h>

const bench_bullet_table *bench_bullet_double(void)
{
    static const bench_bullet_table *table;
    static bool tried;
    if (tried)
        return table;
    tried = true;
    void *module = dlopen("abut_bench_bullet64.so", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (module)
        table = dlsym(module, "bench_bullet64");
    return table;
}

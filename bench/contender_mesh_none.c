/* SPDX-License-Identifier: MIT */
/* Stands in for contender_mesh.c until the queries are there. */
#include "contender_abut.h"

bench_contender bench_abut_mesh(bench_mesh_query query)
{
    (void)query;
    return (bench_contender){ 0 };
}

bench_contender bench_abut_sheet(void)
{
    return (bench_contender){ 0 };
}

/* SPDX-License-Identifier: MIT */
/* Scratch memory of pair methods. */
#include "base/workspace.h"
#include "narrow/pair/pair.h"

abut_status abut_pair_with_scratch(abut_pair_fn method, const abut_pair *pair, abut_workspace *ws,
                                   abut_check_result *out)
{
    abut_workspace own;
    if (!ws)
        abut_workspace_open(&own, &pair->a->alloc);
    abut_workspace *used = ws ? ws : &own;
    const abut_workspace_mark mark = abut_workspace_begin(used);
    const abut_status status = method(pair, used, out);
    abut_workspace_end(used, mark);
    if (!ws)
        abut_workspace_close(&own);
    return status;
}

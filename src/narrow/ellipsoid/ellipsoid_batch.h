/* SPDX-License-Identifier: MIT */
/* Many pairs of ellipsoids, four at a time: the certificates of ellipsoid_relate.c. Included by the
 * two files that instantiate it, with ELLIPSOID_AVX2 set or not.
 *
 * First balls around and inside the bodies; what these leave is gathered, so that four pairs are
 * always four that need the work. Then v = (Pa + m Pb)^-1 t for m = Ra / Rb, and m ka / kb after
 * that. Errors, derived in docs/notes/ellipsoids-static.md: v . P v is off by 9 u tr P |v|^2;
 * with what v . t and the roots are off by, P's trace times 2^-48 |v|^2 under each root is more
 * than all. Sums of three with a fused product are off by less. */
#include "narrow/ellipsoid/ellipsoid_lanes.h"
#include "narrow/ellipsoid/ellipsoid_set.h"

enum { QUEUE = 64, MOST_ROUNDS = 6 };

typedef struct many {
    lanes xx, yy, zz, xy, xz, yz;
} many;

typedef struct many3 {
    lanes x, y, z;
} many3;

static inline many3 v_apply(const many *p, const many3 *v)
{
    return (many3){ v_madd(p->xx, v->x, v_madd(p->xy, v->y, v_mul(p->xz, v->z))),
                    v_madd(p->xy, v->x, v_madd(p->yy, v->y, v_mul(p->yz, v->z))),
                    v_madd(p->xz, v->x, v_madd(p->yz, v->y, v_mul(p->zz, v->z))) };
}

static inline lanes v_dot(const many3 *a, const many3 *b)
{
    return v_madd(a->x, b->x, v_madd(a->y, b->y, v_mul(a->z, b->z)));
}

static inline void load(const double *const from[4], lanes first[4], many *p, lanes *inner)
{
    lanes second[4], third[4];
    v_gather(from, 0, first);
    v_gather(from, 4, second);
    v_gather(from, 8, third);
    *inner = second[0];
    *p = (many){ second[1], second[2], second[3], third[0], third[1], third[2] };
}

/* Bits of those that are apart, and of those whose interiors meet. */
static inline void decide_four(const double *const a[4], const double *const b[4], unsigned *apart,
                               unsigned *meeting)
{
    const lanes one = v_all(1), small = v_all(0x1p-48);
    lanes ca[4], cb[4], ra, rb;
    many pa, pb;
    load(a, ca, &pa, &ra);
    load(b, cb, &pb, &rb);
    const many3 t = { v_sub(cb[0], ca[0]), v_sub(cb[1], ca[1]), v_sub(cb[2], ca[2]) };
    const lanes tra = v_add(pa.xx, v_add(pa.yy, pa.zz)), trb = v_add(pb.xx, v_add(pb.yy, pb.zz));
    const lanes tt = v_dot(&t, &t);
    lanes m = v_div(ca[3], cb[3]);
    *apart = *meeting = 0;
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        const many g = { v_madd(m, pb.xx, pa.xx), v_madd(m, pb.yy, pa.yy), v_madd(m, pb.zz, pa.zz),
                         v_madd(m, pb.xy, pa.xy), v_madd(m, pb.xz, pa.xz), v_madd(m, pb.yz, pa.yz) };
        const many adj = {
            v_less(g.yz, g.yz, v_mul(g.yy, g.zz)), v_less(g.xz, g.xz, v_mul(g.xx, g.zz)),
            v_less(g.xy, g.xy, v_mul(g.xx, g.yy)), v_less(g.xy, g.zz, v_mul(g.xz, g.yz)),
            v_less(g.xz, g.yy, v_mul(g.xy, g.yz)), v_less(g.xx, g.yz, v_mul(g.xy, g.xz)),
        };
        const lanes over = v_div(one, v_madd(g.xx, adj.xx, v_madd(g.xy, adj.xy, v_mul(g.xz, adj.xz))));
        const many3 n = v_apply(&adj, &t);
        const many3 v = { v_mul(n.x, over), v_mul(n.y, over), v_mul(n.z, over) };
        const many3 x = v_apply(&pa, &v), y = v_apply(&pb, &v);
        const lanes vv = v_mul(small, v_dot(&v, &v)), along = v_dot(&v, &t);
        const lanes ka = v_sqrt(v_madd(vv, tra, v_dot(&v, &x))), hb = v_sqrt(v_madd(vv, trb, v_dot(&v, &y)));
        const lanes kb = v_mul(m, hb);
        *apart |= v_above(along, v_add(ka, hb));
        /* z = t - m Pb v is in b when kb < 1, and in a when ka + |r| / (inner radius of a) < 1
         * for r = z - Pa v. */
        const many3 r = { v_less(m, y.x, v_sub(t.x, x.x)), v_less(m, y.y, v_sub(t.y, x.y)),
                          v_less(m, y.z, v_sub(t.z, x.z)) };
        const lanes mtr = v_mul(m, trb), rr = v_dot(&r, &r);
        const lanes parts = v_madd(v_mul(v_all(0x1p48), vv), v_madd(tra, tra, v_mul(mtr, mtr)), tt);
        const lanes rest = v_sqrt(v_madd(v_all(0x1p-95), parts, v_add(rr, rr)));
        const lanes least = v_all(1 - 0x1p-46);
        *meeting |= v_above(v_mul(least, ra), v_madd(ka, ra, rest)) & v_above(least, kb);
        if ((*apart | *meeting) == 15)
            return;
        m = v_mul(m, v_div(ka, kb));
    }
}

static void decide_queue(const abut_ellipsoid_job *job, const uint32_t *queue, unsigned count)
{
    for (unsigned i = 0; i < count; i += 4) {
        const double *a[4], *b[4];
        for (unsigned k = 0; k < 4; ++k) {
            const uint32_t at = queue[i + k < count ? i + k : count - 1];
            a[k] = job->records + (size_t)ABUT_ELLIPSOID_RECORD * job->pairs[2 * (size_t)at];
            b[k] = job->records + (size_t)ABUT_ELLIPSOID_RECORD * job->pairs[2 * (size_t)at + 1];
        }
        unsigned apart, meeting;
        decide_four(a, b, &apart, &meeting);
        for (unsigned k = 0; k < 4 && i + k < count; ++k)
            job->verdicts[queue[i + k]] = apart >> k & 1     ? ABUT_SEPARATE
                                          : meeting >> k & 1 ? ABUT_PENETRATING
                                                             : ABUT_UNDECIDED;
    }
}

static void decide_all(const abut_ellipsoid_job *job)
{
    uint32_t queue[QUEUE + 4];
    unsigned waiting = 0;
    for (size_t i = 0; i < job->count; i += 4) {
        const unsigned n = job->count - i < 4 ? (unsigned)(job->count - i) : 4;
        const double *a[4], *b[4];
        for (unsigned k = 0; k < 4; ++k) {
            const size_t at = k < n ? i + k : i;
            a[k] = job->records + (size_t)ABUT_ELLIPSOID_RECORD * job->pairs[2 * at];
            b[k] = job->records + (size_t)ABUT_ELLIPSOID_RECORD * job->pairs[2 * at + 1];
        }
        lanes ca[4], cb[4];
        v_gather(a, 0, ca);
        v_gather(b, 0, cb);
        double inner[4];
        for (int k = 0; k < 4; ++k)
            inner[k] = a[k][4] + b[k][4];
        const many3 t = { v_sub(cb[0], ca[0]), v_sub(cb[1], ca[1]), v_sub(cb[2], ca[2]) };
        const lanes tt = v_dot(&t, &t), reach = v_add(ca[3], cb[3]);
        const unsigned apart = v_above(v_mul(tt, v_all(1 - 0x1p-48)), v_mul(reach, reach));
        double square[4];
        v_store(square, tt);
        for (unsigned k = 0; k < n; ++k) {
            const bool meeting = square[k] < inner[k] * inner[k] * (1 - 0x1p-48);
            job->verdicts[i + k] = apart >> k & 1 ? ABUT_SEPARATE
                                   : meeting      ? ABUT_PENETRATING
                                                  : ABUT_UNDECIDED;
            queue[waiting] = (uint32_t)(i + k);
            waiting += !(apart >> k & 1) & !meeting;
        }
        if (waiting >= QUEUE) {
            decide_queue(job, queue, QUEUE);
            waiting -= QUEUE;
            for (unsigned k = 0; k < waiting; ++k)
                queue[k] = queue[QUEUE + k];
        }
    }
    if (waiting)
        decide_queue(job, queue, waiting);
}

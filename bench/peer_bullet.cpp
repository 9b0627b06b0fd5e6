// SPDX-License-Identifier: MIT Bullet 3.24 on convex bodies, compiled twice: with floats into the program,
// and with doubles (BT_USE_DOUBLE_PRECISION) into a module of its own, because both builds export the same
// names. Margins are 0, except that a sphere's and a capsule's radius is its margin. Ellipsoids are a convex
// shape of ours, since a scaled multi-sphere is none.
#include "peer_state.h"

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConeShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/NarrowPhaseCollision/btContinuousConvexCollision.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkConvexCast.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btSubSimplexConvexCast.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include <cmath>
#include <memory>
#include <vector>

#ifdef BT_USE_DOUBLE_PRECISION
#define BUILD "Bullet-f64 "
#else
#define BUILD "Bullet-f32 "
#endif

namespace {

enum { PAIR_DETECTOR, GJK_EPA, WARM_DETECTOR }; // WARM: from the last separating axis, on coherent pairs
enum { CONTINUOUS, GJK_CAST, SUBSIMPLEX_CAST };

btScalar number(double x)
{
    return btScalar(x);
}

class Ellipsoid : public btConvexInternalShape {
  public:
    explicit Ellipsoid(const double axes[3]) : axes_(number(axes[0]), number(axes[1]), number(axes[2]))
    {
        m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
    }
    btVector3 localGetSupportingVertexWithoutMargin(const btVector3 &d) const override
    {
        const btVector3 k = axes_ * d;
        const btScalar square = k.length2();
        return square > 0 ? axes_ * k / btSqrt(square) : btVector3(axes_.x(), 0, 0);
    }
    void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3 *d, btVector3 *out,
                                                           int n) const override
    {
        for (int i = 0; i < n; ++i)
            out[i] = localGetSupportingVertexWithoutMargin(d[i]);
    }
    void calculateLocalInertia(btScalar, btVector3 &inertia) const override
    {
        inertia.setZero();
    }
    const char *getName() const override
    {
        return "ellipsoid";
    }

  private:
    btVector3 axes_;
};

struct Peer {
    using Body = std::shared_ptr<btConvexShape>;
    using Place = btTransform;

    static Body make_hull(const bench_hull &hull)
    {
        auto out = std::make_shared<btConvexHullShape>();
        for (size_t i = 0; i < hull.point_count; ++i)
            out->addPoint(
                btVector3(number(hull.points[i][0]), number(hull.points[i][1]), number(hull.points[i][2])),
                false);
        out->recalcLocalAabb();
        out->setMargin(0);
        return out;
    }

    static Body make(const bench_body &body, const bench_hull *hulls, const std::vector<Body> &made)
    {
        const double *s = body.size;
        Body out;
        switch (body.type) {
        case BENCH_SPHERE: return std::make_shared<btSphereShape>(number(s[0]));
        case BENCH_CAPSULE: return std::make_shared<btCapsuleShapeZ>(number(s[0]), number(2 * s[1]));
        case BENCH_HULL: return made[size_t(body.hull - hulls)];
        case BENCH_BOX:
            out = std::make_shared<btBoxShape>(btVector3(number(s[0]), number(s[1]), number(s[2])));
            break;
        case BENCH_CYLINDER:
            out = std::make_shared<btCylinderShapeZ>(btVector3(number(s[0]), number(s[0]), number(s[1])));
            break;
        case BENCH_CONE: out = std::make_shared<btConeShapeZ>(number(s[0]), number(2 * s[1])); break;
        case BENCH_ELLIPSOID: out = std::make_shared<Ellipsoid>(s); break;
        }
        out->setMargin(0);
        return out;
    }

    static btTransform make(const bench_place &place)
    {
        const double(*r)[3] = place.rotation;
        return btTransform(
            btMatrix3x3(number(r[0][0]), number(r[0][1]), number(r[0][2]), number(r[1][0]), number(r[1][1]),
                        number(r[1][2]), number(r[2][0]), number(r[2][1]), number(r[2][2])),
            btVector3(number(place.position[0]), number(place.position[1]), number(place.position[2])));
    }
};

struct RestState : Rest<Peer> {
    using Rest<Peer>::Rest;
    std::vector<btVector3> axis; // of coherent pairs
};

void *prepare_rest(void *data, int variant)
{
    const auto *job = static_cast<const bench_rest *>(data);
    if (variant == WARM_DETECTOR && !job->set->period)
        return nullptr;
    auto *s = new RestState(job);
    s->axis.assign(job->set->period, btVector3(0, 1, 0));
    return s;
}

// Radii that the solver leaves out of a distance.
btScalar margins(const btConvexShape *a, const btConvexShape *b)
{
    return a->getMargin() + b->getMargin();
}

double by_pair_detector(const RestState &s, size_t i, bench_query query, btVector3 *axis)
{
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver epa;
    btGjkPairDetector detector(s.a[i].get(), s.b[i].get(), &simplex,
                               query == BENCH_DISTANCE ? nullptr : &epa);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = s.at_a[i];
    input.m_transformB = s.at_b[i];
    btPointCollector found;
    if (axis)
        detector.setCachedSeparatingAxis(*axis);
    detector.getClosestPoints(input, found, nullptr);
    if (axis && detector.getCachedSeparatingAxis().length2() > number(1e-12))
        *axis = detector.getCachedSeparatingAxis();
    const double distance = found.m_hasResult ? double(found.m_distance) : NAN;
    if (query == BENCH_BOOLEAN)
        return found.m_hasResult && distance <= 0;
    return query == BENCH_DISTANCE ? distance : -distance;
}

double by_gjk_epa(const RestState &s, size_t i, bench_query query)
{
    const btVector3 guess = s.at_b[i].getOrigin() - s.at_a[i].getOrigin();
    btGjkEpaSolver2::sResults results;
    if (query == BENCH_DEPTH) {
        const bool fine =
            btGjkEpaSolver2::Penetration(s.a[i].get(), s.at_a[i], s.b[i].get(), s.at_b[i], guess, results);
        return fine ? -double(results.distance) : NAN;
    }
    const bool apart =
        btGjkEpaSolver2::Distance(s.a[i].get(), s.at_a[i], s.b[i].get(), s.at_b[i], guess, results);
    const double distance = apart ? double(results.distance - margins(s.a[i].get(), s.b[i].get())) : -1;
    return query == BENCH_BOOLEAN ? distance <= 0 : distance;
}

double run_rest(void *state, int variant)
{
    auto *s = static_cast<RestState *>(state);
    const auto *job = static_cast<const bench_rest *>(s->answers.job);
    for (size_t i = 0; i < job->count; ++i) {
        btVector3 *axis = variant == WARM_DETECTOR ? &s->axis[job->index[i] % job->set->period] : nullptr;
        s->answers.value[i] =
            variant == GJK_EPA ? by_gjk_epa(*s, i, job->query) : by_pair_detector(*s, i, job->query, axis);
    }
    return bench_answers_sum(&s->answers, job->count);
}

// ---- sweeps ----

void *prepare_moving(void *data, int)
{
    return new Moving<Peer>(static_cast<const bench_moving *>(data));
}

double run_moving(void *state, int variant)
{
    auto *s = static_cast<Moving<Peer> *>(state);
    const auto *job = static_cast<const bench_moving *>(s->answers.job);
    for (size_t i = 0; i < job->count; ++i) {
        btVoronoiSimplexSolver simplex;
        btGjkEpaPenetrationDepthSolver epa;
        btConvexCast::CastResult result;
        result.m_fraction = 1;
        const btConvexShape *a = s->a[i].get(), *b = s->b[i].get();
        bool hit = false;
        if (variant == CONTINUOUS) {
            btContinuousConvexCollision cast(a, b, &simplex, &epa);
            hit = cast.calcTimeOfImpact(s->a0[i], s->a1[i], s->b0[i], s->b1[i], result);
        } else if (variant == GJK_CAST) {
            btGjkConvexCast cast(a, b, &simplex);
            hit = cast.calcTimeOfImpact(s->a0[i], s->a1[i], s->b0[i], s->b1[i], result);
        } else {
            btSubsimplexConvexCast cast(a, b, &simplex);
            hit = cast.calcTimeOfImpact(s->a0[i], s->a1[i], s->b0[i], s->b1[i], result);
        }
        s->answers.value[i] = hit ? double(result.m_fraction) : 2;
    }
    return bench_answers_sum(&s->answers, job->count);
}

int rest(bench_query query, bench_class, bench_contender *out, int module)
{
    static const char *const epa[] = { BUILD "btGjkEpa2::Distance", BUILD "btGjkEpa2::Distance",
                                       BUILD "btGjkEpa2::Penetration" };
    if (query == BENCH_CONTACTS || module < 3) // which it makes in a world of bodies
        return 0;
    out[0] = { BUILD "btGjkPairDetector", PAIR_DETECTOR, prepare_rest,     run_rest,
               bench_rest_wrong,          nullptr,       finish<RestState> };
    out[1] = { epa[query], GJK_EPA, prepare_rest, run_rest, bench_rest_wrong, nullptr, finish<RestState> };
    out[2] = { BUILD "btGjkPairDetector warm",
               WARM_DETECTOR,
               prepare_rest,
               run_rest,
               bench_rest_wrong,
               nullptr,
               finish<RestState> };
    return 3;
}

int moving(bench_class, bool turning, bench_contender *out, int module)
{
    static const char *const names[] = { BUILD "btContinuousConvexCollision", BUILD "btGjkConvexCast",
                                         BUILD "btSubsimplexConvexCast" };
    const int count = turning ? 1 : 3; // the casts know translations only
    if (module < count)
        return 0;
    for (int v = 0; v < count; ++v)
        out[v] = {
            names[v], v, prepare_moving, run_moving, bench_moving_wrong, nullptr, finish<Moving<Peer>>
        };
    return count;
}

} // namespace

#ifdef BT_USE_DOUBLE_PRECISION
extern "C" __attribute__((visibility("default"))) const bench_bullet_table bench_bullet64 = { rest, moving };
#else
int bench_bullet_rest(bench_query query, bench_class c, bench_contender *out, int module)
{
    return rest(query, c, out, module);
}

int bench_bullet_moving(bench_class c, bool turning, bench_contender *out, int module)
{
    return moving(c, turning, out, module);
}
#endif

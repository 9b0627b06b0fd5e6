// SPDX-License-Identifier: MIT FCL 0.7 on convex bodies: collide, distance and continuousCollide with both of
// its solvers, on prepared geometries. Its own bodies are used throughout: Box, Capsule, Sphere, Ellipsoid,
// Cylinder, Cone, Convex. On coherent pairs INDEP also starts from the last guess; LIBCCD ignores it.
#include "peer_fcl.h"
#include "peer_state.h"

#include <cmath>
#include <memory>
#include <vector>

namespace {

enum { LIBCCD, INDEP, WARM }; // WARM is added to one of the others

struct Peer {
    using Body = std::shared_ptr<fcl::CollisionGeometryd>;
    using Place = fcl::Transform3d;

    static Body make_hull(const bench_hull &hull)
    {
        auto points = std::make_shared<std::vector<fcl::Vector3d>>();
        auto faces = std::make_shared<std::vector<int>>();
        for (size_t i = 0; i < hull.point_count; ++i)
            points->emplace_back(hull.points[i][0], hull.points[i][1], hull.points[i][2]);
        for (size_t i = 0; i < hull.triangle_count; ++i) {
            faces->push_back(3);
            for (int k = 0; k < 3; ++k)
                faces->push_back(int(hull.triangles[i][k]));
        }
        return std::make_shared<fcl::Convexd>(points, int(hull.triangle_count), faces);
    }

    static Body make(const bench_body &body, const bench_hull *hulls, const std::vector<Body> &made)
    {
        const double *s = body.size;
        Body out;
        switch (body.type) {
        case BENCH_SPHERE: out = std::make_shared<fcl::Sphered>(s[0]); break;
        case BENCH_BOX: out = std::make_shared<fcl::Boxd>(2 * s[0], 2 * s[1], 2 * s[2]); break;
        case BENCH_CAPSULE: out = std::make_shared<fcl::Capsuled>(s[0], 2 * s[1]); break;
        case BENCH_CYLINDER: out = std::make_shared<fcl::Cylinderd>(s[0], 2 * s[1]); break;
        case BENCH_CONE: out = std::make_shared<fcl::Coned>(s[0], 2 * s[1]); break;
        case BENCH_ELLIPSOID: out = std::make_shared<fcl::Ellipsoidd>(s[0], s[1], s[2]); break;
        case BENCH_HULL: return made[size_t(body.hull - hulls)];
        }
        out->computeLocalAABB();
        return out;
    }

    static fcl::Transform3d make(const bench_place &place)
    {
        return fcl_transform(place);
    }
};

struct RestState : Rest<Peer> {
    using Rest<Peer>::Rest;
    std::vector<fcl::Vector3d> guess; // of coherent pairs
};

fcl::GJKSolverType solver(int variant)
{
    return variant % WARM == LIBCCD ? fcl::GST_LIBCCD : fcl::GST_INDEP;
}

void *prepare_rest(void *data, int variant)
{
    const auto *job = static_cast<const bench_rest *>(data);
    if (variant >= WARM && !job->set->period)
        return nullptr;
    auto *s = new RestState(job);
    s->guess.assign(job->set->period, fcl::Vector3d(1, 0, 0));
    return s;
}

double run_rest(void *state, int variant)
{
    auto *s = static_cast<RestState *>(state);
    const auto *job = static_cast<const bench_rest *>(s->answers.job);
    const bool warm = variant >= WARM;
    const auto guess = [&](size_t i) -> fcl::Vector3d & {
        return s->guess[job->index[i] % job->set->period];
    };
    if (job->query == BENCH_DISTANCE) {
        fcl::DistanceRequestd request;
        request.gjk_solver_type = solver(variant);
        request.distance_tolerance = variant % WARM == LIBCCD ? 1e-10 : 1e-6;
        for (size_t i = 0; i < job->count; ++i) {
            fcl::DistanceResultd result;
            fcl::distance(s->a[i].get(), s->at_a[i], s->b[i].get(), s->at_b[i], request, result);
            s->answers.value[i] = result.min_distance;
        }
    } else {
        fcl::CollisionRequestd request;
        request.gjk_solver_type = solver(variant);
        request.enable_contact = job->query >= BENCH_DEPTH;
        request.num_max_contacts = job->query >= BENCH_DEPTH ? 8 : 1;
        request.enable_cached_gjk_guess = warm;
        for (size_t i = 0; i < job->count; ++i) {
            fcl::CollisionResultd result;
            if (warm)
                request.cached_gjk_guess = guess(i);
            fcl::collide(s->a[i].get(), s->at_a[i], s->b[i].get(), s->at_b[i], request, result);
            if (warm)
                guess(i) = result.cached_gjk_guess;
            double found = result.isCollision();
            if (job->query >= BENCH_DEPTH) {
                found = result.isCollision() ? 0 : NAN;
                for (size_t k = 0; k < result.numContacts(); ++k) // INDEP reports negative depths
                    found = std::fmax(found, std::fabs(result.getContact(k).penetration_depth));
            }
            s->answers.value[i] = found;
        }
    }
    return bench_answers_sum(&s->answers, job->count);
}

// ---- sweeps ----

void *prepare_moving(void *data, int)
{
    return new Moving<Peer>(static_cast<const bench_moving *>(data));
}

// InterpMotion's only constructor that sets everything: (R1, T1, R2, T2, O). It interpolates the rotation
// about O at constant angular velocity and O at constant linear velocity, which is the workload's motion.
double run_moving(void *state, int variant)
{
    auto *s = static_cast<Moving<Peer> *>(state);
    const auto *job = static_cast<const bench_moving *>(s->answers.job);
    fcl::ContinuousCollisionRequestd request;
    request.ccd_motion_type = fcl::CCDM_LINEAR;
    request.ccd_solver_type = fcl::CCDC_CONSERVATIVE_ADVANCEMENT;
    request.gjk_solver_type = solver(variant);
    request.toc_err = 1e-4;
    request.num_max_iterations = 1000;
    const fcl::Vector3d centre = fcl::Vector3d::Zero();
    for (size_t i = 0; i < job->count; ++i) {
        const fcl::InterpMotion<double> move_a(s->a0[i].linear(), s->a0[i].translation(), s->a1[i].linear(),
                                               s->a1[i].translation(), centre);
        const fcl::InterpMotion<double> move_b(s->b0[i].linear(), s->b0[i].translation(), s->b1[i].linear(),
                                               s->b1[i].translation(), centre);
        fcl::ContinuousCollisionResultd result;
        fcl::continuousCollide(s->a[i].get(), &move_a, s->b[i].get(), &move_b, request, result);
        s->answers.value[i] = result.is_collide ? result.time_of_contact : 2;
    }
    return bench_answers_sum(&s->answers, job->count);
}

} // namespace

int bench_fcl_rest(bench_query query, bench_class, bench_contender *out, int module)
{
    static const char *const names[BENCH_QUERIES][2] = {
        { "FCL collide LIBCCD", "FCL collide INDEP" },
        { "FCL distance LIBCCD tol=1e-10", "FCL distance INDEP tol=1e-6" },
        { "FCL collide depth LIBCCD", "FCL collide depth INDEP" },
        { "FCL collide depth LIBCCD", "FCL collide depth INDEP" }
    };
    if (module < 3)
        return 0;
    for (int v = 0; v < 2; ++v)
        out[v] = { names[query][v], v, prepare_rest, run_rest, bench_rest_wrong, nullptr, finish<RestState> };
    if (query == BENCH_DISTANCE) // whose requests take no guess
        return 2;
    out[2] = { query >= BENCH_DEPTH ? "FCL collide depth INDEP warm" : "FCL collide INDEP warm",
               WARM + INDEP,
               prepare_rest,
               run_rest,
               bench_rest_wrong,
               nullptr,
               finish<RestState> };
    return 3;
}

int bench_fcl_moving(bench_class c, bool, bench_contender *out, int module)
{
    // Conservative advancement of ellipsoids is not there: it warns on stderr and says "no collision".
    if (c == BENCH_CLASS_ELLIPSOID || module < 2)
        return 0;
    out[0] = { "FCL CA toc_err=1e-4 LIBCCD", LIBCCD,  prepare_moving,      run_moving,
               bench_moving_wrong,           nullptr, finish<Moving<Peer>> };
    out[1] = { "FCL CA toc_err=1e-4 INDEP", INDEP,   prepare_moving,      run_moving,
               bench_moving_wrong,          nullptr, finish<Moving<Peer>> };
    return 2;
}

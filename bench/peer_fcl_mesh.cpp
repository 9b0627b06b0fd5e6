// SPDX-License-Identifier: MIT FCL 0.7 on meshes (BVHModel, W5), on many boxes (its dynamic tree, W7) and on
// moving elements (Intersect, W9). collide() on RSS and AABB models takes tens of milliseconds a query, so
// the boolean races OBB and OBBRSS only.
#include "peers.h"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/fcl.h>
#include <fcl/narrowphase/detail/traversal/collision/intersect.h>

#include <memory>
#include <vector>

namespace {

// ---- W5 ----

enum { OBB, OBBRSS, RSS };

struct TorusState {
    bench_answers answers;
    std::shared_ptr<fcl::CollisionGeometryd> model;
    std::vector<fcl::Transform3d> at[2];
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;
};

template <class BV> std::shared_ptr<fcl::CollisionGeometryd> build(const TorusState &s)
{
    auto model = std::make_shared<fcl::BVHModel<BV>>();
    model->beginModel(int(s.triangles.size()), int(s.points.size()));
    model->addSubModel(s.points, s.triangles);
    model->endModel();
    return model;
}

std::shared_ptr<fcl::CollisionGeometryd> build(const TorusState &s, int variant)
{
    return variant == OBB   ? build<fcl::OBBd>(s)
           : variant == RSS ? build<fcl::RSSd>(s)
                            : build<fcl::OBBRSSd>(s);
}

fcl::Transform3d make(const bench_place &place)
{
    fcl::Transform3d out = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            out.linear()(i, k) = place.rotation[i][k];
        out.translation()(i) = place.position[i];
    }
    return out;
}

void *prepare_torus(void *data, int variant)
{
    const auto *job = static_cast<const bench_torus_case *>(data);
    auto *s = new TorusState;
    bench_answers_init(&s->answers, job, job->count);
    for (size_t i = 0; i < job->mesh.vertex_count; ++i)
        s->points.emplace_back(job->mesh.vertices[i][0], job->mesh.vertices[i][1], job->mesh.vertices[i][2]);
    for (size_t i = 0; i < job->mesh.triangle_count; ++i)
        s->triangles.emplace_back(job->mesh.triangles[i][0], job->mesh.triangles[i][1],
                                  job->mesh.triangles[i][2]);
    s->model = build(*s, variant);
    for (size_t i = 0; i < job->count; ++i)
        for (int k = 0; k < 2; ++k)
            s->at[k].push_back(make(job->poses[job->index[i]][k]));
    return s;
}

double run_torus(void *state, int variant)
{
    auto *s = static_cast<TorusState *>(state);
    const auto *job = static_cast<const bench_torus_case *>(s->answers.job);
    for (size_t i = 0; i < job->count; ++i) {
        double found = 0;
        if (job->query == BENCH_MESH_BUILD) {
            found = build(*s, variant)->aabb_radius;
        } else if (job->query == BENCH_MESH_DISTANCE) {
            fcl::DistanceRequestd request;
            fcl::DistanceResultd result;
            fcl::distance(s->model.get(), s->at[0][i], s->model.get(), s->at[1][i], request, result);
            found = result.min_distance;
        } else {
            fcl::CollisionRequestd request;
            fcl::CollisionResultd result;
            request.num_max_contacts = job->query == BENCH_MESH_BOOLEAN ? 1 : 100000000;
            fcl::collide(s->model.get(), s->at[0][i], s->model.get(), s->at[1][i], request, result);
            found = double(result.numContacts());
        }
        s->answers.value[i] = found;
    }
    return bench_answers_sum(&s->answers, job->count);
}

void finish_torus(void *state, int)
{
    auto *s = static_cast<TorusState *>(state);
    bench_answers_clear(&s->answers);
    delete s;
}

// ---- W7 ----

struct BoxesState {
    bench_answers answers;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    std::unique_ptr<fcl::DynamicAABBTreeCollisionManagerd> manager;
};

// An object that is placed by its centre and bounded by exactly the box of the workload.
void place(fcl::CollisionObjectd &object, const double lo[3], const double hi[3])
{
    fcl::AABBd &box = const_cast<fcl::AABBd &>(object.getAABB());
    box.min_ = fcl::Vector3d(lo[0], lo[1], lo[2]);
    box.max_ = fcl::Vector3d(hi[0], hi[1], hi[2]);
}

bool count_pair(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *data)
{
    *static_cast<double *>(data) += a->getAABB().overlap(b->getAABB());
    return false;
}

void *prepare_boxes(void *data, int)
{
    const auto *job = static_cast<const bench_boxes *>(data);
    auto *s = new BoxesState;
    bench_answers_init(&s->answers, job, 1);
    s->manager.reset(new fcl::DynamicAABBTreeCollisionManagerd);
    for (size_t i = 0; i < job->count; ++i) {
        const double *h = job->half[i];
        s->objects.emplace_back(
            new fcl::CollisionObjectd(std::make_shared<fcl::Boxd>(2 * h[0], 2 * h[1], 2 * h[2])));
        place(*s->objects[i], job->lo[i], job->hi[i]);
        s->manager->registerObject(s->objects[i].get());
    }
    s->manager->setup();
    return s;
}

double run_boxes(void *state, int)
{
    auto *s = static_cast<BoxesState *>(state);
    const auto *job = static_cast<const bench_boxes *>(s->answers.job);
    double pairs = 0;
    for (size_t step = 0; step < BENCH_STEPS; ++step) {
        for (size_t i = 0; i < job->count; ++i)
            place(*s->objects[i], job->lo[step * job->count + i], job->hi[step * job->count + i]);
        s->manager->update();
        s->manager->collide(&pairs, count_pair);
    }
    s->answers.value[0] = pairs;
    return pairs;
}

void finish_boxes(void *state, int)
{
    auto *s = static_cast<BoxesState *>(state);
    bench_answers_clear(&s->answers);
    delete s;
}

// ---- W9 ----

enum { POLYNOMIAL, NEWTON, FILTERED };

struct ElementsState {
    bench_answers answers;
    std::vector<fcl::Vector3d> points; // eight an element: from, then to
};

void *prepare_elements(void *data, int)
{
    const auto *job = static_cast<const bench_elements *>(data);
    auto *s = new ElementsState;
    bench_answers_init(&s->answers, job, job->count);
    for (size_t i = 0; i < job->count; ++i)
        for (int end = 0; end < 2; ++end)
            for (int v = 0; v < 4; ++v) {
                const double *p = end ? job->elements[i].to[v] : job->elements[i].from[v];
                s->points.emplace_back(p[0], p[1], p[2]);
            }
    return s;
}

double run_elements(void *state, int variant)
{
    using Intersect = fcl::detail::Intersectd;
    auto *s = static_cast<ElementsState *>(state);
    const auto *job = static_cast<const bench_elements *>(s->answers.job);
    const bool newton = variant != POLYNOMIAL;
    for (size_t i = 0; i < job->count; ++i) {
        const fcl::Vector3d *p = &s->points[8 * i], *q = p + 4;
        double time = 0;
        fcl::Vector3d where;
        bool hit;
        if (job->edges)
            hit = variant == FILTERED ? Intersect::intersect_EE_filtered(p[0], p[1], p[2], p[3], q[0], q[1],
                                                                         q[2], q[3], &time, &where, newton)
                                      : Intersect::intersect_EE(p[0], p[1], p[2], p[3], q[0], q[1], q[2],
                                                                q[3], &time, &where, newton);
        else // triangle first
            hit = variant == FILTERED ? Intersect::intersect_VF_filtered(p[1], p[2], p[3], p[0], q[1], q[2],
                                                                         q[3], q[0], &time, &where, newton)
                                      : Intersect::intersect_VF(p[1], p[2], p[3], p[0], q[1], q[2], q[3],
                                                                q[0], &time, &where, newton);
        s->answers.value[i] = hit;
    }
    return bench_answers_sum(&s->answers, job->count);
}

void finish_elements(void *state, int)
{
    auto *s = static_cast<ElementsState *>(state);
    bench_answers_clear(&s->answers);
    delete s;
}

} // namespace

int bench_fcl_torus(bench_mesh_query query, bench_contender *out, int room)
{
    static const char *const names[] = { "FCL BVHModel<OBB>", "FCL BVHModel<OBBRSS>", "FCL BVHModel<RSS>" };
    int used = 0;
    for (int v = OBB; v <= RSS && used < room; ++v) {
        const bool collides = query == BENCH_MESH_BOOLEAN || query == BENCH_MESH_PAIRS;
        if ((collides && v == RSS) || (query == BENCH_MESH_DISTANCE && v == OBB))
            continue;
        out[used++] = { names[v],
                        v,
                        prepare_torus,
                        run_torus,
                        query == BENCH_MESH_BUILD ? nullptr : bench_torus_wrong,
                        nullptr,
                        finish_torus };
    }
    return used;
}

int bench_fcl_boxes(bench_contender *out, int room)
{
    if (room < 1)
        return 0;
    out[0] = { "FCL DynamicAABBTree", 0, prepare_boxes, run_boxes, bench_boxes_wrong, nullptr, finish_boxes };
    return 1;
}

int bench_fcl_elements(bool edges, bench_contender *out, int room)
{
    static const char *const names[2][3] = {
        { "FCL intersect_VF", "FCL intersect_VF newton", "FCL intersect_VF_filtered newton" },
        { "FCL intersect_EE", "FCL intersect_EE newton", "FCL intersect_EE_filtered newton" }
    };
    if (room < 3)
        return 0;
    for (int v = 0; v < 3; ++v)
        out[v] = { names[edges][v],      v,       prepare_elements, run_elements,
                   bench_elements_wrong, nullptr, finish_elements };
    return 3;
}

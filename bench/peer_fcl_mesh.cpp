// SPDX-License-Identifier: MIT FCL 0.7 on meshes (BVHModel, W5), on many boxes (its dynamic tree, W7) and on
// moving elements (Intersect, W9). collide() on RSS and AABB models takes tens of milliseconds a query, so
// the boolean races OBB and OBBRSS only.
#include "peer_fcl.h"
#include "peer_state.h"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/narrowphase/detail/traversal/collision/intersect.h>

#include <memory>
#include <vector>

namespace {

// ---- W5 ----

enum { OBB, OBBRSS, RSS, KIOS };

struct Soup {
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;

    explicit Soup(const bench_mesh &mesh)
    {
        for (size_t i = 0; i < mesh.vertex_count; ++i)
            points.emplace_back(mesh.vertices[i][0], mesh.vertices[i][1], mesh.vertices[i][2]);
        for (size_t i = 0; i < mesh.triangle_count; ++i)
            triangles.emplace_back(mesh.triangles[i][0], mesh.triangles[i][1], mesh.triangles[i][2]);
    }
};

struct MeshState : Answered {
    using Answered::Answered;
    std::unique_ptr<Soup> soup; // of the first mesh
    std::shared_ptr<fcl::CollisionGeometryd> model[2];
    std::vector<fcl::Transform3d> at[2];
};

template <class BV> std::shared_ptr<fcl::BVHModel<BV>> build(const Soup &s)
{
    auto model = std::make_shared<fcl::BVHModel<BV>>();
    model->beginModel(int(s.triangles.size()), int(s.points.size()));
    model->addSubModel(s.points, s.triangles);
    model->endModel();
    return model;
}

std::shared_ptr<fcl::CollisionGeometryd> build(const Soup &s, int variant)
{
    switch (variant) {
    case OBB: return build<fcl::OBBd>(s);
    case RSS: return build<fcl::RSSd>(s);
    case KIOS: return build<fcl::kIOSd>(s);
    default: return build<fcl::OBBRSSd>(s);
    }
}

void *prepare_mesh(void *data, int variant)
{
    const auto *job = static_cast<const bench_mesh_case *>(data);
    const bench_scene &scene = *job->scene;
    auto *s = new MeshState(job, job->count);
    s->soup.reset(new Soup(*scene.mesh[0]));
    s->model[0] = build(*s->soup, variant);
    s->model[1] = scene.mesh[1] == scene.mesh[0] ? s->model[0] : build(Soup(*scene.mesh[1]), variant);
    for (size_t i = 0; i < job->count; ++i)
        for (int k = 0; k < 2; ++k)
            s->at[k].push_back(fcl_transform(scene.poses[job->index[i]][k]));
    return s;
}

double run_mesh(void *state, int variant)
{
    auto *s = static_cast<MeshState *>(state);
    const auto *job = static_cast<const bench_mesh_case *>(s->answers.job);
    for (size_t i = 0; i < job->count; ++i) {
        double found = 0;
        if (job->query == BENCH_MESH_BUILD) {
            found = build(*s->soup, variant)->aabb_radius;
        } else if (job->query == BENCH_MESH_DISTANCE) {
            fcl::DistanceRequestd request;
            fcl::DistanceResultd result;
            fcl::distance(s->model[0].get(), s->at[0][i], s->model[1].get(), s->at[1][i], request, result);
            found = result.min_distance;
        } else {
            fcl::CollisionRequestd request;
            fcl::CollisionResultd result;
            request.num_max_contacts = job->query == BENCH_MESH_BOOLEAN ? 1 : 100000000;
            fcl::collide(s->model[0].get(), s->at[0][i], s->model[1].get(), s->at[1][i], request, result);
            found = double(result.numContacts());
        }
        s->answers.value[i] = found;
    }
    return bench_answers_sum(&s->answers, job->count);
}

// What a model keeps: vertices, triangles, volumes.
template <class BV> double model_bytes(const fcl::CollisionGeometryd *geometry)
{
    const auto *model = static_cast<const fcl::BVHModel<BV> *>(geometry);
    return double(model->num_vertices) * sizeof(fcl::Vector3d) +
           double(model->num_tris) * sizeof(fcl::Triangle) +
           double(model->getNumBVs()) * sizeof(fcl::BVNode<BV>);
}

void count_mesh(void *state, int variant, bench_counters *counters)
{
    auto *s = static_cast<MeshState *>(state);
    const auto *job = static_cast<const bench_mesh_case *>(s->answers.job);
    const fcl::CollisionGeometryd *model = s->model[0].get();
    const double bytes = variant == OBB    ? model_bytes<fcl::OBBd>(model)
                         : variant == RSS  ? model_bytes<fcl::RSSd>(model)
                         : variant == KIOS ? model_bytes<fcl::kIOSd>(model)
                                           : model_bytes<fcl::OBBRSSd>(model);
    bench_count(counters, "bytes/triangle", bytes / double(job->scene->mesh[0]->triangle_count));
}

// ---- a sheet that deforms ----

struct SheetState : Answered {
    using Answered::Answered;
    std::shared_ptr<fcl::BVHModel<fcl::AABBd>> model;
    std::vector<std::vector<fcl::Vector3d>> frames;
};

void *prepare_sheet(void *data, int)
{
    const auto *job = static_cast<const bench_sheet_case *>(data);
    auto *s = new SheetState(job, job->count);
    s->model = build<fcl::AABBd>(Soup(job->mesh));
    for (size_t f = 0; f < job->count; ++f) {
        s->frames.emplace_back();
        for (size_t i = 0; i < job->mesh.vertex_count; ++i)
            s->frames[f].emplace_back(job->vertices[f][i][0], job->vertices[f][i][1], job->vertices[f][i][2]);
    }
    return s;
}

// FCL reports neighbours too, which share a vertex or an edge; they are left out here, as its users have to do.
double run_sheet(void *state, int)
{
    auto *s = static_cast<SheetState *>(state);
    const auto *job = static_cast<const bench_sheet_case *>(s->answers.job);
    for (size_t f = 0; f < job->count; ++f) {
        s->model->beginReplaceModel();
        s->model->replaceSubModel(s->frames[f]);
        s->model->endReplaceModel(true, true);
        fcl::CollisionRequestd request;
        fcl::CollisionResultd result;
        request.num_max_contacts = 100000000;
        const fcl::Transform3d still = fcl::Transform3d::Identity();
        fcl::collide(s->model.get(), still, s->model.get(), still, request, result);
        double found = 0;
        for (size_t c = 0; c < result.numContacts(); ++c) {
            const fcl::Contactd &contact = result.getContact(c);
            if (contact.b1 >= contact.b2)
                continue;
            const uint32_t *t = job->mesh.triangles[contact.b1], *u = job->mesh.triangles[contact.b2];
            bool strange = true;
            for (int v = 0; v < 9; ++v)
                strange = strange && t[v / 3] != u[v % 3];
            found += strange;
        }
        s->answers.value[f] = found;
    }
    return bench_answers_sum(&s->answers, job->count);
}

// ---- W7 ----

struct BoxesState : Answered {
    using Answered::Answered;
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
    auto *s = new BoxesState(job, 1);
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

// ---- W9 ----

enum { POLYNOMIAL, NEWTON, FILTERED };

struct ElementsState : Answered {
    using Answered::Answered;
    std::vector<fcl::Vector3d> points; // eight an element: from, then to
};

void *prepare_elements(void *data, int)
{
    const auto *job = static_cast<const bench_elements *>(data);
    auto *s = new ElementsState(job, job->count);
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

// ---- rigid meshes in motion ----

struct RigidState : Answered {
    using Answered::Answered;
    std::shared_ptr<fcl::CollisionGeometryd> model[2];
    std::vector<fcl::Transform3d> from[2], to[2];
};

void *prepare_rigid(void *data, int variant)
{
    const auto *job = static_cast<const bench_rigid_case *>(data);
    auto *s = new RigidState(job, job->count);
    for (int k = 0; k < 2; ++k) {
        s->model[k] = build(Soup(*job->mesh[k]), variant);
        for (size_t i = 0; i < job->count; ++i) {
            bench_place end;
            bench_sweep_at(&job->place[i][k], job->linear[i][k], job->angular[i][k], 1, &end);
            s->from[k].push_back(fcl_transform(job->place[i][k]));
            s->to[k].push_back(fcl_transform(end));
        }
    }
    return s;
}

double run_rigid(void *state, int)
{
    auto *s = static_cast<RigidState *>(state);
    const auto *job = static_cast<const bench_rigid_case *>(s->answers.job);
    fcl::ContinuousCollisionRequestd request;
    request.ccd_motion_type = fcl::CCDM_LINEAR;
    request.ccd_solver_type = fcl::CCDC_CONSERVATIVE_ADVANCEMENT;
    request.toc_err = 1e-4;
    request.num_max_iterations = 1000;
    const fcl::Vector3d centre = fcl::Vector3d::Zero();
    for (size_t i = 0; i < job->count; ++i) {
        const fcl::InterpMotion<double> a(s->from[0][i].linear(), s->from[0][i].translation(),
                                          s->to[0][i].linear(), s->to[0][i].translation(), centre);
        const fcl::InterpMotion<double> b(s->from[1][i].linear(), s->from[1][i].translation(),
                                          s->to[1][i].linear(), s->to[1][i].translation(), centre);
        fcl::ContinuousCollisionResultd result;
        fcl::continuousCollide(s->model[0].get(), &a, s->model[1].get(), &b, request, result);
        s->answers.value[i] = result.is_collide ? result.time_of_contact : 2;
    }
    return bench_answers_sum(&s->answers, job->count);
}

} // namespace

// Conservative advancement takes some 0.3 s for two tori, and finds next to nothing. On a box as a mesh it is
// not faster.
int bench_fcl_rigid(bool cast, bench_contender *out, int module)
{
    if (module < 1 || cast)
        return 0;
    out[0] = { "FCL continuousCollide OBBRSS",
               OBBRSS,
               prepare_rigid,
               run_rigid,
               bench_rigid_wrong,
               nullptr,
               finish<RigidState> };
    return 1;
}

int bench_fcl_mesh(bench_mesh_query query, bench_contender *out, int module)
{
    static const char *const names[] = { "FCL BVHModel<OBB>", "FCL BVHModel<OBBRSS>", "FCL BVHModel<RSS>",
                                         "FCL BVHModel<kIOS>" };
    int used = 0;
    for (int v = OBB; v <= KIOS && used < module; ++v) {
        const bool collides = query == BENCH_MESH_BOOLEAN || query == BENCH_MESH_PAIRS;
        if ((collides && v == RSS) || (query == BENCH_MESH_DISTANCE && v == OBB))
            continue;
        out[used++] = { names[v],
                        v,
                        prepare_mesh,
                        run_mesh,
                        query == BENCH_MESH_BUILD ? nullptr : bench_mesh_wrong,
                        query == BENCH_MESH_BUILD ? count_mesh : nullptr,
                        finish<MeshState> };
    }
    return used;
}

int bench_fcl_sheet(bench_contender *out, int module)
{
    if (module < 1)
        return 0;
    out[0] = { "FCL BVHModel<AABB> refit", 0,       prepare_sheet,     run_sheet,
               bench_sheet_wrong,          nullptr, finish<SheetState> };
    return 1;
}

int bench_fcl_boxes(bench_contender *out, int module)
{
    if (module < 1)
        return 0;
    out[0] = { "FCL DynamicAABBTree", 0,       prepare_boxes,     run_boxes,
               bench_boxes_wrong,     nullptr, finish<BoxesState> };
    return 1;
}

int bench_fcl_elements(bool edges, bench_contender *out, int module)
{
    static const char *const names[2][3] = {
        { "FCL intersect_VF", "FCL intersect_VF newton", "FCL intersect_VF_filtered newton" },
        { "FCL intersect_EE", "FCL intersect_EE newton", "FCL intersect_EE_filtered newton" }
    };
    if (module < 3)
        return 0;
    for (int v = 0; v < 3; ++v)
        out[v] = { names[edges][v],      v,       prepare_elements,     run_elements,
                   bench_elements_wrong, nullptr, finish<ElementsState> };
    return 3;
}

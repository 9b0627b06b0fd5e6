// SPDX-License-Identifier: MIT Bullet 3.24 (float) on meshes and on many boxes. GImpact's trees give
// candidate pairs of triangles and its clipping test decides them, as btGImpactCollisionAlgorithm does;
// GImpact has no early exit and no distance. btDbvtBroadphase keeps enlarged boxes, so its pairs are filtered
// by the true ones, which every user of it has to do.
#include "peer_state.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/CollisionDispatch/btCollisionWorld.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>

#include <memory>
#include <vector>

namespace {

struct Mesh {
    std::vector<btScalar> points;
    std::vector<int> indices;
    std::unique_ptr<btTriangleIndexVertexArray> array;
    std::unique_ptr<btGImpactMeshShape> shape;
};

struct MeshState : Answered {
    using Answered::Answered;
    Mesh mesh[2];
    bool same;
    std::vector<btTransform> at[2];
};

btTransform make(const bench_place &place)
{
    const double(*r)[3] = place.rotation;
    return btTransform(
        btMatrix3x3(btScalar(r[0][0]), btScalar(r[0][1]), btScalar(r[0][2]), btScalar(r[1][0]),
                    btScalar(r[1][1]), btScalar(r[1][2]), btScalar(r[2][0]), btScalar(r[2][1]),
                    btScalar(r[2][2])),
        btVector3(btScalar(place.position[0]), btScalar(place.position[1]), btScalar(place.position[2])));
}

void build(Mesh &m)
{
    m.shape.reset(new btGImpactMeshShape(m.array.get()));
    m.shape->setMargin(0);
    m.shape->updateBound();
}

void load(Mesh &m, const bench_mesh &mesh)
{
    for (size_t i = 0; i < mesh.vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            m.points.push_back(btScalar(mesh.vertices[i][k]));
    for (size_t i = 0; i < mesh.triangle_count; ++i)
        for (int k = 0; k < 3; ++k)
            m.indices.push_back(int(mesh.triangles[i][k]));
    m.array.reset(new btTriangleIndexVertexArray(int(mesh.triangle_count), m.indices.data(), 3 * sizeof(int),
                                                 int(mesh.vertex_count), m.points.data(),
                                                 3 * sizeof(btScalar)));
    build(m);
}

void *prepare_mesh(void *data, int)
{
    const auto *job = static_cast<const bench_mesh_case *>(data);
    auto *s = new MeshState(job, job->count);
    s->same = job->scene->mesh[0] == job->scene->mesh[1];
    for (int k = 0; k < (s->same ? 1 : 2); ++k)
        load(s->mesh[k], *job->scene->mesh[k]);
    for (size_t i = 0; i < job->count; ++i)
        for (int k = 0; k < 2; ++k)
            s->at[k].push_back(make(job->scene->poses[job->index[i]][k]));
    return s;
}

double meeting_pairs(MeshState &s, size_t i, bool stop_at_first)
{
    btGImpactMeshShapePart *part = s.mesh[0].shape->getMeshPart(0),
                           *other = s.mesh[s.same ? 0 : 1].shape->getMeshPart(0);
    btPairSet candidates;
    btGImpactQuantizedBvh::find_collision(part->getBoxSet(), s.at[0][i], other->getBoxSet(), s.at[1][i],
                                          candidates);
    double found = 0;
    part->lockChildShapes();
    other->lockChildShapes();
    for (int k = 0; k < candidates.size(); ++k) {
        btPrimitiveTriangle a, b;
        GIM_TRIANGLE_CONTACT contact;
        part->getPrimitiveTriangle(candidates[k].m_index1, a);
        other->getPrimitiveTriangle(candidates[k].m_index2, b);
        a.applyTransform(s.at[0][i]);
        b.applyTransform(s.at[1][i]);
        a.buildTriPlane();
        b.buildTriPlane();
        a.m_margin = b.m_margin = 0;
        if (a.overlap_test_conservative(b) && a.find_triangle_collision_clip_method(b, contact)) {
            ++found;
            if (stop_at_first)
                break;
        }
    }
    part->unlockChildShapes();
    other->unlockChildShapes();
    return found;
}

double run_mesh(void *state, int)
{
    auto *s = static_cast<MeshState *>(state);
    const auto *job = static_cast<const bench_mesh_case *>(s->answers.job);
    for (size_t i = 0; i < job->count; ++i) {
        if (job->query == BENCH_MESH_BUILD) {
            Mesh &m = s->mesh[0];
            build(m);
            s->answers.value[i] = double(m.shape->getMeshPart(0)->getBoxSet()->getNodeCount());
        } else {
            s->answers.value[i] = meeting_pairs(*s, i, job->query == BENCH_MESH_BOOLEAN);
        }
    }
    return bench_answers_sum(&s->answers, job->count);
}

// ---- a sheet that deforms ----

struct SheetState : Answered {
    using Answered::Answered;
    Mesh mesh;
};

void *prepare_sheet(void *data, int)
{
    const auto *job = static_cast<const bench_sheet_case *>(data);
    auto *s = new SheetState(job, job->count);
    load(s->mesh, job->mesh);
    return s;
}

double run_sheet(void *state, int)
{
    auto *s = static_cast<SheetState *>(state);
    const auto *job = static_cast<const bench_sheet_case *>(s->answers.job);
    const btTransform still = btTransform::getIdentity();
    for (size_t f = 0; f < job->count; ++f) {
        for (size_t i = 0; i < 3 * job->mesh.vertex_count; ++i)
            s->mesh.points[i] = btScalar(job->vertices[f][i / 3][i % 3]);
        s->mesh.shape->postUpdate();
        s->mesh.shape->updateBound();
        btGImpactMeshShapePart *part = s->mesh.shape->getMeshPart(0);
        btPairSet candidates;
        btGImpactQuantizedBvh::find_collision(part->getBoxSet(), still, part->getBoxSet(), still, candidates);
        double found = 0;
        part->lockChildShapes();
        for (int k = 0; k < candidates.size(); ++k) {
            const int i = candidates[k].m_index1, j = candidates[k].m_index2;
            bool strange = i < j;
            for (int v = 0; v < 9 && strange; ++v)
                strange = job->mesh.triangles[i][v / 3] != job->mesh.triangles[j][v % 3];
            if (!strange)
                continue;
            btPrimitiveTriangle a, b;
            GIM_TRIANGLE_CONTACT contact;
            part->getPrimitiveTriangle(i, a);
            part->getPrimitiveTriangle(j, b);
            a.buildTriPlane();
            b.buildTriPlane();
            a.m_margin = b.m_margin = 0;
            found += a.overlap_test_conservative(b) && a.find_triangle_collision_clip_method(b, contact);
        }
        part->unlockChildShapes();
        s->answers.value[f] = found;
    }
    return bench_answers_sum(&s->answers, job->count);
}

// ---- W7 ----

struct BoxesState : Answered {
    using Answered::Answered;
    std::unique_ptr<btDbvtBroadphase> broadphase;
    std::vector<btBroadphaseProxy *> proxies;
};

btVector3 corner(const double p[3])
{
    return btVector3(btScalar(p[0]), btScalar(p[1]), btScalar(p[2]));
}

void *prepare_boxes(void *data, int)
{
    const auto *job = static_cast<const bench_boxes *>(data);
    auto *s = new BoxesState(job, 1);
    s->broadphase.reset(new btDbvtBroadphase);
    for (size_t i = 0; i < job->count; ++i)
        s->proxies.push_back(s->broadphase->createProxy(corner(job->lo[i]), corner(job->hi[i]),
                                                        BOX_SHAPE_PROXYTYPE, nullptr, 1, 1, nullptr));
    return s;
}

double run_boxes(void *state, int)
{
    auto *s = static_cast<BoxesState *>(state);
    const auto *job = static_cast<const bench_boxes *>(s->answers.job);
    double pairs = 0;
    for (size_t step = 0; step < BENCH_STEPS; ++step) {
        for (size_t i = 0; i < job->count; ++i)
            s->broadphase->setAabb(s->proxies[i], corner(job->lo[step * job->count + i]),
                                   corner(job->hi[step * job->count + i]), nullptr);
        s->broadphase->calculateOverlappingPairs(nullptr);
        const btBroadphasePairArray &found =
            s->broadphase->getOverlappingPairCache()->getOverlappingPairArray();
        for (int k = 0; k < found.size(); ++k) {
            const btBroadphaseProxy *a = found[k].m_pProxy0, *b = found[k].m_pProxy1;
            pairs += TestAabbAgainstAabb2(a->m_aabbMin, a->m_aabbMax, b->m_aabbMin, b->m_aabbMax);
        }
    }
    s->answers.value[0] = pairs;
    return pairs;
}

void finish_boxes(void *state, int)
{
    auto *s = static_cast<BoxesState *>(state);
    for (btBroadphaseProxy *proxy : s->proxies)
        s->broadphase->destroyProxy(proxy, nullptr);
    delete s;
}

// ---- a box that is cast against a mesh ----

struct CastState : Answered {
    using Answered::Answered;
    Mesh mesh;
    std::unique_ptr<btBvhTriangleMeshShape> shape;
    std::unique_ptr<btBoxShape> box;
    btCollisionObject object;
    std::vector<btTransform> from, to;
};

void *prepare_rigid(void *data, int)
{
    const auto *job = static_cast<const bench_rigid_case *>(data);
    auto *s = new CastState(job, job->count);
    load(s->mesh, *job->mesh[1]);
    s->shape.reset(new btBvhTriangleMeshShape(s->mesh.array.get(), true));
    s->shape->setMargin(0);
    s->box.reset(
        new btBoxShape(btVector3(btScalar(job->half[0]), btScalar(job->half[1]), btScalar(job->half[2]))));
    s->box->setMargin(0);
    s->object.setCollisionShape(s->shape.get());
    for (size_t i = 0; i < job->count; ++i) {
        // in the frame of the torus, which is at rest at the origin but turned
        bench_place end;
        bench_sweep_at(&job->place[i][0], job->linear[i][0], job->angular[i][0], 1, &end);
        s->from.push_back(make(job->place[i][1]).inverse() * make(job->place[i][0]));
        s->to.push_back(make(job->place[i][1]).inverse() * make(end));
    }
    return s;
}

double run_rigid(void *state, int)
{
    auto *s = static_cast<CastState *>(state);
    const auto *job = static_cast<const bench_rigid_case *>(s->answers.job);
    for (size_t i = 0; i < job->count; ++i) {
        btCollisionWorld::ClosestConvexResultCallback hit(s->from[i].getOrigin(), s->to[i].getOrigin());
        btCollisionWorld::objectQuerySingle(s->box.get(), s->from[i], s->to[i], &s->object, s->shape.get(),
                                            btTransform::getIdentity(), hit, 0);
        s->answers.value[i] = hit.hasHit() ? double(hit.m_closestHitFraction) : 2;
    }
    return bench_answers_sum(&s->answers, job->count);
}

} // namespace

int bench_bullet_rigid(bool cast, bench_contender *out, int module)
{
    if (module < 1 || !cast)
        return 0;
    out[0] = { "Bullet-f32 convexSweepTest",
               0,
               prepare_rigid,
               run_rigid,
               bench_rigid_wrong,
               nullptr,
               finish<CastState> };
    return 1;
}

int bench_bullet_mesh(bench_mesh_query query, bench_contender *out, int module)
{
    if (query == BENCH_MESH_DISTANCE || module < 1)
        return 0;
    out[0] = { "Bullet-f32 GImpact",
               0,
               prepare_mesh,
               run_mesh,
               query == BENCH_MESH_BUILD ? nullptr : bench_mesh_wrong,
               nullptr,
               finish<MeshState> };
    return 1;
}

int bench_bullet_sheet(bench_contender *out, int module)
{
    if (module < 1)
        return 0;
    out[0] = { "Bullet-f32 GImpact refit", 0,       prepare_sheet,     run_sheet,
               bench_sheet_wrong,          nullptr, finish<SheetState> };
    return 1;
}

int bench_bullet_boxes(bench_contender *out, int module)
{
    if (module < 1)
        return 0;
    out[0] = {
        "Bullet-f32 btDbvtBroadphase", 0, prepare_boxes, run_boxes, bench_boxes_wrong, nullptr, finish_boxes
    };
    return 1;
}

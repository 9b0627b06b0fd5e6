// SPDX-License-Identifier: MIT Bullet 3.24 (float) on meshes and on many boxes. GImpact's trees give
// candidate pairs of triangles and its clipping test decides them, as btGImpactCollisionAlgorithm does;
// GImpact has no early exit and no distance. btDbvtBroadphase keeps enlarged boxes, so its pairs are filtered
// by the true ones, which every user of it has to do.
#include "peers.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
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

struct TorusState {
    bench_answers answers;
    Mesh mesh;
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

void *prepare_torus(void *data, int)
{
    const auto *job = static_cast<const bench_torus_case *>(data);
    auto *s = new TorusState;
    bench_answers_init(&s->answers, job, job->count);
    Mesh &m = s->mesh;
    for (size_t i = 0; i < job->mesh.vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            m.points.push_back(btScalar(job->mesh.vertices[i][k]));
    for (size_t i = 0; i < job->mesh.triangle_count; ++i)
        for (int k = 0; k < 3; ++k)
            m.indices.push_back(int(job->mesh.triangles[i][k]));
    m.array.reset(new btTriangleIndexVertexArray(int(job->mesh.triangle_count), m.indices.data(),
                                                 3 * sizeof(int), int(job->mesh.vertex_count),
                                                 m.points.data(), 3 * sizeof(btScalar)));
    build(m);
    for (size_t i = 0; i < job->count; ++i)
        for (int k = 0; k < 2; ++k)
            s->at[k].push_back(make(job->poses[job->index[i]][k]));
    return s;
}

double meeting_pairs(TorusState &s, size_t i, bool stop_at_first)
{
    btGImpactMeshShapePart *part = s.mesh.shape->getMeshPart(0);
    btPairSet candidates;
    btGImpactQuantizedBvh::find_collision(part->getBoxSet(), s.at[0][i], part->getBoxSet(), s.at[1][i],
                                          candidates);
    double found = 0;
    part->lockChildShapes();
    for (int k = 0; k < candidates.size(); ++k) {
        btPrimitiveTriangle a, b;
        GIM_TRIANGLE_CONTACT contact;
        part->getPrimitiveTriangle(candidates[k].m_index1, a);
        part->getPrimitiveTriangle(candidates[k].m_index2, b);
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
    return found;
}

double run_torus(void *state, int)
{
    auto *s = static_cast<TorusState *>(state);
    const auto *job = static_cast<const bench_torus_case *>(s->answers.job);
    for (size_t i = 0; i < job->count; ++i) {
        if (job->query == BENCH_MESH_BUILD) {
            Mesh &m = s->mesh;
            build(m);
            s->answers.value[i] = double(m.shape->getMeshPart(0)->getBoxSet()->getNodeCount());
        } else {
            s->answers.value[i] = meeting_pairs(*s, i, job->query == BENCH_MESH_BOOLEAN);
        }
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
    auto *s = new BoxesState;
    bench_answers_init(&s->answers, job, 1);
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
    bench_answers_clear(&s->answers);
    delete s;
}

} // namespace

int bench_bullet_torus(bench_mesh_query query, bench_contender *out, int room)
{
    if (query == BENCH_MESH_DISTANCE || room < 1)
        return 0;
    out[0] = { "Bullet-f32 GImpact",
               0,
               prepare_torus,
               run_torus,
               query == BENCH_MESH_BUILD ? nullptr : bench_torus_wrong,
               nullptr,
               finish_torus };
    return 1;
}

int bench_bullet_boxes(bench_contender *out, int room)
{
    if (room < 1)
        return 0;
    out[0] = {
        "Bullet-f32 btDbvtBroadphase", 0, prepare_boxes, run_boxes, bench_boxes_wrong, nullptr, finish_boxes
    };
    return 1;
}

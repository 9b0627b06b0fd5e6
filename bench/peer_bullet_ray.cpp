// SPDX-License-Identifier: MIT
// Bullet 3.24, float build: btCollisionWorld::rayTestSingle, which casts convex bodies by btSubsimplexConvexCast.
#include "ray_case.h"

#include <BulletCollision/CollisionDispatch/btCollisionWorld.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConeShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>

#include <cmath>
#include <memory>

namespace {

struct State {
    bench_answers answers; // first: the judge reads it
    std::unique_ptr<btConvexShape> shape;
    btCollisionObject object;
};

btVector3 vector(const double v[3])
{
    return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2]));
}

btConvexShape *make(const bench_body &body)
{
    const double *e = body.size;
    btConvexShape *out = nullptr;
    switch (body.type) {
    case BENCH_SPHERE: return new btSphereShape(btScalar(e[0]));
    case BENCH_CAPSULE: return new btCapsuleShapeZ(btScalar(e[0]), btScalar(2 * e[1]));
    case BENCH_BOX: out = new btBoxShape(vector(e)); break;
    case BENCH_CYLINDER:
        out = new btCylinderShapeZ(btVector3(btScalar(e[0]), btScalar(e[0]), btScalar(e[1])));
        break;
    case BENCH_CONE: out = new btConeShapeZ(btScalar(e[0]), btScalar(2 * e[1])); break;
    default: {
        auto *hull = new btConvexHullShape();
        for (size_t i = 0; i < body.hull->point_count; ++i)
            hull->addPoint(vector(body.hull->points[i]), false);
        hull->recalcLocalAabb();
        out = hull;
    }
    }
    out->setMargin(0);
    return out;
}

void *prepare(void *data, int)
{
    const auto *job = static_cast<const bench_ray_job *>(data);
    auto *s = new State;
    bench_answers_init(&s->answers, job, BENCH_RAYS);
    s->shape.reset(make(job->body));
    const double *q = job->place.quaternion;
    s->object.setCollisionShape(s->shape.get());
    s->object.setWorldTransform(
        btTransform(btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])),
                    vector(job->place.position)));
    return s;
}

double run(void *state, int)
{
    auto *s = static_cast<State *>(state);
    const auto *job = static_cast<const bench_ray_job *>(s->answers.job);
    btTransform from, to;
    from.setIdentity();
    to.setIdentity();
    for (int i = 0; i < BENCH_RAYS; ++i) {
        const btVector3 a = vector(job->origin[i]), b = a + btScalar(job->reach) * vector(job->direction[i]);
        from.setOrigin(a);
        to.setOrigin(b);
        btCollisionWorld::ClosestRayResultCallback hit(a, b);
        btCollisionWorld::rayTestSingle(from, to, &s->object, s->shape.get(), s->object.getWorldTransform(),
                                        hit);
        s->answers.value[i] = hit.hasHit() ? double(hit.m_closestHitFraction) * job->reach : INFINITY;
    }
    return s->answers.value[0];
}

void finish(void *state, int)
{
    auto *s = static_cast<State *>(state);
    bench_answers_clear(&s->answers);
    delete s;
}

} // namespace

int bench_bullet_rays(const bench_body *body, bench_contender *out, int module)
{
    if (module < 1 || !body || body->type == BENCH_ELLIPSOID)
        return 0;
    out[0] = bench_contender{ "Bullet-f32 rayTestSingle", 0, prepare, run, bench_ray_wrong, nullptr, finish };
    return 1;
}

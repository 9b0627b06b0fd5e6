// SPDX-License-Identifier: MIT FCL 0.7 on two copies of a polyhedron as triangles. It knows surfaces only: one solid
// inside the other would not meet it, which does not happen here.
#include "peer_fcl.h"
#include "peer_state.h"
#include "polyhedron_case.h"

#include <memory>

namespace {

struct State : Answered {
    using Answered::Answered;
    std::shared_ptr<fcl::CollisionGeometryd> model;
    std::vector<fcl::Transform3d> at[2];
};

template <class BV> std::shared_ptr<fcl::CollisionGeometryd> build(const bench_mesh &mesh)
{
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;
    for (size_t i = 0; i < mesh.vertex_count; ++i)
        points.emplace_back(mesh.vertices[i][0], mesh.vertices[i][1], mesh.vertices[i][2]);
    for (size_t i = 0; i < mesh.triangle_count; ++i)
        triangles.emplace_back(mesh.triangles[i][0], mesh.triangles[i][1], mesh.triangles[i][2]);
    auto model = std::make_shared<fcl::BVHModel<BV>>();
    model->beginModel(int(triangles.size()), int(points.size()));
    model->addSubModel(points, triangles);
    model->endModel();
    return model;
}

void *prepare(void *data, int variant)
{
    const auto *job = static_cast<const bench_polyhedron_job *>(data);
    auto *s = new State(job, job->count);
    s->model = variant ? build<fcl::OBBRSSd>(job->mesh) : build<fcl::OBBd>(job->mesh);
    for (size_t i = 0; i < job->count; ++i)
        for (int k = 0; k < 2; ++k)
            s->at[k].push_back(fcl_transform(job->places[i][k]));
    return s;
}

double run(void *state, int)
{
    auto *s = static_cast<State *>(state);
    const auto *job = static_cast<const bench_polyhedron_job *>(s->answers.job);
    for (size_t i = 0; i < job->count; ++i) {
        fcl::CollisionRequestd request;
        fcl::CollisionResultd result;
        fcl::collide(s->model.get(), s->at[0][i], s->model.get(), s->at[1][i], request, result);
        s->answers.value[i] = result.isCollision();
    }
    return bench_answers_sum(&s->answers, job->count);
}

} // namespace

int bench_fcl_polyhedra(bench_polyhedron_query query, bench_contender *out, int room)
{
    if (query != BENCH_POLYHEDRON_PAIR || room < 2)
        return 0;
    for (int k = 0; k < 2; ++k) {
        out[k] = {};
        out[k].name = k ? "FCL BVHModel<OBBRSS>" : "FCL BVHModel<OBB>";
        out[k].variant = k;
        out[k].prepare = prepare;
        out[k].run = run;
        out[k].wrong = bench_polyhedron_wrong;
        out[k].finish = finish<State>;
    }
    return 2;
}

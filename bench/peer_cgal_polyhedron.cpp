// SPDX-License-Identifier: MIT CGAL 5.5 with exact predicates on polyhedra as triangles: where a point is
// (Side_of_triangle_mesh), how many triangles a segment passes (AABB_tree) after where its start is, and whether
// two placed solids meet (Rigid_triangle_mesh_collision_detection). Trees are built before the clock starts.
#include "peer_state.h"
#include "polyhedron_case.h"

#include <CGAL/AABB_face_graph_triangle_primitive.h>
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Rigid_triangle_mesh_collision_detection.h>
#include <CGAL/Side_of_triangle_mesh.h>
#include <CGAL/Surface_mesh.h>

#include <memory>

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Mesh = CGAL::Surface_mesh<Point>;
using Primitive = CGAL::AABB_face_graph_triangle_primitive<Mesh>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;
using Side = CGAL::Side_of_triangle_mesh<Mesh, Kernel>;
using Pairs = CGAL::Rigid_triangle_mesh_collision_detection<Mesh>;

struct State : Answered {
    using Answered::Answered;
    Mesh mesh;
    std::unique_ptr<Side> side;
    std::unique_ptr<Tree> tree;
    Pairs pairs;
};

Kernel::Aff_transformation_3 transform(const bench_place &p)
{
    const auto &r = p.rotation;
    return { r[0][0], r[0][1],       r[0][2], p.position[0], r[1][0], r[1][1],
             r[1][2], p.position[1], r[2][0], r[2][1],       r[2][2], p.position[2] };
}

void *prepare(void *data, int)
{
    const auto *job = static_cast<const bench_polyhedron_job *>(data);
    auto *s = new State(job, job->count);
    std::vector<Mesh::Vertex_index> v;
    for (size_t i = 0; i < job->mesh.vertex_count; ++i) {
        const double *p = job->mesh.vertices[i];
        v.push_back(s->mesh.add_vertex(Point(p[0], p[1], p[2])));
    }
    for (size_t i = 0; i < job->mesh.triangle_count; ++i) {
        const uint32_t *t = job->mesh.triangles[i];
        s->mesh.add_face(v[t[0]], v[t[1]], v[t[2]]);
    }
    if (job->query == BENCH_POLYHEDRON_PAIR) {
        s->pairs.add_mesh(s->mesh);
        s->pairs.add_mesh(s->mesh);
        return s;
    }
    s->side.reset(new Side(s->mesh));
    if (job->query == BENCH_POLYHEDRON_SEGMENT) {
        s->tree.reset(new Tree(faces(s->mesh).begin(), faces(s->mesh).end(), s->mesh));
        s->tree->build();
    }
    return s;
}

double run(void *state, int)
{
    auto *s = static_cast<State *>(state);
    const auto *job = static_cast<const bench_polyhedron_job *>(s->answers.job);
    for (size_t i = 0; i < job->count; ++i) {
        double found = 0;
        if (job->query == BENCH_POLYHEDRON_PAIR) {
            for (size_t k = 0; k < 2; ++k)
                s->pairs.set_transformation(k, transform(job->places[i][k]));
            found = s->pairs.get_all_intersections_and_inclusions(0).empty() ? 0 : 1;
        } else {
            const double *p = job->from[i], *q = job->to[i];
            const Point at(p[0], p[1], p[2]);
            const bool inside = (*s->side)(at) == CGAL::ON_BOUNDED_SIDE;
            found = inside;
            if (job->query == BENCH_POLYHEDRON_SEGMENT) {
                s->answers.work += found; // what the segment starts in
                found = double(s->tree->number_of_intersected_primitives(
                    Kernel::Segment_3(at, Point(q[0], q[1], q[2]))));
            }
        }
        s->answers.value[i] = found;
    }
    return bench_answers_sum(&s->answers, job->count);
}

} // namespace

int bench_cgal_polyhedra(bench_polyhedron_query query, bench_contender *out, int room)
{
    if (room < 1)
        return 0;
    out[0] = {};
    out[0].name = query == BENCH_POLYHEDRON_POINT     ? "CGAL Side_of_triangle_mesh"
                  : query == BENCH_POLYHEDRON_SEGMENT ? "CGAL side and AABB_tree"
                                                      : "CGAL Rigid_triangle_mesh_collision_detection";
    out[0].prepare = prepare;
    out[0].run = run;
    out[0].wrong = bench_polyhedron_wrong;
    out[0].finish = finish<State>;
    return 1;
}

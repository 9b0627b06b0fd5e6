// SPDX-License-Identifier: MIT CGAL 5.5 with exact predicates: a tree of one mesh asked about each triangle
// of the other (W5; it has no query of two trees and no mesh-mesh distance), and box_self_intersection_d
// (W7).
#include "peer_state.h"

#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/box_intersection_d.h>

#include <vector>

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Triangle = Kernel::Triangle_3;
using Triangles = std::vector<Triangle>;
using Primitive = CGAL::AABB_triangle_primitive<Kernel, Triangles::const_iterator>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;

struct MeshState : Answered {
    using Answered::Answered;
    Triangles triangles, others; // in the tree, and those it is asked about
    Tree tree;
};

void load(const bench_mesh &mesh, Triangles &out)
{
    for (size_t i = 0; i < mesh.triangle_count; ++i) {
        Point p[3];
        for (int k = 0; k < 3; ++k) {
            const double *v = mesh.vertices[mesh.triangles[i][k]];
            p[k] = Point(v[0], v[1], v[2]);
        }
        out.emplace_back(p[0], p[1], p[2]);
    }
}

void *prepare_mesh(void *data, int)
{
    const auto *job = static_cast<const bench_mesh_case *>(data);
    auto *s = new MeshState(job, job->count);
    load(*job->scene->mesh[0], s->triangles);
    load(*job->scene->mesh[1], s->others);
    s->tree.insert(s->triangles.begin(), s->triangles.end());
    s->tree.build();
    return s;
}

// The second mesh in the frame of the first.
struct Relative {
    double turn[3][3] = {}, shift[3] = {};

    explicit Relative(const bench_place poses[2])
    {
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) {
                for (int j = 0; j < 3; ++j)
                    turn[i][k] += poses[0].rotation[j][i] * poses[1].rotation[j][k];
                shift[i] += poses[0].rotation[k][i] * (poses[1].position[k] - poses[0].position[k]);
            }
    }
    Point operator()(const Point &p) const
    {
        double x[3];
        for (int i = 0; i < 3; ++i)
            x[i] = turn[i][0] * p.x() + turn[i][1] * p.y() + turn[i][2] * p.z() + shift[i];
        return Point(x[0], x[1], x[2]);
    }
};

double run_mesh(void *state, int)
{
    auto *s = static_cast<MeshState *>(state);
    const auto *job = static_cast<const bench_mesh_case *>(s->answers.job);
    for (size_t i = 0; i < job->count; ++i) {
        double found = 0;
        if (job->query == BENCH_MESH_BUILD) {
            Tree tree(s->triangles.begin(), s->triangles.end());
            tree.build();
            found = double(tree.size());
        } else {
            const Relative move(job->scene->poses[job->index[i]]);
            for (const Triangle &t : s->others) {
                const Triangle moved(move(t[0]), move(t[1]), move(t[2]));
                if (job->query == BENCH_MESH_PAIRS) {
                    found += double(s->tree.number_of_intersected_primitives(moved));
                } else if (s->tree.do_intersect(moved)) {
                    found = 1;
                    break;
                }
            }
        }
        s->answers.value[i] = found;
    }
    return bench_answers_sum(&s->answers, job->count);
}

// ---- W7 ----

using Box = CGAL::Box_intersection_d::Box_d<double, 3>;

struct BoxesState : Answered {
    using Answered::Answered;
    std::vector<Box> boxes;
};

void *prepare_boxes(void *data, int)
{
    const auto *job = static_cast<const bench_boxes *>(data);
    auto *s = new BoxesState(job, 1);
    s->boxes.reserve(job->count);
    return s;
}

double run_boxes(void *state, int)
{
    auto *s = static_cast<BoxesState *>(state);
    const auto *job = static_cast<const bench_boxes *>(s->answers.job);
    double pairs = 0;
    for (size_t step = 0; step < BENCH_STEPS; ++step) {
        s->boxes.clear();
        for (size_t i = 0; i < job->count; ++i)
            s->boxes.emplace_back(job->lo[step * job->count + i], job->hi[step * job->count + i]);
        CGAL::box_self_intersection_d(s->boxes.begin(), s->boxes.end(),
                                      [&pairs](const Box &, const Box &) { ++pairs; });
    }
    s->answers.value[0] = pairs;
    return pairs;
}

} // namespace

int bench_cgal_mesh(bench_mesh_query query, bench_contender *out, int module)
{
    if (query == BENCH_MESH_DISTANCE || module < 1)
        return 0;
    out[0] = { query == BENCH_MESH_BUILD ? "CGAL AABB_tree" : "CGAL AABB_tree, triangle by triangle",
               0,
               prepare_mesh,
               run_mesh,
               query == BENCH_MESH_BUILD ? nullptr : bench_mesh_wrong,
               nullptr,
               finish<MeshState> };
    return 1;
}

int bench_cgal_boxes(bench_contender *out, int module)
{
    if (module < 1)
        return 0;
    out[0] = { "CGAL box_self_intersection_d",
               0,
               prepare_boxes,
               run_boxes,
               bench_boxes_wrong,
               nullptr,
               finish<BoxesState> };
    return 1;
}

/* SPDX-License-Identifier: MIT */
/* CGAL as a reader of mesh files: read_polygon_soup with doubles. */
#include "io_case.h"

#include <CGAL/IO/polygon_soup_io.h>
#include <CGAL/Simple_cartesian.h>

#include <array>
#include <string>
#include <vector>

namespace {

typedef CGAL::Simple_cartesian<double>::Point_3 point;

struct reader {
    const bench_file *file;
    std::vector<point> points;
    std::vector<std::vector<std::size_t>> faces;
};

void *prepare(void *data, int)
{
    return new reader{ static_cast<const bench_file *>(data), {}, {} };
}

double run(void *state, int)
{
    reader *r = static_cast<reader *>(state);
    r->points = {};
    r->faces = {};
    CGAL::IO::read_polygon_soup(std::string(r->file->name), r->points, r->faces);
    return static_cast<double>(r->faces.size()) + (r->points.empty() ? 0 : r->points.back().x());
}

std::uint64_t wrong(void *state, int)
{
    const reader *r = static_cast<const reader *>(state);
    if (r->faces.size() != r->file->face_count)
        return 9 * r->file->face_count;
    std::uint64_t count = 0;
    for (std::size_t f = 0; f < r->faces.size(); ++f) {
        for (int corner = 0; corner < 3; ++corner) {
            const point &p = r->points[r->faces[f][static_cast<std::size_t>(corner)]];
            count += bench_file_differs(r->file, f, corner, p.x(), p.y(), p.z());
        }
    }
    return count;
}

void finish(void *state, int)
{
    delete static_cast<reader *>(state);
}

} // namespace

int bench_cgal_files(bench_contender *contenders, int module)
{
    if (module < 1)
        return 0;
    contenders[0] = bench_contender();
    contenders[0].name = "CGAL read_polygon_soup";
    contenders[0].prepare = prepare;
    contenders[0].run = run;
    contenders[0].wrong = wrong;
    contenders[0].finish = finish;
    return 1;
}

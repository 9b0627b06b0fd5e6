/* SPDX-License-Identifier: MIT */
/* When do two moving balls first touch, and in which intervals of time do they meet?
 *
 * Ball a stays at the origin, ball b flies past it along x, 0.6 aside. Their radii add up to 1,
 * so they meet while (6t - 3)^2 + 0.36 <= 1, that is, from t = (3 - 0.8)/6 to t = (3 + 0.8)/6.
 * The library encloses both; the numbers 0.6 and 0.8 are no doubles, so neither is the answer,
 * and the enclosures are a few units of the last digit wide. */
#include <abut/abut.h>
#include <stdio.h>

int main(void)
{
    abut_shape *ball = NULL;
    abut_motion *still = NULL, *passing = NULL;
    const abut_placement at_origin = { .position = { 0, 0, 0 } };
    const abut_placement from = { .position = { -3, 0.6, 0 } }, to = { .position = { 3, 0.6, 0 } };
    abut_first_result first;
    abut_contact_interval meet[4];
    abut_intervals_result all;
    abut_error error;

    if (abut_shape_create_sphere(0.5, NULL, &ball) != ABUT_OK ||
        abut_motion_create_static(&at_origin, NULL, &still, &error) != ABUT_OK ||
        abut_motion_create_linear(0, 1, &from, &to, NULL, &passing, &error) != ABUT_OK) {
        fprintf(stderr, "cannot set up\n");
        return 1;
    }

    abut_status status = abut_first_contact(ball, still, ball, passing, NULL, NULL, &first);
    if (status == ABUT_OK)
        status = abut_contact_intervals(ball, still, ball, passing, NULL, NULL, meet, 4, &all);
    if (status != ABUT_OK) {
        fprintf(stderr, "%s\n", abut_status_text(status));
        return 1;
    }
    printf("%s at [%.17g, %.17g], proof %s\n", abut_first_verdict_name(first.verdict), first.time.lo,
           first.time.hi, abut_proof_name(first.proof));
    if (first.point_count > 0)
        printf("at the point (%g, %g, %g)\n", first.points[0].point.x, first.points[0].point.y,
               first.points[0].point.z);
    for (size_t i = 0; i < all.count && i < 4; ++i)
        printf("they meet from [%.17g, %.17g] to [%.17g, %.17g]\n", meet[i].enter.lo, meet[i].enter.hi,
               meet[i].exit.lo, meet[i].exit.hi);

    abut_motion_release(passing);
    abut_motion_release(still);
    abut_shape_release(ball);

    /* 0.6 as a double is a little less than 0.6: the ends move by less than 1e-16. */
    const double enter = 2.2 / 6, leave = 3.8 / 6, slack = 1e-15;
    const bool right = first.verdict == ABUT_FIRST_CONTACT && all.count == 1 &&
                       first.time.lo <= enter + slack && first.time.hi >= enter - slack &&
                       meet[0].exit.lo <= leave + slack && meet[0].exit.hi >= leave - slack;
    return right ? 0 : 1;
}

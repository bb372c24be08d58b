/* vecchia_form.cl: vecchia_team.cl for models of one part in space, without a sphere, that is exp(-x) times a
 * polynomial: exponential covariances, and Matern's of half-integer smoothness. */
#define COV_ONLY FUNCTION_FORM
#define VECCHIA_KERNEL(what) TEAM_KERNEL(vecchia_form_##what)
#include "kernels/gp/vecchia_team.cl"

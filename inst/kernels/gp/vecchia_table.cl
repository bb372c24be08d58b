/* vecchia_table.cl: vecchia_team.cl for models of one part in space, without a sphere, that is in a table. */
#define COV_ONLY FUNCTION_TABLE
#define VECCHIA_KERNEL(what) TEAM_KERNEL(vecchia_table_##what)
#include "kernels/gp/vecchia_team.cl"

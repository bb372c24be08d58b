/* dialect.h: the one file that knows which compiler is reading the kernels.
 *
 * The numerics below inst/kernels are written in the common subset of OpenCL C 1.2 and C99. An OpenCL
 * driver compiles them for a device; the C compiler compiles the same text into the built-in CPU backend,
 * once per instruction set (src/engine/cpu_program.c). Everything that differs between the two is here.
 *
 * Lanes. A work-item owns a block of LANES points: 1 on a GPU, 16 on a CPU. Whatever is done per point is
 * written `LANE_LOOP(l) { ... }` over small private arrays; on a CPU that loop is what the compiler turns into
 * vector instructions, so its body has no branches, no calls that are not inlined and no trapping operations.
 * DEV_FN is for one lane and always inlined. DEV_BLOCK_FN works on whole blocks: of many lanes it is not inlined, to
 * keep programs small; of one it is, for a call would send what are single numbers through memory.
 *
 * Precision. A program is compiled with real = double or, where SINGLE is 1, with real = float; word is the integer
 * of the same size, for bits. A program without a K() around every literal and a cast would compute in double here
 * and there, and not build on a device that has none.
 */
#ifndef STATCL_DIALECT_H
#define STATCL_DIALECT_H

#ifndef SINGLE
#define SINGLE 0
#endif

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

#if SINGLE
typedef float real;
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#endif
#pragma OPENCL FP_CONTRACT OFF
typedef bool flag;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
#define DEV_FN static inline __attribute__((always_inline))
#define DEV_CONST __constant
#define DEV_GLOBAL __global
#define DEV_LOCAL __local
#define HAS_FMA 1
#ifndef LANES
#define LANES 1
#endif
#if LANES == 1
#define DEV_BLOCK_FN DEV_FN
#define LANE_LOOP(l) for (i32 l = 0; l < 1; l++)
#else
#define DEV_BLOCK_FN static __attribute__((noinline, unused))
#define LANE_LOOP(l) CLANG_LANE_LOOP(l)
#endif
#if SINGLE
#define bits_of(x) as_int(x)
#define real_of(b) as_float(b)
#else
#define bits_of(x) as_long(x)
#define real_of(b) as_double(b)
#endif
#define list_claim(counter, count) atomic_add(counter, count)
#define mulhi32(a, b) mul_hi((u32)(a), (u32)(b))
#define copy_reals(to, from, n) OVER_FEW for (i32 k_ = 0; k_ < (n); k_++) (to)[k_] = (from)[k_]

#else /* C99 */

#include <math.h>
#include <stdint.h>
#include <string.h>
#if SINGLE
typedef float real;
#define fabs fabsf
#define sqrt sqrtf
#define fma fmaf
#else
typedef double real;
#endif
typedef _Bool flag; /* of one lane: becomes a vector mask, which an int does not */
typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;
#define DEV_FN static inline __attribute__((always_inline, unused))
#define DEV_BLOCK_FN static __attribute__((noinline, unused))
#define DEV_CONST static const
#define DEV_GLOBAL
#define DEV_LOCAL
#ifndef HAS_FMA
#define HAS_FMA 0
#endif
#ifndef LANES
#define LANES 16
#endif
#if defined(__clang__)
#define LANE_LOOP(l) CLANG_LANE_LOOP(l)
#else
#define LANE_LOOP(l) LANE_LOOP_OF(LANES, l)
#define LANE_LOOP_OF(count, l) _Pragma("omp simd") for (i32 l = 0; l < (count); l++)
#endif
/* gcc decides by the command line, not by pragmas, that sqrt() may write errno: not in kernels. */
extern real sqrt(real) __attribute__((const));
/* On a CPU a list belongs to one thread. */
DEV_FN i32 list_claim(i32 *counter, i32 count) { const i32 first = *counter; *counter += count; return first; }
DEV_FN u32 mulhi32(u32 a, u32 b) { return (u32)(((u64)a * b) >> 32); }
#define copy_reals(to, from, n) memcpy(to, from, (n) * sizeof(real))

#endif

#if SINGLE
#define LANE_WIDTH LANES
#define LANE_GROUPS 1
typedef i32 word;
typedef u32 uword;
#else
#define LANE_WIDTH 8
#define LANE_GROUPS (LANES / 8)
typedef i64 word;
typedef u64 uword;
#endif
#if !(defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__))
DEV_FN word bits_of(real x) { word b; memcpy(&b, &x, sizeof b); return b; }
DEV_FN real real_of(word b) { real x; memcpy(&x, &b, sizeof x); return x; }
#endif
#define CLANG_LANE_LOOP(l)                                                                                   \
  _Pragma("clang loop vectorize(assume_safety) vectorize_width(LANE_WIDTH) interleave_count(LANE_GROUPS)")   \
  for (i32 l = 0; l < LANES; l++)

/* over fewer lanes */
#ifndef LANE_LOOP_OF
#define LANE_LOOP_OF(count, l) for (i32 l = 0; l < (count); l++)
#endif

#define K(x) ((real)(x))

/* a * b + c: fused where the hardware does it, two roundings where fma() would be a library call. Formulas that
 * need the fused form for their accuracy use two_prod() of elementary.h instead. */
#if HAS_FMA
#define FMA(a, b, c) fma(a, b, c)
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#endif

/* A pack is one vector register of lanes, for the few kernels that say themselves what is held in registers.
 * PACK_FMA(a, b, c): a * b + c, b a real. In C it is fused by contraction, between FUSE_FROM_HERE and FUSE_TO_HERE
 * and behind FUSE in the function's first line, and nothing else may be a product plus a sum there. */
#if LANES == 1
#define PACK 1
typedef real pack;
#define pack_in(from) (*(from))
#define pack_out(v, to) (*(to) = (v))
#elif defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define PACK 8
#if SINGLE
typedef float8 pack;
#else
typedef double8 pack;
#endif
#define pack_in(from) vload8(0, from)
#define pack_out(v, to) vstore8(v, 0, to)
#else
#ifndef VECTOR_BYTES
#define VECTOR_BYTES 16
#endif
#define PACK ((i32)(VECTOR_BYTES / sizeof(real)))
typedef real pack __attribute__((vector_size(VECTOR_BYTES)));
DEV_FN pack pack_in(const real *from) { pack v; memcpy(&v, from, sizeof v); return v; }
DEV_FN void pack_out(pack v, real *to) { memcpy(to, &v, sizeof v); }
#endif
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define PACK_FMA(a, b, c) fma(a, (pack)(b), c)
#define PACK_ZERO ((pack)(0))
#define FUSE_FROM_HERE
#define FUSE_TO_HERE
#define FUSE
#else
#define PACK_FMA(a, b, c) ((a) * (b) + (c))
#define PACK_ZERO ((pack){0})
#if defined(__clang__)
#define FUSE_FROM_HERE
#define FUSE_TO_HERE
#define FUSE _Pragma("STDC FP_CONTRACT ON")
#else
#define FUSE_FROM_HERE _Pragma("GCC push_options") _Pragma("GCC optimize(\"fp-contract=fast\")")
#define FUSE_TO_HERE _Pragma("GCC pop_options")
#define FUSE
#endif
#endif
/* A register of 64-bit words, and the products of their lower halves, which compilers do not find by themselves or
 * put together from pieces. */
#if LANES > 1
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define WORDS 8
typedef ulong8 words;
#define words_all(x) ((words)(x))
#define words_in(from) vload8(0, from)
#define words_out(v, to) vstore8(v, 0, to)
#else
#ifndef VECTOR_BYTES
#define VECTOR_BYTES 16
#endif
#define WORDS (VECTOR_BYTES / 8)
typedef u64 words __attribute__((vector_size(VECTOR_BYTES)));
#define words_all(x) ((words){0} + (u64)(x))
DEV_FN words words_in(const u64 *from) { words v; memcpy(&v, from, sizeof v); return v; }
DEV_FN void words_out(words v, u64 *to) { memcpy(to, &v, sizeof v); }
#endif
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define INTS_ __attribute__((vector_size(VECTOR_BYTES)))
typedef i32 words_halves INTS_;
typedef long long words_products INTS_;
#undef INTS_
#if VECTOR_BYTES == 64
#define words_times(a, b)                                                                                    \
  ((words)__builtin_ia32_pmuludq512_mask((words_halves)(a), (words_halves)(b), (words_products){0}, 255))
#elif VECTOR_BYTES == 32
#define words_times(a, b) ((words)__builtin_ia32_pmuludq256((words_halves)(a), (words_halves)(b)))
#else
#define words_times(a, b) ((words)__builtin_ia32_pmuludq128((words_halves)(a), (words_halves)(b)))
#endif
#else
#define words_times(a, b) (((a) & words_all(0xffffffffu)) * ((b) & words_all(0xffffffffu)))
#endif
#endif
#if defined(__clang__)
#define UNROLLED _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#define ROLLED _Pragma("GCC unroll 1")
#endif
/* A loop over the elements of a small array: of one lane it is unrolled, so that the elements are registers. */
#if LANES == 1
#define OVER_FEW UNROLLED
#else
#define OVER_FEW
#endif
/* A loop that is to stay one where code is straight, as each turn is a long text. */
#if LANES == 1
#define ONE_TEXT ROLLED
#else
#define ONE_TEXT
#endif

/* Every kernel takes the same arguments, so that one launcher serves all families:
 *   n        points in this chunk;  cap: distance between columns of in, out and work
 *   set_cap  distance between columns of set_in and set_work; n_sets parameter sets are in use
 *   run      consecutive points that share a parameter set; phase: points of set 0 before this chunk
 *   offset   index of the chunk's first point in the whole sample (random numbers count from it)
 *   shared   bit k set: column k of in holds one value for all points
 *   list     compacted point lists: list[r] counts list r, its entries begin at list[LIST_HEAD + r * cap]
 *   par      constants of the call
 *   stored, stored_whole   numbers that stay on a device between calls: the task's block */
#define LIST_HEAD 16
#define KERNEL_ARGS_OF(number)                                                                               \
  i32 n, i32 cap, i32 n_sets, i32 set_cap, i32 run, i32 phase, i64 offset, u32 shared,                       \
      DEV_GLOBAL const number *set_in, DEV_GLOBAL const number *in, DEV_GLOBAL number *out,                  \
      DEV_GLOBAL number *set_work, DEV_GLOBAL number *work, DEV_GLOBAL i32 *list, DEV_GLOBAL const number *par, \
      DEV_GLOBAL const number *stored, DEV_GLOBAL const i32 *stored_whole
#define KERNEL_ARGS KERNEL_ARGS_OF(real)
#define KERNEL_NAMES                                                                                         \
  n, cap, n_sets, set_cap, run, phase, offset, shared, set_in, in, out, set_work, work, list, par, stored,    \
      stored_whole
#define KERNEL_UNUSED                                                                                        \
  (void)n; (void)cap; (void)n_sets; (void)set_cap; (void)run; (void)phase; (void)offset; (void)shared;       \
  (void)set_in; (void)in; (void)out; (void)set_work; (void)work; (void)list; (void)par; (void)block;      \
  (void)stored; (void)stored_whole

/* one more level, so that a name that is itself a macro is expanded before it is pasted */
#define KERNEL(name) KERNEL_(name)
#define KERNEL_(name)                                                                                        \
  static inline __attribute__((always_inline)) void name##_block(i32 block, KERNEL_ARGS);                    \
  KERNEL_ENTRY(name)                                                                                         \
  static inline __attribute__((always_inline)) void name##_block(i32 block, KERNEL_ARGS)
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
/* A second wave on a processor hides what the first one waits for: constants that AMD's compiler would keep in
 * registers throughout a loop are not worth it. */
#ifdef __AMDGCN__
#define KERNEL_WAVES __attribute__((amdgpu_waves_per_eu(2)))
#else
#define KERNEL_WAVES
#endif
#define KERNEL_ENTRY(name)                                                                                   \
  __kernel KERNEL_WAVES void name(KERNEL_ARGS) { name##_block((i32)get_global_id(0), KERNEL_NAMES); }
#else /* the caller in C does not know which numbers a program computes in; src/engine/cpu_program.c has the name */
#define KERNEL_ENTRY(name)                                                                                   \
  void KERNEL_SYMBOL(name)(i32 block, KERNEL_ARGS_OF(void)) { name##_block(block, KERNEL_NAMES); }
#endif

/* Kernels that put points into lists are SORTING_KERNEL(name), and take SORTING_ARGS, as what they call does that has
 * list_push(). A work-item of one lane puts at most one point into one list: it notes where, and at the end its group
 * claims the room for all of its points at once, one atomic addition for each list that gets any. They keep their
 * order. At most SORTED_ITEMS work-items are a group. */
#define SORTED_ITEMS 128
#if (defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)) && LANES == 1
typedef struct {
  i32 list, point; /* list -1: none */
} listed_point;
#define SORTING_ARGS KERNEL_ARGS, __attribute__((unused)) listed_point *listed
#define SORTING_NAMES KERNEL_NAMES, listed
/* A byte of lists_of for each work-item is its list, four to a word, NO_LIST where there is none. */
#define SORTED_WORDS (SORTED_ITEMS / 4)
#define NO_LIST 127
#define list_push(r, at_point)                                                                               \
  {                                                                                                          \
    listed->list = (r);                                                                                      \
    listed->point = (at_point);                                                                              \
  }
/* The highest bit of each byte of a word that is that of list r: all bytes are below 128, so that nothing is carried
 * from one to the next. */
DEV_FN u32 bytes_of_list(u32 word, u32 r) {
  return ~((word ^ (r * 0x01010101u)) + 0x7f7f7f7fu) & 0x80808080u;
}
DEV_FN void lists_take(DEV_GLOBAL i32 *list, i32 cap, listed_point own, DEV_LOCAL u32 *lists_of,
                       DEV_LOCAL i32 *first) {
  const i32 item = (i32)get_local_id(0), items = (i32)get_local_size(0), word = item / 4;
  const u32 r = own.list < 0 ? NO_LIST : (u32)own.list;
  DEV_LOCAL uchar *byte = (DEV_LOCAL uchar *)lists_of;
  i32 before = 0;
  byte[item] = (uchar)r;
  for (i32 i = item + items; i < SORTED_ITEMS; i += items) byte[i] = NO_LIST;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (own.list >= 0) {
    for (i32 i = 0; i < word; i++) before += (i32)popcount(bytes_of_list(lists_of[i], r));
    for (i32 i = 4 * word; i < item; i++) before += byte[i] == r ? 1 : 0;
    if (before == 0) { /* the first of its list */
      i32 all = 0;
      for (i32 i = word; i < SORTED_WORDS; i++) all += (i32)popcount(bytes_of_list(lists_of[i], r));
      first[r] = list_claim(list + r, all);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (own.list >= 0) list[LIST_HEAD + own.list * cap + first[r] + before] = own.point;
}
#define SORTING_KERNEL(name) SORTING_KERNEL_(name)
#define SORTING_KERNEL_(name)                                                                                \
  DEV_FN void name##_block(i32 block, SORTING_ARGS);                                                         \
  __kernel KERNEL_WAVES void name(KERNEL_ARGS) {                                                             \
    __local u32 lists_of_[SORTED_WORDS];                                                                     \
    __local i32 first_[LIST_HEAD];                                                                           \
    listed_point own_ = {-1, 0}, *listed = &own_;                                                            \
    name##_block((i32)get_global_id(0), SORTING_NAMES);                                                      \
    lists_take(list, cap, own_, lists_of_, first_);                                                          \
  }                                                                                                          \
  DEV_FN void name##_block(i32 block, SORTING_ARGS)
#else
#define SORTING_ARGS KERNEL_ARGS
#define SORTING_NAMES KERNEL_NAMES
#define SORTING_KERNEL(name) KERNEL(name)
#define list_push(r, point) LIST_AT(r, list_claim(LIST_COUNT(r), 1)) = (point)
#endif

/* A kernel whose first `count` constants a group of work-items reads once: HEAD(i), i < count, is par[i]. */
#if (defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)) && LANES == 1
#define HEAD(i) head[i]
#define HEAD_KERNEL(name, count)                                                                             \
  DEV_FN void name##_block(i32 block, KERNEL_ARGS, DEV_LOCAL const real *head);                              \
  __kernel KERNEL_WAVES void name(KERNEL_ARGS) {                                                             \
    __local real head_[count];                                                                               \
    for (i32 i = (i32)get_local_id(0); i < (count); i += (i32)get_local_size(0)) head_[i] = par[i];          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                            \
    name##_block((i32)get_global_id(0), KERNEL_NAMES, head_);                                                \
  }                                                                                                          \
  DEV_FN void name##_block(i32 block, KERNEL_ARGS, DEV_LOCAL const real *head)
#else
#define HEAD(i) par[i]
#define HEAD_KERNEL(name, count) KERNEL(name)
#endif

/* 1 where a work-item has registers for some 64 numbers, as on Intel's GPUs, and not for twice as many. */
#ifdef cl_intel_subgroups
#define FEW_REGISTERS 1
#else
#define FEW_REGISTERS 0
#endif

/* Cooperative kernels, those of GROUP_LINE in map.def: a group of GROUP_ITEMS work-items goes through a kernel
 * together and shares memory that is near, `staged`. In C one thread plays the whole group, one loop after the other.
 *
 *     GROUP_KERNEL(name, count of staged) {
 *       real own[GROUP_OWN][4];                            what each work-item keeps from loop to loop
 *       GROUP_LOOP(i, 100) staged[i] = a[i];               so many turns, shared by the work-items
 *       GROUP_BARRIER;                                     what any wrote before is there for all
 *       GROUP_LOOP(i, GROUP_ITEMS) own[OWN(i)][0] = staged[i % 100];
 *     }
 *
 * Outside of group loops all work-items do the same and write no memory but their own variables; barriers stand there
 * alone, and where all work-items come to them. own[OWN(i)] belongs to loops of GROUP_ITEMS turns.
 * GROUP_KERNEL_OF(items, name, count) is one whose groups are smaller: ITEM_LOOP(i, items) has a turn for each of
 * these work-items, and what they keep is own[GROUP_OWN_OF(items)].
 * Every cooperative kernel takes the same arguments: group, its number in the launch; blocks a and b of numbers that
 * stay on the device, and found, whole numbers that the host looks at; the others mean what the kernel says. */
#define GROUP_ITEMS 256
#define GROUP_ARGS_OF(number)                                                                                \
  i32 group, i32 n, i32 m, i32 at, i32 from, i32 to, i32 columns, i32 transposed, DEV_GLOBAL number *a,      \
      DEV_GLOBAL number *b, DEV_GLOBAL i32 *found
#define GROUP_NAMES n, m, at, from, to, columns, transposed, a, b, found
#define GROUP_UNUSED                                                                                         \
  (void)group; (void)n; (void)m; (void)at; (void)from; (void)to; (void)columns; (void)transposed; (void)a;  \
  (void)b; (void)found; (void)staged
#define GROUP_KERNEL(name, count) GROUP_KERNEL_OF(GROUP_ITEMS, name, count)
#define GROUP_OWN GROUP_OWN_OF(GROUP_ITEMS)
#define GROUP_KERNEL_OF(items, name, count)                                                                  \
  DEV_FN void name##_group(GROUP_ARGS_OF(real), DEV_LOCAL real *staged);                                     \
  GROUP_ENTRY(items, name, count)                                                                            \
  DEV_FN void name##_group(GROUP_ARGS_OF(real), DEV_LOCAL real *staged)
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define GROUP_OWN_OF(items) 1
#define OWN(i) 0
#define ITEM_LOOP(i, items)                                                                                  \
  for (__attribute__((unused)) i32 i = (i32)get_local_id(0), once_ = 1; once_; once_ = 0)
#define GROUP_LOOP(i, count) for (i32 i = (i32)get_local_id(0); i < (count); i += GROUP_ITEMS)
#define GROUP_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
/* a long launch is done in pieces: group, the first of this one */
#define GROUP_ENTRY(items, name, count)                                                                      \
  __kernel __attribute__((reqd_work_group_size(items, 1, 1))) void name(GROUP_ARGS_OF(real)) {               \
    __local real staged_[count];                                                                             \
    name##_group(group + (i32)get_group_id(0), GROUP_NAMES, staged_);                                        \
  }
#else
#define GROUP_OWN_OF(items) (items)
#define OWN(i) (i)
#define ITEM_LOOP(i, items) GROUP_LOOP(i, items)
#define GROUP_LOOP(i, count) for (i32 i = 0; i < (count); i++)
#define GROUP_BARRIER ((void)0)
#define GROUP_ENTRY(items, name, count)                                                                      \
  void KERNEL_SYMBOL(name)(GROUP_ARGS_OF(void)) {                                                            \
    real staged_[count];                                                                                     \
    name##_group(group, GROUP_NAMES, staged_);                                                               \
  }
#endif

/* Team kernels, of devices whose work-items are one lane: a point has a team of up to TEAM_ITEMS work-items, and a
 * group so many teams, which go through the kernel side by side and come to each barrier together. staged: memory of
 * the group that is near. Only what follows the kernel's name in map.def differs from the others' for the host:
 * ocl_run.c launches them where a pipeline says so. */
#define TEAM_ITEMS 32
#define TEAM_KERNEL(name) TEAM_KERNEL_(name)
/* On a CPU that plays a GPU, PoCL takes time that grows by powers with the branches between barriers, and makes wrong
 * code of loops within them: what has such, and no barrier, is a function of its own there. */
#if defined(__x86_64__) || defined(__aarch64__)
#define TEAM_FAR_FN static __attribute__((noinline))
#else
#define TEAM_FAR_FN DEV_FN
#endif
#define TEAM_KERNEL_(name) __kernel KERNEL_WAVES void name(KERNEL_ARGS, i32 teams, DEV_LOCAL real *staged)
#define TEAM_UNUSED                                                                                          \
  const i32 block = 0;                                                                                       \
  (void)staged;                                                                                              \
  KERNEL_UNUSED

/* All that kernels read and write of columns and lists goes through what follows: place i of column k; i and those
 * after it, in column k and those after it; places of work without columns; the count of list r. A checked build
 * (-DSTATCL_CHECKED=1, C alone) compares each with the pipeline: src/engine/checked.h. */
#if defined(STATCL_CHECKED) && !(defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__))
enum checked_block {
  CHECKED_set_in, CHECKED_in, CHECKED_out, CHECKED_set_work, CHECKED_work, CHECKED_list, CHECKED_BLOCKS
};
extern void *checked_places(enum checked_block which, const void *block, size_t size, i32 k, i32 columns, i64 i,
                            i64 places, i32 apart);
extern void *checked_scratch(void *work, size_t size, i64 i, i64 places);
extern i32 *checked_count(i32 *list, i32 r, int taken);
#define PLACES(block, k, columns, i, places, apart)                                                          \
  ((__typeof__(block))checked_places(CHECKED_##block, block, sizeof *block, k, columns, i, places, apart))
#define PLACE(block, k, i, apart) (*PLACES(block, k, 1, i, 1, apart))
#define SCRATCH(i, places) ((real *)checked_scratch(work, sizeof *work, i, places))
#define LIST_AT(r, i) PLACE(list, r, LIST_HEAD + (i), cap)
#define LIST_COUNT(r) checked_count(list, r, 0)
#define LIST_TAKEN(r) (*checked_count(list, r, 1))
#else
#define PLACES(block, k, columns, i, places, apart) (block + (k) * (apart) + (i))
#define PLACE(block, k, i, apart) block[(k) * (apart) + (i)]
#define SCRATCH(i, places) (work + (i))
#define LIST_AT(r, i) list[LIST_HEAD + (r) * cap + (i)]
#define LIST_COUNT(r) (list + (r))
#define LIST_TAKEN(r) list[r]
#endif

/* First lines of a kernel: idx[l] is the point (or set) of lane l. Lanes past the end repeat the last point and
 * write the same value again, so a value's bits never depend on where it stands; live(l) tells them apart. */
#define OVER_(count)                                                                                         \
  i32 idx[LANES];                                                                                            \
  const i32 count_ = (count);                                                                                \
  KERNEL_UNUSED;                                                                                             \
  if (block * LANES >= count_) return;                                                                       \
  for (i32 l = 0; l < LANES; l++) idx[l] = block * LANES + l < count_ ? block * LANES + l : count_ - 1
#define OVER_SETS OVER_(n_sets)
#define OVER_POINTS OVER_(n)
#define OVER_LIST(r)                                                                                         \
  OVER_(LIST_TAKEN(r));                                                                                      \
  for (i32 l = 0; l < LANES; l++) idx[l] = LIST_AT(r, idx[l])
/* The same for points, in a row from `at` on, and nobody's points past the end, for which columns have room: whole
 * vectors are read and written. */
#define OVER_WHOLE_BLOCKS                                                                                    \
  const i32 at = block * LANES, count_ = n;                                                                  \
  KERNEL_UNUSED;                                                                                             \
  (void)count_;                                                                                              \
  if (at >= n) return
#define LANES_IN(k, v)                                                                                       \
  if ((shared >> (k)) & 1u) {                                                                                \
    const real only_ = PLACE(in, k, 0, cap);                                                                 \
    LANE_LOOP(l) v[l] = only_;                                                                               \
  } else {                                                                                                   \
    DEV_GLOBAL const real *of_ = PLACES(in, k, 1, at, LANES, cap);                                           \
    LANE_LOOP(l) v[l] = of_[l];                                                                              \
  }
#define LANES_OUT(k, v)                                                                                      \
  {                                                                                                          \
    DEV_GLOBAL real *of_ = PLACES(out, k, 1, at, LANES, cap);                                                \
    LANE_LOOP(l) of_[l] = v[l];                                                                              \
  }
#define live(l) (block * LANES + (l) < count_)
/* Is there a lane of which something holds? A sum, which compilers vectorise, as they do not the logical or. */
#define ANY_LANE(any, condition)                                                                             \
  word any = 0;                                                                                              \
  for (i32 l = 0; l < LANES; l++) any += (condition) ? 1 : 0;
/* Each lane of a block to a list, target[l] < lists, or to none. Where claims are atomic there is one per list and
 * block. */
#if (defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)) && LANES > 1
#define list_push_lanes(target, lists)                                                                       \
  {                                                                                                          \
    i32 at_[(lists) + 1], rank_[LANES];                                                                      \
    for (i32 r = 0; r <= (lists); r++) at_[r] = 0;                                                           \
    for (i32 l = 0; l < LANES; l++) {                                                                        \
      if (!live(l)) target[l] = (lists);                                                                     \
      rank_[l] = at_[target[l]]++;                                                                           \
    }                                                                                                        \
    for (i32 r = 0; r < (lists); r++)                                                                        \
      if (at_[r] > 0) at_[r] = list_claim(LIST_COUNT(r), at_[r]);                                            \
    for (i32 l = 0; l < LANES; l++)                                                                          \
      if (target[l] < (lists)) LIST_AT(target[l], at_[target[l]] + rank_[l]) = idx[l];                       \
  }
#else
#define list_push_lanes(target, lists)                                                                       \
  for (i32 l = 0; l < LANES; l++)                                                                            \
    if (live(l) && target[l] < (lists)) list_push(target[l], idx[l]);
#endif

/* Lanes of points in a row from `at` on to the list that way[l] numbers, or to none. */
#define TO_LISTS(count, way)                                                                                 \
  for (i32 k = 0; k < (count); k++) {                                                                        \
    i32 wanted[LANES];                                                                                       \
    const real own = k;                                                                                      \
    LANE_LOOP(l) wanted[l] = way[l] == own;                                                                  \
    list_push_wanted(k, wanted)                                                                              \
  }
/* Lanes of points in a row from `at` on whose wanted[l] is 1 and not 0, to a list, without branches where it belongs
 * to one thread. */
#define list_push_wanted(r, wanted)                                                                          \
  {                                                                                                          \
    for (i32 l = count_ - at; l < LANES; l++) wanted[l] = 0;                                                 \
    PUSH_WANTED_(r, wanted)                                                                                  \
  }
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define PUSH_WANTED_(r, wanted)                                                                              \
  i32 more_ = 0;                                                                                             \
  for (i32 l = 0; l < LANES; l++) more_ += wanted[l];                                                        \
  if (more_ > 0) more_ = list_claim(LIST_COUNT(r), more_);                                                   \
  for (i32 l = 0; l < LANES; l++)                                                                            \
    if (wanted[l]) LIST_AT(r, more_++) = at + l;
#else
#define PUSH_WANTED_(r, wanted)                                                                              \
  const i32 first_ = list_claim(LIST_COUNT(r), 0);                                                           \
  i32 end_ = first_;                                                                                         \
  UNROLLED for (i32 l = 0; l < LANES; l++) {                                                                 \
    LIST_AT(r, end_) = at + l;                                                                               \
    end_ += wanted[l];                                                                                       \
  }                                                                                                          \
  list_claim(LIST_COUNT(r), end_ - first_);
#endif

/* Set of each lane, outside lane loops: an integer division would not vectorise. */
#define SET_OF_LANES(set)                                                                                    \
  i32 set[LANES];                                                                                            \
  for (i32 l = 0; l < LANES; l++) set[l] = n_sets == 1 ? 0 : run == 1 ? idx[l] : (idx[l] + phase) / run
#define SET_IN(k, s) PLACE(set_in, k, s, set_cap)
#define SET_WORK(k, s) PLACE(set_work, k, s, set_cap)
#define IN(k, i) PLACE(in, k, (shared >> (k)) & 1u ? 0 : (i), cap)
#define OUT(k, i) PLACE(out, k, i, cap)
#define WORK(k, i) PLACE(work, k, i, cap)

#endif

/* limit-weighted.c: the exact lists of the default formula, by a program that shares no code with the product.
 *
 * Job: for each row j of a binary CSR matrix its 100 best other rows i by
 *     key = sum of weights of the common columns * size(i)^-0.6 * c / (c + 4.5)
 * among rows with c >= 1 common columns; a column in d rows weighs round(2^31 d^-0.7). Equal keys go by the row. Row i
 * then lists the rows j that chose it, best first by key * size(j)^-0.25. Scores are (that / 2^31)^0.85, divided by the
 * square root of the list's sum. The digest is the one that "coterie-bench similarity" prints for the same matrix.
 *
 *     cc -O3 -march=native -fopenmp -o limit-weighted limit-weighted.c -lm        (needs AVX-512 VBMI2)
 *     limit-weighted IN.npz [THREADS [CHECKED]]
 *
 * IN.npz is an uncompressed file of numpy with indptr, indices and shape. CHECKED rows, 0 unless given, are compared
 * with brute force. The program prints seconds and a digest of all lists.
 *
 * Rows are sorted by size, and columns by degree. Rows as targets are cut into blocks of 4,096. A column with many
 * targets in a block is a bitmap, any other a list of 16-bit numbers. For a row and a block, upper bounds of 16 bits
 * are added first, 32 targets an instruction. Exact sums follow only for targets whose bound reaches the row's 100th
 * best key so far, and lists are walked a second time only if there are such targets.
 */
#include <immintrin.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { K = 100, MIN_ROW = 1, CAP = 320, HEAVY = 64 };

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

static void die(const char *what) { fprintf(stderr, "limit-weighted: %s\n", what); exit(1); }
static void *get(size_t bytes) {
    void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!p) die("out of memory");
    return p;
}
static void *get0(size_t bytes) {
    void *p = calloc(1, bytes + 64);
    if (!p) die("out of memory");
    return p;
}
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

/* ---- input ---------------------------------------------------------------------------- */

static int64_t *in_ptr, n_file_rows, n_file_cols;
static int32_t *in_ind;

static void read_npz(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) die("cannot open input");
    u8 h[30];
    while (fread(h, 1, 30, f) == 30 && !memcmp(h, "PK\3\4", 4)) {
        char name[256] = {0}, head[4096] = {0};
        u16 name_len, extra_len, method;
        memcpy(&method, h + 8, 2);
        memcpy(&name_len, h + 26, 2);
        memcpy(&extra_len, h + 28, 2);
        if (method || name_len > 255 || fread(name, 1, name_len, f) != name_len) die("compressed or odd npz");
        fseek(f, extra_len, SEEK_CUR);
        u8 magic[10];
        u16 head_len;
        if (fread(magic, 1, 10, f) != 10) die("short npz");
        memcpy(&head_len, magic + 8, 2);
        if (head_len > 4095 || fread(head, 1, head_len, f) != head_len) die("odd npy");
        size_t n = strtoull(strstr(head, "'shape': (") + 10, 0, 10), width = strstr(head, "<i8") ? 8 : 4;
        void *p = get(n * width);
        if (fread(p, width, n, f) != n) die("short npy");
        if (!strncmp(name, "indptr", 6)) in_ptr = p, n_file_rows = n - 1;
        else if (!strncmp(name, "indices", 7)) in_ind = p;
        else n_file_cols = ((int64_t *)p)[1], free(p);
    }
    fclose(f);
    if (!in_ptr || !in_ind) die("no CSR in input");
}

/* ---- rows kept, sorted and renumbered ---------------------------------------------------- */

static u32 n, n_users, *row_id, *size_of, *col; /* col: user of each entry */
static u64 *ptr, nnz, work;                     /* work: sum of d * d */
static u32 *degree;

/* ids 0..m-1 ordered by key, largest first (or only filtered, when by_key is 0) */
static u32 *order_desc(const u32 *key, u32 m, u32 least, int by_key, u32 *kept) {
    u32 top = 0, k = 0, *out = get((size_t)m * 4);
    if (!by_key) {
        for (u32 i = 0; i < m; i++) if (key[i] >= least) out[k++] = i;
        *kept = k;
        return out;
    }
    for (u32 i = 0; i < m; i++) if (key[i] > top) top = key[i];
    u32 *at = get0(((size_t)top + 2) * 4);
    for (u32 i = 0; i < m; i++) if (key[i] >= least) at[top - key[i] + 1]++, k++;
    for (u32 v = 0; v <= top; v++) at[v + 1] += at[v];
    for (u32 i = 0; i < m; i++) if (key[i] >= least) out[at[top - key[i]]++] = i;
    free(at);
    *kept = k;
    return out;
}

/* Light users (the tail of `users`) by the last of their rows: a small row's are neighbours. */
static void by_last_row(u32 *users, const u32 *deg) {
    u32 heavy = 0, *last = get(n_file_cols * 4), *at = get0(((size_t)n + 2) * 4);
    while (heavy < n_users && deg[users[heavy]] >= HEAVY) heavy++;
    for (u32 r = 0; r < n; r++)
        for (int64_t e = in_ptr[row_id[r]]; e < in_ptr[row_id[r] + 1]; e++) last[in_ind[e]] = r;
    u32 light = n_users - heavy, *moved = get((size_t)light * 4 + 4);
    for (u32 k = heavy; k < n_users; k++) at[last[users[k]] + 1]++;
    for (u32 r = 0; r < n; r++) at[r + 1] += at[r];
    for (u32 k = heavy; k < n_users; k++) moved[at[last[users[k]]]++] = users[k];
    memcpy(users + heavy, moved, (size_t)light * 4);
    free(last), free(at), free(moved);
}

static void prepare(int by_size) {
    u32 rows = n_file_rows, *size = get((size_t)rows * 4), *deg = get0(n_file_cols * 4), *new_user = get(n_file_cols * 4);
    for (u32 i = 0; i < rows; i++) size[i] = in_ptr[i + 1] - in_ptr[i];
    row_id = order_desc(size, rows, MIN_ROW, by_size, &n);
    #pragma omp parallel for schedule(dynamic, 256)
    for (u32 r = 0; r < n; r++)
        for (int64_t e = in_ptr[row_id[r]]; e < in_ptr[row_id[r] + 1]; e++) {
            #pragma omp atomic
            deg[in_ind[e]]++;
        }
    u32 *users = order_desc(deg, n_file_cols, 2, 1, &n_users);
    by_last_row(users, deg);
    memset(new_user, 0xff, n_file_cols * 4);
    degree = get((size_t)n_users * 4);
    for (u32 u = 0; u < n_users; u++) new_user[users[u]] = u, degree[u] = deg[users[u]], work += (u64)degree[u] * degree[u];
    free(users), free(deg);
    size_of = get((size_t)n * 4), ptr = get0(((size_t)n + 1) * 8);
    #pragma omp parallel for schedule(dynamic, 256)
    for (u32 r = 0; r < n; r++) {
        size_of[r] = size[row_id[r]];
        u32 kept = 0;
        for (int64_t e = in_ptr[row_id[r]]; e < in_ptr[row_id[r] + 1]; e++) {
            u32 u = new_user[in_ind[e]];
            in_ind[e] = u; /* in place: read once more below */
            kept += u != ~0u;
        }
        ptr[r + 1] = kept;
    }
    for (u32 r = 0; r < n; r++) ptr[r + 1] += ptr[r];
    nnz = ptr[n];
    col = get(nnz * 4 + 512);
    #pragma omp parallel for schedule(dynamic, 256)
    for (u32 r = 0; r < n; r++) {
        u64 o = ptr[r];
        for (int64_t e = in_ptr[row_id[r]]; e < in_ptr[row_id[r] + 1]; e++)
            if (in_ind[e] != -1) col[o++] = in_ind[e];
    }
    memset(col + nnz, 0, 512);
    free(size), free(new_user);
}


/* ---- weights and keys ---------------------------------------------------------------------- */

static const double DISCOUNT = 0.7, SOURCE = 0.6, TARGET = 0.25, SHRINKAGE = 4.5, POWER = 0.85;
enum { COUNT_BITS = 17 }; /* a sum of weights stays below 2^46 */

static u32 *weight_of;     /* by column */
static double *factor_of;  /* size^-0.6, by row; ascending */

static void weigh(void) {
    weight_of = get((size_t)n_users * 4 + 64), factor_of = get((size_t)n * 8 + 64);
    for (u32 u = 0; u < n_users; u++) {
        double w = round(0x1p31 * pow(degree[u], -DISCOUNT));
        weight_of[u] = w < 1 ? 1 : (u32)w;
    }
    for (u32 i = 0; i < n; i++) factor_of[i] = pow(size_of[i], -SOURCE);
}
static inline double key_of(u64 sum, u32 c, u32 other) {
    return (double)sum * factor_of[other] * ((double)c / ((double)c + SHRINKAGE));
}

/* ---- a row's best K ------------------------------------------------------------------------ */

typedef struct { double key; u32 i, c; } cand;
typedef struct { double theta; u32 n; cand v[CAP]; } top; /* theta: the K-th key, or 0 */

static inline int before(const cand *a, const cand *b) {
    return a->key != b->key ? a->key > b->key : row_id[a->i] < row_id[b->i];
}
static void shrink(top *t) { /* keep the K best */
    cand *v = t->v;
    int lo = 0, hi = (int)t->n - 1;
    while (lo < hi) {
        cand pivot = v[(lo + hi) / 2];
        int a = lo, b = hi;
        while (a <= b) {
            while (before(v + a, &pivot)) a++;
            while (before(&pivot, v + b)) b--;
            if (a <= b) { cand s = v[a]; v[a++] = v[b]; v[b--] = s; }
        }
        if (K - 1 <= b) hi = b;
        else if (K - 1 >= a) lo = a;
        else break;
    }
    double least = v[0].key;
    for (int k = 1; k < K; k++) if (v[k].key < least) least = v[k].key;
    t->n = K, t->theta = least;
}
static inline void push(top *t, u32 i, u64 packed) {
    u32 c = packed & ((1u << COUNT_BITS) - 1);
    double key = key_of(packed >> COUNT_BITS, c, i);
    if (key < t->theta) return;
    t->v[t->n++] = (cand){key, i, c};
    if (t->n == CAP || (t->n == K && t->theta == 0)) shrink(t);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

#define DENSE 0x80000000u
enum { B = 4096, W = B / 512, TAU = 16, TILE = 256, LEAST = 1 << 13 };
typedef struct { u32 first, rows, n_dense, largest, smallest; u32 *desc; u16 *list; __m512i *dense; } block;
static block *blocks;
static u32 n_blocks;

static void build_block(block *b) {
    u32 last = b->first + b->rows, *count = get0((size_t)n_users * 4);
    b->largest = 0, b->smallest = ~0u;
    for (u32 i = b->first; i < last; i++) {
        if (size_of[i] > b->largest) b->largest = size_of[i];
        if (size_of[i] < b->smallest) b->smallest = size_of[i];
    }
    for (u64 e = ptr[b->first]; e < ptr[last]; e++) count[col[e]]++;
    u64 length = 1;
    b->n_dense = 0;
    b->desc = get0((size_t)n_users * 4);
    for (u32 u = 0; u < n_users; u++) {
        if (count[u] >= TAU) b->desc[u] = DENSE | b->n_dense++;
        else if (count[u]) b->desc[u] = length, length += count[u] + 1;
    }
    if (length >= DENSE) die("block too large");
    b->list = get(length * 2 + 64);
    b->dense = get((size_t)b->n_dense * W * 64 + 64);
    memset(b->dense, 0, (size_t)b->n_dense * W * 64);
    for (u32 u = 0; u < n_users; u++)
        if (b->desc[u] && !(b->desc[u] & DENSE)) b->list[b->desc[u]] = 0;
    for (u32 i = b->first; i < last; i++)
        for (u64 e = ptr[i]; e < ptr[i + 1]; e++) {
            u32 d = b->desc[col[e]], j = i - b->first;
            if (d & DENSE) ((u64 *)(b->dense + (size_t)(d & ~DENSE) * W))[j >> 6] |= 1ull << (j & 63);
            else b->list[d + ++b->list[d]] = j;
        }
    free(count);
}


/* ---- one row against one block ------------------------------------------------------------------ */

typedef struct { const u16 *at; u32 len, weight; } list;
typedef struct {
    u16 *bound;         /* of each target; all 0 between visits */
    u64 *sum;           /* exact, the same */
    const __m512i **maps;
    u32 *map_weight;
    list *lists;
    u16 hits[B + 32];
    u64 passed, pushed;
} state;

static inline u64 packed(u32 weight) { return (u64)weight << COUNT_BITS | 1; }

/* Adds the exact sums of lists, and takes them away again. */
static void add_lists(state *s, u32 count) {
    for (u32 l = 0; l < count; l++)
        for (u32 k = 0; k < s->lists[l].len; k++) s->sum[s->lists[l].at[k]] += packed(s->lists[l].weight);
}
static void clear_lists(state *s, u32 count) {
    for (u32 l = 0; l < count; l++)
        for (u32 k = 0; k < s->lists[l].len; k++) s->sum[s->lists[l].at[k]] = 0;
}

/* Without a K-th key, every target with a common column counts. */
static void all_targets(u32 j, const block *b, u32 m, u32 count, u64 added, top *t, state *s) {
    add_lists(s, count);
    if (!m && added * 8 < b->rows) {
        for (u32 l = 0; l < count; l++)
            for (u32 k = 0; k < s->lists[l].len; k++) {
                u32 x = s->lists[l].at[k];
                if (s->sum[x] && b->first + x != j) push(t, b->first + x, s->sum[x]);
                s->sum[x] = 0;
            }
        return;
    }
    /* The positions of the bits first, 32 at a time: a branch for each bit would be guessed wrong too often. */
    __m512i lanes;
    u16 count_up[32] __attribute__((aligned(64)));
    for (u32 q = 0; q < 32; q++) count_up[q] = q;
    lanes = _mm512_load_si512(count_up);
    for (u32 k = 0; k < m; k++) {
        u32 found = 0;
        for (u32 w = 0; w < B / 32; w++) {
            const u32 bits = ((const u32 *)s->maps[k])[w];
            const __m512i at = _mm512_add_epi16(lanes, _mm512_set1_epi16(w * 32));
            _mm512_storeu_si512(s->hits + found, _mm512_maskz_compress_epi16(bits, at));
            found += __builtin_popcount(bits);
        }
        for (u32 f = 0; f < found; f++) s->sum[s->hits[f]] += packed(s->map_weight[k]);
    }
    for (u32 x = 0; x < b->rows; x++)
        if (s->sum[x]) {
            if (b->first + x != j) push(t, b->first + x, s->sum[x]);
            s->sum[x] = 0;
        }
}

static void row_block(u32 j, const block *b, u32 most, top *t, state *s) {
    u32 m = 0, count = 0, hits = 0;
    u64 added = 0;
    const u32 *desc = b->desc, *c = col + ptr[j], *const end = col + ptr[j + 1];
    for (; c < end; c++) {
        _mm_prefetch((const char *)(desc + c[48]), _MM_HINT_T0);
        _mm_prefetch((const char *)(b->list + (desc[c[16]] & ~DENSE)), _MM_HINT_T0);
        u32 d = desc[*c];
        if (d & DENSE) s->maps[m] = b->dense + (size_t)(d & ~DENSE) * W, s->map_weight[m++] = weight_of[*c];
        else if (d) s->lists[count++] = (list){b->list + d + 1, b->list[d], weight_of[*c]}, added += b->list[d];
    }
    if (!m && !count) return;
    if (t->theta == 0) { all_targets(j, b, m, count, added, t, s); return; }
    /* The least useful sum of the block's last row becomes LEAST. */
    const double least = t->theta * (1 - 1e-6) * (most + SHRINKAGE) / most;
    const double scale = LEAST * factor_of[b->first + b->rows - 1] / least;
    #define BOUND(w) ((w) * scale >= 65534 ? 65535u : (u32)((w) * scale) + 1)
    for (u32 l = 0; l < count; l++) {
        const u32 bound = BOUND(s->lists[l].weight);
        for (u32 k = 0; k < s->lists[l].len; k++) {
            u32 sum = s->bound[s->lists[l].at[k]] + bound;
            s->bound[s->lists[l].at[k]] = sum > 65535 ? 65535 : sum;
        }
    }
    #define REACHED(at) (least * scale / factor_of[b->first + ((at) | 63) < n ? b->first + ((at) | 63) : n - 1] * (1 - 1e-9))
    if (!m && added * 8 < b->rows) {
        for (u32 l = 0; l < count; l++)
            for (u32 k = 0; k < s->lists[l].len; k++) {
                u32 x = s->lists[l].at[k], bound = s->bound[x];
                s->bound[x] = 0;
                if (bound && (bound == 65535 || bound >= REACHED(x))) s->hits[hits++] = x;
            }
    } else {
        for (u32 w = 0; w < (b->rows + 511) / 512; w++) {
            __m512i sum[16];
            for (u32 q = 0; q < 16; q++) {
                sum[q] = _mm512_load_si512(s->bound + w * 512 + q * 32);
                _mm512_store_si512(s->bound + w * 512 + q * 32, _mm512_setzero_si512());
            }
            for (u32 k = 0; k < m; k++) {
                const u32 *map = (const u32 *)(s->maps[k] + w);
                const __m512i bound = _mm512_set1_epi16(BOUND(s->map_weight[k]));
                if (k + 8 < m) _mm_prefetch((const char *)(s->maps[k + 8] + w), _MM_HINT_T0);
                for (u32 q = 0; q < 16; q++) sum[q] = _mm512_mask_adds_epu16(sum[q], map[q], sum[q], bound);
            }
            for (u32 q = 0; q < 16; q++) {
                u32 at = w * 512 + q * 32;
                double reached = REACHED(at);
                u32 reach = reached >= 65535 ? 65535 : reached < 1 ? 1 : (u32)reached;
                for (u32 hit = _mm512_cmpge_epu16_mask(sum[q], _mm512_set1_epi16(reach)); hit; hit &= hit - 1)
                    s->hits[hits++] = at + __builtin_ctz(hit);
            }
        }
    }
    if (!hits) return;
    add_lists(s, count);
    s->passed += hits;
    for (u32 h = 0; h < hits; h++) {
        u32 x = s->hits[h];
        u64 exact = s->sum[x];
        for (u32 k = 0; k < m; k++)
            exact += packed(s->map_weight[k]) & -(((const u8 *)s->maps[k])[x >> 3] >> (x & 7) & 1ull);
        if (exact && b->first + x != j) s->pushed++, push(t, b->first + x, exact);
    }
    clear_lists(s, count);
}

/* ---- all rows, then the lists ------------------------------------------------------------------- */

typedef struct { double key; u32 row, c; } pair;
static cand *best; /* n x K */
static u32 *best_count;
static u64 passed, pushed;

static void choose(void) {
    u32 n_tiles = (n + TILE - 1) / TILE, longest = 0;
    for (u32 i = 0; i < n; i++) if (size_of[i] > longest) longest = size_of[i];
    n_blocks = (n + B - 1) / B, blocks = get0(n_blocks * sizeof *blocks);
    #pragma omp parallel for schedule(dynamic, 1)
    for (u32 x = 0; x < n_blocks; x++) {
        blocks[x].first = x * B, blocks[x].rows = n - x * B < B ? n - x * B : B;
        build_block(blocks + x);
    }
    best = get((size_t)n * K * sizeof *best), best_count = get((size_t)n * 4);
    #pragma omp parallel
    {
        top *tops = get(TILE * sizeof *tops);
        state *s = get(sizeof *s);
        s->bound = get(B * 2), s->sum = get(B * 8), s->maps = get((size_t)longest * 8 + 64);
        s->map_weight = get((size_t)longest * 4 + 64), s->lists = get((size_t)longest * sizeof(list) + 64);
        memset(s->bound, 0, B * 2), memset(s->sum, 0, B * 8), s->passed = s->pushed = 0;
        #pragma omp for schedule(dynamic, 1)
        for (u32 tile = 0; tile < n_tiles; tile++) {
            u32 lo = tile * TILE, hi = lo + TILE < n ? lo + TILE : n, home = lo / B;
            for (u32 j = lo; j < hi; j++) tops[j - lo].n = 0, tops[j - lo].theta = 0;
            for (u32 step = 0; step < 2 * n_blocks; step++) {
                int64_t x = (step & 1) ? (int64_t)home - (step + 1) / 2 : (int64_t)home + step / 2;
                if (x < 0 || x >= n_blocks) continue;
                for (u32 j = lo; j < hi; j++) {
                    u32 most = size_of[j] < blocks[x].largest ? size_of[j] : blocks[x].largest;
                    row_block(j, blocks + x, most, tops + (j - lo), s);
                }
            }
            for (u32 j = lo; j < hi; j++) {
                top *t = tops + (j - lo);
                if (t->n > K) shrink(t);
                memcpy(best + (size_t)j * K, t->v, t->n * sizeof *best), best_count[j] = t->n;
            }
        }
        #pragma omp critical
        passed += s->passed, pushed += s->pushed;
    }
}

static int by_key(const void *x, const void *y) {
    const pair *a = x, *b = y;
    return a->key != b->key ? (a->key < b->key ? 1 : -1) : (a->row > b->row) - (a->row < b->row);
}

static u64 *offsets;
static pair *pairs;
static float *scores;

static void list_sources(void) {
    offsets = get0(((size_t)n_file_rows + 1) * 8);
    for (u32 j = 0; j < n; j++)
        for (u32 k = 0; k < best_count[j]; k++) offsets[row_id[best[(size_t)j * K + k].i] + 1]++;
    for (int64_t r = 0; r < n_file_rows; r++) offsets[r + 1] += offsets[r];
    u64 *at = get((size_t)n_file_rows * 8 + 8);
    memcpy(at, offsets, (size_t)n_file_rows * 8);
    pairs = get(offsets[n_file_rows] * sizeof *pairs + 64), scores = get(offsets[n_file_rows] * 4 + 64);
    for (u32 j = 0; j < n; j++) {
        double own = pow(size_of[j], -TARGET);
        for (u32 k = 0; k < best_count[j]; k++) {
            cand c = best[(size_t)j * K + k];
            pairs[at[row_id[c.i]]++] = (pair){c.key * own, row_id[j], c.c};
        }
    }
    #pragma omp parallel for schedule(dynamic, 256)
    for (int64_t r = 0; r < n_file_rows; r++) {
        u64 from = offsets[r], to = offsets[r + 1];
        qsort(pairs + from, to - from, sizeof *pairs, by_key);
        double sum = 0;
        for (u64 e = from; e < to; e++) sum += pow(pairs[e].key / 0x1p31, POWER);
        double divisor = pow(sum, 0.5);
        for (u64 e = from; e < to; e++) scores[e] = pow(pairs[e].key / 0x1p31, POWER) / divisor;
    }
}

/* ---- brute force ---------------------------------------------------------------------------------- */

/* Compares the best of row j with a plain loop over all rows; returns whether they are the same. */
static int is_right(u32 j) {
    u8 *own = get0(n_users);
    for (u64 e = ptr[j]; e < ptr[j + 1]; e++) own[col[e]] = 1;
    u32 found = 0;
    cand *all = get((size_t)n * sizeof *all + 64);
    for (u32 i = 0; i < n; i++) {
        u64 weights = 0;
        u32 c = 0;
        for (u64 e = ptr[i]; e < ptr[i + 1]; e++) if (own[col[e]]) weights += weight_of[col[e]], c++;
        if (c && i != j) all[found++] = (cand){key_of(weights, c, i), i, c};
    }
    u32 wanted = found < K ? found : K, right = best_count[j] == wanted;
    for (u32 k = 0; right && k < wanted; k++) {
        u32 better = 0;
        const cand *mine = best + (size_t)j * K + k;
        for (u32 a = 0; a < found; a++) better += before(all + a, mine);
        right = better < K && mine->key > 0;
        for (u32 a = 0; right && a < found; a++)
            if (all[a].i == mine->i) right = all[a].key == mine->key && all[a].c == mine->c;
    }
    free(own), free(all);
    return right;
}

int main(int argc, char **argv) {
    if (argc < 2) die("limit-weighted IN.npz [THREADS [CHECKED]]");
    omp_set_num_threads(argc > 2 ? atoi(argv[2]) : 2);
    read_npz(argv[1]);
    double t0 = now(), c0 = cpu();
    prepare(1);
    weigh();
    choose();
    double t1 = now();
    list_sources();
    printf("%.2f s, of them lists %.2f, processor %.2f s; bounds passed %.3g, exact sums kept %.3g; pairs %llu",
           now() - t0, now() - t1, cpu() - c0, (double)passed, (double)pushed,
           (unsigned long long)offsets[n_file_rows]);
    u64 digest = 14695981039346656037ull;
    for (u64 e = 0; e < offsets[n_file_rows]; e++) {
        u32 bits;
        memcpy(&bits, scores + e, 4);
        digest = (digest ^ pairs[e].row) * 1099511628211ull;
        digest = (digest ^ pairs[e].c) * 1099511628211ull;
        digest = (digest ^ bits) * 1099511628211ull;
    }
    for (int64_t r = 0; r <= n_file_rows; r++) digest = (digest ^ offsets[r]) * 1099511628211ull;
    printf(", digest %llx\n", (unsigned long long)digest);
    u32 checked = argc > 3 ? atoi(argv[3]) : 0, wrong = 0;
    for (u32 k = 0; k < checked; k++) wrong += !is_right((u64)k * n / checked);
    if (checked) printf("%u rows compared with brute force, %u wrong\n", checked, wrong);
    return wrong != 0;
}

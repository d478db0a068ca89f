// Included once for each path, with NAME(x), TARGET and VECTOR_BYTES defined.
// Four rows at a time are subtracted from the rows below them, which are then read and written once for four. Every
// element is the result of the same operations in the same order, whatever the width of a vector.

typedef double NAME(doubles) __attribute__((vector_size(VECTOR_BYTES)));
#define DOUBLES NAME(doubles)
#define LANES (VECTOR_BYTES / sizeof(double))

TARGET static int NAME(decompose)(double *matrix, uint32_t count, uint32_t stride) {
// A fused multiplication and addition would round once instead of twice.
#pragma clang fp contract(off)
    for (uint32_t first = 0; first < count; first += 4) {
        const uint32_t end = first + 4 < count ? first + 4 : count;
        for (uint32_t row = first; row < end; row++) {
            double *mine = matrix + row * stride;
            for (uint32_t above = first; above < row; above++) {
                const double *its = matrix + above * stride, factor = its[row];
                for (uint32_t column = row; column < count; column++) mine[column] -= factor * its[column];
            }
            if (!(mine[row] > 0)) return 0;
            const double root = __builtin_sqrt(mine[row]);
            for (uint32_t column = row; column < count; column++) mine[column] /= root;
        }
        if (end == count) return 1;
        const double *a = matrix + first * stride, *b = a + stride, *c = b + stride, *d = c + stride;
        for (uint32_t row = end; row < count; row++) {
            if (a[row] == 0 && b[row] == 0 && c[row] == 0 && d[row] == 0) continue;
            double *mine = matrix + row * stride;
            const DOUBLES fa = (DOUBLES){0} + a[row], fb = (DOUBLES){0} + b[row];
            const DOUBLES fc = (DOUBLES){0} + c[row], fd = (DOUBLES){0} + d[row];
            // Numbers left of the diagonal have no meaning.
            for (uint32_t column = row / LANES * LANES; column < count; column += LANES) {
#define AT(line) (*(const DOUBLES *)((line) + column))
                *(DOUBLES *)(mine + column) = AT(mine) - fa * AT(a) - fb * AT(b) - fc * AT(c) - fd * AT(d);
#undef AT
            }
        }
    }
    return 1;
}

#undef DOUBLES
#undef LANES

// SPDX-License-Identifier: MIT
// simd.h - eight float lanes by compiler vector extensions.
//
// Files named *_kernel.c are compiled once for the target's base level (SSE2, NEON, wasm128) and,
// on x86-64, once more for AVX2. Both give the same bits: only + - * / sqrt, comparisons and bit
// operations are used, and no fused operations. Name what such a file exports with
// SD_KERNEL(name), declare it with SD_DECLARE_KERNEL, and call it with SD_DISPATCH(name)(...).

#ifndef SD_BASE_SIMD_H
#define SD_BASE_SIMD_H

#include "sudar/vecmath.h"

#include <string.h>

// each with no more than it needs: to read <immintrin.h> takes longer than to compile most files
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#define SD_LANES 8

typedef float sdF8 __attribute__((vector_size(32)));
typedef int32_t sdI8 __attribute__((vector_size(32)));
typedef uint32_t sdU8 __attribute__((vector_size(32)));
typedef float sdF4 __attribute__((vector_size(16)));
typedef int32_t sdI4 __attribute__((vector_size(16)));

typedef struct sdVec3x8 {
    sdF8 x, y, z;
} sdVec3x8;

#define SD_INLINE static inline __attribute__((always_inline, unused))
/// Long, and called from several places: copies would gain nothing, and take minutes to compile.
#define SD_NOINLINE static __attribute__((noinline, unused))

// ---- which level runs ----------------------------------------------------------------------

#if defined(SD_HAVE_AVX2_KERNELS)
static inline bool sdSimd_HasAvx2(void) {
    return __builtin_cpu_supports("avx2") != 0;
}
#define SD_DECLARE_KERNEL(Return, name, parameters)                                                \
    Return name##_base parameters;                                                                 \
    Return name##_avx2 parameters
#define SD_DISPATCH(name) (sdSimd_HasAvx2() ? name##_avx2 : name##_base)
#else
#define SD_DECLARE_KERNEL(Return, name, parameters) Return name##_base parameters
#define SD_DISPATCH(name) name##_base
#endif

#if defined(SD_KERNEL_AVX2)
#define SD_KERNEL(name) name##_avx2
#else
#define SD_KERNEL(name) name##_base
#endif

/// At the end of what a kernel exports, where the compiler forgets it: with anything in the upper
/// halves of wide registers, instructions of the base level wait for them, those of the caller and
/// of his caller, which then take two or three times as long. gcc 12 forgets it on some ways out of
/// long functions.
SD_INLINE void sdSimd_Leave(void) {
#if defined(__AVX2__)
    _mm256_zeroupper();
#endif
}

// ---- load, store, splat --------------------------------------------------------------------

SD_INLINE sdF8 sdF8_Splat(float a) {
    return (sdF8){a, a, a, a, a, a, a, a};
}

SD_INLINE sdI8 sdI8_Splat(int32_t a) {
    return (sdI8){a, a, a, a, a, a, a, a};
}

SD_INLINE sdF8 sdF8_Zero(void) {
    return (sdF8){0};
}

/// Any alignment.
SD_INLINE sdF8 sdF8_Load(const float* p) {
    sdF8 r;
    memcpy(&r, p, sizeof r);
    return r;
}

SD_INLINE void sdF8_Store(float* p, sdF8 a) {
    memcpy(p, &a, sizeof a);
}

SD_INLINE sdI8 sdI8_Load(const int32_t* p) {
    sdI8 r;
    memcpy(&r, p, sizeof r);
    return r;
}

SD_INLINE void sdI8_Store(int32_t* p, sdI8 a) {
    memcpy(p, &a, sizeof a);
}

SD_INLINE sdF8 sdF8_FromI8(sdI8 a) {
    return __builtin_convertvector(a, sdF8);
}

/// Towards zero. Lanes must be in the range of int32.
SD_INLINE sdI8 sdI8_FromF8(sdF8 a) {
    return __builtin_convertvector(a, sdI8);
}

// Halves go through a union and comparisons through halves: gcc takes vectors that are wider than
// the target's registers apart lane by lane when they are shuffled or compared whole.

typedef union sdF8Halves {
    sdF8 whole;
    sdF4 half[2];
} sdF8Halves;

SD_INLINE sdF4 sdF8_Low(sdF8 a) {
#if defined(__AVX2__)
    return (sdF4)_mm256_castps256_ps128((__m256)a);
#else
    sdF8Halves u = {.whole = a};
    return u.half[0];
#endif
}

SD_INLINE sdF4 sdF8_High(sdF8 a) {
#if defined(__AVX2__)
    return (sdF4)_mm256_extractf128_ps((__m256)a, 1);
#else
    sdF8Halves u = {.whole = a};
    return u.half[1];
#endif
}

SD_INLINE sdF8 sdF8_Join(sdF4 low, sdF4 high) {
#if defined(__AVX2__)
    return (sdF8)_mm256_set_m128((__m128)high, (__m128)low);
#else
    sdF8Halves u = {.half = {low, high}};
    return u.whole;
#endif
}

// ---- comparison ----------------------------------------------------------------------------
// Masks are sdI8 lanes of all ones (true) or zero. NaN compares false.

#if defined(__AVX2__)
#define SD_COMPARE(operation) return a operation b
#else
#define SD_COMPARE(operation)                                                                      \
    return (sdI8)sdF8_Join((sdF4)(sdF8_Low(a) operation sdF8_Low(b)),                              \
                           (sdF4)(sdF8_High(a) operation sdF8_High(b)))
#endif

/// a < b
SD_INLINE sdI8 sdF8_Less(sdF8 a, sdF8 b) {
    SD_COMPARE(<);
}

/// a <= b
SD_INLINE sdI8 sdF8_LessEqual(sdF8 a, sdF8 b) {
    SD_COMPARE(<=);
}

/// a == b
SD_INLINE sdI8 sdF8_Equal(sdF8 a, sdF8 b) {
    SD_COMPARE(==);
}

#undef SD_COMPARE

// ---- selection -----------------------------------------------------------------------------
/// mask ? a : b
SD_INLINE sdF8 sdF8_Select(sdI8 mask, sdF8 a, sdF8 b) {
#if defined(__AVX2__)
    return (sdF8)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#else
    return (sdF8)((mask & (sdI8)a) | (~mask & (sdI8)b));
#endif
}

SD_INLINE sdI8 sdI8_Select(sdI8 mask, sdI8 a, sdI8 b) {
#if defined(__AVX2__)
    return (sdI8)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)mask);
#else
    return (mask & a) | (~mask & b);
#endif
}

/// Bit i is set when lane i of the mask is true.
SD_INLINE int sdI8_MaskBits(sdI8 mask) {
#if defined(__AVX2__)
    return _mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
    int low = _mm_movemask_ps((__m128)sdF8_Low((sdF8)mask));
    int high = _mm_movemask_ps((__m128)sdF8_High((sdF8)mask));
    return low | (high << 4);
#elif defined(__wasm_simd128__)
    int low = (int)wasm_i32x4_bitmask((v128_t)sdF8_Low((sdF8)mask));
    int high = (int)wasm_i32x4_bitmask((v128_t)sdF8_High((sdF8)mask));
    return low | (high << 4);
#else
    int bits = 0;
    for (int i = 0; i < SD_LANES; ++i) {
        bits |= (mask[i] < 0 ? 1 : 0) << i;
    }
    return bits;
#endif
}

SD_INLINE bool sdI8_Any(sdI8 mask) {
    return sdI8_MaskBits(mask) != 0;
}

// ---- arithmetic that has no operator -------------------------------------------------------

/// a < b ? a : b, so b when either is NaN
SD_INLINE sdF8 sdF8_Min(sdF8 a, sdF8 b) {
#if defined(__AVX2__)
    return (sdF8)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return sdF8_Join((sdF4)_mm_min_ps((__m128)sdF8_Low(a), (__m128)sdF8_Low(b)),
                     (sdF4)_mm_min_ps((__m128)sdF8_High(a), (__m128)sdF8_High(b)));
#elif defined(__wasm_simd128__)
    // one instruction of the processor; pmin(b, a) is a < b ? a : b
    return sdF8_Join((sdF4)wasm_f32x4_pmin((v128_t)sdF8_Low(b), (v128_t)sdF8_Low(a)),
                     (sdF4)wasm_f32x4_pmin((v128_t)sdF8_High(b), (v128_t)sdF8_High(a)));
#else
    return sdF8_Select(sdF8_Less(a, b), a, b);
#endif
}

/// a > b ? a : b, so b when either is NaN
SD_INLINE sdF8 sdF8_Max(sdF8 a, sdF8 b) {
#if defined(__AVX2__)
    return (sdF8)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return sdF8_Join((sdF4)_mm_max_ps((__m128)sdF8_Low(a), (__m128)sdF8_Low(b)),
                     (sdF4)_mm_max_ps((__m128)sdF8_High(a), (__m128)sdF8_High(b)));
#elif defined(__wasm_simd128__)
    return sdF8_Join((sdF4)wasm_f32x4_pmax((v128_t)sdF8_Low(b), (v128_t)sdF8_Low(a)),
                     (sdF4)wasm_f32x4_pmax((v128_t)sdF8_High(b), (v128_t)sdF8_High(a)));
#else
    return sdF8_Select(sdF8_Less(b, a), a, b);
#endif
}

SD_INLINE sdF8 sdF8_Abs(sdF8 a) {
    return (sdF8)((sdI8)a & sdI8_Splat(0x7FFFFFFF));
}

SD_INLINE sdF8 sdF8_Sqrt(sdF8 a) {
#if defined(__AVX2__)
    return (sdF8)_mm256_sqrt_ps((__m256)a);
#elif defined(__SSE2__)
    return sdF8_Join((sdF4)_mm_sqrt_ps((__m128)sdF8_Low(a)),
                     (sdF4)_mm_sqrt_ps((__m128)sdF8_High(a)));
#elif defined(__wasm_simd128__)
    return sdF8_Join((sdF4)wasm_f32x4_sqrt((v128_t)sdF8_Low(a)),
                     (sdF4)wasm_f32x4_sqrt((v128_t)sdF8_High(a)));
#else
    sdF8 r;
    for (int i = 0; i < SD_LANES; ++i) {
        r[i] = sqrtf(a[i]);
    }
    return r;
#endif
}

SD_INLINE sdF8 sdF8_Clamp(sdF8 a, sdF8 lower, sdF8 upper) {
    return sdF8_Min(sdF8_Max(a, lower), upper);
}

/// Smallest lane.
SD_INLINE float sdF8_ReduceMin(sdF8 a) {
    sdF4 low = sdF8_Low(a), high = sdF8_High(a);
#if defined(__SSE2__)
    __m128 m = _mm_min_ps((__m128)low, (__m128)high);
    m = _mm_min_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_min_ss(m, _mm_shuffle_ps(m, m, 1)));
#else
    float even = sdMinF(sdMinF(low[0], high[0]), sdMinF(low[2], high[2]));
    float odd = sdMinF(sdMinF(low[1], high[1]), sdMinF(low[3], high[3]));
    return sdMinF(even, odd);
#endif
}

/// Largest lane.
SD_INLINE float sdF8_ReduceMax(sdF8 a) {
    sdF4 low = sdF8_Low(a), high = sdF8_High(a);
#if defined(__SSE2__)
    __m128 m = _mm_max_ps((__m128)low, (__m128)high);
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_shuffle_ps(m, m, 1)));
#else
    float even = sdMaxF(sdMaxF(low[0], high[0]), sdMaxF(low[2], high[2]));
    float odd = sdMaxF(sdMaxF(low[1], high[1]), sdMaxF(low[3], high[3]));
    return sdMaxF(even, odd);
#endif
}

/// Largest lane, in all lanes.
SD_INLINE sdF8 sdF8_SplatMax(sdF8 a) {
#if defined(__AVX2__)
    __m256 m = _mm256_max_ps((__m256)a, _mm256_permute2f128_ps((__m256)a, (__m256)a, 1));
    m = _mm256_max_ps(m, _mm256_permute_ps(m, 0x4E));
    return (sdF8)_mm256_max_ps(m, _mm256_permute_ps(m, 0xB1));
#else
    return sdF8_Splat(sdF8_ReduceMax(a));
#endif
}

// ---- vectors, eight at a time --------------------------------------------------------------

SD_INLINE sdVec3x8 sdVec3x8_Splat(sdVec3 a) {
    return (sdVec3x8){sdF8_Splat(a.x), sdF8_Splat(a.y), sdF8_Splat(a.z)};
}

SD_INLINE sdVec3x8 sdVec3x8_Sub(sdVec3x8 a, sdVec3x8 b) {
    return (sdVec3x8){a.x - b.x, a.y - b.y, a.z - b.z};
}

SD_INLINE sdVec3x8 sdVec3x8_Add(sdVec3x8 a, sdVec3x8 b) {
    return (sdVec3x8){a.x + b.x, a.y + b.y, a.z + b.z};
}

SD_INLINE sdVec3x8 sdVec3x8_MulAdd(sdVec3x8 a, sdF8 s, sdVec3x8 b) {
    return (sdVec3x8){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

SD_INLINE sdVec3x8 sdVec3x8_Min(sdVec3x8 a, sdVec3x8 b) {
    return (sdVec3x8){sdF8_Min(a.x, b.x), sdF8_Min(a.y, b.y), sdF8_Min(a.z, b.z)};
}

SD_INLINE sdVec3x8 sdVec3x8_Max(sdVec3x8 a, sdVec3x8 b) {
    return (sdVec3x8){sdF8_Max(a.x, b.x), sdF8_Max(a.y, b.y), sdF8_Max(a.z, b.z)};
}

SD_INLINE sdF8 sdVec3x8_Dot(sdVec3x8 a, sdVec3x8 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SD_INLINE sdVec3x8 sdVec3x8_Cross(sdVec3x8 a, sdVec3x8 b) {
    return (sdVec3x8){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// ---- four floats ---------------------------------------------------------------------------

/// mask ? a : b
SD_INLINE sdF4 sdF4_Select(sdI4 mask, sdF4 a, sdF4 b) {
    return (sdF4)((mask & (sdI4)a) | (~mask & (sdI4)b));
}

/// Bit i is set when lane i of the mask is true.
SD_INLINE int sdI4_MaskBits(sdI4 mask) {
#if defined(__SSE2__)
    return _mm_movemask_ps((__m128)mask);
#elif defined(__wasm_simd128__)
    return (int)wasm_i32x4_bitmask((v128_t)mask);
#else
    int bits = 0;
    for (int i = 0; i < 4; ++i) {
        bits |= (mask[i] < 0 ? 1 : 0) << i;
    }
    return bits;
#endif
}

/// Turn four rows of four into columns, or back.
SD_INLINE void sdF4_Transpose(const sdF4* r, sdF4* c) {
    sdF4 ab = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    sdF4 cd = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    sdF4 ef = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    sdF4 gh = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    c[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    c[1] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    c[2] = __builtin_shufflevector(ef, gh, 0, 1, 4, 5);
    c[3] = __builtin_shufflevector(ef, gh, 2, 3, 6, 7);
}

// ---- four doubles --------------------------------------------------------------------------

#define SD_LANES_D 4

typedef double sdD4 __attribute__((vector_size(32)));
typedef int64_t sdL4 __attribute__((vector_size(32)));
typedef double sdD2 __attribute__((vector_size(16)));

typedef union sdD4Halves {
    sdD4 whole;
    sdD2 half[2];
} sdD4Halves;

SD_INLINE sdD4 sdD4_Splat(double a) {
    return (sdD4){a, a, a, a};
}

/// Any alignment.
SD_INLINE sdD4 sdD4_Load(const double* p) {
    sdD4 r;
    memcpy(&r, p, sizeof r);
    return r;
}

SD_INLINE void sdD4_Store(double* p, sdD4 a) {
    memcpy(p, &a, sizeof a);
}

/// a < b
SD_INLINE sdL4 sdD4_Less(sdD4 a, sdD4 b) {
#if defined(__AVX2__)
    return a < b;
#else
    sdD4Halves u = {.whole = a}, v = {.whole = b};
    sdD4Halves r = {.half = {(sdD2)(u.half[0] < v.half[0]), (sdD2)(u.half[1] < v.half[1])}};
    return (sdL4)r.whole;
#endif
}

/// mask ? a : b
SD_INLINE sdD4 sdD4_Select(sdL4 mask, sdD4 a, sdD4 b) {
#if defined(__AVX2__)
    return (sdD4)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
    return (sdD4)((mask & (sdL4)a) | (~mask & (sdL4)b));
#endif
}

/// a < b ? a : b, so b when either is NaN
SD_INLINE sdD4 sdD4_Min(sdD4 a, sdD4 b) {
#if defined(__AVX2__)
    return (sdD4)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    sdD4Halves u = {.whole = a}, v = {.whole = b};
    sdD4Halves r = {.half = {(sdD2)_mm_min_pd((__m128d)u.half[0], (__m128d)v.half[0]),
                             (sdD2)_mm_min_pd((__m128d)u.half[1], (__m128d)v.half[1])}};
    return r.whole;
#elif defined(__wasm_simd128__)
    sdD4Halves u = {.whole = a}, v = {.whole = b};
    sdD4Halves r = {.half = {(sdD2)wasm_f64x2_pmin((v128_t)v.half[0], (v128_t)u.half[0]),
                             (sdD2)wasm_f64x2_pmin((v128_t)v.half[1], (v128_t)u.half[1])}};
    return r.whole;
#else
    return sdD4_Select(sdD4_Less(a, b), a, b);
#endif
}

/// a > b ? a : b, so b when either is NaN
SD_INLINE sdD4 sdD4_Max(sdD4 a, sdD4 b) {
#if defined(__AVX2__)
    return (sdD4)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    sdD4Halves u = {.whole = a}, v = {.whole = b};
    sdD4Halves r = {.half = {(sdD2)_mm_max_pd((__m128d)u.half[0], (__m128d)v.half[0]),
                             (sdD2)_mm_max_pd((__m128d)u.half[1], (__m128d)v.half[1])}};
    return r.whole;
#elif defined(__wasm_simd128__)
    sdD4Halves u = {.whole = a}, v = {.whole = b};
    sdD4Halves r = {.half = {(sdD2)wasm_f64x2_pmax((v128_t)v.half[0], (v128_t)u.half[0]),
                             (sdD2)wasm_f64x2_pmax((v128_t)v.half[1], (v128_t)u.half[1])}};
    return r.whole;
#else
    return sdD4_Select(sdD4_Less(b, a), a, b);
#endif
}

SD_INLINE sdD4 sdD4_Abs(sdD4 a) {
    const int64_t most = INT64_MAX;
    return (sdD4)((sdL4)a & (sdL4){most, most, most, most});
}

/// Smallest lane.
SD_INLINE double sdD4_ReduceMin(sdD4 a) {
    double even = a[0] < a[2] ? a[0] : a[2], odd = a[1] < a[3] ? a[1] : a[3];
    return even < odd ? even : odd;
}

/// Smallest lane, in all lanes.
SD_INLINE sdD4 sdD4_SplatMin(sdD4 a) {
#if defined(__AVX2__)
    __m256d m = _mm256_min_pd((__m256d)a, _mm256_permute2f128_pd((__m256d)a, (__m256d)a, 1));
    return (sdD4)_mm256_min_pd(m, _mm256_permute_pd(m, 5));
#else
    return sdD4_Splat(sdD4_ReduceMin(a));
#endif
}

/// One lane in all.
#define SD_D4_LANE(a, k) __builtin_shufflevector(a, a, k, k, k, k)

// Compilers convert wide vectors by halves that they put together again.

SD_INLINE sdD4 sdD4_FromFloats(sdF4 a) {
#if defined(__AVX2__)
    return (sdD4)_mm256_cvtps_pd((__m128)a);
#else
    return __builtin_convertvector(a, sdD4);
#endif
}

SD_INLINE sdF4 sdF4_FromDoubles(sdD4 a) {
#if defined(__AVX2__)
    return (sdF4)_mm256_cvtpd_ps((__m256d)a);
#else
    return __builtin_convertvector(a, sdF4);
#endif
}

/// Bit i is set when lane i of the mask is true.
SD_INLINE int sdL4_MaskBits(sdL4 mask) {
#if defined(__AVX2__)
    return _mm256_movemask_pd((__m256d)mask);
#elif defined(__SSE2__)
    sdD4Halves u = {.whole = (sdD4)mask};
    return _mm_movemask_pd((__m128d)u.half[0]) | (_mm_movemask_pd((__m128d)u.half[1]) << 2);
#elif defined(__wasm_simd128__)
    sdD4Halves u = {.whole = (sdD4)mask};
    int low = (int)wasm_i64x2_bitmask((v128_t)u.half[0]);
    return low | ((int)wasm_i64x2_bitmask((v128_t)u.half[1]) << 2);
#else
    int bits = 0;
    for (int i = 0; i < SD_LANES_D; ++i) {
        bits |= (mask[i] < 0 ? 1 : 0) << i;
    }
    return bits;
#endif
}

#endif

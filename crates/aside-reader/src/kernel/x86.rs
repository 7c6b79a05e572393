//! The products with AVX2, AVX-VNNI and AVX-512 VNNI: four rows at once, with as many vectors as there are registers for, so that each
//! weight is loaded once for all of them.

use std::arch::x86_64::*;

use crate::kernel::{ROWS, Rows, plain};

/// Goes through rows by four, and vectors by `$most`. `$block` returns the products of four rows with `N` vectors.
macro_rules! blocks {
    ($rows:ident, $vectors:ident, $columns:ident, $out:ident, $block:ident, $($count:literal)+) => {{
        let (rows, vectors) = ($rows.sums.len(), $vectors.len() / $columns);
        for row in (0..rows).step_by(ROWS) {
            // SAFETY: the four rows end within the codes, as `multiply` asserted.
            let codes = unsafe { $rows.codes.as_ptr().add(row * $columns) }.cast::<i8>();
            let sums = &$rows.sums[row..row + ROWS];
            let mut vector = 0;
            while vector < vectors {
                // SAFETY: below the number of vectors.
                let values = unsafe { $vectors.as_ptr().add(vector * $columns) };
                $(
                    if vectors - vector >= $count {
                        // SAFETY: that many vectors are left.
                        let products = unsafe { $block::<$count>(codes, values, $columns, sums) };
                        for (i, products) in products.iter().enumerate() {
                            $out[(vector + i) * rows + row..][..ROWS].copy_from_slice(products);
                        }
                        vector += $count;
                        continue;
                    }
                )+
            }
        }
    }};
}

#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vnni")]
pub unsafe fn multiply_avx512(rows: Rows, vectors: &[i8], columns: usize, out: &mut [i32]) {
    blocks!(rows, vectors, columns, out, block_avx512, 5 4 3 2 1);
}

#[target_feature(enable = "avx2,avxvnni")]
pub unsafe fn multiply_vnni(rows: Rows, vectors: &[i8], columns: usize, out: &mut [i32]) {
    blocks!(rows, vectors, columns, out, block_vnni, 2 1);
}

#[target_feature(enable = "avx2")]
pub unsafe fn multiply_avx2(rows: Rows, vectors: &[i8], columns: usize, out: &mut [i32]) {
    blocks!(rows, vectors, columns, out, block_avx2, 2 1);
}

/// Without FMA, whose rounding would differ from that of the plain one.
#[target_feature(enable = "avx2")]
pub unsafe fn add_products(factors: &[f32], matrix: &[f32], columns: usize, rows: &mut [f32]) {
    plain::add_products(factors, matrix, columns, rows);
}

/// `dpbusd` multiplies unsigned by signed, so 128 is added to the values and 128 times the sum of the row is taken off again.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vnni")]
unsafe fn block_avx512<const N: usize>(
    codes: *const i8,
    values: *const i8,
    columns: usize,
    sums: &[i32],
) -> [[i32; ROWS]; N] {
    let flip = _mm512_set1_epi8(-128);
    let mut products = [[_mm512_setzero_si512(); ROWS]; N];
    for column in (0..columns).step_by(64) {
        // SAFETY: the caller vouches for four rows and `N` vectors of `columns`, a multiple of 64.
        let weights: [__m512i; ROWS] =
            std::array::from_fn(|row| unsafe { _mm512_loadu_si512(codes.add(row * columns + column).cast()) });
        for (vector, products) in products.iter_mut().enumerate() {
            // SAFETY: as above.
            let value = unsafe { _mm512_loadu_si512(values.add(vector * columns + column).cast()) };
            let value = _mm512_xor_si512(value, flip);
            for (product, weight) in products.iter_mut().zip(weights) {
                *product = _mm512_dpbusd_epi32(*product, value, weight);
            }
        }
    }
    products.map(|products| {
        let halves =
            products.map(|sum| _mm256_add_epi32(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64::<1>(sum)));
        without_shift(four_sums(halves), sums)
    })
}

#[inline]
#[target_feature(enable = "avx2,avxvnni")]
unsafe fn block_vnni<const N: usize>(
    codes: *const i8,
    values: *const i8,
    columns: usize,
    sums: &[i32],
) -> [[i32; ROWS]; N] {
    let flip = _mm256_set1_epi8(-128);
    let mut products = [[_mm256_setzero_si256(); ROWS]; N];
    for column in (0..columns).step_by(32) {
        // SAFETY: the caller vouches for four rows and `N` vectors of `columns`, a multiple of 64.
        let weights: [__m256i; ROWS] =
            std::array::from_fn(|row| unsafe { _mm256_loadu_si256(codes.add(row * columns + column).cast()) });
        for (vector, products) in products.iter_mut().enumerate() {
            // SAFETY: as above.
            let value = unsafe { _mm256_loadu_si256(values.add(vector * columns + column).cast()) };
            let value = _mm256_xor_si256(value, flip);
            for (product, weight) in products.iter_mut().zip(weights) {
                *product = _mm256_dpbusd_avx_epi32(*product, value, weight);
            }
        }
    }
    products.map(|products| without_shift(four_sums(products), sums))
}

/// `maddubs` too multiplies unsigned by signed, but saturates at i16: the sign of a value moves to the weight, so that a pair is at most
/// 2 · 127 · 127.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn block_avx2<const N: usize>(
    codes: *const i8,
    values: *const i8,
    columns: usize,
    _: &[i32],
) -> [[i32; ROWS]; N] {
    let ones = _mm256_set1_epi16(1);
    let mut products = [[_mm256_setzero_si256(); ROWS]; N];
    for column in (0..columns).step_by(32) {
        // SAFETY: the caller vouches for four rows and `N` vectors of `columns`, a multiple of 64.
        let weights: [__m256i; ROWS] =
            std::array::from_fn(|row| unsafe { _mm256_loadu_si256(codes.add(row * columns + column).cast()) });
        for (vector, products) in products.iter_mut().enumerate() {
            // SAFETY: as above.
            let value = unsafe { _mm256_loadu_si256(values.add(vector * columns + column).cast()) };
            let size = _mm256_abs_epi8(value);
            for (product, weight) in products.iter_mut().zip(weights) {
                let pairs = _mm256_maddubs_epi16(size, _mm256_sign_epi8(weight, value));
                *product = _mm256_add_epi32(*product, _mm256_madd_epi16(pairs, ones));
            }
        }
    }
    products.map(|products| as_array(four_sums(products)))
}

/// The sum of each of four vectors.
#[inline]
#[target_feature(enable = "avx2")]
fn four_sums([a, b, c, d]: [__m256i; 4]) -> __m128i {
    let sums = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums))
}

#[inline]
#[target_feature(enable = "avx2")]
fn without_shift(products: __m128i, sums: &[i32]) -> [i32; ROWS] {
    let products = as_array(products);
    std::array::from_fn(|row| products[row].wrapping_sub(128 * sums[row]))
}

#[inline]
#[target_feature(enable = "avx2")]
fn as_array(four: __m128i) -> [i32; ROWS] {
    let mut array = [0; ROWS];
    // SAFETY: the array has sixteen bytes.
    unsafe { _mm_storeu_si128(array.as_mut_ptr().cast(), four) };
    array
}

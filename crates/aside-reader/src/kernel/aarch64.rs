//! The products with NEON: four rows at once, two vectors. Without the dot product instructions, which not every processor has.

use std::arch::aarch64::*;

use crate::kernel::{ROWS, Rows};

/// The caller has checked the lengths.
pub unsafe fn multiply(rows: Rows, vectors: &[i8], columns: usize, out: &mut [i32]) {
    let (count, vectors_here) = (rows.sums.len(), vectors.len() / columns);
    for row in (0..count).step_by(ROWS) {
        // SAFETY: the four rows end within the codes, as `multiply` asserted.
        let codes = unsafe { rows.codes.as_ptr().add(row * columns) }.cast::<i8>();
        for vector in (0..vectors_here).step_by(2) {
            // SAFETY: one or two vectors are left.
            unsafe {
                let values = vectors.as_ptr().add(vector * columns);
                if vectors_here - vector >= 2 {
                    let products = block::<2>(codes, values, columns);
                    out[vector * count + row..][..ROWS].copy_from_slice(&products[0]);
                    out[(vector + 1) * count + row..][..ROWS].copy_from_slice(&products[1]);
                } else {
                    let products = block::<1>(codes, values, columns);
                    out[vector * count + row..][..ROWS].copy_from_slice(&products[0]);
                }
            }
        }
    }
}

/// A pair of products is at most 2 · 127 · 127, which fits into i16.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn block<const N: usize>(codes: *const i8, values: *const i8, columns: usize) -> [[i32; ROWS]; N] {
    let mut products = [[vdupq_n_s32(0); ROWS]; N];
    for column in (0..columns).step_by(16) {
        // SAFETY: the caller vouches for four rows and `N` vectors of `columns`, a multiple of 64.
        let weights: [int8x16_t; ROWS] =
            std::array::from_fn(|row| unsafe { vld1q_s8(codes.add(row * columns + column)) });
        for (vector, products) in products.iter_mut().enumerate() {
            // SAFETY: as above.
            let value = unsafe { vld1q_s8(values.add(vector * columns + column)) };
            for (product, weight) in products.iter_mut().zip(weights) {
                let pairs = vmull_s8(vget_low_s8(weight), vget_low_s8(value));
                let pairs = vmlal_s8(pairs, vget_high_s8(weight), vget_high_s8(value));
                *product = vpadalq_s16(*product, pairs);
            }
        }
    }
    products.map(|products| products.map(|sum| vaddvq_s32(sum)))
}

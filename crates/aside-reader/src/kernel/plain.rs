//! The products without any particular instruction; what the others must equal.

use crate::kernel::Rows;

/// Columns and rows that are summed at once when weights are merged, so that the sums stay in registers.
const TILE: usize = 16;
const TOGETHER: usize = 4;

pub fn multiply(rows: Rows, vectors: &[i8], columns: usize, out: &mut [i32]) {
    for (vector, out) in vectors.chunks_exact(columns).zip(out.chunks_exact_mut(rows.sums.len())) {
        for (row, out) in rows.codes.chunks_exact(columns).zip(out) {
            *out = row.iter().zip(vector).map(|(code, value)| i32::from(*code as i8) * i32::from(*value)).sum();
        }
    }
}

/// Tile by tile, so that the columns of the matrix that a tile needs stay in the nearest cache for all rows. `#[inline(always)]`, so that it
/// is compiled once more for the vectors of the caller.
#[inline(always)]
pub fn add_products(factors: &[f32], matrix: &[f32], columns: usize, rows: &mut [f32]) {
    let rank = matrix.len() / columns;
    assert!(columns.is_multiple_of(TILE) && factors.len() == rows.len() / columns * rank);
    for tile in (0..columns).step_by(TILE) {
        for (rows, factors) in rows.chunks_mut(TOGETHER * columns).zip(factors.chunks(TOGETHER * rank)) {
            if rows.len() == TOGETHER * columns {
                add_to_tile::<TOGETHER>(factors, matrix, columns, tile, rows);
                continue;
            }
            for (row, factors) in rows.chunks_mut(columns).zip(factors.chunks(rank)) {
                add_to_tile::<1>(factors, matrix, columns, tile, row);
            }
        }
    }
}

#[inline(always)]
fn add_to_tile<const N: usize>(factors: &[f32], matrix: &[f32], columns: usize, tile: usize, rows: &mut [f32]) {
    let rank = matrix.len() / columns;
    let mut sums: [[f32; TILE]; N] =
        std::array::from_fn(|row| std::array::from_fn(|column| rows[row * columns + tile + column]));
    for (k, line) in matrix.chunks_exact(columns).enumerate() {
        let line: &[f32; TILE] = line[tile..tile + TILE].try_into().expect("a tile");
        for (row, sums) in sums.iter_mut().enumerate() {
            let factor = factors[row * rank + k];
            sums.iter_mut().zip(line).for_each(|(sum, value)| *sum += factor * value);
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        rows[row * columns + tile..][..TILE].copy_from_slice(sums);
    }
}

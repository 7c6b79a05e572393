//! Products of int8 matrices with int8 vectors, exact in every implementation, and the sums that merge weights. The implementation is chosen
//! once, by what the processor has.
#![expect(unsafe_code, reason = "vector instructions, after their presence and all lengths were checked")]

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod plain;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Columns of a matrix are a multiple of this, rows of `ROWS`.
pub const COLUMNS: usize = 64;
pub const ROWS: usize = 4;
/// Columns at most, so that no sum leaves i32.
pub const WIDEST: usize = 65_536;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
    Plain,
}

/// Rows of int8 and what belongs to them.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// Read as i8, from -127 to 127.
    pub codes: &'a [u8],
    /// The sum of the codes of each row.
    pub sums: &'a [i32],
}

impl Kernel {
    /// The fastest that this processor has.
    pub fn best() -> Kernel {
        Kernel::all()[0]
    }

    /// Those that this processor has, the fastest first.
    pub fn all() -> Vec<Kernel> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
            {
                all.push(Kernel::Avx512Vnni);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni") {
                all.push(Kernel::AvxVnni);
            }
            if is_x86_feature_detected!("avx2") {
                all.push(Kernel::Avx2);
            }
        }
        #[cfg(target_arch = "aarch64")]
        all.push(Kernel::Neon);
        all.push(Kernel::Plain);
        all
    }

    /// Writes the product of each row with each vector: `out[vector * rows + row]`. Vectors hold -127 to 127, one after the other.
    pub fn multiply(self, rows: Rows, vectors: &[i8], columns: usize, out: &mut [i32]) {
        assert!(columns > 0 && columns.is_multiple_of(COLUMNS) && columns <= WIDEST);
        assert!(rows.sums.len().is_multiple_of(ROWS) && rows.codes.len() == rows.sums.len() * columns);
        assert!(vectors.len().is_multiple_of(columns) && out.len() == vectors.len() / columns * rows.sums.len());
        match self {
            // SAFETY: `all` found the instructions, and the lengths are as asserted.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Vnni => unsafe { x86::multiply_avx512(rows, vectors, columns, out) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::AvxVnni => unsafe { x86::multiply_vnni(rows, vectors, columns, out) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { x86::multiply_avx2(rows, vectors, columns, out) },
            // SAFETY: every aarch64 has NEON; lengths as above.
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => unsafe { aarch64::multiply(rows, vectors, columns, out) },
            Kernel::Plain => plain::multiply(rows, vectors, columns, out),
        }
    }

    /// Adds `factors[k] * matrix[k]` for each k to each of the rows: the same operations in the same order in every implementation, so
    /// that merged files are equal on all machines.
    pub fn add_products(self, factors: &[f32], matrix: &[f32], columns: usize, rows: &mut [f32]) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: each of the three has AVX2.
            Kernel::Avx512Vnni | Kernel::AvxVnni | Kernel::Avx2 => unsafe {
                x86::add_products(factors, matrix, columns, rows)
            },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => plain::add_products(factors, matrix, columns, rows),
            Kernel::Plain => plain::add_products(factors, matrix, columns, rows),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(count: usize, seed: u64) -> Vec<i8> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % 255
        };
        (0..count).map(|_| (next() as i64 - 127) as i8).collect()
    }

    fn check(weights: &[i8], vectors: &[i8], columns: usize) {
        let count = weights.len() / columns;
        let bytes: Vec<u8> = weights.iter().map(|code| *code as u8).collect();
        let sums: Vec<i32> = weights.chunks(columns).map(|row| row.iter().map(|code| i32::from(*code)).sum()).collect();
        let product = |row: &[i8], vector: &[i8]| -> i32 {
            row.iter().zip(vector).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
        };
        let expected: Vec<i32> = vectors
            .chunks(columns)
            .flat_map(|vector| weights.chunks(columns).map(move |row| product(row, vector)))
            .collect();
        for kernel in Kernel::all() {
            let mut out = vec![0; expected.len()];
            kernel.multiply(Rows { codes: &bytes, sums: &sums }, vectors, columns, &mut out);
            assert_eq!(out, expected, "{kernel:?}, {count} rows of {columns}");
        }
    }

    #[test]
    fn every_implementation_is_exact() {
        for columns in [64, 128, 576, 1536] {
            for vectors in 1..=9 {
                check(&codes(12 * columns, 1), &codes(vectors * columns, 2), columns);
            }
        }
    }

    #[test]
    fn the_largest_products_do_not_overflow() {
        for (weight, value) in [(127, 127), (-127, 127), (127, -127), (-127, -127)] {
            check(&[weight; 4 * 1536], &[value; 3 * 1536], 1536);
        }
    }

    #[test]
    fn merging_is_equal_in_every_implementation() {
        let columns = 64;
        let floats = |count, seed| codes(count, seed).iter().map(|code| f32::from(*code) / 37.0).collect::<Vec<_>>();
        for count in 1..=6 {
            let (factors, matrix) = (floats(count * 5, 1), floats(5 * columns, 2));
            let start = floats(count * columns, 3);
            let mut expected = start.clone();
            for (row, factors) in expected.chunks_mut(columns).zip(factors.chunks(5)) {
                for (factor, line) in factors.iter().zip(matrix.chunks(columns)) {
                    row.iter_mut().zip(line).for_each(|(sum, value)| *sum += factor * value);
                }
            }
            for kernel in Kernel::all() {
                let mut rows = start.clone();
                kernel.add_products(&factors, &matrix, columns, &mut rows);
                assert_eq!(rows, expected, "{kernel:?}");
            }
        }
    }
}

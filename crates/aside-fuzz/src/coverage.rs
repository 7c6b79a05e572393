//! Which places of the code an input reaches: reads the counters that rustc's own coverage instrumentation puts into the program. They
//! are in one section, whose ends the linker names, so stable Rust suffices. Without the instrumentation nothing is ever new.

#[cfg(aside_coverage)]
mod counters {
    #![expect(unsafe_code, reason = "the counters are a section of the program, which only the linker can name")]

    unsafe extern "C" {
        static mut __start___llvm_prf_cnts: u64;
        static mut __stop___llvm_prf_cnts: u64;
    }

    /// All counters. The check runs on the same thread, and other threads of the fuzzer only wait: a lost count there does not matter.
    pub fn all() -> &'static mut [u64] {
        // SAFETY: the linker defines both ends of one section of aligned 64-bit counters, which lives as long as the program.
        unsafe {
            let start = &raw mut __start___llvm_prf_cnts;
            let stop = &raw mut __stop___llvm_prf_cnts;
            std::slice::from_raw_parts_mut(start, stop.offset_from_unsigned(start))
        }
    }
}

#[cfg(not(aside_coverage))]
mod counters {
    pub fn all() -> &'static mut [u64] {
        &mut []
    }
}

/// What was reached so far: for each counter the magnitudes that were seen, one bit each.
#[derive(Default)]
pub struct Coverage {
    seen: Vec<u8>,
}

impl Coverage {
    pub fn clear(&mut self) {
        counters::all().fill(0);
    }

    /// Whether the last input reached a place as often as none before, by magnitude. Remembers it.
    pub fn is_new(&mut self) -> bool {
        let counters = counters::all();
        self.seen.resize(counters.len(), 0);
        let mut is_new = false;
        for (count, seen) in counters.iter().zip(&mut self.seen) {
            if *count > 0 {
                let bit = magnitude(*count);
                is_new |= *seen & bit == 0;
                *seen |= bit;
            }
        }
        is_new
    }

    pub fn forget(&mut self) {
        self.seen.clear();
    }

    pub fn places(&self) -> usize {
        self.seen.iter().filter(|seen| **seen > 0).count()
    }
}

/// 1, 2, 3 to 4, 5 to 8, 9 to 16, 17 to 64, up to 1024, more.
fn magnitude(count: u64) -> u8 {
    match count {
        0..=1 => 1,
        2 => 2,
        3..=4 => 4,
        5..=8 => 8,
        9..=16 => 16,
        17..=64 => 32,
        65..=1024 => 64,
        _ => 128,
    }
}

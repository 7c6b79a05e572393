//! Products of the model's matrices, shared between the caller's thread and a few of its own. A worker spins while products follow each other
//! and sleeps when they end. The caller never waits for a worker that has not begun: it takes all chunks that are left.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::kernel::{Kernel, ROWS};
use crate::model::{Matrix, Model};

/// Threads of a pool at most, the caller's included.
pub const THREADS: usize = 8;
/// How long a worker looks for the next product before it sleeps. The work between two products is shorter.
const SPIN: Duration = Duration::from_micros(200);
/// How many chunks a matrix is cut into for each thread, so that a thread that is held up leaves its share to others.
const CHUNKS: usize = 6;

/// A worker that holds a product up for so long has lost its core to another process. The caller then computes so many products alone, two
/// steps of thirty layers, since each of such waits costs more than the worker saves.
const STALL: Duration = Duration::from_micros(500);
const ALONE: u32 = 250;

/// A matrix of the model by name, since a worker cannot borrow it from the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    AttentionIn(usize),
    AttentionOut(usize),
    InnerIn(usize),
    InnerOut(usize),
    Embedding,
}

/// Vectors in int8, each with its scale.
#[derive(Default)]
pub struct Vectors {
    pub codes: Vec<i8>,
    pub scales: Vec<f32>,
}

pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<Worker>,
    kernel: Kernel,
    scratch: Vec<i32>,
    /// Products to compute without the workers.
    alone: u32,
}

struct Worker {
    handle: JoinHandle<()>,
    side: Arc<Side>,
}

/// What one worker and the caller share.
#[derive(Default)]
struct Side {
    asleep: AtomicBool,
    results: Mutex<Results>,
}

/// Chunks and their values, one after the other.
#[derive(Default)]
struct Results {
    chunks: Vec<usize>,
    values: Vec<f32>,
}

struct Shared {
    model: Arc<Model>,
    job: RwLock<Job>,
    /// The number of the current job; `u64::MAX` ends the workers.
    current: AtomicU64,
}

/// Workers read it under the lock for as long as they compute, so it changes only between them.
struct Job {
    which: Which,
    vectors: Vectors,
    chunk_rows: usize,
    chunks: usize,
    next: AtomicUsize,
    finished: AtomicUsize,
}

impl Vectors {
    /// Rounds rows of `columns` values, half to even.
    pub fn round(&mut self, values: &[f32], columns: usize) {
        /// Adding it leaves no room for a fraction.
        const WHOLE: f32 = 12_582_912.0;
        self.codes.clear();
        self.scales.clear();
        for row in values.chunks_exact(columns) {
            let largest = row.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
            let scale = (largest / 127.0).max(1e-12);
            self.scales.push(scale);
            // The last bits of the sum are the code; a cast from a float would check its range.
            self.codes.extend(row.iter().map(|value| (value / scale + WHOLE).to_bits() as i8));
        }
    }
}

impl Model {
    fn matrix(&self, which: Which) -> &Matrix {
        match which {
            Which::AttentionIn(layer) => &self.layers[layer].attention_in,
            Which::AttentionOut(layer) => &self.layers[layer].attention_out,
            Which::InnerIn(layer) => &self.layers[layer].inner_in,
            Which::InnerOut(layer) => &self.layers[layer].inner_out,
            Which::Embedding => &self.embedding,
        }
    }
}

impl Pool {
    pub fn new(model: Arc<Model>, threads: usize) -> Pool {
        let job = Job {
            which: Which::Embedding,
            vectors: Vectors::default(),
            chunk_rows: 0,
            chunks: 0,
            next: AtomicUsize::new(0),
            finished: AtomicUsize::new(0),
        };
        let shared = Arc::new(Shared { model, job: RwLock::new(job), current: AtomicU64::new(0) });
        let kernel = Kernel::best();
        let mut workers = Vec::new();
        for _ in 1..threads.clamp(1, THREADS) {
            let (side, shared) = (Arc::new(Side::default()), Arc::clone(&shared));
            let own = Arc::clone(&side);
            let builder = thread::Builder::new().name("reader".to_owned());
            // Without the thread everything works, slower.
            if let Ok(handle) = builder.spawn(move || work(&shared, &own, kernel)) {
                workers.push(Worker { handle, side });
            }
        }
        Pool { shared, workers, kernel, scratch: Vec::new(), alone: 0 }
    }

    /// Writes the product of a matrix with the rounded rows of `values`: `out[vector * rows + row]`.
    pub fn multiply(&mut self, which: Which, values: &[f32], out: &mut Vec<f32>) {
        let model = Arc::clone(&self.shared.model);
        let matrix = model.matrix(which);
        let count = values.len() / matrix.columns;
        out.clear();
        out.resize(count * matrix.rows, 0.0);
        {
            let mut job = self.shared.job.write().unwrap_or_else(PoisonError::into_inner);
            job.which = which;
            job.vectors.round(values, matrix.columns);
            job.chunk_rows = matrix.rows.div_ceil(CHUNKS * (self.workers.len() + 1)).next_multiple_of(ROWS).max(32);
            job.chunks = matrix.rows.div_ceil(job.chunk_rows);
            *job.next.get_mut() = 0;
            *job.finished.get_mut() = 0;
        }
        self.call_workers();
        let job = self.shared.job.read().unwrap_or_else(PoisonError::into_inner);
        let mut own = 0;
        while let Some(chunk) = job.take() {
            let first = chunk * job.chunk_rows;
            job.multiply(&model, self.kernel, chunk, &mut self.scratch);
            let rows = job.rows(matrix, chunk);
            for (vector, products) in self.scratch.chunks_exact(rows).enumerate() {
                let out = &mut out[vector * matrix.rows + first..][..rows];
                out.iter_mut().zip(job.scaled(matrix, chunk, vector, products)).for_each(|(out, value)| *out = value);
            }
            own += 1;
        }
        if self.wait(&job, own) > STALL {
            self.alone = ALONE;
        }
        self.collect(&job, matrix.rows, count, out);
    }

    fn call_workers(&mut self) {
        if self.alone > 0 {
            self.alone -= 1;
            return;
        }
        self.shared.current.fetch_add(1, Ordering::SeqCst);
        for worker in &self.workers {
            if worker.side.asleep.swap(false, Ordering::SeqCst) {
                worker.handle.thread().unpark();
            }
        }
    }

    /// Waits for the chunks that workers have taken; returns for how long.
    fn wait(&self, job: &Job, own: usize) -> Duration {
        let is_finished = || job.finished.load(Ordering::Acquire) + own == job.chunks;
        if is_finished() {
            return Duration::ZERO;
        }
        let start = Instant::now();
        while !is_finished() {
            if start.elapsed() < STALL {
                std::hint::spin_loop();
                continue;
            }
            thread::yield_now();
            let is_dead = self.workers.iter().any(|worker| worker.handle.is_finished());
            assert!(!is_dead || is_finished(), "a worker of the reader ended early");
        }
        start.elapsed()
    }

    fn collect(&self, job: &Job, rows: usize, count: usize, out: &mut [f32]) {
        for worker in &self.workers {
            let mut results = worker.side.results.lock().unwrap_or_else(PoisonError::into_inner);
            let mut values = &results.values[..];
            for chunk in &results.chunks {
                let first = chunk * job.chunk_rows;
                let length = job.chunk_rows.min(rows - first);
                for vector in 0..count {
                    let (part, rest) = values.split_at(length);
                    out[vector * rows + first..][..length].copy_from_slice(part);
                    values = rest;
                }
            }
            results.chunks.clear();
            results.values.clear();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.current.store(u64::MAX, Ordering::SeqCst);
        for worker in self.workers.drain(..) {
            worker.handle.thread().unpark();
            worker.handle.join().ok();
        }
    }
}

impl Job {
    fn take(&self) -> Option<usize> {
        let chunk = self.next.fetch_add(1, Ordering::Relaxed);
        (chunk < self.chunks).then_some(chunk)
    }

    fn rows(&self, matrix: &Matrix, chunk: usize) -> usize {
        self.chunk_rows.min(matrix.rows - chunk * self.chunk_rows)
    }

    /// Writes the products of the rows of a chunk, vector by vector.
    fn multiply(&self, model: &Model, kernel: Kernel, chunk: usize, out: &mut Vec<i32>) {
        let matrix = model.matrix(self.which);
        let rows = self.rows(matrix, chunk);
        out.resize(rows * self.vectors.scales.len(), 0);
        kernel.multiply(model.rows(matrix, chunk * self.chunk_rows, rows), &self.vectors.codes, matrix.columns, out);
    }

    fn scaled<'a>(
        &self,
        matrix: &'a Matrix,
        chunk: usize,
        vector: usize,
        products: &'a [i32],
    ) -> impl Iterator<Item = f32> + 'a {
        let scale = self.vectors.scales[vector];
        let scales = &matrix.scales[chunk * self.chunk_rows..];
        products.iter().zip(scales).map(move |(product, row_scale)| *product as f32 * (row_scale * scale))
    }
}

fn work(shared: &Shared, side: &Side, kernel: Kernel) {
    let mut seen = 0;
    let mut scratch = Vec::new();
    loop {
        seen = next_job(shared, side, seen);
        if seen == u64::MAX {
            return;
        }
        let job = shared.job.read().unwrap_or_else(PoisonError::into_inner);
        while let Some(chunk) = job.take() {
            let mut results = side.results.lock().unwrap_or_else(PoisonError::into_inner);
            results.chunks.push(chunk);
            job.multiply(&shared.model, kernel, chunk, &mut scratch);
            let matrix = shared.model.matrix(job.which);
            for (vector, products) in scratch.chunks_exact(job.rows(matrix, chunk)).enumerate() {
                results.values.extend(job.scaled(matrix, chunk, vector, products));
            }
            drop(results);
            job.finished.fetch_add(1, Ordering::Release);
        }
    }
}

/// Waits until there is a job after the one that was seen.
fn next_job(shared: &Shared, side: &Side, seen: u64) -> u64 {
    loop {
        let start = Instant::now();
        while start.elapsed() < SPIN {
            for _ in 0..16 {
                let current = shared.current.load(Ordering::SeqCst);
                if current != seen {
                    return current;
                }
                std::hint::spin_loop();
            }
        }
        side.asleep.store(true, Ordering::SeqCst);
        // The caller counts up before it looks whether the worker sleeps.
        while shared.current.load(Ordering::SeqCst) == seen {
            thread::park();
        }
        side.asleep.store(false, Ordering::SeqCst);
    }
}

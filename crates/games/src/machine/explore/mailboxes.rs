//! What workers need to work together: letterboxes, and a way to know that everything is done.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Condvar, Mutex, MutexGuard, PoisonError};

use agon_base::budget::Stop;

use super::table::Batch;

/// The lock, also if a thread that had it has panicked.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The batches that were sent to one worker.
#[derive(Default)]
pub(super) struct Letterbox {
    batches: Mutex<Vec<Batch>>,
    pub(super) full: AtomicBool,
}

/// What workers need to work together.
pub(super) struct Mailboxes<F> {
    pub(super) boxes: Vec<Letterbox>,
    /// How many workers are at work and how many batches are on their way.
    busy: Mutex<usize>,
    changed: Condvar,
    pub(super) stop: AtomicBool,
    pub(super) ending: Mutex<Option<Result<F, Stop>>>,
    /// With what a worker panicked, the first that did.
    pub(super) panic: Mutex<Option<Box<dyn Any + Send>>>,
    pub(super) level: Barrier,
    pub(super) next_level: AtomicUsize,
}

impl<F> Mailboxes<F> {
    pub(super) fn new(workers: usize) -> Mailboxes<F> {
        Mailboxes {
            boxes: (0..workers).map(|_| Letterbox::default()).collect(),
            busy: Mutex::new(workers),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            ending: Mutex::new(None),
            panic: Mutex::new(None),
            level: Barrier::new(workers),
            next_level: AtomicUsize::new(0),
        }
    }

    pub(super) fn send(&self, to: usize, batch: Batch) {
        // A worker that waits has looked into its mailbox under the same lock, so it cannot miss this.
        let mut busy = locked(&self.busy);
        *busy += 1;
        locked(&self.boxes[to].batches).push(batch);
        self.boxes[to].full.store(true, Ordering::Relaxed);
        drop(busy);
        self.changed.notify_all();
    }

    pub(super) fn open(&self, worker: usize) -> Vec<Batch> {
        let letterbox = &self.boxes[worker];
        letterbox.full.store(false, Ordering::Relaxed);
        std::mem::take(&mut *locked(&letterbox.batches))
    }

    /// A batch was kept.
    pub(super) fn done(&self) {
        *locked(&self.busy) -= 1;
    }

    /// Waits until there is something in a worker's box. Whether there will ever be.
    pub(super) fn wait(&self, worker: usize) -> bool {
        let mut busy = locked(&self.busy);
        *busy -= 1;
        loop {
            if *busy == 0 {
                self.stop.store(true, Ordering::Relaxed);
            }
            if self.stop.load(Ordering::Relaxed) {
                self.changed.notify_all();
                return false;
            }
            if !locked(&self.boxes[worker].batches).is_empty() {
                *busy += 1;
                return true;
            }
            busy = self.changed.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn end(&self, how: Result<F, Stop>) {
        let mut ending = locked(&self.ending);
        // What was found counts more than that another could not go on.
        if ending.is_none() || (how.is_ok() && ending.as_ref().is_some_and(Result::is_err)) {
            *ending = Some(how);
        }
        drop(ending);
        self.stop_all();
    }

    /// Does a worker's work. If it panics, all workers stop.
    pub(super) fn guarded(&self, work: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            locked(&self.panic).get_or_insert(panic);
            self.stop_all();
        }
    }

    fn stop_all(&self) {
        let busy = locked(&self.busy);
        self.stop.store(true, Ordering::Relaxed);
        drop(busy);
        self.changed.notify_all();
    }
}

//! What the machine has to give: memory and cores.

/// How many threads run at once.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Most of the memory that the machine could give us, in bytes, where it says so.
pub fn free_memory() -> Option<usize> {
    let available = proc_value("/proc/meminfo", "MemAvailable:")?;
    Some(available.saturating_mul(1024) / 10 * 9)
}

/// The most memory that the process ever had, in MiB, where the system says so.
pub fn peak_memory() -> Option<f64> {
    proc_value("/proc/self/status", "VmHWM:").map(|kib| kib as f64 / 1024.0)
}

fn proc_value(file: &str, key: &str) -> Option<usize> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}

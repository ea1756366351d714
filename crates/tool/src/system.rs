//! The resources of the machine: memory and cores.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The function that counts the bytes that the process has requested from the allocator.
static REQUESTED: OnceLock<fn() -> usize> = OnceLock::new();
/// The bytes that the process occupies for each 1024 that it has requested.
static RATIO: AtomicUsize = AtomicUsize::new(1024);
/// The most bytes that the process was seen to occupy.
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Sets the function that counts the bytes that the process has requested from the allocator.
pub fn count_memory_with(requested: fn() -> usize) {
    let _ = REQUESTED.set(requested);
}

/// The function that returns the bytes that the process occupies, where they are counted.
pub fn allocated() -> Option<fn() -> usize> {
    REQUESTED.get().map(|_| estimated as fn() -> usize)
}

fn estimated() -> usize {
    let requested = REQUESTED.get().map_or(0, |requested| requested());
    requested.saturating_mul(RATIO.load(Ordering::Relaxed)) >> 10
}

/// Measures how much memory the process occupies, in bytes, where the system tells. An allocator takes more than is
/// requested, most of all for small objects. The ratio is measured whenever the process is larger than ever before: then
/// little of its memory is free for reuse.
pub fn measure_memory() -> Option<usize> {
    let resident = resident_memory()?;
    let most = PEAK.fetch_max(resident, Ordering::Relaxed);
    if let Some(requested) = REQUESTED.get()
        && resident > most + (1 << 20)
        && resident > LITTLE
    {
        // The code and its static data are in memory, too, but were not requested from the allocator.
        let ratio = (resident - LITTLE / 4).saturating_mul(1024) / requested().max(1);
        RATIO.store(ratio.clamp(1024, 2048), Ordering::Relaxed);
    }
    Some(resident)
}

/// The ratio is not measured below this many bytes.
const LITTLE: usize = 32 << 20;

/// How many threads the machine runs at once.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Most of the memory that is available on the machine, or in its container, in bytes, where the system tells.
pub fn free_memory() -> Option<usize> {
    let machine = proc_value("/proc/meminfo", "MemAvailable:").map(|kib| kib.saturating_mul(1024));
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let container = free_in_groups(Path::new("/sys/fs/cgroup"), &groups);
    Some(machine.into_iter().chain(container).min()? / 10 * 9)
}

/// The memory that the control groups of a process leave to it, in bytes, if they limit it. Version 2 has one tree of
/// groups for all controllers; version 1 has a separate tree for memory. The limit of a group applies to all groups below.
fn free_in_groups(root: &Path, groups: &str) -> Option<usize> {
    let trees = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, group) = (parts.next()?, parts.next()?, parts.next()?);
        match controllers {
            "" => Some((root.to_path_buf(), group, ["memory.max", "memory.current"], "inactive_file")),
            _ if controllers.split(',').any(|controller| controller == "memory") => {
                let files = ["memory.limit_in_bytes", "memory.usage_in_bytes"];
                Some((root.join("memory"), group, files, "total_inactive_file"))
            }
            _ => None,
        }
    });
    trees
        .filter_map(|(root, group, [limit, usage], cache)| {
            let own: PathBuf = root.join(group.trim_start_matches('/'));
            // In a container, the path of the group may be the one outside of the container; then the group is the root.
            own.ancestors()
                .take_while(|folder| folder.starts_with(&root))
                .filter_map(|folder| {
                    let limit = number(&std::fs::read_to_string(folder.join(limit)).ok()?)?;
                    let used = number(&std::fs::read_to_string(folder.join(usage)).ok()?)?;
                    // The kernel can reclaim pages of files that were not used lately.
                    let stat = std::fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
                    let cached = stat.lines().find_map(|line| number(line.strip_prefix(cache)?));
                    Some(limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
                })
                .min()
        })
        .min()
}

/// The peak memory of the process, in MiB, where the system tells.
pub fn peak_memory() -> Option<f64> {
    proc_value("/proc/self/status", "VmHWM:").map(|kib| kib as f64 / 1024.0)
}

/// The memory of the process now, in bytes, where the system tells.
fn resident_memory() -> Option<usize> {
    proc_value("/proc/self/status", "VmRSS:").map(|kib| kib.saturating_mul(1024))
}

fn proc_value(file: &str, key: &str) -> Option<usize> {
    let text = std::fs::read_to_string(file).ok()?;
    number(text.lines().find_map(|line| line.strip_prefix(key))?)
}

/// The number at the start of a text. `max` is not a number.
fn number(text: &str) -> Option<usize> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of files under a folder of its own.
    fn tree(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("agon-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder is made");
            std::fs::write(path, text).expect("a file is written");
        }
        root
    }

    #[test]
    fn groups_of_version_2_limit_what_is_below_them() {
        let root = tree(
            "groups2",
            &[
                ("memory.max", "max"),
                ("memory.current", "9000"),
                ("box/memory.max", "5000\n"),
                ("box/memory.current", "1000\n"),
                ("box/memory.stat", "anon 400\ninactive_file 600\n"),
                ("box/inner/memory.max", "max\n"),
                ("box/inner/memory.current", "800\n"),
            ],
        );
        assert_eq!(free_in_groups(&root, "0::/box/inner\n"), Some(4600));
        assert_eq!(free_in_groups(&root, "0::/\n"), None);
        // As seen from inside of a container, where the group is not there.
        assert_eq!(free_in_groups(&root.join("box"), "0::/elsewhere/x\n"), Some(4600));
        std::fs::remove_dir_all(root).expect("it is removed");
    }

    #[test]
    fn groups_of_version_1_limit_what_is_below_them() {
        let root = tree(
            "groups1",
            &[
                ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
                ("memory/memory.usage_in_bytes", "9000\n"),
                ("memory/box/memory.limit_in_bytes", "5000\n"),
                ("memory/box/memory.usage_in_bytes", "1000\n"),
                ("memory/box/memory.stat", "cache 700\ntotal_inactive_file 300\n"),
            ],
        );
        let groups = "12:cpu,cpuacct:/box\n9:memory:/box\n1:name=systemd:/x\n";
        assert_eq!(free_in_groups(&root, groups), Some(4300));
        assert_eq!(free_in_groups(&root, "9:cpu:/box\n"), None);
        std::fs::remove_dir_all(root).expect("it is removed");
    }
}

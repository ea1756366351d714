//! gcc, which tests compile with, in temporary folders.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that is removed again.
pub struct Folder(PathBuf);

impl Folder {
    /// A new folder for temporary files.
    pub fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("agon-c-{}-{n}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder can be made");
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a temporary file can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is temporary all the same.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether gcc is installed, with its sanitizers.
pub fn installed() -> bool {
    let folder = Folder::new();
    folder.write("there.c", "int main(void) { return 0; }\n");
    let built = compile(&folder, "there.c", "there", &["-fsanitize=undefined"]);
    built.is_ok_and(|()| {
        Command::new(folder.path().join("there")).status().is_ok_and(|status| status.success())
    })
}

/// Processor time of a compilation, in seconds. Some nested expressions with overflow and shifts take gcc's sanitizers for ever.
const SECONDS: usize = 60;

/// Compiles a file of the folder.
pub fn compile(folder: &Folder, source: &str, program: &str, flags: &[&str]) -> Result<(), String> {
    compile_within(SECONDS, folder, (source, program), flags)
}

/// Compiles a file of the folder in a number of seconds of processor time.
pub fn compile_within(
    seconds: usize,
    folder: &Folder,
    (source, program): (&str, &str),
    flags: &[&str],
) -> Result<(), String> {
    let mut gcc = Command::new("sh");
    gcc.arg("-c").arg(format!("ulimit -t {seconds}; exec \"$@\"")).args(["sh", "gcc"]);
    gcc.current_dir(folder.path()).arg("-std=gnu11").args(flags);
    let output = gcc.args([source, "-o", program]).output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

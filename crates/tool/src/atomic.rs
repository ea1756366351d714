//! Files that are written as a whole: a reader finds the old text or the new one, never a part.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Writes a file.
pub fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    write_with(path, |out| out.write_all(text))
}

/// Writes a file bit by bit: to a temporary file beside it, which then takes its name. What is no ordinary file, such as a
/// pipe, is written directly.
pub fn write_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let path = &followed(path);
    let known = fs::metadata(path).ok();
    if known.as_ref().is_some_and(|known| !known.is_file()) {
        return in_place(path, write);
    }
    let temporary = match temporary(path) {
        Ok(temporary) => temporary,
        // The folder may not be written, but the file may.
        Err(_) if known.is_some() => {
            let mut text = Vec::new();
            write(&mut text)?;
            return in_place(path, |out| out.write_all(&text));
        }
        Err(error) => return Err(error),
    };
    let mut out = BufWriter::with_capacity(1 << 16, temporary);
    write(&mut out)?;
    let temporary = out.into_inner().map_err(|error| error.into_error())?;
    if let Some(known) = known {
        fs::set_permissions(temporary.path(), known.permissions())?;
    }
    temporary.persist(path).map(drop).map_err(|error| error.error)
}

/// Whether a file can be written, as far as that can be known without writing it.
pub fn writable(path: &Path) -> io::Result<()> {
    let path = &followed(path);
    match fs::metadata(path) {
        Ok(known) if known.is_dir() => File::create(path).map(drop),
        Ok(known) if !known.is_file() => Ok(()),
        known => temporary(path).map(drop).or_else(|error| match known {
            Ok(Metadata { .. }) => OpenOptions::new().write(true).open(path).map(drop),
            Err(_) => Err(error),
        }),
    }
}

/// The file that a link leads to.
fn followed(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

fn in_place(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, File::create(path)?);
    write(&mut out)?;
    out.flush()
}

/// An empty file beside another one, with the permissions of a new file.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".agon-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("it is a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("it is read").file_name().display().to_string()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_file_is_written_whole_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("answer.txt");
        write(&file, b"old").expect("it is written");
        let failed = write_with(&file, |out| {
            out.write_all(b"half of the n")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "old");
        write(&file, b"new").expect("it is written");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "new");
        assert_eq!(names(folder.path()), ["answer.txt"], "nothing else is left");
        assert!(write(&folder.path().join("none/answer.txt"), b"new").is_err());
        assert!(writable(&folder.path().join("none/answer.txt")).is_err());
        assert!(writable(folder.path()).is_err(), "a folder is no file");
        assert!(writable(&folder.path().join("another.txt")).is_ok());
        assert_eq!(names(folder.path()), ["answer.txt"], "asking makes no file");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_are_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("script"), folder.path().join("link"));
        write(&file, b"old").expect("it is written");
        let mode = || fs::metadata(&file).expect("it is there").permissions().mode() & 0o777;
        assert_ne!(mode() & 0o044, 0, "others may read a new file, unless the mask says otherwise");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).expect("they are set");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        write(&link, b"new").expect("it is written");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "new");
        assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
        assert_eq!(mode(), 0o750);
        write(Path::new("/dev/null"), b"new").expect("a device is written directly");
    }
}

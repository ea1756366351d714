//! The files of the page, embedded in the binary.

use rust_embed::Embed;

/// The files of the page.
#[derive(Embed)]
#[folder = "page/"]
struct Page;

/// The grammar for syntax highlighting, which editors use too.
const GRAMMAR: &str = include_str!("../../embedded/agon.tmLanguage.json");

/// A file as it is served.
pub struct Asset {
    /// Its bytes.
    pub bytes: std::borrow::Cow<'static, [u8]>,
    /// Its media type.
    pub kind: &'static str,
}

/// The file at a path.
pub fn asset(path: &str) -> Option<Asset> {
    if path == "/agon.tmLanguage.json" {
        return Some(Asset { bytes: GRAMMAR.as_bytes().into(), kind: "application/json" });
    }
    let name = if path == "/" { "index.html" } else { path.strip_prefix('/')? };
    let kind = match name.rsplit('.').next()? {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "md" => "text/plain; charset=utf-8",
        _ => return None,
    };
    Some(Asset { bytes: Page::get(name)?.data, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_inside_is_found() {
        assert!(asset("/").is_some() && asset("/style.css").is_some());
        assert!(asset("/agon.tmLanguage.json").is_some());
        for path in
            ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/page/index.html", "", "index.html"]
        {
            assert!(asset(path).is_none(), "{path}");
        }
    }
}

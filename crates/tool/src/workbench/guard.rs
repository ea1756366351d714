//! Admission of requests: only those of the page itself.

use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::{Method, StatusCode};

/// The host names of the server, with its port.
pub struct Guard {
    hosts: Vec<String>,
}

/// The content security policy: the page runs only scripts of the server, and connects only to the server.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; \
                      img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

impl Guard {
    /// A guard of a server with these names at a port.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>, port: u16) -> Guard {
        let with_port = |name: &str| match name.rsplit_once(':') {
            // A name with its own port, as after forwarding from another machine.
            Some((_, own)) if own.parse::<u16>().is_ok() && !name.starts_with("[") => {
                name.to_ascii_lowercase()
            }
            _ => format!("{}:{port}", name.to_ascii_lowercase()),
        };
        Guard { hosts: names.into_iter().map(with_port).collect() }
    }

    /// Whether a request may be answered; if not, the status and the reason.
    pub fn admit(&self, method: &Method, headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
        let text = |name: &HeaderName| {
            headers.get(name).map(|value| value.to_str().unwrap_or("").to_ascii_lowercase())
        };
        let ours =
            |host: &str| self.hosts.iter().any(|own| own == host || own.strip_suffix(":80") == Some(host));
        // After DNS rebinding, a foreign page still sends its own host name.
        if headers.get_all(HOST).iter().count() != 1 || !text(&HOST).is_some_and(|host| ours(&host)) {
            return Err((StatusCode::MISDIRECTED_REQUEST, "this server does not go by that name"));
        }
        let foreign = (StatusCode::FORBIDDEN, "requests come from the page itself");
        if let Some(origin) = text(&ORIGIN)
            && !origin.strip_prefix("http://").is_some_and(ours)
        {
            return Err(foreign);
        }
        let site = text(&HeaderName::from_static("sec-fetch-site"));
        if site.is_some_and(|site| site != "same-origin" && site != "none") && *method != Method::GET {
            return Err(foreign);
        }
        // A foreign page cannot send this media type without a preflight request, which is refused.
        if *method == Method::POST && text(&CONTENT_TYPE).as_deref() != Some("application/json") {
            return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "requests are application/json"));
        }
        Ok(())
    }
}

/// The headers of every response.
pub fn headers(headers: &mut HeaderMap) {
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_are_refused() {
        let guard = Guard::new(["127.0.0.1", "localhost", "[::1]"], 7878);
        let admitted = |method: Method, list: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in list {
                headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            guard.admit(&method, &headers).map_err(|(status, _)| status.as_u16())
        };
        let (host, json) = (("host", "localhost:7878"), ("content-type", "application/json"));
        assert_eq!(admitted(Method::GET, &[host]), Ok(()));
        assert_eq!(admitted(Method::POST, &[host, json, ("origin", "http://localhost:7878")]), Ok(()));
        assert_eq!(admitted(Method::GET, &[]), Err(421));
        assert_eq!(admitted(Method::GET, &[host, ("host", "localhost:7878")]), Err(421));
        assert_eq!(admitted(Method::GET, &[("host", "evil.example:7878")]), Err(421));
        assert_eq!(admitted(Method::GET, &[("host", "localhost")]), Err(421));
        assert_eq!(admitted(Method::POST, &[host, json, ("origin", "http://evil.example")]), Err(403));
        assert_eq!(admitted(Method::POST, &[host, json, ("origin", "null")]), Err(403));
        assert_eq!(admitted(Method::POST, &[host, json, ("origin", "http://localhost:7879")]), Err(403));
        assert_eq!(admitted(Method::POST, &[host, json, ("sec-fetch-site", "cross-site")]), Err(403));
        assert_eq!(admitted(Method::POST, &[host, ("content-type", "text/plain")]), Err(415));
    }
}

//! Files of certificates: written where programs are equal, read to be checked again.

use std::path::Path;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Source;
use agon_check::equiv::{Plays, Proof, Relation, Written};

use super::check::write_environment;
use super::output::remark;
use super::{Format, input};
use crate::shape::{self, certificate::Certificate};

/// Writes the certificate of a proof. Programs that are equal for another reason have none.
pub(super) fn write(
    path: Option<&Path>,
    files: [String; 2],
    proof: Option<&Proof>,
    source: &Source,
    format: Format,
) -> Result<(), ()> {
    let Some(path) = path else { return Ok(()) };
    let Some(certificate) = proof.and_then(|proof| proof.certificate.as_deref()) else {
        remark(match proof {
            None => "no certificate is written, as no relations were needed\n",
            Some(_) => "no certificate is written: those of concurrent programs cannot be checked again\n",
        });
        return Ok(());
    };
    let text = shape::pretty(&Certificate::new(files, certificate));
    write_environment(path, &text, source, format).map_err(|_| ())
}

/// Reads a certificate of a relation. One about all plays proves that the complete ones are the same as well.
pub(super) fn read(
    path: &Path,
    (relation, plays): (Relation, Plays),
    source: &Source,
    format: Format,
) -> Result<Written, ()> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let certificate = text
        .and_then(|text| serde_json::from_str::<Certificate>(&text).map_err(|error| error.to_string()))
        .and_then(|certificate| certificate.read());
    let certificate = certificate.and_then(|certificate| match (certificate.relation, certificate.plays) {
        (proved, _) if proved != relation => Err("it is about another relation".into()),
        (_, Plays::Complete) if plays == Plays::All => Err("it is about complete plays only".into()),
        _ => Ok(certificate),
    });
    certificate.map_err(|why| {
        let message = format!("the certificate `{}` cannot be read: {why}", path.display());
        input::print_diagnostics(source, &[Diagnostic::general(Code::Unreadable, message)], format);
    })
}

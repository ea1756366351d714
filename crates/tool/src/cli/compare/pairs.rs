//! Pairs of programs that are compared: two files, two folders of C files, or the files of two folders by their names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agon_check::equiv::Relation;
use serde::{Deserialize, Serialize};

use super::{Options, compare_or_find};
use crate::c::is_c;
use crate::cli::Status;
use crate::cli::cache::NOTE;
use crate::cli::check::reported::{Report, ReportFormat};
use crate::cli::output::remark;
use crate::render::comparison;
use crate::render::report::Entry;
use crate::shape::{self, Version};

/// Two programs that are compared, and what is written of them where.
#[derive(Clone)]
pub(super) struct Pair {
    /// The files of each program.
    pub(super) files: [Vec<PathBuf>; 2],
    pub(super) environment: Option<PathBuf>,
    pub(super) certificate: Option<PathBuf>,
    pub(super) recheck: Option<PathBuf>,
    /// What it is called among others, if there are others.
    among: Option<String>,
    /// What was said about it.
    told: Arc<Mutex<Option<Told>>>,
}

/// What is said about a pair.
#[derive(Serialize, Deserialize, Clone)]
pub(super) struct Told {
    seconds: Option<f64>,
    compared: shape::comparison::Compared,
    text: Option<String>,
}

impl Pair {
    /// The two files that are asked about.
    pub(super) fn of(options: &Options) -> Pair {
        Pair {
            files: [vec![options.left.clone()], vec![options.right.clone()]],
            environment: options.environment.clone(),
            certificate: options.certificate.clone(),
            recheck: options.recheck.clone(),
            among: None,
            told: Arc::default(),
        }
    }

    /// Two folders whose C files are one program each.
    pub(super) fn linked(options: &Options) -> Result<Pair, String> {
        let files = |folder: &Path| {
            let names = programs(folder)?.into_iter().map(|name| folder.join(name));
            let files: Vec<PathBuf> = names.filter(|file| is_c(file)).collect();
            match files.is_empty() {
                true => Err(format!("`{}` has no C files", folder.display())),
                false => Ok(files),
            }
        };
        Ok(Pair { files: [files(&options.left)?, files(&options.right)?], ..Pair::of(options) })
    }

    /// The programs, each by the name of its first file.
    pub(super) fn names(&self) -> [String; 2] {
        self.files
            .each_ref()
            .map(|files| files.first().map(|file| file.display().to_string()).unwrap_or_default())
    }

    /// Says how they compare: as text, as data, or as part of a report.
    pub(super) fn answer(
        &self,
        (report, format): (&Report, ReportFormat),
        seconds: Option<f64>,
        compared: shape::comparison::Compared,
        text: impl FnOnce() -> String,
    ) {
        let text = (format == ReportFormat::Text).then(text);
        let told = Told { seconds, compared, text };
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(told.clone());
        self.say((report, format), told, None);
    }

    /// What was said about it, if something was.
    pub(super) fn told(&self) -> Option<Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says what was said at another time.
    pub(super) fn repeat(&self, to: (&Report, ReportFormat), told: Told) {
        let text = told.text.map(|text| text + NOTE);
        self.say(to, Told { text, ..told }, Some(true));
    }

    fn say(&self, (report, format): (&Report, ReportFormat), told: Told, cached: Option<bool>) {
        let Told { seconds, compared, text } = told;
        let answer = shape::comparison::Comparison { version: Version, seconds, cached, compared };
        match format {
            ReportFormat::Text => {
                report.say(self.among.as_deref().unwrap_or_default(), &text.unwrap_or_default());
            }
            // One line for each, if there are several.
            ReportFormat::Json if self.among.is_some() => report.print(&shape::line(&answer)),
            ReportFormat::Json => report.print(&shape::pretty(&answer)),
            ReportFormat::Sarif | ReportFormat::Junit | ReportFormat::Github => {
                report.add(Entry::Answer(Box::new(comparison::reported(answer))));
            }
        }
    }
}

/// The programs of a folder, by their names.
fn programs(folder: &Path) -> Result<BTreeSet<String>, String> {
    let listed = std::fs::read_dir(folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
    let is_program = |name: &String| [".ia", ".c", ".i"].iter().any(|end| name.ends_with(end));
    let names = listed.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.filter(is_program).collect())
}

/// Compares the programs of two folders, by their names. One that is gone is a difference.
pub(super) fn folders(options: &Options, report: &Report, relation: Relation) -> Status {
    let [old, new] = match (programs(&options.left), programs(&options.right)) {
        (Ok(old), Ok(new)) => [old, new],
        (Err(why), _) | (_, Err(why)) => {
            remark(&format!("error: {why}\n"));
            return Status::Wrong;
        }
    };
    let mut status = Status::Holds;
    for name in old.union(&new) {
        let within = |folder: &Option<PathBuf>, end: &str| {
            folder.as_ref().map(|folder| folder.join(format!("{name}{end}")))
        };
        let pair = Pair {
            files: [vec![options.left.join(name)], vec![options.right.join(name)]],
            environment: within(&options.environment, ""),
            certificate: within(&options.certificate, ".json"),
            recheck: within(&options.recheck, ".json"),
            among: Some(name.clone()),
            told: Arc::default(),
        };
        let shown = pair.names();
        if !new.contains(name) {
            status = status.and(Status::DoesNotHold);
            let gone = format!("{} is gone", shown[0]);
            let text = format!("INEQUIVALENT  {gone}\n");
            let compared = comparison::gone(shown, gone);
            pair.answer((report, options.reported.format), None, compared, || text);
            continue;
        }
        if !old.contains(name) {
            remark(&format!("{} is new\n", shown[1]));
            continue;
        }
        status = status.and(compare_or_find(options, (&pair, report), relation));
    }
    status
}

//! `agon explain`: what a diagnostic means.

use clap::Args;

use super::Status;
use super::output::{Destination, remark};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The code, such as E0101.
    #[arg(value_name = "CODE")]
    code: String,
    #[command(flatten)]
    destination: Destination,
}

macro_rules! pages {
    ($($code:literal),* $(,)?) => {
        /// The page of each code.
        pub(crate) const PAGES: &[(&str, &str)] =
            &[$(($code, include_str!(concat!("../../embedded/diagnostics/", $code, ".md"))),)*];
    };
}

pages! {
    "E0001", "E0002", "E0003", "E0004", "E0005", "E0006", "E0007", "E0101", "E0102", "E0103", "E0104", "E0105",
    "E0106", "E0107", "E0108", "E0109", "E0201", "E0202", "E0203", "E0204", "E0205", "E0206", "E0301", "E0302",
    "E0303", "E0304", "W0401", "W0402", "W0403", "E0501", "E0502", "E0503", "E0504", "E0601", "E0602", "E0603", "E0604", "E0605", "E0606", "E0607", "E0608", "E0609", "E0610", "E0611", "E0612", "E0613", "E0614", "E0615", "E0616", "E0617", "E0618", "E0619", "E0620", "E0621", "E0622", "E0623", "E0624", "E0701", "E0702", "E0703",
    "E0704",
}

pub(super) fn run(options: &Options) -> Status {
    let wanted = options.code.to_ascii_uppercase();
    match PAGES.iter().find(|(code, _)| *code == wanted) {
        Some((_, page)) => {
            options.destination.say(page);
            Status::Holds
        }
        None => {
            let codes: Vec<_> = PAGES.iter().map(|(code, _)| *code).collect();
            remark(&format!(
                "error: there is no diagnostic `{}`; there are {}\n",
                options.code,
                codes.join(", ")
            ));
            Status::Wrong
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PAGES;
    use agon_base::diagnostic::Code;

    #[test]
    fn every_code_has_its_page() {
        let codes: Vec<_> = Code::ALL.iter().map(|code| code.number()).collect();
        let pages: Vec<_> = PAGES.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, pages);
        for (code, page) in PAGES {
            assert!(page.starts_with(&format!("# {code}")), "{code}");
        }
    }
}

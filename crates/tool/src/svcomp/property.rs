//! Properties as SV-COMP states them: `CHECK( init(main()), LTL(G ! call(reach_error())) )`.

use agon_core::checks::Kind;

/// A property of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// As it is written, one statement on each line.
    pub text: String,
    /// What must hold.
    formulas: Vec<Formula>,
}

/// What must hold in every run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Formula {
    /// The error function is not called.
    UnreachCall,
    /// No signed operation overflows.
    NoOverflow,
    /// Every access is to an object that is alive.
    ValidDeref,
    /// Only what is allocated is freed.
    ValidFree,
    /// What is allocated can be reached.
    ValidMemtrack,
    /// What is allocated is freed at the end.
    ValidMemcleanup,
    /// No two threads use one object in no order, if one of them writes it.
    NoDataRace,
    /// Another one, about which nothing is found out.
    Other,
}

impl Property {
    /// Reads a property, or says what is wrong with it.
    pub fn read(text: &str) -> Result<Property, String> {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let formulas: Vec<Formula> = lines.iter().map(|line| formula(line)).collect::<Result<_, _>>()?;
        match formulas.is_empty() {
            true => Err("it states no property".into()),
            false => Ok(Property { text: lines.join("\n"), formulas }),
        }
    }

    /// Whether signed overflow counts.
    pub fn is_about_overflow(&self) -> bool {
        self.formulas.contains(&Formula::NoOverflow)
    }

    /// Whether data races count.
    pub fn is_about_races(&self) -> bool {
        self.formulas.contains(&Formula::NoDataRace)
    }

    /// Whether leaks count.
    pub fn is_about_leaks(&self) -> bool {
        self.formulas.contains(&Formula::ValidMemcleanup)
    }

    /// Whether memory that is neither freed nor pointed to counts.
    pub fn is_about_lost_memory(&self) -> bool {
        self.formulas.contains(&Formula::ValidMemtrack)
    }

    /// Whether all that it states can be asked about. Memory that is lost and memory that is not freed are not told apart.
    pub fn is_supported(&self) -> bool {
        let alike = self.is_about_leaks() && self.is_about_lost_memory();
        !alike && !self.formulas.contains(&Formula::Other)
    }

    /// The name of what is violated where a check of this kind fails, if that is part of the property.
    pub fn violated(&self, kind: Kind) -> Option<&'static str> {
        let (formula, name) = match kind {
            Kind::Abort => (Formula::UnreachCall, "unreach-call"),
            Kind::Overflow => (Formula::NoOverflow, "no-overflow"),
            Kind::Index | Kind::Null | Kind::NullPointer | Kind::Pointer | Kind::Dead => {
                (Formula::ValidDeref, "valid-deref")
            }
            Kind::Free => (Formula::ValidFree, "valid-free"),
            Kind::Race => (Formula::NoDataRace, "no-data-race"),
            Kind::Leak if self.is_about_leaks() => (Formula::ValidMemcleanup, "valid-memcleanup"),
            Kind::Leak => (Formula::ValidMemtrack, "valid-memtrack"),
            Kind::Assertion
            | Kind::Division
            | Kind::Shift
            | Kind::Uninitialised
            | Kind::Constant
            | Kind::Overlap
            | Kind::Lock
            | Kind::Unlock
            | Kind::Deadlock
            | Kind::Join
            | Kind::Bound(_) => return None,
        };
        self.formulas.contains(&formula).then_some(name)
    }
}

/// Reads one statement.
fn formula(line: &str) -> Result<Formula, String> {
    let bare: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let inner = bare.strip_prefix("CHECK(init(main()),LTL(").and_then(|rest| rest.strip_suffix("))"));
    Ok(
        match inner
            .ok_or_else(|| format!("`{line}` is no property: `CHECK( init(main()), LTL(…) )` is one"))?
        {
            "G!call(reach_error())" | "G!call(__VERIFIER_error())" => Formula::UnreachCall,
            "G!data-race" => Formula::NoDataRace,
            "G!overflow" => Formula::NoOverflow,
            "Gvalid-deref" => Formula::ValidDeref,
            "Gvalid-free" => Formula::ValidFree,
            "Gvalid-memtrack" => Formula::ValidMemtrack,
            "Gvalid-memcleanup" => Formula::ValidMemcleanup,
            _ => Formula::Other,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_read_by_their_formulas() {
        let unreach =
            Property::read("\nCHECK( init(main()), LTL(G ! call(reach_error())) )\n\n").expect("it is one");
        assert_eq!(unreach.violated(Kind::Abort), Some("unreach-call"));
        assert_eq!(unreach.violated(Kind::Overflow), None);
        assert!(!unreach.is_about_overflow() && unreach.is_supported());
        let overflow = Property::read("CHECK(init(main()),LTL(G!overflow))").expect("it is one");
        assert!(overflow.is_about_overflow() && overflow.violated(Kind::Overflow) == Some("no-overflow"));
        let lines =
            ["free", "deref", "memtrack"].map(|name| format!("CHECK( init(main()), LTL(G valid-{name}) )"));
        let memory = Property::read(&lines.join("\n")).expect("it is one");
        assert_eq!(memory.violated(Kind::Index), Some("valid-deref"));
        assert!(memory.is_supported() && memory.is_about_lost_memory() && memory.text.lines().count() == 3);
        assert_eq!(memory.violated(Kind::Leak), Some("valid-memtrack"));
        let race = Property::read("CHECK( init(main()), LTL(G ! data-race) )").expect("it is one");
        assert!(race.is_supported() && race.is_about_races());
        assert_eq!(race.violated(Kind::Race), Some("no-data-race"));
        let ends = Property::read("CHECK( init(main()), LTL(F end) )").expect("it is one");
        assert!(!ends.is_supported());
        for wrong in [
            "",
            "\n",
            "G ! overflow",
            "CHECK( init(main()), LTL(G ! overflow)",
            "COVER( init(main()), FQL(COVER EDGES) )",
        ] {
            assert!(Property::read(wrong).is_err(), "{wrong}");
        }
    }
}

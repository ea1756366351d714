//! Models in all formats, and the plays that cover them.

use std::path::Path;
use std::sync::Arc;

use agon::render::model as render;
use agon::session::Session;
use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::source::Source;
use agon_games::automaton::Automaton;
use agon_games::denote::{Building, bottom_up, revealed};
use agon_games::machine::{Machine, compile};
use agon_games::model::model;
use agon_games::moves::Move;
use agon_games::values::Exact;

fn open(file: &str, define: &[(&str, i64)]) -> (Session, Automaton<Move>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/papers").join(file);
    let text = std::fs::read_to_string(path).expect("the corpus can be read");
    let overrides = define.iter().map(|(name, n)| ((*name).to_string(), Int::from(*n))).collect();
    let Ok(session) = Session::open(Source::new(file, text), overrides) else {
        panic!("{file} is well-typed")
    };
    let code = compile(&session.judgement, &session.arena).expect("the program is sequential");
    let mut machine = Machine::new(Arc::new(code), Arc::new(session.arena.clone()), Exact::default());
    let (model, _) = model(&mut machine, usize::MAX, &Budget::default()).expect("the data is finite");
    (session, model)
}

/// [OTF, §5.1] counts 10·2^(size−1) − 2 of them for the stack.
#[test]
fn the_stack_has_as_many_covering_plays_as_the_paper_counts() {
    for size in 2..=8 {
        let (session, model) = open("otf-stack-push-pop.ia", &[("size", size)]);
        let mut out = Vec::new();
        render::plays(&mut out, &render::plain(model, &session.arena)).expect("a vector can be written");
        let text = String::from_utf8(out).expect("moves are text");
        let plays = text.lines().count() - 1;
        assert_eq!(plays, 10 * (1 << (size - 1)) - 2, "size {size}");
        assert_eq!(text.lines().last(), Some(format!("{plays} plays").as_str()));
    }
}

#[test]
fn every_format_tells_the_same_model() {
    let (session, model) = open("ag-figure-1.ia", &[]);
    let write = |render: &dyn Fn(&mut dyn std::io::Write) -> std::io::Result<()>| {
        let mut out = Vec::new();
        render(&mut out).expect("a vector can be written");
        String::from_utf8(out).expect("models are text")
    };
    let written = render::plain(model, &session.arena);
    let json: serde_json::Value =
        serde_json::from_str(&write(&|out| render::json(out, &written))).expect("JSON");
    assert_eq!(json["states"], 8);
    assert_eq!(json["edges"].as_array().map(Vec::len), Some(9));
    assert_eq!(json["edges"][0], serde_json::json!([0, "O", "run", 1]));
    assert_eq!(json["final"].as_array().map(Vec::len), Some(1));
    let aut = write(&|out| render::aut(out, &written));
    assert!(aut.starts_with("des (0,9,8)\n(0,\"run\",1)\n"), "{aut}");
    assert_eq!(aut.lines().count(), 10);
    let dot = write(&|out| render::dot(out, &written));
    assert_eq!(dot.matches("style=dashed").count(), 5, "{dot}");
    assert_eq!(dot.matches("style=solid").count(), 4, "{dot}");
    assert_eq!(dot.matches("style=filled").count(), 1, "{dot}");
    let cspm = write(&|out| render::cspm(out, &written, "figure 1"));
    assert_eq!(cspm.matches("SKIP").count(), 1, "{cspm}");
    assert_eq!(cspm.matches(" -> ").count(), 9, "{cspm}");
    let svg = write(&|out| render::svg(out, &written));
    assert!(svg.contains("<svg") && svg.contains("f.1.run") && svg.contains("dasharray"), "{svg}");
}

/// [GC, App. B.1]: the play of the warm-up example, with all moves between its parts.
#[test]
fn a_revealed_model_has_the_moves_of_the_paper() {
    let (session, plain) = open("gc-figure-3.ia", &[]);
    let building = Building { reduce: true, most: usize::MAX, budget: &Budget::default() };
    let built = revealed(&session.judgement, &session.arena, building).expect("the program is small");
    let mut out = Vec::new();
    render::text(&mut out, &render::revealed(built.model.clone(), &session.arena))
        .expect("a vector can be written");
    let text = String::from_utf8(out).expect("models are text");
    for letter in ["run⟨2⟩", "q⟨2,1⟩", "q⟨2,1,1⟩", "read⟨2,1,1,1⟩", "q⟨2,1,2⟩", "1⟨2,1,2⟩"]
    {
        assert!(text.contains(letter), "{letter}\n{text}");
    }
    // Hidden moves make the model larger.
    let hidden = bottom_up(&session.judgement, &session.arena, building).expect("the program is small");
    assert_eq!(hidden.model, plain);
    assert!(hidden.largest >= plain.states() && built.model.states() > plain.states());
}

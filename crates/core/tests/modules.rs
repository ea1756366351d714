//! Modules: what their references say about known ones.

use agon_core::module::Module;
use agon_core::module::eval::replay;
use agon_core::module::inputs::Inputs;
use agon_core::module::play::Play;
use agon_core::module::stacks::{Bounds, Found, search};
use agon_ia::read::read_module;

#[track_caller]
fn module(text: &str) -> Module {
    match read_module(text, &[]) {
        Some(Ok(reading)) => reading.module,
        Some(Err(diagnostics)) => panic!("{text}: {diagnostics:#?}"),
        None => panic!("{text}: this is no module"),
    }
}

const BUCKET: &str = "module
    import now() : i32;
    i32 tokens := 2, last;
    export refill(k : i32) = if 0 <= k and k <= 2 then tokens := k;
    export take() : bool = if tokens = 0 then false else { last := now(); tokens := tokens - 1; assert(tokens >= 0); true };";

#[test]
fn a_bucket() {
    let module = module(BUCKET);
    let bounds = Bounds { inputs: Inputs::range(-1, 2, 0), nesting: 3, steps: 1000 };
    let Some(Found { failure: Some((play, _)), .. }) = search(&module, &bounds, 100_000) else {
        panic!("no failure")
    };
    assert_eq!(play.show(&module), "take() · now() · refill(0) · ret · ret -1 · fail");
    let text = play.show(&module);
    assert_eq!(Play::parse(&module, &text), Ok(play.clone()));
    assert_eq!(replay(&module, &play, 1000), Ok(()));
}

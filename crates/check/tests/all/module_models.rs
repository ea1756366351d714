//! Models of modules: walked with a stack they have the plays of the interpreter, and they have no two equal states.

use std::collections::{BTreeMap, BTreeSet};

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_check::modules::Compiled;
use agon_check::modules::model::{ActivationId, Edge, Given, Model, Reply, StoreId, model};
use agon_check::verdict::Reason;
use agon_core::module::inputs::Inputs;
use agon_core::module::play::Move;
use agon_core::module::run::{self, Position};
use agon_core::module::sample::Variation;
use agon_core::module::stacks::{Bounds, offers};
use agon_core::module::{Calls, Function, ImportId, Module};
use agon_ia::read::read_module;
use agon_ia::sample;

fn read(text: &str) -> Module {
    match read_module(text, &[]) {
        Some(Ok(reading)) => reading.module,
        other => panic!("it is a module: {text}\n{other:#?}"),
    }
}

fn made(module: &Module) -> Result<Model, Reason> {
    let budget = Budget { transitions: Some(100_000), ..Budget::default() };
    model(&Compiled::new(module.clone()), &budget, &mut |_| {})
}

/// The edges of a model, by where they begin and what happens.
type Edges<'a> = BTreeMap<(Option<ActivationId>, StoreId), BTreeMap<&'a Given, &'a Reply>>;

fn edges(model: &Model) -> Edges<'_> {
    let mut edges = Edges::new();
    for Edge { waits, store, given, reply } in &model.edges {
        let before = edges.entry((*waits, *store)).or_default().insert(given, reply);
        assert_eq!(before, None, "a module is deterministic");
    }
    edges
}

/// A walk over a model.
#[derive(Clone)]
struct Walk {
    stack: Vec<ActivationId>,
    store: StoreId,
}

/// What a model does when the environment moves.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Answered {
    Moves(Move),
    Diverges,
}

impl Walk {
    fn play(&mut self, edges: &Edges<'_>, played: &Move) -> Option<Answered> {
        let waits = match played {
            Move::Call(..) => None,
            _ => Some(self.stack.pop()?),
        };
        let mut reply = *edges.get(&(waits, self.store))?.get(&Given::Moves(played.clone()))?;
        loop {
            match reply {
                Reply::Moves(answer, opens, store) => {
                    self.stack.extend(opens);
                    self.store = *store;
                    return Some(Answered::Moves(answer.clone()));
                }
                Reply::Ends(value, store) => {
                    self.store = *store;
                    let caller = Some(self.stack.pop()?);
                    reply = *edges.get(&(caller, *store))?.get(&Given::Ended(value.clone()))?;
                }
                Reply::Stops(answer) => return Some(Answered::Moves(answer.clone())),
                Reply::Diverges => return Some(Answered::Diverges),
            }
        }
    }

    /// How many moves the environment has of those that the inputs have. Calls are those at the store that the innermost import
    /// allows; what is not among the offers of the interpreter, whatever the values, is too much.
    fn offered(
        &self,
        (module, model): (&Module, &Model),
        edges: &Edges<'_>,
        offers: &BTreeSet<Move>,
    ) -> Result<usize, String> {
        let at = |waits| edges.get(&(waits, self.store)).into_iter().flat_map(|edges| edges.keys());
        let innermost = self.stack.last().map(|id| model.activations[id.index()].waits_for);
        let turn = module.allowed(innermost);
        let called = |wanted: Function| {
            offers.iter().any(|offer| matches!(offer, Move::Call(function, _) if *function == wanted))
        };
        let mut count = 0;
        for given in at(None).chain(self.stack.last().into_iter().flat_map(|waits| at(Some(*waits)))) {
            let Given::Moves(played) = given else { continue };
            let legal = match played {
                Move::Call(Function::Procedure(id), _) if !module.allows(turn, *id) => continue,
                Move::Call(function, _) => called(*function),
                Move::Return(value) => {
                    innermost.is_some_and(|function| module.may_answer(function, value.as_ref()))
                }
                Move::Fail | Move::Exit(_) => false,
            };
            if !legal {
                return Err(format!("{played:?} is not offered"));
            }
            count += usize::from(offers.contains(played));
        }
        Ok(count)
    }
}

/// Walks the model beside the interpreter, over all plays up to a number of moves. Returns how many there are, or a difference.
fn same_plays(module: &Module, model: &Model, inputs: Inputs, length: usize) -> Result<usize, String> {
    let edges = edges(model);
    let bounds =
        Bounds { inputs, nesting: usize::MAX, activations: usize::MAX, steps: 2_000, forget_dead: false };
    let start = Walk { stack: Vec::new(), store: StoreId(0) };
    let mut waiting = vec![(0, Position::default(), start)];
    let mut count = 0;
    while let Some((before, at, walk)) = waiting.pop() {
        let offered = offers(module, &bounds, &at);
        let allowed: BTreeSet<Move> = offered.iter().cloned().collect();
        let mut cut = 0;
        for played in &offered {
            let (mut at, mut walk) = (at.clone(), walk.clone());
            let expected = match at.play(module, played, bounds.steps) {
                run::Reply::Moves(answer) => Answered::Moves(answer),
                run::Reply::Fails(_) => Answered::Moves(Move::Fail),
                run::Reply::Exits(n) => Answered::Moves(Move::Exit(n)),
                run::Reply::Diverges => Answered::Diverges,
                run::Reply::Exhausted => {
                    cut += 1;
                    continue;
                }
                other => panic!("no stack is cut: {other:?}"),
            };
            let answered = walk.play(&edges, played);
            if answered.as_ref() != Some(&expected) {
                return Err(format!("{played:?} leads to {expected:?}, not to {answered:?}"));
            }
            count += 1;
            let goes_on = matches!(&expected, Answered::Moves(Move::Call(..) | Move::Return(_)));
            if goes_on && before + 2 < length {
                waiting.push((before + 2, at, walk));
            }
        }
        let offered = walk.offered((module, model), &edges, &allowed)?;
        if offered + cut < allowed.len() || offered > allowed.len() {
            return Err(format!("{offered} moves are offered, not {}", allowed.len()));
        }
    }
    Ok(count)
}

/// Two states that may be equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Pair {
    Stores(StoreId, StoreId),
    Activations(ActivationId, ActivationId),
}

/// Whether two states are different: something that follows from both of them is answered differently, or an activation can wait
/// at one of two stores only.
fn different(model: &Model, edges: &Edges<'_>, pair: Pair) -> bool {
    let stores = || (0..model.stores.len() as u32).map(StoreId);
    let activations = || (0..model.activations.len() as u32).map(ActivationId);
    let mut pairs = vec![pair];
    let mut next = 0;
    while next < pairs.len() {
        let places: Vec<_> = match pairs[next] {
            Pair::Stores(a, b) => {
                let waits = std::iter::once(None).chain(activations().map(Some));
                waits.map(|waits| ((waits, a), (waits, b))).collect()
            }
            Pair::Activations(a, b) => stores().map(|store| ((Some(a), store), (Some(b), store))).collect(),
        };
        next += 1;
        for (one, other) in places {
            let (one, other) = match (edges.get(&one), edges.get(&other)) {
                (None, None) => continue,
                (Some(one), Some(other)) if one.keys().eq(other.keys()) => (one, other),
                _ => return true,
            };
            for (one, other) in one.values().zip(other.values()) {
                let mut equal = Vec::new();
                match (one, other) {
                    (Reply::Moves(a, opens, to), Reply::Moves(b, others, and))
                        if a == b && opens.len() == others.len() =>
                    {
                        equal.extend(opens.iter().zip(others).map(|(a, b)| Pair::Activations(*a, *b)));
                        equal.push(Pair::Stores(*to, *and));
                    }
                    (Reply::Ends(a, to), Reply::Ends(b, and)) if a == b => {
                        equal.push(Pair::Stores(*to, *and))
                    }
                    (one, other) if one == other => {}
                    _ => return true,
                }
                for pair in equal {
                    match pair {
                        Pair::Stores(a, b) if a == b => {}
                        Pair::Activations(a, b) if a == b => {}
                        // They are shown in different places.
                        Pair::Activations(a, b) if !alike(model, a, b) => return true,
                        pair if pairs.contains(&pair) => {}
                        pair => pairs.push(pair),
                    }
                }
            }
        }
    }
    false
}

fn alike(model: &Model, a: ActivationId, b: ActivationId) -> bool {
    let of = |id: ActivationId| {
        let activation = &model.activations[id.index()];
        (activation.procedure, activation.inner, activation.waits_for)
    };
    of(a) == of(b)
}

/// Every two states are different. Returns how many pairs there are.
fn is_minimal(model: &Model, text: &str) -> usize {
    let edges = edges(model);
    let mut count = 0;
    let stores = model.stores.len() as u32;
    let pairs = (0..stores).flat_map(|a| (0..a).map(move |b| Pair::Stores(StoreId(a), StoreId(b))));
    let of = |a: u32| (0..a).map(move |b| (ActivationId(a), ActivationId(b)));
    let activations = (0..model.activations.len() as u32).flat_map(of).filter(|(a, b)| alike(model, *a, *b));
    for pair in pairs.chain(activations.map(|(a, b)| Pair::Activations(a, b))) {
        count += 1;
        assert!(different(model, &edges, pair), "{text}");
    }
    count
}

/// What is done to a module before its model is made, by a seed.
type Varied = fn(Module, u64) -> Module;

/// As it is.
fn same(module: Module, _: u64) -> Module {
    module
}

/// Some imports call less, return less, or never return.
fn restricted(mut module: Module, seed: u64) -> Module {
    Variation::new(seed).imports(&mut module);
    module
}

fn check_random(
    seeds: std::ops::Range<u64>,
    sample: fn(u64, usize) -> String,
    varied: Varied,
    length: usize,
) -> [usize; 4] {
    let [mut models, mut plays, mut pairs, mut merged] = [0; 4];
    for seed in seeds {
        let text = sample(seed, 3 + (seed % 9) as usize);
        let module = varied(read(&text), seed);
        let Ok(model) = made(&module) else { continue };
        models += 1;
        let same = same_plays(&module, &model, Inputs::range(0, 2, 1), length);
        plays += same.unwrap_or_else(|why| panic!("{why}\n{module}"));
        if model.stores.len() + model.activations.len() < 60 {
            pairs += is_minimal(&model, &text);
        }
        merged += model.stores.iter().map(|store| store.members - 1).sum::<usize>();
    }
    [models, plays, pairs, merged]
}

#[test]
fn models_of_random_modules_have_their_plays_and_no_equal_states() {
    let [models, plays, pairs, merged] = check_random(0..300, sample::module, same, 6);
    println!(
        "{models} models, {plays} plays, {pairs} pairs of states, {merged} stores that others stand for"
    );
    assert!(models > 280 && plays > 50_000 && pairs > 1_000 && merged > 1_000);
}

#[test]
fn models_of_plain_random_modules_have_their_longer_plays() {
    let [models, plays, pairs, merged] = check_random(300..400, sample::plain_module, same, 8);
    println!(
        "{models} models, {plays} plays, {pairs} pairs of states, {merged} stores that others stand for"
    );
    assert!(models > 80 && plays > 50_000 && pairs > 100 && merged > 100);
}

#[test]
fn models_of_modules_whose_imports_do_less_have_their_plays() {
    let [models, plays, pairs, merged] = check_random(400..700, sample::module, restricted, 6);
    println!(
        "{models} models, {plays} plays, {pairs} pairs of states, {merged} stores that others stand for"
    );
    assert!(models > 280 && plays > 20_000 && pairs > 1_000 && merged > 500);
}

/// At how many stores an import can be answered in a model, and with how many values.
fn answers(model: &Model) -> (usize, usize) {
    let answers = || model.edges.iter().filter(|edge| edge.waits.is_some());
    let stores: BTreeSet<StoreId> = answers().map(|edge| edge.store).collect();
    let given: BTreeSet<&Given> = answers().map(|edge| &edge.given).collect();
    (stores.len(), given.len())
}

#[test]
fn models_have_what_an_import_allows_and_nothing_else() {
    let text = "module
        import f() : int%3;
        bool inside; int%3 x;
        export set(k : int%3) = if inside then x := k;
        export get() : int%3 = x;
        export ask() : int%3 = { int%3 was; inside := true; was := f(); inside := false; was := was + x; x := 0; was };";
    let plain = read(text);
    let get = plain.procedures().find(|(_, procedure)| &*procedure.name == "get").map(|(id, _)| id);
    let only = Calls::Only(vec![get.expect("it is there")]);
    let range = Some((Int::ONE, Int::from(2u64)));
    // `set` has an effect only while `f` is open, and until a nested `ask` is over.
    for (returns, calls, ends, expected) in [
        (None, Calls::Any, false, (4, 3)),
        (None, Calls::Nothing, false, (1, 3)),
        (None, only.clone(), false, (1, 3)),
        (range.clone(), Calls::Any, false, (4, 2)),
        (range, only, false, (1, 2)),
        (None, Calls::Any, true, (0, 0)),
    ] {
        let mut module = plain.clone();
        module.restrict(ImportId(0), returns, calls, ends);
        let model = made(&module).expect("the data is finite");
        assert_eq!(answers(&model), expected, "{module}");
        is_minimal(&model, text);
        let plays = |module: &Module| same_plays(module, &model, Inputs::range(0, 2, 0), 8);
        assert!(plays(&module).is_ok_and(|plays| plays > 100), "{module}");
        let unchanged = module.to_string() == plain.to_string();
        assert_eq!(plays(&plain).is_ok(), unchanged, "{module}");
    }
}

#[test]
fn models_of_the_corpus_have_its_plays() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/modules");
    let (mut models, mut refused, mut plays) = (0, 0, 0);
    let mut recursive = 0;
    for file in std::fs::read_dir(folder).expect("the corpus can be listed") {
        let path = file.expect("it can be listed").path();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let module = read(&text);
        match made(&module) {
            Ok(model) => {
                models += 1;
                let same = same_plays(&module, &model, Inputs::range(0, 3, 1), 8);
                plays += same.unwrap_or_else(|why| panic!("{}: {why}", path.display()));
                is_minimal(&model, &text);
                recursive += usize::from(model.activations.iter().any(|activation| activation.inner));
            }
            Err(Reason::NoModel(_) | Reason::Stop(Stop::Transitions)) => refused += 1,
            Err(other) => panic!("{}: {other:?}", path.display()),
        }
    }
    println!(
        "{models} models, {plays} plays, {recursive} with recursion around an import, {refused} refused"
    );
    assert!(models > 30 && plays > 1_000 && recursive > 2);
}

/// A model in which an edge leads elsewhere has other plays: of two stores none can be put for the other.
#[test]
fn changed_models_have_other_plays() {
    let text = "module
        import now() : int%2;
        int%3 tokens := 2;
        int%2 last;
        export refill(k : int%3) = tokens := k;
        export take() : bool =
          if tokens = 0 then false else { last := now(); assert(tokens > 0); tokens := tokens - 1; true };";
    let module = read(text);
    let model = made(&module).expect("the data is finite");
    assert_eq!((model.stores.len(), model.activations.len()), (3, 1));
    assert_eq!(model.stores.iter().map(|store| store.members).sum::<usize>(), 6);
    let plays = |model: &Model| same_plays(&module, model, Inputs::range(0, 2, 0), 10);
    assert!(plays(&model).is_ok_and(|plays| plays > 1_000));
    let mut changed = 0;
    for n in 0..model.edges.len() {
        for other in (0..3).map(StoreId) {
            let mut model = model.clone();
            match &mut model.edges[n].reply {
                Reply::Moves(_, _, store) if *store != other => *store = other,
                _ => continue,
            }
            changed += 1;
            assert!(plays(&model).is_err(), "{:?}", model.edges[n]);
        }
        let mut model = model.clone();
        model.edges.remove(n);
        assert!(plays(&model).is_err());
    }
    assert!(changed > 20);
}

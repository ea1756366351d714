//! Values are brought into range wherever they cross into a declared type, whatever elaboration leaves out.
//!
//! All semantics read the elaborated term, so they agree even if elaboration is wrong. Two things here do not: a run of
//! the program as it is written, in which every declared type is a contract; and a law, by which a declared type can be
//! written out with parameters and cells of base types.

use crate::written;
use std::sync::Arc;

use agon_base::budget::Stop;
use agon_base::budget::{Budget, Threads as Workers};
use agon_base::int::Int;
use agon_base::random::Random;
use agon_base::refused::Refused;
use agon_base::source::Span;
use agon_core::eval::Patience;
use agon_core::term::Judgement;
use agon_core::types::Type;
use agon_games::arena::{Arena, ComponentId, OWN};
use agon_games::automaton::Automaton;
use agon_games::denote::{self, bottom_up_threads, denote};
use agon_games::machine::{Machine, Strands, compile, compile_any};
use agon_games::model::{Building, concurrent_model, model};
use agon_games::moves::{Label, Move};
use agon_games::values::Exact;
use agon_ia::print::print;
use agon_ia::sample;
use agon_ia::tree::{
    DataKind, Declarator, Ident, Node, NodeId, Parameter, Program, Tree, TypeKind, TypeNode,
};
use agon_witness::replay::replay;

use crate::written::{Ask, Environment, Exit, Outcome, Request, Run};

fn judge(text: &str) -> (Program, Judgement) {
    let reading =
        agon_ia::read::read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}"));
    (reading.document.program, reading.judgement)
}

/// The complete plays, by the machine; nothing if there are too many positions.
fn plays(judgement: &Judgement, arena: &Arc<Arena>) -> Option<Automaton<Move>> {
    let code = Arc::new(compile(judgement, arena).expect("the program is sequential"));
    let budget = Budget::default().with_patience(1_000);
    let mut machine = Machine::new(code, arena.clone(), Exact::default());
    Some(model(&mut machine, 20_000, &budget).ok()?.0)
}

/// An environment that plays at random, or along complete plays, and writes everything down.
struct Player<'a> {
    arena: &'a Arena,
    model: &'a Automaton<Move>,
    /// Where the play is in the model; nothing once it has left it.
    state: Option<u32>,
    /// Whether O's moves are taken from the model.
    follows: bool,
    random: Random,
    moves: Vec<Move>,
    /// The components of the free identifiers and of the program's own arguments.
    free: Vec<ComponentId>,
}

impl Player<'_> {
    fn say(&mut self, m: Move) {
        self.state = self.state.and_then(|state| {
            let found = self.model.edges(state).iter();
            let mut found = found.filter(|(letter, _)| self.model.letters[*letter as usize] == m);
            found.next().map(|(_, to)| *to)
        });
        self.moves.push(m);
    }

    /// O's next move in a call: one of the model's, or a random one.
    fn choose(&mut self, component: ComponentId, element: Option<u64>, writes: bool) -> Result<Move, Exit> {
        if self.follows {
            let state = self.state.ok_or(Exit::Over)?;
            let edges = self.model.edges(state);
            if edges.is_empty() {
                return Err(Exit::Over);
            }
            let (letter, _) = edges[self.random.below(edges.len())];
            return Ok(self.model.letters[letter as usize].clone());
        }
        let arguments = &self.arena.component(component).arguments;
        let at = self.random.below(arguments.len() + 2);
        if at < arguments.len() && self.moves.len() < 40 {
            let argument = arguments[at];
            let writes = self.random.one_in(2);
            return Ok(self.question(argument, writes));
        }
        let label = match self.arena.component(component).base {
            Type::Com => Label::Done,
            _ if writes => Label::Ok,
            _ => Label::Value(self.value(component)),
        };
        Ok(Move { component, element: element.map(Int::from), label })
    }

    fn value(&mut self, component: ComponentId) -> Int {
        let data = self.arena.data(component).expect("it has values");
        let size = data.size().and_then(|size| size.to_u64()).expect("types are finite");
        data.value(self.random.draw() % size)
    }

    fn question(&mut self, component: ComponentId, writes: bool) -> Move {
        let base = self.arena.component(component).base.clone();
        let (element, label) = match base {
            Type::Com => (None, Label::Run),
            Type::Exp(_) => (None, Label::Ask),
            Type::Array(_, length) => {
                let label = if writes { Label::Write(self.value(component)) } else { Label::Read };
                (Some(Int::from(self.random.draw() % length)), label)
            }
            _ if writes => (None, Label::Write(self.value(component))),
            _ => (None, Label::Read),
        };
        Move { component, element, label }
    }
}

/// What a move asks.
fn asked(m: &Move) -> Ask {
    let request = match &m.label {
        Label::Read => Request::Read,
        Label::Write(n) => Request::Write(n.clone()),
        _ => Request::Run,
    };
    Ask { element: m.element.as_ref().and_then(Int::to_u64), ..Ask::plain(request) }
}

/// The answer to a question.
fn answered(question: &Move, value: Int) -> Move {
    let label = match question.label {
        Label::Run => Label::Done,
        Label::Write(_) => Label::Ok,
        _ => Label::Value(value),
    };
    Move { label, ..question.clone() }
}

impl Environment for Player<'_> {
    fn ask(&mut self, run: &mut Run<'_>, free: usize, ask: Ask) -> Outcome {
        let component = self.free[free];
        let writes = matches!(ask.request, Request::Write(_));
        let label = match (&ask.request, &self.arena.component(component).base) {
            (Request::Write(n), _) => Label::Write(n.clone()),
            (Request::Read, _) => Label::Read,
            (_, Type::Com) => Label::Run,
            _ => Label::Ask,
        };
        self.say(Move { component, element: ask.element.map(Int::from), label });
        loop {
            let m = self.choose(component, ask.element, writes)?;
            self.say(m.clone());
            if m.component == component {
                let Label::Value(n) = m.label else { return Ok(Int::ZERO) };
                return Ok(n);
            }
            let arguments = &self.arena.component(component).arguments;
            let n = arguments.iter().position(|argument| *argument == m.component);
            let argument = ask.arguments[n.expect("O asks for an argument of the call")].clone();
            let value = run.argument(self, &argument, asked(&m))?;
            self.say(answered(&m, value));
        }
    }
}

/// Plays against the program as it is written, and compares with the complete plays that it is said to have.
fn played(seed: u64, text: &str, program: &Program, judgement: &Judgement, model: &Automaton<Move>) -> usize {
    let arena = Arena::new(judgement);
    let free = judgement.context.iter().chain(&judgement.arguments);
    let free: Vec<_> = free.map(|var| arena.of_variable(*var).expect("it has a component")).collect();
    let mut complete = 0;
    for round in 0..10 {
        let follows = round % 2 == 0;
        let random = Random::new(seed.wrapping_mul(31).wrapping_add(round));
        let (moves, free, state) = (Vec::new(), free.clone(), Some(model.initial));
        let mut player = Player { arena: &arena, model, state, follows, random, moves, free };
        let opening = if follows {
            let edges = model.edges(model.initial);
            if edges.is_empty() {
                continue;
            }
            model.letters[edges[player.random.below(edges.len())].0 as usize].clone()
        } else {
            let writes = player.random.one_in(2);
            player.question(OWN, writes)
        };
        player.say(opening.clone());
        let outcome = written::run(program, &mut player, asked(&opening).request, 200_000);
        let show = |moves: &[Move]| moves.iter().map(|m| arena.show(m)).collect::<Vec<_>>().join(" · ");
        match outcome {
            Ok(value) => player.say(answered(&opening, value)),
            Err(Exit::Abort) => player.say(Move { component: OWN, element: None, label: Label::Abort }),
            Err(Exit::Exhausted) => continue,
            // From where no complete play goes on the environment may play whatever it likes.
            Err(_) if !follows => continue,
            Err(stop) => panic!("seed {seed}: {stop:?} after {}\n{text}", show(&player.moves)),
        }
        let accepted = player.state.is_some_and(|state| model.accepting[state as usize]);
        assert!(accepted, "seed {seed}: as it is written, the program plays {}\n{text}", show(&player.moves));
        match replay(judgement, &arena, &player.moves, Patience::steps(1_000_000)) {
            Ok(_) | Err(Refused::Stop(_)) => {}
            Err(why) => panic!("seed {seed}: {why:?}\n{}\n{text}", show(&player.moves)),
        }
        complete += 1;
    }
    complete
}

/// The seeds' programs: how many were compared, with how many plays.
fn hunt(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut compared, mut complete) = (0, 0);
    for seed in seeds {
        let text = sample::sequential(seed, 3 + (seed % 17) as usize);
        let (program, judgement) = judge(&text);
        assert_eq!(written::type_of(&program).settled(), judgement.ty, "seed {seed}: {text}");
        let arena = Arc::new(Arena::new(&judgement));
        let Some(machine) = plays(&judgement, &arena) else { continue };
        match denote(&judgement, &arena) {
            Ok(reference) => assert!(machine == reference, "seed {seed}: the semantics differ\n{text}"),
            Err(Refused::Stop(Stop::Table)) => continue,
            Err(unfit) => panic!("seed {seed}: {unfit:?}\n{text}"),
        }
        complete += played(seed, &text, &program, &judgement, &machine);
        compared += 1;
    }
    (compared, complete)
}

#[test]
fn programs_play_as_they_are_written() {
    let (compared, complete) = hunt(0..1_000);
    assert!(compared > 900 && complete > 3_000, "{compared} compared, {complete} plays");
}

/// The long run: `cargo test --release -p agon-witness --test all declared -- --ignored`.
#[test]
#[ignore = "takes minutes: ten thousand programs"]
fn programs_play_as_they_are_written_at_length() {
    let (compared, complete) = hunt(1_000..12_000);
    println!("{compared} compared, {complete} plays");
    assert!(compared > 10_000, "{compared} compared");
}

/// The program with every declared type written out: `let g : A -> D = M in …` as
/// `let g = fun x : A . new D r := M(x) in !r in …`, and `let v : var D = M` as `let v = (fun v : var D . v)(M)`.
fn spelt_out(program: &Program) -> Program {
    let mut program = program.clone();
    let ids: Vec<NodeId> = program.tree.ids().collect();
    for id in ids {
        let Node::Let { ident, parameters, result: Some(result), definition, body } =
            program.tree.node(id).clone()
        else {
            continue;
        };
        let definition = converted(&mut program.tree, definition, &result, 0);
        program.tree.replace(id, Node::Let { ident, parameters, result: None, definition, body });
    }
    program
}

fn converted(tree: &mut Tree, term: NodeId, ty: &TypeNode, depth: usize) -> NodeId {
    let span = Span { start: 0, end: 0 };
    let ident = |name: String| Ident { name: Arc::from(name), span };
    let parameter = |name: &Ident, argument| Parameter { ident: name.clone(), argument };
    match &ty.kind {
        TypeKind::Fun(argument, result) => {
            let name = ident(format!("x'{depth}"));
            let given = tree.add(Node::Name(name.name.clone()), span);
            // A head that is not itself an application.
            let applied = match tree.node(term).clone() {
                Node::Apply(head, mut arguments) => {
                    arguments.push(given);
                    tree.add(Node::Apply(head, arguments), span)
                }
                _ => tree.add(Node::Apply(term, vec![given]), span),
            };
            let body = converted(tree, applied, result, depth + 1);
            tree.add(Node::Fun(vec![parameter(&name, (**argument).clone())], body), span)
        }
        TypeKind::Exp(data) => {
            let name = ident("r'".into());
            let read = tree.add(Node::Name(name.name.clone()), span);
            let body = tree.add(Node::Deref(read), span);
            let variable = Declarator { ident: name, length: None, initial: Some(term) };
            tree.add(Node::New { data: data.clone(), variable, body }, span)
        }
        TypeKind::Var(_, None) => {
            let name = ident("v'".into());
            let body = tree.add(Node::Name(name.name.clone()), span);
            let argument = agon_ia::tree::ArgumentNode { ty: ty.clone(), bound: None };
            let identity = tree.add(Node::Fun(vec![parameter(&name, argument)], body), span);
            tree.add(Node::Apply(identity, vec![term]), span)
        }
        _ => term,
    }
}

/// Whether a definition of the program has a declared type with numbers in it.
fn declares(program: &Program) -> bool {
    fn ranged(ty: &TypeNode) -> bool {
        match &ty.kind {
            TypeKind::Exp(data) | TypeKind::Var(data, _) => !matches!(data.kind, DataKind::Int),
            TypeKind::Fun(argument, result) => ranged(&argument.ty) || ranged(result),
            _ => false,
        }
    }
    let declared = |id| matches!(program.tree.node(id), Node::Let { result: Some(ty), .. } if ranged(ty));
    program.tree.ids().any(declared)
}

/// The complete plays of a concurrent program, by strands and by its parts; nothing if there are too many.
fn interleaved(text: &str, judgement: &Judgement) -> Option<Automaton<String>> {
    let arena = Arc::new(Arena::new(judgement));
    let code = Arc::new(compile_any(judgement, &arena).ok()?);
    let mut strands = Strands::new(code, arena.clone(), true);
    let building =
        Building { reduce: true, threads: Workers::default(), largest: 20_000, budget: &Budget::default() };
    let built = concurrent_model(&mut strands, building).ok()?;
    let found = built.automaton.relabel(|m| arena.show_threaded(m)).minimal();
    let building = denote::Building { reduce: true, most: 20_000, budget: &Budget::default() };
    match bottom_up_threads(judgement, &arena, building) {
        Ok(parts) => {
            let parts = parts.model.relabel(|m| arena.show_threaded(m)).minimal();
            assert!(parts == found, "the semantics differ\n{text}");
        }
        Err(Refused::Stop(Stop::Table) | Refused::Construct { .. }) => {}
        Err(why) => panic!("{why:?}\n{text}"),
    }
    Some(found)
}

/// Each seed's programs, sequential and concurrent, against themselves with all declared types spelt out.
fn compare_spelt_out(seeds: std::ops::Range<u64>) -> [usize; 2] {
    let mut compared = [0; 2];
    for seed in seeds {
        let size = 3 + (seed % 14) as usize;
        for (n, text) in
            [sample::sequential(seed, size), sample::concurrent(seed, size)].into_iter().enumerate()
        {
            let (program, judgement) = judge(&text);
            if !declares(&program) {
                continue;
            }
            let twin = print(&spelt_out(&program));
            let (_, other) = judge(&twin);
            let same = if n == 0 {
                let arena = Arc::new(Arena::new(&judgement));
                let (Some(left), Some(right)) =
                    (plays(&judgement, &arena), plays(&other, &Arc::new(Arena::new(&other))))
                else {
                    continue;
                };
                left == right
            } else {
                let (Some(left), Some(right)) = (interleaved(&text, &judgement), interleaved(&twin, &other))
                else {
                    continue;
                };
                left == right
            };
            assert!(
                same,
                "seed {seed}: a declared type is not what it is spelt out\n{text}\n--- spelt out\n{twin}"
            );
            compared[n] += 1;
        }
    }
    compared
}

#[test]
fn declared_types_can_be_spelt_out() {
    let [sequential, concurrent] = compare_spelt_out(0..1_000);
    assert!(sequential > 200 && concurrent > 100, "{sequential} sequential, {concurrent} concurrent");
}

/// The long run: `cargo test --release -p agon-witness --test all declared -- --ignored`.
#[test]
#[ignore = "takes minutes: ten thousand programs"]
fn declared_types_can_be_spelt_out_at_length() {
    let [sequential, concurrent] = compare_spelt_out(1_000..21_000);
    println!("{sequential} sequential, {concurrent} concurrent");
    assert!(sequential + concurrent > 10_000, "{sequential} sequential, {concurrent} concurrent");
}

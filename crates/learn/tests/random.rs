//! Both learners learn random minimal automata exactly, and the tree asks less.

use std::collections::{BTreeMap, HashMap};

use agon_base::random::Random;
use agon_learn::automaton::{Automaton, State};
use agon_learn::table::Table;
use agon_learn::teacher::{Learner, Questions, Teacher};
use agon_learn::tree::Tree;

/// Knows an automaton.
struct Knows {
    automaton: Automaton<u8>,
    letters: u8,
    prefix_closed: bool,
    asked: u64,
}

impl Teacher for Knows {
    type Letter = u8;
    type Stop = std::convert::Infallible;

    fn letters(&mut self, _: &[u8]) -> Vec<u8> {
        (0..self.letters).collect()
    }

    fn is_member(&mut self, word: &[u8]) -> Result<bool, Self::Stop> {
        self.asked += 1;
        Ok(self.automaton.accepts(word))
    }

    fn differs(&mut self, guess: &Automaton<u8>) -> Result<Option<Vec<u8>>, Self::Stop> {
        Ok(self.automaton.difference(guess))
    }

    fn is_prefix_closed(&self) -> bool {
        self.prefix_closed
    }
}

/// A random automaton: with transitions for some letters and accepting everywhere, or for all letters and
/// accepting here and there.
fn random(random: &mut Random, letters: u8, prefix_closed: bool) -> Automaton<u8> {
    let size = 1 + random.below(50) as u32;
    let states = (0..size).map(|_| {
        let mut edges = BTreeMap::new();
        for letter in 0..letters {
            if !prefix_closed || random.below(3) > 0 {
                edges.insert(letter, random.below(size as usize) as u32);
            }
        }
        State { accepting: prefix_closed || random.below(2) == 0, edges }
    });
    minimal(&Automaton { states: states.collect() }.canonical())
}

/// States that no word tells apart made one, by splitting classes until none can be split.
fn minimal(automaton: &Automaton<u8>) -> Automaton<u8> {
    let mut class: Vec<u32> = automaton.states.iter().map(|state| u32::from(state.accepting)).collect();
    loop {
        let mut places: HashMap<(u32, Vec<(u8, u32)>), u32> = HashMap::new();
        let finer: Vec<u32> = (0..class.len())
            .map(|n| {
                let edges =
                    automaton.states[n].edges.iter().map(|(letter, to)| (*letter, class[*to as usize]));
                let next = places.len() as u32;
                *places.entry((class[n], edges.collect())).or_insert(next)
            })
            .collect();
        let count = |class: &[u32]| class.iter().max().map_or(0, |most| most + 1);
        let done = count(&finer) == count(&class);
        class = finer;
        if done {
            break;
        }
    }
    let size = class.iter().max().map_or(0, |most| most + 1);
    let mut states = vec![State { accepting: false, edges: BTreeMap::new() }; size as usize];
    // The first of each class is found first, so the initial state stays the first.
    for (n, state) in automaton.states.iter().enumerate().rev() {
        let edges = state.edges.iter().map(|(letter, to)| (*letter, class[*to as usize])).collect();
        states[class[n] as usize] = State { accepting: state.accepting, edges };
    }
    Automaton { states }.canonical()
}

fn learn(mut learner: impl Learner<u8>, teacher: &mut Knows) -> Questions {
    teacher.asked = 0;
    let Ok(learnt) = learner.learn(teacher);
    assert_eq!(learnt.canonical(), teacher.automaton, "another automaton was learnt");
    assert_eq!(learnt.states.len(), teacher.automaton.states.len(), "it is not minimal");
    assert_eq!(learner.questions().membership, teacher.asked);
    assert!(learner.questions().equivalence as usize <= teacher.automaton.states.len().max(1) + 1);
    learner.questions()
}

#[test]
fn a_thousand_random_automata_are_learnt_by_both() {
    let mut sums = [Questions::default(); 2];
    let mut states = 0;
    for seed in 0..1_000u64 {
        let mut dice = Random::new(seed);
        let letters = 2 + dice.below(3) as u8;
        let prefix_closed = seed % 2 == 0;
        let automaton = random(&mut dice, letters, prefix_closed);
        states += automaton.states.len();
        let mut teacher = Knows { automaton, letters, prefix_closed, asked: 0 };
        let by_table = learn(Table::default(), &mut teacher);
        let by_tree = learn(Tree::default(), &mut teacher);
        for (sum, one) in sums.iter_mut().zip([by_table, by_tree]) {
            sum.membership += one.membership;
            sum.free += one.free;
            sum.equivalence += one.equivalence;
        }
    }
    println!("{states} states; table: {:?}; tree: {:?}", sums[0], sums[1]);
    assert!(states > 10_000, "the automata are too small to show anything");
    assert!(sums[1].membership < sums[0].membership, "the tree asks more");
}

#[test]
fn what_was_learnt_is_where_another_language_is_learnt_from() {
    fn again<N: Learner<u8> + Default>() {
        let (mut anew, mut revised) = (0, 0);
        for seed in 0..100u64 {
            let mut dice = Random::new(seed);
            let automaton = random(&mut dice, 3, true);
            // A few transitions less, perhaps.
            let mut changed = automaton.clone();
            for state in &mut changed.states {
                if dice.below(10) == 0 {
                    state.edges.pop_first();
                }
            }
            let changed = minimal(&changed.canonical());
            let mut teacher = Knows { automaton, letters: 3, prefix_closed: true, asked: 0 };
            let mut learner = N::default();
            let Ok(first) = learner.learn(&mut teacher);
            assert_eq!(first.canonical(), teacher.automaton);
            teacher.automaton = changed;
            learner.revise(&mut |letter| *letter);
            let before = learner.questions().equivalence;
            let Ok(second) = learner.learn(&mut teacher);
            assert_eq!(second.canonical(), teacher.automaton);
            revised += learner.questions().equivalence - before;
            let mut other = N::default();
            let Ok(_) = other.learn(&mut teacher);
            anew += other.questions().equivalence;
        }
        assert!(revised < anew, "{revised} guesses where starting anew takes {anew}");
    }
    again::<Table<u8>>();
    again::<Tree<u8>>();
}

#[test]
fn extensions_of_what_is_rejected_are_free() {
    // Nothing at all is in the language.
    let automaton = Automaton::default();
    let mut teacher = Knows { automaton, letters: 4, prefix_closed: true, asked: 0 };
    assert_eq!(learn(Table::default(), &mut teacher).membership, 1);
    // One word, of one letter.
    let edges = BTreeMap::from([(2u8, 1u32)]);
    let states = vec![State { accepting: true, edges }, State { accepting: true, edges: BTreeMap::new() }];
    teacher.automaton = Automaton { states };
    let questions = learn(Table::default(), &mut teacher);
    assert!(questions.free > 0);
}

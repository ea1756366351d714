//! What the environment of a random program does.

use agon_base::random::Random;

use super::types::TYPES;

/// The environment's moves. Where it has the control it takes the next one; behind the last one it returns 0.
#[derive(Clone, Default, Debug)]
pub struct Script(pub Vec<Step>);

/// A move.
#[derive(Clone, Debug)]
pub enum Step {
    /// Call an export with these values, each brought into the range of its parameter.
    Call(usize, Vec<u64>),
    /// Return this value from the function that is open, if one is.
    Return(u64),
}

impl Script {
    /// Random moves against so many exports.
    pub fn random(random: &mut Random, exports: usize, moves: usize) -> Script {
        let step = |_| match random.one_in(3) {
            true => Step::Return(value(random)),
            false => {
                let export = random.below(exports);
                Step::Call(export, (0..4).map(|_| value(random)).collect())
            }
        };
        Script((0..moves).map(step).collect())
    }
}

/// A small number, a limit of a type, or any.
fn value(random: &mut Random) -> u64 {
    match random.below(4) {
        0 => random.draw(),
        1 => {
            let limits = TYPES[random.below(TYPES.len())].limits();
            limits[random.below(limits.len())] as u64
        }
        _ => (random.below(9) as u64).wrapping_sub(2),
    }
}

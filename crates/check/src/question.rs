//! Questions: what is asked about a program, and how the answer is to be looked for.

use agon_games::moves::Move;

/// Whether any environment can bring a move about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The move.
    pub target: Move,
    /// The threads that it is to be made in; any, if none are given.
    pub threads: Box<[u32]>,
    /// In which order to look.
    pub order: Order,
    /// Whether steps of concurrent programs that disturb nobody are done at once.
    pub reduce: bool,
}

/// The order in which positions are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Depth first: arguments in their order, then the answer; each with its first value before any second.
    Fixed,
    /// Depth first, in an order drawn from a seed; starts over, with another order, when it takes long.
    Random(u64),
    /// Breadth first: the play that is found is one of the shortest.
    Shortest,
}

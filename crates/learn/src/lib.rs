//! Learning: finding out a language by asking whether words are in it, and whether a guess is right.
//!
//! A [`teacher::Teacher`] knows the language. [`table`] is Angluin's algorithm as [AG, Fig. 2] has it for strategies;
//! [`tree`] learns with a discrimination tree, and asks less. Both give the minimal [`automaton::Automaton`]. Nothing here
//! knows what letters are: of strategies they are pairs of a move of O's and a move of P's.

pub mod automaton;
pub mod teacher;

mod asking;

pub mod table;
pub mod tree;

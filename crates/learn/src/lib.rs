//! Learning: finding out a language by asking whether words are in it, and whether a guess is right.
//!
//! A [`teacher::Teacher`] knows the language. [`table`] is Angluin's algorithm as [AG, Fig. 2] has it for strategies;
//! [`tree`] learns with a discrimination tree, and asks less. Both give the minimal [`automaton::Automaton`]. Nothing here
//! knows what letters are: of strategies they are pairs of a move of O's and a move of P's.
//!
//! ```
//! use std::convert::Infallible;
//! use agon_learn::automaton::Automaton;
//! use agon_learn::teacher::{Learner, Teacher};
//! use agon_learn::tree::Tree;
//!
//! /// Knows the words of fewer than three letters.
//! struct Short;
//!
//! impl Teacher for Short {
//!     type Letter = char;
//!     type Stop = Infallible;
//!     fn letters(&mut self, _: &[char]) -> Vec<char> {
//!         vec!['a', 'b']
//!     }
//!     fn is_member(&mut self, word: &[char]) -> Result<bool, Infallible> {
//!         Ok(word.len() < 3)
//!     }
//!     fn differs(&mut self, guess: &Automaton<char>) -> Result<Option<Vec<char>>, Infallible> {
//!         let mut words = ["", "a", "ab", "aba"].map(|word| word.chars().collect::<Vec<_>>()).into_iter();
//!         Ok(words.find(|word| guess.accepts(word) != (word.len() < 3)))
//!     }
//! }
//!
//! let Ok(learnt) = Tree::default().learn(&mut Short);
//! assert_eq!(learnt.states.len(), 3);
//! assert!(learnt.accepts(&['b', 'b']) && !learnt.accepts(&['a', 'b', 'a']));
//! ```
#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

pub mod automaton;
pub mod teacher;

mod asking;

pub mod table;
pub mod tree;

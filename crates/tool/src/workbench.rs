//! The workbench: the checker in the browser.
//!
//! [`server`] listens, refuses whoever should not ask, and hands each request to a process of its own, [`worker`]; so
//! whatever happens there happens to that request alone, and is over when the page goes away. [`requests`] are what can be
//! asked, `assets` what the page is made of.

mod assets;
pub mod graph;
mod guard;
mod library;
pub mod requests;
pub mod server;
pub mod worker;

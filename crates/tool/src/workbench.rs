//! The workbench: the checker in the browser.
//!
//! [`server`] listens, refuses requests of other sites, and gives each request to a process of its own, a [`worker`]. A crash
//! affects one request only, and a worker ends when the page goes away. [`requests`] answers requests; `assets` has the files
//! of the page.

mod assets;
pub mod graph;
mod guard;
mod library;
pub mod requests;
pub mod server;
pub mod worker;

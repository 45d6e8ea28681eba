//! Networks of processes: components, synchronisation, the product.
//!
//! A network is a tree of comm, allow, block, hide, rename and parallel composition over sequential components. It is never flattened: a
//! global state is one number per component, a component's steps are computed once per local state, and a global step joins the offers of
//! a few components. The tree is analysed once on action names ([`Tree`], `demand`), so that a join only looks for
//! combinations that can survive.
//!
//! The language of the components is behind [`Processes`].

#![forbid(unsafe_code)]

mod alone;
mod behaviour;
mod between;
mod channel;
mod close;
mod company;
mod contribution;
mod demand;
mod division;
mod emission;
mod environment;
mod face;
mod fate;
mod hearing;
mod join;
mod labels;
mod locals;
mod meetings;
mod memory;
mod multiway;
mod network;
mod offer;
mod offered;
mod operators;
mod outermost;
mod outline;
mod pair_table;
mod pairs;
mod part;
mod partners;
#[cfg(test)]
mod parts_tests;
mod pool;
mod product;
#[cfg(test)]
mod product_tests;
mod projection;
mod prospect;
mod random;
mod ready;
mod row;
mod stance;
mod stroll;
#[cfg(test)]
mod stroll_tests;
mod subsystem;
#[cfg(test)]
mod subsystem_tests;
mod trails;
mod tree;
mod voices;

pub use fate::Fate;
pub use network::{Network, Parts};
pub use offer::{
    Arguments, ArgumentsId, Closed, LocalId, Name, Offer, OfferOf, OfferedAction, Processes, Target,
};
pub use tree::{Communication, ComponentId, Operator, Tree};

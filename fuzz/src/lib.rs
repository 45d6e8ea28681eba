//! What the fuzz targets have in common. Each module puts one kind of text through everything that reads it; the tests
//! that replay the corpus include the same modules.

#![forbid(unsafe_code)]

pub mod aut;
pub mod expression;
pub mod formula;
pub mod mutation;
pub mod specification;

//! Visited sets: what states are stored in, exactly, as fingerprints, or as bits.

mod bit_table;
pub(crate) mod packed;
pub(crate) mod table;
pub(crate) mod visited;

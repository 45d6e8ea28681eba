//! The predefined functions by name: one entry per name or operator, whatever the sorts it works on.

use sortie_data::{Builtin as B, Numeric};

/// A predefined function, before it is known on which sorts it works here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `Plus` stands for every `+`, `Minus`, `Times` and `Not` in the same way.
    Builtin(B),
    /// `Nat2Int` and its like.
    Cast(Numeric, Numeric),
}

/// The functions that are called by name, besides casts.
const FUNCTIONS: [B; 19] = [
    B::If,
    B::Min,
    B::Max,
    B::Succ,
    B::Pred,
    B::Abs,
    B::Exp,
    B::Floor,
    B::Ceil,
    B::Round,
    B::Sqrt,
    B::Head,
    B::Tail,
    B::Rhead,
    B::Rtail,
    B::Count,
    B::Pick,
    B::Set2Bag,
    B::Bag2Set,
];

impl Operation {
    /// The operation with this name, such as `head` or `Int2Nat`.
    pub fn named(name: &str) -> Option<Operation> {
        let function = FUNCTIONS
            .into_iter()
            .find(|function| function.text() == name);
        let cast = || Operation::casts().find(|cast| name.contains('2') && cast.text() == name);
        function.map(Operation::Builtin).or_else(cast)
    }

    /// How it is written.
    pub fn text(self) -> String {
        match self {
            Operation::Builtin(builtin) => builtin.text().to_owned(),
            Operation::Cast(from, to) => format!("{from:?}2{to:?}"),
        }
    }

    /// The functions that are called by name.
    pub fn functions() -> impl Iterator<Item = Operation> {
        FUNCTIONS
            .into_iter()
            .map(Operation::Builtin)
            .chain(Operation::casts())
    }

    /// The conversions between two different numeric sorts.
    pub fn casts() -> impl Iterator<Item = Operation> {
        let pairs = Numeric::ALL
            .into_iter()
            .flat_map(|from| Numeric::ALL.map(|to| (from, to)));
        pairs
            .filter(|(from, to)| from != to)
            .map(|(from, to)| Operation::Cast(from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_operations_agree() {
        for operation in Operation::functions() {
            assert_eq!(Operation::named(&operation.text()), Some(operation));
        }
        assert_eq!(Operation::named("Nat2Nat"), None);
        assert_eq!(Operation::functions().count(), 19 + 12);
    }
}

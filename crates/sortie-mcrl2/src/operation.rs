//! The predefined functions by name: one entry per name or operator, whatever the sorts it works on.

/// The numeric sorts, from the smallest up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Numeric {
    Pos,
    Nat,
    Int,
    Real,
}

impl Numeric {
    const ALL: [(Numeric, &'static str); 4] = [
        (Numeric::Pos, "Pos"),
        (Numeric::Nat, "Nat"),
        (Numeric::Int, "Int"),
        (Numeric::Real, "Real"),
    ];

    /// The name of the sort.
    pub fn name(self) -> &'static str {
        Numeric::ALL[self as usize].1
    }
}

macro_rules! operations {
    (operators { $($operator:ident $otext:literal),* $(,)? } functions { $($function:ident $ftext:literal),* $(,)? }) => {
        /// A predefined function, before it is known on which sorts it works here.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Operation {
            $($operator,)*
            $($function,)*
            /// `Nat2Int` and its like.
            Cast(Numeric, Numeric),
        }

        impl Operation {
            /// The operation with this name, such as `head` or `Int2Nat`.
            pub fn named(name: &str) -> Option<Operation> {
                match name {
                    $($ftext => Some(Operation::$function),)*
                    _ => cast(name),
                }
            }

            /// How it is written.
            pub fn text(self) -> String {
                match self {
                    $(Operation::$operator => $otext.to_owned(),)*
                    $(Operation::$function => $ftext.to_owned(),)*
                    Operation::Cast(from, to) => format!("{}2{}", from.name(), to.name()),
                }
            }

            /// All operations.
            pub fn all() -> impl Iterator<Item = Operation> {
                [$(Operation::$operator,)*].into_iter().chain(Operation::functions())
            }

            /// Those that are called by name.
            pub fn functions() -> impl Iterator<Item = Operation> {
                [$(Operation::$function,)*].into_iter().chain(casts())
            }
        }
    };
}

operations! {
    operators {
        Not "!", Negate "-", Size "#", Implies "=>", Or "||", And "&&", Equal "==", NotEqual "!=",
        Less "<", LessEqual "<=", Greater ">", GreaterEqual ">=", In "in", Cons "|>", Snoc "<|", Concat "++",
        Plus "+", Minus "-", Divide "/", Div "div", Mod "mod", Times "*", At ".",
    }
    functions {
        If "if", Min "min", Max "max", Succ "succ", Pred "pred", Abs "abs", Exp "exp", Floor "floor", Ceil "ceil",
        Round "round", Sqrt "sqrt", Head "head", Tail "tail", Rhead "rhead", Rtail "rtail", Count "count", Pick "pick",
        Set2Bag "Set2Bag", Bag2Set "Bag2Set",
    }
}

fn casts() -> impl Iterator<Item = Operation> {
    Numeric::ALL.into_iter().flat_map(|(from, _)| {
        Numeric::ALL
            .into_iter()
            .filter(move |(to, _)| *to != from)
            .map(move |(to, _)| Operation::Cast(from, to))
    })
}

fn cast(name: &str) -> Option<Operation> {
    let (from, to) = name.split_once('2')?;
    let sort = |text: &str| {
        Numeric::ALL
            .iter()
            .find(|(_, name)| *name == text)
            .map(|(sort, _)| *sort)
    };
    let (from, to) = (sort(from)?, sort(to)?);
    (from != to).then_some(Operation::Cast(from, to))
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

//! Which token closes which, found in one pass, so that the parser can look past a bracketed part at once.
//!
//! Telling a condition `(c) -> p` from a process `(p)`, or an `if` with an `else` part from one without, needs unbounded
//! lookahead; with these tables each such question costs a constant.

use crate::lexer::{Lexeme, Token};

/// The tables for one sequence of tokens.
#[derive(Debug)]
pub struct Brackets {
    /// For an opening bracket or `whr`: the index of its closing token.
    partner: Vec<Option<u32>>,
    /// For an arrow after a condition: does an else part `<>` belong to it?
    has_else: Vec<bool>,
    /// For an opening brace: is there a bar directly within, as in `{ x: S | e }`?
    has_bar: Vec<bool>,
}

impl Brackets {
    /// Pairs up the tokens. Brackets left open at a `;` or closed without being opened have no partner.
    pub fn pair(lexemes: &[Lexeme]) -> Brackets {
        let mut tables = Brackets {
            partner: vec![None; lexemes.len()],
            has_else: vec![false; lexemes.len()],
            has_bar: vec![false; lexemes.len()],
        };
        let mut open: Vec<(usize, Token)> = Vec::new();
        // The arrows of each bracket level that still may get an else part; `<>` takes the nearest.
        let mut arrows: Vec<Vec<usize>> = vec![Vec::new()];
        // An arrow inside the declarations of `sum x: A -> B. p` belongs to a sort.
        let mut in_declaration: Vec<bool> = vec![false];
        for (index, lexeme) in lexemes.iter().enumerate() {
            let level = arrows.len() - 1;
            match lexeme.kind {
                Token::Semicolon => {
                    open.clear();
                    arrows = vec![Vec::new()];
                    in_declaration = vec![false];
                }
                Token::OpenParen | Token::OpenSquare | Token::OpenBrace | Token::Whr => {
                    open.push((index, lexeme.kind));
                    arrows.push(Vec::new());
                    in_declaration.push(false);
                }
                Token::CloseParen | Token::CloseSquare | Token::CloseBrace | Token::EndKeyword => {
                    if let Some(&(opening, token)) = open.last()
                        && closes(token) == lexeme.kind
                    {
                        open.pop();
                        arrows.pop();
                        in_declaration.pop();
                        tables.partner[opening] = u32::try_from(index).ok();
                    }
                }
                Token::Bar => {
                    if let Some(&(opening, Token::OpenBrace)) = open.last() {
                        tables.has_bar[opening] = true;
                    }
                }
                Token::Sum | Token::Dist => in_declaration[level] = true,
                Token::Dot => in_declaration[level] = false,
                Token::Arrow if !in_declaration[level] => arrows[level].push(index),
                Token::Else => {
                    if let Some(arrow) = arrows[level].pop() {
                        tables.has_else[arrow] = true;
                    }
                }
                _ => {}
            }
        }
        tables
    }

    /// The index of the token that closes the bracket (or `whr`) at `index`.
    pub fn partner(&self, index: usize) -> Option<usize> {
        self.partner
            .get(index)
            .copied()
            .flatten()
            .map(|partner| partner as usize)
    }

    /// Does the arrow at `index` have an else part?
    pub fn has_else(&self, index: usize) -> bool {
        self.has_else.get(index).copied().unwrap_or(false)
    }

    /// Does the brace at `index` enclose a bar, outside of inner brackets?
    pub fn has_bar(&self, index: usize) -> bool {
        self.has_bar.get(index).copied().unwrap_or(false)
    }
}

fn closes(open: Token) -> Token {
    match open {
        Token::OpenParen => Token::CloseParen,
        Token::OpenSquare => Token::CloseSquare,
        Token::OpenBrace => Token::CloseBrace,
        _ => Token::EndKeyword,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::lex;

    #[test]
    fn the_else_part_belongs_to_the_nearest_arrow() {
        let lexemes = lex("c -> d -> p <> q + sum f: A -> B. (e -> p) <> r;").tokens;
        let arrows: Vec<bool> = (0..lexemes.len())
            .filter(|&index| lexemes[index].kind == Token::Arrow)
            .map(|index| Brackets::pair(&lexemes).has_else(index))
            .collect();
        assert_eq!(arrows, [true, true, false, false]);
    }

    #[test]
    fn brackets_left_open_do_not_reach_past_a_semicolon() {
        let lexemes = lex("(a; (b)").tokens;
        let brackets = Brackets::pair(&lexemes);
        assert_eq!(brackets.partner(0), None);
        assert_eq!(brackets.partner(3), Some(5));
    }
}

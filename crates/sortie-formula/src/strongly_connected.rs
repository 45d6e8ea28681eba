//! Strongly connected components.

/// Not met yet.
const UNSEEN: usize = usize::MAX;

/// For each of the vertices its component, numbered so that edges lead to the same or a smaller one. `edge` gives the edges of a vertex, one after
/// the other.
pub(crate) fn components(
    vertices: usize,
    edge: impl FnMut(usize, usize) -> Option<usize>,
) -> Vec<usize> {
    let mut component = vec![0; vertices];
    let mut found = 0;
    each_component(vertices, edge, |members| {
        for member in members {
            component[*member] = found;
        }
        found += 1;
    });
    component
}

/// Visits the components in an order in which edges lead to the same or an earlier one (Tarjan, *Depth-first search and linear graph algorithms*,
/// 1972).
pub(crate) fn each_component(
    vertices: usize,
    mut edge: impl FnMut(usize, usize) -> Option<usize>,
    mut visit: impl FnMut(&[usize]),
) {
    let mut settled = vec![false; vertices];
    let mut low = vec![UNSEEN; vertices];
    let mut stack: Vec<usize> = Vec::new();
    // The vertices between the root and the current one: number, next edge, and how many were met before.
    let mut path: Vec<(usize, usize, usize)> = Vec::new();
    let mut met = 0;
    for root in 0..vertices {
        if low[root] != UNSEEN {
            continue;
        }
        path.push((root, 0, met));
        while let Some((vertex, place, index)) = path.last_mut() {
            let (vertex, index) = (*vertex, *index);
            if *place == 0 {
                low[vertex] = index;
                met += 1;
                stack.push(vertex);
            }
            let next = edge(vertex, *place);
            *place += 1;
            match next {
                Some(target) if low[target] == UNSEEN => path.push((target, 0, met)),
                Some(target) => {
                    if !settled[target] {
                        low[vertex] = low[vertex].min(low[target]);
                    }
                }
                None => {
                    path.pop();
                    if let Some((parent, ..)) = path.last() {
                        low[*parent] = low[*parent].min(low[vertex]);
                    }
                    if low[vertex] == index {
                        let begin = stack.iter().rposition(|member| *member == vertex);
                        let begin = begin.expect("it is on the stack");
                        for member in &stack[begin..] {
                            settled[*member] = true;
                        }
                        visit(&stack[begin..]);
                        stack.truncate(begin);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_components() {
        let edges: [&[usize]; 6] = [&[1], &[2, 3], &[0], &[4], &[4, 3], &[]];
        let found = components(6, |vertex, place| edges[vertex].get(place).copied());
        assert_eq!(found, [1, 1, 1, 0, 0, 2]);
    }

    #[test]
    fn long_paths_do_not_overflow() {
        let found = components(100_000, |vertex, place| {
            (place == 0 && vertex < 99_999).then_some(vertex + 1)
        });
        assert_eq!((found[0], found[99_999]), (99_999, 0));
    }
}

//! Parity games, and who wins where.
//!
//! A play moves along edges for ever, the owner of a vertex choosing how to leave it; the greatest rank met infinitely often decides: even for the
//! verifier, odd for the refuter. Strongly connected components are settled from the bottom up, what they decide is propagated, and what
//! remains of a component is solved by the recursive algorithm (McNaughton; Zielonka 1998). Most formulas give components in
//! which all ranks have one parity; those cost a single pass.

use crate::equations::Player;
use crate::strongly_connected::each_component;

/// A game under construction: vertices in order, each with its edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Game {
    /// Rank above, owner in the lowest bit (set for the refuter).
    kinds: Vec<u16>,
    begins: Vec<u32>,
    targets: Vec<u32>,
}

/// Who wins from where, and how.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    won: Vec<Option<Player>>,
    moves: Vec<u32>,
    /// Whether any vertex but the sink itself has an edge to it.
    pub(crate) sink_matters: bool,
}

/// No move.
const NONE: u32 = u32::MAX;

impl Game {
    /// Adds the next vertex; it has at least one edge.
    pub(crate) fn push(
        &mut self,
        owner: Player,
        rank: u32,
        targets: impl IntoIterator<Item = u32>,
    ) {
        self.kinds
            .push((rank as u16) << 1 | u16::from(owner == Player::Refuter));
        self.begins.push(self.targets.len() as u32);
        self.targets.extend(targets);
        debug_assert!(self.targets.len() > self.begins[self.begins.len() - 1] as usize);
    }

    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn edges(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        let begin = self.begins[vertex] as usize;
        let next = self.begins.get(vertex + 1);
        let end = next.map_or(self.targets.len(), |end| *end as usize);
        &self.targets[begin..end]
    }

    pub(crate) fn owner(&self, vertex: u32) -> Player {
        Player::wanting(self.kinds[vertex as usize] & 1 == 0)
    }

    fn rank(&self, vertex: u32) -> u16 {
        self.kinds[vertex as usize] >> 1
    }

    /// Who wins if nothing but vertices of this rank is met for ever.
    fn favoured(&self, vertex: u32) -> Player {
        Player::wanting(self.rank(vertex).is_multiple_of(2))
    }

    /// Forgets all vertices but the first so many.
    pub(crate) fn truncate(&mut self, vertices: usize) {
        if let Some(begin) = self.begins.get(vertices) {
            self.targets.truncate(*begin as usize);
        }
        self.kinds.truncate(vertices);
        self.begins.truncate(vertices);
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.kinds.len() * 2 + self.begins.len() * 4 + self.targets.len() * 4) as u64
    }

    /// Solves the game; `sink` is won by `player` whatever its edges say.
    pub(crate) fn solve(&self, sink: u32, player: Player) -> Solution {
        let mut solver = Solver::new(self);
        solver.settle(&[sink], player);
        solver.settle_components();
        Solution {
            sink_matters: solver.sources(sink).len() > 1,
            won: solver.won,
            moves: solver.moves,
        }
    }
}

impl Solution {
    /// Who wins from the vertex.
    pub(crate) fn winner(&self, vertex: u32) -> Player {
        self.won[vertex as usize].expect("every vertex is won by someone")
    }

    /// Where its owner goes to win, if the owner wins there.
    pub(crate) fn choice(&self, vertex: u32) -> Option<u32> {
        let choice = self.moves[vertex as usize];
        (choice != NONE).then_some(choice)
    }
}

struct Solver<'a> {
    game: &'a Game,
    /// Predecessors, grouped by vertex.
    starts: Vec<u32>,
    sources: Vec<u32>,
    won: Vec<Option<Player>>,
    moves: Vec<u32>,
    /// How many edges of an undecided vertex do not lead to where its owner loses.
    open: Vec<u32>,
    /// Which region of the recursion a vertex belongs to.
    region: Vec<u32>,
    regions: u32,
    /// Edges into the region, of vertices touched by the current attraction, and which attraction that was.
    exits: Vec<(u32, u32)>,
    attractions: u32,
}

impl<'a> Solver<'a> {
    fn new(game: &'a Game) -> Solver<'a> {
        let vertices = game.len();
        let mut starts = vec![0u32; vertices + 1];
        for target in &game.targets {
            starts[*target as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let mut fill = starts.clone();
        let mut sources = vec![0u32; game.targets.len()];
        for vertex in 0..vertices as u32 {
            for target in game.edges(vertex) {
                let place = &mut fill[*target as usize];
                sources[*place as usize] = vertex;
                *place += 1;
            }
        }
        let open = (0..vertices as u32).map(|v| game.edges(v).len() as u32);
        Solver {
            game,
            starts,
            sources,
            won: vec![None; vertices],
            moves: vec![NONE; vertices],
            open: open.collect(),
            region: vec![0; vertices],
            regions: 0,
            exits: vec![(0, 0); vertices],
            attractions: 0,
        }
    }

    fn sources(&self, vertex: u32) -> std::ops::Range<usize> {
        let vertex = vertex as usize;
        self.starts[vertex] as usize..self.starts[vertex + 1] as usize
    }

    /// The player wins from these vertices, and from wherever the play can be forced to them.
    fn settle(&mut self, vertices: &[u32], player: Player) {
        let mut queue = vertices.to_vec();
        for vertex in vertices {
            self.won[*vertex as usize] = Some(player);
        }
        let mut next = 0;
        while let Some(&vertex) = queue.get(next) {
            next += 1;
            for place in self.sources(vertex) {
                let source = self.sources[place];
                let at = source as usize;
                if self.won[at].is_some() {
                    continue;
                }
                if self.game.owner(source) == player {
                    self.moves[at] = vertex;
                } else {
                    self.open[at] -= 1;
                    if self.open[at] > 0 {
                        continue;
                    }
                }
                self.won[at] = Some(player);
                queue.push(source);
            }
        }
    }

    /// Settles components in an order in which every edge leads to the same or an earlier one.
    fn settle_components(&mut self) {
        let game = self.game;
        let edge = |vertex: usize, edge: usize| {
            let target = game.edges(vertex as u32).get(edge)?;
            Some(*target as usize)
        };
        each_component(game.len(), edge, |members| {
            self.settle_component(members.iter().map(|vertex| *vertex as u32).collect());
        });
    }

    /// All edges out of the component lead to decided vertices, so what is undecided in it is a game of its own.
    fn settle_component(&mut self, mut component: Vec<u32>) {
        component.retain(|vertex| self.won[*vertex as usize].is_none());
        if component.is_empty() {
            return;
        }
        let region = self.new_region(&component);
        let mut decided = Vec::new();
        self.solve_region(component, region, &mut decided);
        for player in [Player::Verifier, Player::Refuter] {
            let won = decided.iter().filter(|(_, winner)| *winner == player);
            let won: Vec<u32> = won.map(|(vertex, _)| *vertex).collect();
            self.settle(&won, player);
        }
    }

    fn new_region(&mut self, vertices: &[u32]) -> u32 {
        self.regions += 1;
        for vertex in vertices {
            self.region[*vertex as usize] = self.regions;
        }
        self.regions
    }

    /// The recursive algorithm on a region in which every vertex has an edge that stays inside. Moves of winners are noted, the
    /// winners are appended to `decided`.
    fn solve_region(
        &mut self,
        mut vertices: Vec<u32>,
        region: u32,
        decided: &mut Vec<(u32, Player)>,
    ) {
        while let Some(top) = vertices.iter().copied().max_by_key(|v| self.game.rank(*v)) {
            let player = self.game.favoured(top);
            let other = Player::wanting(!player.wants());
            if vertices.iter().all(|v| self.game.favoured(*v) == player) {
                for vertex in vertices {
                    self.stay(vertex, region, player);
                    decided.push((vertex, player));
                }
                return;
            }
            let rank = self.game.rank(top);
            let peak = vertices
                .iter()
                .copied()
                .filter(|v| self.game.rank(*v) == rank);
            let peak: Vec<u32> = peak.collect();
            let attracted = self.attract(&peak, player, region);
            let inner = self.new_region(&[]);
            let mut rest = Vec::new();
            for vertex in &attracted {
                self.region[*vertex as usize] = 0;
            }
            for vertex in &vertices {
                if self.region[*vertex as usize] == region {
                    self.region[*vertex as usize] = inner;
                    rest.push(*vertex);
                }
            }
            let mut inside = Vec::new();
            self.solve_region(rest, inner, &mut inside);
            for vertex in &vertices {
                self.region[*vertex as usize] = region;
            }
            let lost = inside.iter().filter(|(_, winner)| *winner == other);
            let lost: Vec<u32> = lost.map(|(vertex, _)| *vertex).collect();
            if lost.is_empty() {
                for vertex in peak {
                    self.stay(vertex, region, player);
                }
                decided.extend(vertices.into_iter().map(|vertex| (vertex, player)));
                return;
            }
            let lost = self.attract(&lost, other, region);
            for vertex in &lost {
                self.region[*vertex as usize] = 0;
                decided.push((*vertex, other));
            }
            vertices.retain(|vertex| self.region[*vertex as usize] == region);
        }
    }

    /// The player's vertex is left by an edge inside the region; the other's needs no move.
    fn stay(&mut self, vertex: u32, region: u32, player: Player) {
        if self.game.owner(vertex) != player {
            self.moves[vertex as usize] = NONE;
            return;
        }
        let mut targets = self.game.edges(vertex).iter();
        let inside = targets.find(|target| self.region[**target as usize] == region);
        self.moves[vertex as usize] = *inside.expect("every vertex of a region has an edge inside");
    }

    /// The vertices of the region from which the player can force the play into `goal`, which is part of them.
    fn attract(&mut self, goal: &[u32], player: Player, region: u32) -> Vec<u32> {
        self.attractions += 1;
        const IN: u32 = u32::MAX;
        let mut queue = goal.to_vec();
        for vertex in goal {
            self.exits[*vertex as usize] = (self.attractions, IN);
        }
        let mut next = 0;
        while let Some(&vertex) = queue.get(next) {
            next += 1;
            for place in self.sources(vertex) {
                let source = self.sources[place];
                let at = source as usize;
                if self.region[at] != region || self.exits[at] == (self.attractions, IN) {
                    continue;
                }
                if self.game.owner(source) == player {
                    self.moves[at] = vertex;
                } else {
                    if self.exits[at].0 != self.attractions {
                        let targets = self.game.edges(source).iter();
                        let inside = targets.filter(|t| self.region[**t as usize] == region);
                        self.exits[at] = (self.attractions, inside.count() as u32);
                    }
                    self.exits[at].1 -= 1;
                    if self.exits[at].1 > 0 {
                        continue;
                    }
                    self.moves[at] = NONE;
                }
                self.exits[at] = (self.attractions, IN);
                queue.push(source);
            }
        }
        queue
    }
}

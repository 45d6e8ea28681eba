//! What is alive where, what can terminate, and where a random choice comes first: least fixed points over the positions.

use crate::model::program::{Node, NodeId, Position, Program};
use std::collections::BTreeSet;

impl Program {
    pub(crate) fn analyse(&mut self) {
        self.fixed_point(
            |program, id| program.can_terminate(id),
            |position| &mut position.may_terminate,
        );
        self.fixed_point(
            |program, id| program.comes_random(id),
            |position| &mut position.starts_random,
        );
        let live = |program: &Program, id| -> Vec<u32> {
            let mut live = BTreeSet::new();
            program.gather_live(id, &mut live);
            live.extend(&program.at(id).kept);
            live.difference(&program.globals).copied().collect()
        };
        self.fixed_point(live, |position| &mut position.live);
        self.drop_unread();
    }

    fn drop_unread(&mut self) {
        let live: Vec<Vec<u32>> = self.positions.iter().map(|p| p.live.clone()).collect();
        let terminates: Vec<bool> = self.positions.iter().map(|p| p.may_terminate).collect();
        let bodies = &self.bodies;
        for position in &mut self.positions {
            match &mut position.node {
                Node::Sum(_, _, summands) => {
                    for summand in summands {
                        summand.drop_unread(&terminates, &live);
                    }
                }
                Node::Call(process, arguments) => {
                    let body = bodies[process.0 as usize];
                    let live = body.map_or(&[][..], |body| &live[body.0 as usize]);
                    arguments.retain(|(parameter, _)| live.contains(parameter));
                    arguments.sort_unstable_by_key(|(parameter, _)| *parameter);
                    let parameters = arguments.iter().map(|(parameter, _)| parameter);
                    assert!(
                        parameters.eq(live),
                        "processes read their parameters and global variables alone"
                    );
                }
                _ => {}
            }
        }
    }

    fn fixed_point<T: PartialEq>(
        &mut self,
        find: impl Fn(&Program, NodeId) -> T,
        place: impl Fn(&mut Position) -> &mut T,
    ) {
        loop {
            let mut changed = false;
            for index in 0..self.positions.len() {
                let new = find(self, NodeId(index as u32));
                let place = place(&mut self.positions[index]);
                changed |= *place != new;
                *place = new;
            }
            if !changed {
                return;
            }
        }
    }

    fn can_terminate(&self, id: NodeId) -> bool {
        let can = |id: &NodeId| self.at(*id).may_terminate;
        match &self.at(id).node {
            Node::Delta => false,
            Node::Action(_) => true,
            Node::Call(process, _) => can(&self.body(*process)),
            Node::Choice(parts) => parts.iter().any(can),
            Node::Sequence(first, rest) => can(first) && can(rest),
            Node::Sum(_, body, _) => can(body),
            Node::Dist(dist) => can(&dist.body),
            Node::Condition(_, then, otherwise) => can(then) || otherwise.as_ref().is_some_and(can),
        }
    }

    fn comes_random(&self, id: NodeId) -> bool {
        let comes = |id: &NodeId| self.at(*id).starts_random;
        match &self.at(id).node {
            Node::Delta | Node::Action(_) => false,
            Node::Call(process, _) => comes(&self.body(*process)),
            Node::Choice(parts) => parts.iter().any(comes),
            Node::Sequence(first, _) => comes(first),
            Node::Sum(_, body, _) => comes(body),
            Node::Dist(_) => true,
            Node::Condition(_, then, otherwise) => {
                comes(then) || otherwise.as_ref().is_some_and(comes)
            }
        }
    }

    /// A parameter matters only if it can matter in the process called.
    fn gather_live(&self, id: NodeId, live: &mut BTreeSet<u32>) {
        let of = |id: NodeId, live: &mut BTreeSet<u32>| live.extend(&self.at(id).live);
        match &self.at(id).node {
            Node::Delta => {}
            Node::Action(actions) => {
                for code in actions.iter().flat_map(|(_, arguments)| arguments) {
                    live.extend(code.variables().iter().map(|v| v.id));
                }
            }
            Node::Call(process, arguments) => {
                let wanted = &self.at(self.body(*process)).live;
                for (parameter, code) in arguments {
                    if wanted.contains(parameter) {
                        live.extend(code.variables().iter().map(|v| v.id));
                    }
                }
            }
            Node::Choice(parts) => parts.iter().for_each(|part| of(*part, live)),
            Node::Sequence(first, rest) => {
                of(*first, live);
                if self.at(*first).may_terminate {
                    of(*rest, live);
                }
            }
            Node::Sum(variables, body, _) => {
                of(*body, live);
                let own = |v: &u32| variables.iter().any(|variable| variable.id == *v);
                live.retain(|v| !own(v));
            }
            Node::Dist(dist) => {
                of(dist.body, live);
                live.extend(dist.weight.variables().iter().map(|v| v.id));
                for variable in &dist.variables {
                    live.remove(&variable.id);
                }
            }
            Node::Condition(condition, then, otherwise) => {
                live.extend(condition.variables().iter().map(|v| v.id));
                of(*then, live);
                if let Some(otherwise) = otherwise {
                    of(*otherwise, live);
                }
            }
        }
    }
}

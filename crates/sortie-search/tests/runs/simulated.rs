//! Concurrent programs in miniature: tasks with lists of operations on shared variables and locks, run one move at a time.

use sortie_model::*;

/// The registers of a task.
pub type Registers = [i64; 4];

/// One operation. Those that touch nothing shared happen together with the one before them.
#[derive(Clone, Copy)]
pub enum Do {
    /// Reads a variable into a register.
    Load(usize, usize),
    /// Writes a variable.
    Store(usize, fn(&Registers) -> i64),
    /// Takes a lock, or waits for it.
    Lock(usize),
    Unlock(usize),
    /// Starts a task.
    Create(usize),
    /// Waits for the end of a task.
    Join(usize),
    /// Lets others move first.
    Yield,
    /// Draws a number below a bound into a register.
    Toss(usize, usize),
    /// Goes to another place if a condition holds.
    Jump(fn(&Registers) -> bool, usize),
    /// Fails unless a condition holds.
    Check(fn(&Registers) -> bool, &'static str),
}

use Do::*;

impl Do {
    fn is_local(self) -> bool {
        matches!(self, Jump(..) | Check(..) | Toss(..))
    }
}

/// Tasks; the first one runs from the beginning, and so do all others that nobody creates.
#[derive(Clone)]
pub struct Program {
    pub tasks: Vec<Vec<Do>>,
    /// Whether it says what moves do.
    pub tells: bool,
}

impl Program {
    pub fn new(tasks: Vec<Vec<Do>>) -> Self {
        Program { tasks, tells: true }
    }

    /// The same program, which does not say what moves do.
    pub fn silent(mut self) -> Self {
        self.tells = false;
        self
    }

    /// A walk through it.
    pub fn walk(&self) -> Box<dyn Walk + Send + '_> {
        Box::new(Running::new(self))
    }

    /// Runs it once.
    pub fn run(&self, chooser: &mut dyn Chooser) -> (End, Vec<i64>) {
        let mut running = Running::new(self);
        let end = running.run(chooser, 10_000).expect("a miniature runs");
        (end, running.variables)
    }
}

pub struct Running<'p> {
    program: &'p Program,
    pub variables: Vec<i64>,
    owner: Vec<Option<usize>>,
    tasks: Vec<Task>,
    last: Option<usize>,
    yielding: bool,
    able: Vec<usize>,
}

#[derive(Clone, Copy, Default)]
struct Task {
    place: usize,
    registers: Registers,
    is_created: bool,
    has_ended: bool,
}

const SIZE: usize = 16;

impl<'p> Running<'p> {
    pub fn new(program: &'p Program) -> Self {
        Running {
            program,
            variables: vec![0; SIZE],
            owner: vec![None; SIZE],
            tasks: Vec::new(),
            last: None,
            yielding: false,
            able: Vec::new(),
        }
    }

    fn next(&self, task: usize) -> Option<Do> {
        self.program.tasks[task]
            .get(self.tasks[task].place)
            .copied()
    }

    fn is_alive(&self, task: usize) -> bool {
        self.tasks[task].is_created && !self.tasks[task].has_ended
    }

    fn can_move(&self, task: usize) -> bool {
        self.is_alive(task)
            && match self.next(task) {
                Some(Lock(lock)) => self.owner[lock].is_none(),
                Some(Join(other)) => self.tasks[other].has_ended,
                _ => true,
            }
    }

    /// What a task does next; a task at the end of its list is about to end.
    fn operation(&self, task: usize) -> Operation {
        let (object, looks) = match self.next(task) {
            Some(Load(variable, _)) => (variable, true),
            Some(Store(variable, _)) => (variable, false),
            Some(Lock(lock) | Unlock(lock)) => (100 + lock, false),
            Some(Create(other)) => (200 + other, false),
            Some(Join(other)) => (200 + other, true),
            Some(Yield) => (300 + task, false),
            None => (200 + task, false),
            Some(local) => unreachable!("local operations are done at once: {}", local.is_local()),
        };
        Operation {
            object: object as u64,
            looks,
        }
    }

    /// Does what touches nothing shared.
    fn go_on(&mut self, task: usize, chooser: &mut dyn Chooser) -> Result<(), End> {
        while let Some(next) = self.next(task)
            && next.is_local()
        {
            let state = &mut self.tasks[task];
            state.place += 1;
            match next {
                Jump(condition, place) if condition(&state.registers) => state.place = place,
                Check(condition, message) if !condition(&state.registers) => {
                    return Err(End::Failed(message.into()));
                }
                Toss(bound, register) => {
                    let drawn = chooser.choose(Choice::new(bound, Kind::Toss, &Sides));
                    state.registers[register] = drawn as i64;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn do_next(&mut self, task: usize, chooser: &mut dyn Chooser) -> Result<(), End> {
        let next = self.next(task);
        self.tasks[task].place += 1;
        self.yielding = false;
        match next {
            Some(Load(variable, register)) => {
                self.tasks[task].registers[register] = self.variables[variable]
            }
            Some(Store(variable, value)) => {
                self.variables[variable] = value(&self.tasks[task].registers)
            }
            Some(Lock(lock)) => self.owner[lock] = Some(task),
            Some(Unlock(lock)) => self.owner[lock] = None,
            Some(Create(other)) => {
                self.tasks[other].is_created = true;
                self.go_on(other, chooser)?;
            }
            Some(Yield) => self.yielding = true,
            None => self.tasks[task].has_ended = true,
            _ => {}
        }
        self.go_on(task, chooser)
    }
}

struct Sides;

impl Names for Sides {
    fn name(&self, index: usize) -> String {
        index.to_string()
    }
}

/// The name of a task.
pub fn who(task: usize) -> u64 {
    Fingerprint::of_text(&format!("task {task}")).low()
}

impl Names for Running<'_> {
    fn name(&self, index: usize) -> String {
        format!("task {}", self.able[index])
    }

    fn key(&self, index: usize) -> Key {
        let task = self.able[index];
        Key {
            who: who(task),
            what: (task * 1000 + self.tasks[task].place) as u64,
        }
    }

    fn operation(&self, index: usize) -> Option<Operation> {
        self.program.tells.then(|| self.operation(self.able[index]))
    }

    fn waiting(&self, index: usize) -> Option<(u64, Operation)> {
        let waits = |task: &usize| self.is_alive(*task) && !self.can_move(*task);
        let task = (0..self.tasks.len()).filter(waits).nth(index)?;
        self.program
            .tells
            .then(|| (who(task), self.operation(task)))
    }
}

impl Walk for Running<'_> {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        *self = Running::new(self.program);
        self.tasks = vec![Task::default(); self.program.tasks.len()];
        let all = self.program.tasks.iter().flatten();
        let created: Vec<usize> = all
            .filter_map(|operation| match operation {
                Create(task) => Some(*task),
                _ => None,
            })
            .collect();
        for task in 0..self.tasks.len() {
            self.tasks[task].is_created = !created.contains(&task);
            if self.tasks[task].is_created
                && let Err(end) = self.go_on(task, chooser)
            {
                return Ok(end);
            }
        }
        for _ in 0..limit {
            self.able = (0..self.tasks.len())
                .filter(|&task| self.can_move(task))
                .collect();
            if self.able.is_empty() {
                let is_stuck = (0..self.tasks.len()).any(|task| self.is_alive(task));
                return Ok(if is_stuck {
                    End::Failed("deadlock".into())
                } else {
                    End::DeadEnd
                });
            }
            let current = self.able.iter().position(|&task| Some(task) == self.last);
            let names: &Running<'_> = self;
            let choice =
                Choice::new(self.able.len(), Kind::Task, names).after(current, self.yielding);
            let task = self.able[chooser.choose(choice)];
            self.last = Some(task);
            if let Err(end) = self.do_next(task, chooser) {
                return Ok(end);
            }
        }
        Ok(End::Limit)
    }
}

//! The memory that guards and effects work on, and how changes to it are taken back.

/// Addresses begin here; programs do not calculate with numbers of this size.
const VARIABLES: i64 = 1 << 60;
const HEAP: i64 = 2 << 60;
const FRAMES: i64 = 3 << 60;
const REGION: i64 = 3 << 60;

/// An allocated object may have so many words.
const OBJECT_BITS: u32 = 24;

/// Objects at most, and words in frames at most.
const MOST_OBJECTS: usize = 1 << 20;
const MOST_FRAME_WORDS: usize = 1 << 16;

/// Something a program must not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("it follows a null pointer")]
    Nothing,
    #[error("it follows a pointer to memory that does not exist (any more)")]
    Wild,
    #[error("it divides by zero")]
    Division,
    #[error("it takes element {index} of {count}, which are counted from 0")]
    Index { index: i64, count: u32 },
    #[error("{value} is not between {least} and {greatest}")]
    Range {
        value: i64,
        least: i64,
        greatest: i64,
    },
    #[error("it does not end within ten million operations")]
    TooLong,
    #[error("its calls are nested too deeply")]
    TooDeep,
    #[error("it allocates too much memory")]
    TooMuch,
    #[error("it frees memory that was not allocated, or twice")]
    Release,
}

/// Evaluation failed; the memory knows why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed;

/// Where an address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    Variable(usize),
    Frame(usize),
    Object { number: usize, offset: usize },
}

/// How to take a change back.
#[derive(Clone, Debug)]
pub(crate) enum Undo {
    Variable(u32, i64),
    Object(u32, u32, i64),
    Allocated(u32),
    Released(u32, Vec<i64>),
}

/// Variables, allocated objects and frames of functions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub(crate) variables: Vec<i64>,
    objects: Vec<Option<Vec<i64>>>,
    vacant: Vec<u32>,
    frames: Vec<i64>,
    /// Where the frame of the current function begins.
    base: usize,
    /// What was changed since the journal was emptied, oldest first.
    pub(crate) journal: Vec<Undo>,
    /// What was read.
    pub(crate) reads: Mask,
    pub(crate) fuel: u32,
    pub(crate) fault: Option<Fault>,
}

/// A set of places in memory, of which some are taken for one another: a bit for each.
pub(crate) type Mask = u128;

/// The bits of all machines.
pub(crate) const ALL_MACHINES: Mask = (1 << 16) - 1;

/// The bits of all allocated objects.
pub(crate) const ALL_OBJECTS: Mask = !0 << 112;

/// So many variables have bits of their own.
pub(crate) const VARIABLE_BITS: usize = 96;

/// The bit of a machine.
pub(crate) fn machine_bit(machine: usize) -> Mask {
    1 << (machine % 16)
}

/// The bit of a variable.
#[inline]
pub(crate) fn variable_bit(variable: usize) -> Mask {
    1 << (16 + variable % VARIABLE_BITS)
}

/// The bit of an allocated object.
#[inline]
pub(crate) fn object_bit(object: usize) -> Mask {
    1 << (112 + object % 16)
}

impl Memory {
    pub(crate) fn new(variables: Vec<i64>) -> Self {
        Memory {
            variables,
            ..Memory::default()
        }
    }

    /// Forgets everything but the room it has.
    pub(crate) fn restart(&mut self, variables: &[i64]) {
        self.variables.clear();
        self.variables.extend_from_slice(variables);
        self.objects.clear();
        self.vacant.clear();
        self.journal.clear();
    }

    /// Forgets what was allocated.
    pub(crate) fn forget_objects(&mut self) {
        self.objects.clear();
        self.vacant.clear();
    }

    #[cold]
    pub(crate) fn fail<T>(&mut self, fault: Fault) -> Result<T, Failed> {
        self.fault = Some(fault);
        Err(Failed)
    }

    pub(crate) fn variable_address(variable: usize) -> i64 {
        VARIABLES + variable as i64
    }

    pub(crate) fn local_address(&self, local: u32) -> i64 {
        FRAMES + (self.base + local as usize) as i64
    }

    pub(crate) fn object_address(number: usize, offset: usize) -> i64 {
        HEAP + ((number as i64) << OBJECT_BITS) + offset as i64
    }

    /// An address that leads nowhere, as that of an object that was given back.
    pub(crate) fn lost_address() -> i64 {
        Memory::object_address(MOST_OBJECTS, 0)
    }

    pub(crate) fn spot(&self, address: i64) -> Option<Spot> {
        let rest = (address & !REGION) as usize;
        match address & REGION {
            _ if address < 0 => None,
            VARIABLES => Some(Spot::Variable(rest)).filter(|_| rest < self.variables.len()),
            FRAMES => Some(Spot::Frame(rest)).filter(|_| rest < self.frames.len()),
            HEAP => {
                let (number, offset) = (rest >> OBJECT_BITS, rest & ((1 << OBJECT_BITS) - 1));
                let words = self.objects.get(number)?.as_ref()?;
                (offset < words.len()).then_some(Spot::Object { number, offset })
            }
            _ => None,
        }
    }

    pub(crate) fn object(&self, number: usize) -> Option<&[i64]> {
        self.objects.get(number)?.as_deref()
    }

    pub(crate) fn find(&mut self, address: i64) -> Result<Spot, Failed> {
        match self.spot(address) {
            Some(spot) => Ok(spot),
            None if address == 0 => self.fail(Fault::Nothing),
            None => self.fail(Fault::Wild),
        }
    }

    /// The word at an address.
    #[inline]
    pub(crate) fn read_at(&mut self, address: i64) -> Result<i64, Failed> {
        if address >= 0 && address & REGION == HEAP {
            let rest = (address & !REGION) as usize;
            let (number, offset) = (rest >> OBJECT_BITS, rest & ((1 << OBJECT_BITS) - 1));
            let words = self.objects.get(number).and_then(Option::as_deref);
            if let Some(&word) = words.and_then(|words| words.get(offset)) {
                self.reads |= object_bit(number);
                return Ok(word);
            }
        }
        let spot = self.find(address)?;
        Ok(self.read(spot))
    }

    pub(crate) fn read(&mut self, spot: Spot) -> i64 {
        match spot {
            Spot::Variable(variable) => self.read_variable(variable),
            Spot::Frame(word) => self.frames[word],
            Spot::Object { number, offset } => {
                self.reads |= object_bit(number);
                self.objects[number].as_ref().expect("spots exist")[offset]
            }
        }
    }

    pub(crate) fn write(&mut self, spot: Spot, value: i64) {
        match spot {
            Spot::Variable(variable) => self.write_variable(variable, value),
            Spot::Frame(word) => self.frames[word] = value,
            Spot::Object { number, offset } => {
                let word = &mut self.objects[number].as_mut().expect("spots exist")[offset];
                let undo = Undo::Object(number as u32, offset as u32, *word);
                *word = value;
                self.journal.push(undo);
            }
        }
    }

    #[inline]
    pub(crate) fn read_variable(&mut self, variable: usize) -> i64 {
        self.reads |= variable_bit(variable);
        self.variables[variable]
    }

    #[inline]
    pub(crate) fn write_variable(&mut self, variable: usize, value: i64) {
        let old = std::mem::replace(&mut self.variables[variable], value);
        self.journal.push(Undo::Variable(variable as u32, old));
    }

    #[inline]
    pub(crate) fn local_spot(&self, local: u32) -> Spot {
        Spot::Frame(self.base + local as usize)
    }

    #[inline]
    pub(crate) fn read_local(&self, local: u32) -> i64 {
        self.frames[self.base + local as usize]
    }

    /// Room for the arguments of a call, above the current frame; how much room was used before.
    pub(crate) fn top(&self) -> usize {
        self.frames.len()
    }

    pub(crate) fn push(&mut self, value: i64) {
        self.frames.push(value);
    }

    /// Makes a frame that begins at `base`, where the arguments lie already; the base of the frame before.
    pub(crate) fn enter(&mut self, base: usize, words: u32) -> Result<usize, Failed> {
        if base + words as usize > MOST_FRAME_WORDS {
            return self.fail(Fault::TooDeep);
        }
        self.frames.resize(base + words as usize, 0);
        Ok(std::mem::replace(&mut self.base, base))
    }

    /// Takes the current frame away.
    pub(crate) fn leave(&mut self, before: usize) {
        self.frames.truncate(self.base);
        self.base = before;
    }

    /// No function is running.
    pub(crate) fn reset_frames(&mut self) {
        self.frames.clear();
        self.base = 0;
    }

    pub(crate) fn allocate(&mut self, words: i64) -> Result<i64, Failed> {
        if !(0..1 << OBJECT_BITS).contains(&words) || self.objects.len() >= MOST_OBJECTS {
            return self.fail(Fault::TooMuch);
        }
        let number = self.place_object(vec![0; words as usize]);
        self.journal.push(Undo::Allocated(number as u32));
        Ok(Memory::object_address(number, 0))
    }

    /// Adds an object; its number.
    pub(crate) fn place_object(&mut self, words: Vec<i64>) -> usize {
        match self.vacant.pop() {
            Some(number) => {
                self.objects[number as usize] = Some(words);
                number as usize
            }
            None => {
                self.objects.push(Some(words));
                self.objects.len() - 1
            }
        }
    }

    pub(crate) fn object_words(&mut self, number: usize) -> &mut [i64] {
        self.objects[number]
            .as_deref_mut()
            .expect("the object exists")
    }

    pub(crate) fn release(&mut self, address: i64) -> Result<(), Failed> {
        if address == 0 {
            return Ok(());
        }
        match self.spot(address) {
            Some(Spot::Object { number, offset: 0 }) => {
                let words = self.objects[number].take().expect("spots exist");
                self.vacant.push(number as u32);
                self.journal.push(Undo::Released(number as u32, words));
                Ok(())
            }
            _ => self.fail(Fault::Release),
        }
    }

    /// Takes back everything that was changed since the journal had this length.
    pub(crate) fn roll_back(&mut self, length: usize) {
        while self.journal.len() > length {
            match self.journal.pop().expect("the journal is longer") {
                Undo::Variable(variable, old) => self.variables[variable as usize] = old,
                Undo::Object(number, offset, old) => {
                    self.object_words(number as usize)[offset as usize] = old;
                }
                Undo::Allocated(number) => {
                    self.objects[number as usize] = None;
                    self.vacant.push(number);
                }
                Undo::Released(number, words) => {
                    // What was freed last is the last vacant place, since all later changes were taken back.
                    self.vacant.pop();
                    self.objects[number as usize] = Some(words);
                }
            }
        }
    }
}

//! What addresses lead to, as numbers.
//!
//! A state holds for every variable with an address a number that stands for everything that can be reached from it, whatever places of memory that happens to
//! be in. Two variables that lead to the same object are written down together.

use crate::memory::{Memory, Spot};
use sortie_intern::Register;
use sortie_model::{Fingerprint, Fingerprinter};
use std::sync::atomic::{AtomicU64, Ordering};

/// In contents, addresses of objects are numbers of the objects in order of appearance from here on, times the room for offsets.
const OBJECTS: i64 = 1 << 62;
const ROOM: i64 = 1 << 24;

/// What a variable holds that is written down with another.
const ELSEWHERE: i64 = i64::MIN;
/// An address that leads nowhere.
const DANGLING: i64 = i64::MIN + 1;

/// Contents by number; the same content always has the same number.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    known: Register<Box<[i64]>>,
    /// The number of words in all contents.
    words: AtomicU64,
}

/// A content that was written down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted {
    pub(crate) number: u32,
    pub(crate) print: Fingerprint,
}

impl Contents {
    fn note(&self, content: &[i64]) -> Noted {
        let mut print = Fingerprinter::new();
        content.iter().for_each(|word| print.mix(*word as u64));
        let print = print.fingerprint();
        let number = self.known.find_or_enter(print, || {
            self.words
                .fetch_add(content.len() as u64, Ordering::Relaxed);
            content.into()
        });
        Noted { number, print }
    }

    /// The content behind a number, as a fingerprint.
    pub(crate) fn fingerprint(&self, number: u32) -> Fingerprint {
        self.known.fingerprint(number)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.known.bytes() + 8 * self.words.load(Ordering::Relaxed)
    }

    /// Puts into memory what these variables lead to, given their numbers.
    pub(crate) fn unpack(
        &self,
        memory: &mut Memory,
        variables: &[u32],
        number: impl Fn(u32) -> u32,
    ) {
        for (place, &variable) in variables.iter().enumerate() {
            let content = self.known.get(number(variable));
            if place == 0 && content.get(1) == Some(&ELSEWHERE) {
                let roots = read(memory, &content[2..], variables.len());
                for (&variable, root) in variables.iter().zip(roots) {
                    memory.variables[variable as usize] = root;
                }
                return;
            }
            memory.variables[variable as usize] = read(memory, content, 1)[0];
        }
    }
}

/// Makes objects of a content that begins with `roots` words; these words as addresses.
fn read(memory: &mut Memory, content: &[i64], roots: usize) -> Vec<i64> {
    let (roots, mut rest) = content.split_at(roots);
    let mut numbers = Vec::new();
    while let [length, words @ ..] = rest {
        let (words, others) = words.split_at(*length as usize);
        numbers.push(memory.place_object(words.to_vec()));
        rest = others;
    }
    let real = |word: i64| match word {
        DANGLING => Memory::lost_address(),
        _ if word >= OBJECTS => {
            let inside = word - OBJECTS;
            Memory::object_address(numbers[(inside / ROOM) as usize], (inside % ROOM) as usize)
        }
        _ => word,
    };
    for &number in &numbers {
        for word in memory.object_words(number) {
            *word = real(*word);
        }
    }
    roots.iter().map(|&word| real(word)).collect()
}

/// Nobody's object.
const FREE: u32 = u32::MAX;

/// Writes down what variables lead to, and remembers which objects belong to which, so that only what changed is written down again.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    content: Vec<i64>,
    /// By object: the place of the variable it belongs to in the list of variables, and its own place in that content.
    owners: Vec<(u32, u32)>,
    /// By variable: its objects in order of appearance.
    owned: Vec<Vec<u32>>,
    /// Variables to be written down again.
    dirty: Vec<u32>,
    /// Whether two variables led to one object, so that all are written down together.
    shared: bool,
}

impl Writer {
    /// Writes everything down; a number for each variable. The last one given for a variable counts.
    pub(crate) fn write_all(
        &mut self,
        contents: &Contents,
        memory: &Memory,
        variables: &[u32],
        mut set: impl FnMut(u32, Noted),
    ) {
        self.owners.clear();
        self.owned.resize(variables.len(), Vec::new());
        self.owned.iter_mut().for_each(Vec::clear);
        self.dirty.clear();
        self.shared = false;
        for (place, &variable) in variables.iter().enumerate() {
            self.write(memory, place as u32, memory.variables[variable as usize]);
            if self.shared {
                return self.write_together(contents, memory, variables, set);
            }
            set(variable, contents.note(&self.content));
        }
    }

    /// Whether two variables led to one object when everything was written down.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared
    }

    /// A variable was assigned.
    pub(crate) fn touch(&mut self, place: usize) {
        let place = place as u32;
        if !self.dirty.contains(&place) {
            self.dirty.push(place);
        }
    }

    /// An object was changed.
    pub(crate) fn touch_object(&mut self, object: u32) {
        if let Some(&(owner, _)) = self.owners.get(object as usize)
            && owner != FREE
        {
            self.touch(owner as usize);
        }
    }

    /// An object was given back; another may get its place.
    pub(crate) fn release_object(&mut self, object: u32) {
        self.touch_object(object);
        if let Some(owner) = self.owners.get_mut(object as usize) {
            owner.0 = FREE;
        }
    }

    /// Writes down what changed.
    pub(crate) fn write_changes(
        &mut self,
        contents: &Contents,
        memory: &Memory,
        variables: &[u32],
        mut set: impl FnMut(u32, Noted),
    ) {
        if self.shared {
            return self.write_all(contents, memory, variables, set);
        }
        for dirty in 0..self.dirty.len() {
            let place = self.dirty[dirty];
            for &object in &self.owned[place as usize] {
                if self.owners[object as usize].0 == place {
                    self.owners[object as usize].0 = FREE;
                }
            }
            self.owned[place as usize].clear();
        }
        while let Some(place) = self.dirty.pop() {
            let variable = variables[place as usize];
            self.write(memory, place, memory.variables[variable as usize]);
            if self.shared {
                return self.write_all(contents, memory, variables, set);
            }
            set(variable, contents.note(&self.content));
        }
    }

    fn write_together(
        &mut self,
        contents: &Contents,
        memory: &Memory,
        variables: &[u32],
        mut set: impl FnMut(u32, Noted),
    ) {
        self.owners.clear();
        self.owned[0].clear();
        self.content.clear();
        self.content.extend([variables.len() as i64, ELSEWHERE]);
        for &variable in variables {
            self.add(memory, 0, memory.variables[variable as usize]);
        }
        self.finish(memory, 0);
        self.shared = true;
        let elsewhere = contents.note(&[ELSEWHERE]);
        let all = contents.note(&self.content);
        for (place, &variable) in variables.iter().enumerate() {
            set(variable, if place == 0 { all } else { elsewhere });
        }
    }

    fn write(&mut self, memory: &Memory, place: u32, root: i64) {
        self.content.clear();
        self.owned[place as usize].clear();
        self.add(memory, place, root);
        self.finish(memory, place);
    }

    fn finish(&mut self, memory: &Memory, place: u32) {
        let mut next = 0;
        while let Some(&object) = self.owned[place as usize].get(next) {
            let words = memory.object(object as usize).expect("spots exist");
            self.content.push(words.len() as i64);
            for &word in words {
                self.add(memory, place, word);
            }
            next += 1;
        }
    }

    fn add(&mut self, memory: &Memory, place: u32, word: i64) {
        let written = match word {
            plain if plain < 1 << 60 => plain,
            address => match memory.spot(address) {
                Some(Spot::Variable(_)) => address,
                Some(Spot::Object { number, offset }) => {
                    let inside = self.place_of(place, number);
                    OBJECTS + i64::from(inside) * ROOM + offset as i64
                }
                Some(Spot::Frame(_)) | None => DANGLING,
            },
        };
        self.content.push(written);
    }

    /// The place of an object in the content of a variable.
    fn place_of(&mut self, place: u32, object: usize) -> u32 {
        if self.owners.len() <= object {
            self.owners.resize(object + 1, (FREE, 0));
        }
        let (owner, inside) = self.owners[object];
        if owner == place {
            return inside;
        }
        if owner != FREE {
            self.shared = true;
            return 0;
        }
        let owned = &mut self.owned[place as usize];
        let inside = owned.len() as u32;
        owned.push(object as u32);
        self.owners[object] = (place, inside);
        inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What variables 0 and 1 lead to, as printed numbers, after writing changes and after writing all.
    fn same(writer: &mut Writer, contents: &Contents, memory: &Memory, old: &mut [u32; 2]) {
        writer.write_changes(contents, memory, &[0, 1], |v, noted| {
            old[v as usize] = noted.number;
        });
        let mut fresh = [0; 2];
        Writer::default().write_all(contents, memory, &[0, 1], |v, noted| {
            fresh[v as usize] = noted.number;
        });
        assert_eq!(*old, fresh);
        let mut again = Memory::new(vec![0; 2]);
        contents.unpack(&mut again, &[0, 1], |v| fresh[v as usize]);
        let mut twice = [0; 2];
        Writer::default().write_all(contents, &again, &[0, 1], |v, noted| {
            twice[v as usize] = noted.number;
        });
        assert_eq!(fresh, twice, "unpacked and packed");
    }

    #[test]
    fn changes_are_enough() {
        let contents = Contents::default();
        let mut memory = Memory::new(vec![0; 2]);
        let mut writer = Writer::default();
        let mut numbers = [0; 2];
        writer.write_all(&contents, &memory, &[0, 1], |v, noted| {
            numbers[v as usize] = noted.number;
        });
        let cell = |memory: &mut Memory, value: i64, next: i64| {
            let address = memory.allocate(2).expect("there is room");
            let Ok(Spot::Object { number, .. }) = memory.find(address) else {
                panic!("an object");
            };
            memory.object_words(number).copy_from_slice(&[value, next]);
            (address, number as u32)
        };
        // A list in the first variable.
        let (second, second_number) = cell(&mut memory, 2, 0);
        let (first, first_number) = cell(&mut memory, 1, second);
        memory.variables[0] = first;
        writer.touch(0);
        same(&mut writer, &contents, &memory, &mut numbers);
        // Its tail moves to the other variable.
        memory.object_words(first_number as usize)[1] = 0;
        writer.touch_object(first_number);
        memory.variables[1] = second;
        writer.touch(1);
        same(&mut writer, &contents, &memory, &mut numbers);
        // A change deep inside.
        memory.object_words(second_number as usize)[0] = 7;
        writer.touch_object(second_number);
        same(&mut writer, &contents, &memory, &mut numbers);
        // Both lead to the same object, which leads to itself.
        memory.object_words(second_number as usize)[1] = second;
        writer.touch_object(second_number);
        memory.variables[0] = second;
        writer.touch(0);
        same(&mut writer, &contents, &memory, &mut numbers);
        // No more.
        memory.variables[0] = 0;
        writer.touch(0);
        same(&mut writer, &contents, &memory, &mut numbers);
    }
}

//! What addresses lead to, as numbers.
//!
//! A state holds for every variable with an address a number that stands for everything that can be reached from it, whatever places of memory that happens to
//! be in. Two variables that lead to the same object are written down together.

use crate::memory::{Memory, Spot};
use sortie_model::{Fingerprint, Fingerprinter};
use std::collections::HashMap;
use std::sync::RwLock;

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
    table: RwLock<Table>,
}

#[derive(Debug, Default)]
struct Table {
    numbers: HashMap<Box<[i64]>, u32>,
    contents: Vec<(Box<[i64]>, Fingerprint)>,
    bytes: u64,
}

impl Contents {
    fn number(&self, content: &[i64]) -> u32 {
        let known = self.table.read().expect("no thread panics while it writes");
        if let Some(number) = known.numbers.get(content) {
            return *number;
        }
        drop(known);
        let mut table = self
            .table
            .write()
            .expect("no thread panics while it writes");
        if let Some(number) = table.numbers.get(content) {
            return *number;
        }
        let number = table.contents.len() as u32;
        let mut print = Fingerprinter::new();
        content.iter().for_each(|word| print.mix(*word as u64));
        let boxed: Box<[i64]> = content.into();
        table.bytes += 2 * 8 * content.len() as u64 + 96;
        table.numbers.insert(boxed.clone(), number);
        table.contents.push((boxed, print.fingerprint()));
        number
    }

    /// The content behind a number, as a fingerprint.
    pub(crate) fn fingerprint(&self, number: u32) -> Fingerprint {
        let table = self.table.read().expect("no thread panics while it writes");
        table.contents[number as usize].1
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.table
            .read()
            .expect("no thread panics while it writes")
            .bytes
    }

    /// Writes down what these variables lead to: a number for each.
    pub(crate) fn pack(&self, memory: &Memory, variables: &[u32], mut set: impl FnMut(u32, u32)) {
        let mut writer = Writer::new(memory);
        let mut shared = false;
        for (place, &variable) in variables.iter().enumerate() {
            writer.begin(place as u32);
            shared |= !writer.write(memory.variables[variable as usize]);
            if shared {
                break;
            }
            set(variable, self.number(&writer.content));
        }
        if !shared {
            return;
        }
        let mut writer = Writer::new(memory);
        writer.begin(0);
        writer.content.push(variables.len() as i64);
        writer.content.push(ELSEWHERE);
        for &variable in variables {
            writer.add(memory.variables[variable as usize]);
        }
        writer.finish();
        let elsewhere = self.number(&[ELSEWHERE]);
        let all = self.number(&writer.content);
        for (place, &variable) in variables.iter().enumerate() {
            set(variable, if place == 0 { all } else { elsewhere });
        }
    }

    /// Puts into memory what these variables lead to, given their numbers.
    pub(crate) fn unpack(
        &self,
        memory: &mut Memory,
        variables: &[u32],
        number: impl Fn(u32) -> u32,
    ) {
        let table = self.table.read().expect("no thread panics while it writes");
        for (place, &variable) in variables.iter().enumerate() {
            let content = &table.contents[number(variable) as usize].0;
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
    let real = |word: i64| match word - OBJECTS {
        inside if inside >= 0 => {
            Memory::object_address(numbers[(inside / ROOM) as usize], (inside % ROOM) as usize)
        }
        _ if word == DANGLING => -1,
        _ => word,
    };
    for &number in &numbers {
        for word in memory.object_words(number) {
            *word = real(*word);
        }
    }
    roots.iter().map(|&word| real(word)).collect()
}

/// Writes down what can be reached.
struct Writer<'a> {
    memory: &'a Memory,
    content: Vec<i64>,
    /// Objects in order of appearance.
    found: Vec<usize>,
    /// By object: which of the contents it is in, and its place there.
    places: HashMap<usize, (u32, usize)>,
    /// Which content this is.
    current: u32,
    /// Whether an object of another content was met.
    shared: bool,
}

impl<'a> Writer<'a> {
    fn new(memory: &'a Memory) -> Self {
        Writer {
            memory,
            content: Vec::new(),
            found: Vec::new(),
            places: HashMap::new(),
            current: 0,
            shared: false,
        }
    }

    fn begin(&mut self, current: u32) {
        self.content.clear();
        self.found.clear();
        self.current = current;
    }

    /// Whether all that can be reached from `root` belongs to it alone.
    fn write(&mut self, root: i64) -> bool {
        self.add(root);
        self.finish();
        !self.shared
    }

    fn add(&mut self, word: i64) {
        let written = self.written(word);
        self.content.push(written);
    }

    fn finish(&mut self) {
        let mut next = 0;
        while let Some(&object) = self.found.get(next) {
            let words = self.memory.object(object).expect("spots exist");
            self.content.push(words.len() as i64);
            for &word in words {
                self.add(word);
            }
            next += 1;
        }
    }

    fn written(&mut self, word: i64) -> i64 {
        if word < 1 << 60 {
            return word;
        }
        match self.memory.spot(word) {
            Some(Spot::Variable(_)) => word,
            Some(Spot::Object { number, offset }) => {
                let fresh = (self.current, self.found.len());
                let (content, place) = *self.places.entry(number).or_insert(fresh);
                if (content, place) == fresh && place == self.found.len() {
                    self.found.push(number);
                }
                self.shared |= content != self.current;
                OBJECTS + place as i64 * ROOM + offset as i64
            }
            Some(Spot::Frame(_)) | None => DANGLING,
        }
    }
}

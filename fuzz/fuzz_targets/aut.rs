#![no_main]

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};
use sortie_fuzz::{aut, mutation};

fuzz_target!(|data: &[u8]| aut::run(&String::from_utf8_lossy(data)));
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutation::mutate(data, size, max_size, seed)
});
fuzz_crossover!(|data1: &[u8], data2: &[u8], out: &mut [u8], seed: u32| {
    mutation::cross(data1, data2, out, seed)
});

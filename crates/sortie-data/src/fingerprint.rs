//! Content fingerprints of terms, sorts and symbols, built piece by piece.

pub use sortie_model::Fingerprint;
use sortie_model::Fingerprinter;

/// Takes in words, names and other fingerprints, in order.
pub(crate) struct Mixer(Fingerprinter);

impl Mixer {
    /// Content of different kinds begins with different tags.
    pub(crate) fn new(tag: u64) -> Mixer {
        Mixer(Fingerprinter::new()).word(tag)
    }

    pub(crate) fn word(mut self, word: u64) -> Mixer {
        self.0.mix(word);
        self
    }

    pub(crate) fn fingerprint(self, other: Fingerprint) -> Mixer {
        self.word(other.low()).word(other.high())
    }

    pub(crate) fn bytes(self, bytes: &[u8]) -> Mixer {
        let mut mixer = self.word(bytes.len() as u64);
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            mixer = mixer.word(u64::from_le_bytes(word));
        }
        mixer
    }

    pub(crate) fn finish(self) -> Fingerprint {
        self.0.fingerprint()
    }
}

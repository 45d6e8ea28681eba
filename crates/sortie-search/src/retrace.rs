//! From what a store remembers of the states on a path back to the path itself.

use crate::SearchError;
use crate::expansion::Lister;
use crate::store::visited::Key;
use sortie_intern::{Layer, Layers};
use sortie_model::{Model, Trace};

/// Walks the model forward along states that fit the keys. Short keys may fit several states; all are followed.
pub fn retrace(model: &dyn Model, path: &[Key]) -> Result<Trace, SearchError> {
    let mut start = Vec::new();
    model.initial(&mut start)?;
    let begins = |key: &Key| key.fits(&start, model.fingerprint(&start));
    if !path.first().is_some_and(begins) {
        return Err(SearchError::LostPath { step: 0 });
    }
    let mut layers = Layers::new(&start);
    let mut lister = Lister::new(model);
    for (step, key) in path.iter().enumerate().skip(1) {
        let mut next = Layer::default();
        for (place, state) in layers.last().states().enumerate() {
            lister.list(state)?;
            for (label, target, print) in lister.iter() {
                if key.fits(target, print) {
                    next.add(label, target, place);
                }
            }
        }
        if next.is_empty() {
            return Err(SearchError::LostPath { step });
        }
        layers.push(next);
    }
    Ok(Trace {
        start,
        steps: layers.path(0),
    })
}

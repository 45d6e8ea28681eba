//! From what a store remembers of the states on a path back to the path itself.

use crate::SearchError;
use crate::store::visited::Key;
use sortie_intern::{Layer, Layers};
use sortie_model::{Model, Steps, Trace};

/// Walks the model forward along states that fit the keys. Short keys may fit several states; all are followed.
pub fn retrace(model: &dyn Model, path: &[Key]) -> Result<Trace, SearchError> {
    let mut start = Vec::new();
    model.initial(&mut start)?;
    if !path
        .first()
        .is_some_and(|key| key.fits(&start, model.fingerprint(&start)))
    {
        return Err(SearchError::LostPath { step: 0 });
    }
    let mut layers = Layers::new(&start);
    let mut steps = Steps::new(model.width());
    let mut prints = Vec::new();
    let batch = model.extensions().batch_expansion;
    for (step, key) in path.iter().enumerate().skip(1) {
        let mut next = Layer::default();
        for (place, state) in layers.last().states().enumerate() {
            steps.clear();
            prints.clear();
            model.expand(state, &mut steps)?;
            steps.fingerprints_into(model, batch, &mut prints);
            for ((label, target), &print) in steps.iter().zip(&prints) {
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

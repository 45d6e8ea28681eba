//! Open models that rows of the same instance share.

use crate::cli::Failure;
use std::sync::{Arc, Mutex};

/// So many are kept; rows come in the order of instances.
const KEPT: usize = 2;

/// The models opened last, by the place of their instance.
pub struct Shelf<T>(Mutex<Vec<(usize, Arc<T>)>>);

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Shelf(Mutex::new(Vec::new()))
    }
}

impl<T> Shelf<T> {
    /// The model of an instance, opened unless it is at hand. Others wait meanwhile, as most of them want the same.
    pub fn get(
        &self,
        instance: usize,
        open: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<Arc<T>, Failure> {
        let mut kept = self.0.lock().expect("nobody panics while opening");
        if let Some((_, model)) = kept.iter().find(|(place, _)| *place == instance) {
            return Ok(model.clone());
        }
        let model = Arc::new(open()?);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((instance, model.clone()));
        Ok(model)
    }
}

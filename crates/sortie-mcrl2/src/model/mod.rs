//! A checked specification as a model that can be explored.
//!
//! `program` turns the sequential processes into numbered positions, `summand` flattens what stands under a `sum`, `analysis` finds what is
//! alive where, `local` keeps local states and their steps, `walk` finds those steps, `solve` closes open ones, `random` makes random choices,
//! `processes` is what a network asks of them, and `components` lays out `init` as a network.

mod analysis;
mod components;
mod expressions;
mod judged;
mod keep;
mod local;
mod place;
mod processes;
mod program;
mod random;
mod reference;
mod scope;
mod settle;
mod solve;
mod state_condition;
mod state_expression;
mod summand;
mod walk;

use crate::check::with_deep_stack;
use crate::specification::Specification;
use crate::{check_specification, override_constant};
use scope::Scope;
use sortie_data::Limits;
use sortie_model::{Extensions, Field, Fingerprint, Identity, LabelId, Model, ModelError, Steps};
use sortie_network::{ComponentId, Name, Network, Processes as _};
use sortie_syntax::Diagnostic;
use std::sync::Arc;

pub use judged::{FormulaFailure, Judged, TypedLabels, open_with_formula, type_labels};
pub use keep::Keep;
pub use state_condition::StateCondition;
pub use state_expression::{StateExpression, StateValues};
pub use walk::Sequential;

/// An mCRL2 specification as a model.
///
/// A state is one local state per parallel component. When `dist` leaves more than one initial state, the model starts in an extra
/// state with one random `tau` transition to them; elsewhere the outcomes of a `dist` are those of the transition that leads to it.
pub struct Mcrl2Model {
    network: Network<Sequential>,
    specification: Arc<Specification>,
    /// By component.
    scopes: Vec<Scope>,
}

/// Checks a specification and prepares it for exploration; `settings` give other values to constants.
///
/// ```
/// use sortie_model::{Model, Steps};
/// let text = "map N: Nat; eqn N = 1; act a: Nat; init sum n: Nat. (n < N) -> a(n) . delta;";
/// let model = sortie_mcrl2::open("sum.mcrl2", text, &[("N".into(), "2".into())]).unwrap();
/// let mut state = Vec::new();
/// model.initial(&mut state).unwrap();
/// let mut steps = Steps::new(model.width());
/// model.expand(&state, &mut steps).unwrap();
/// assert_eq!(model.label(steps.label(1)), "a(1)");
/// ```
pub fn open(
    source_name: &str,
    text: &str,
    settings: &[(String, String)],
) -> Result<Mcrl2Model, Vec<Diagnostic>> {
    open_keeping(source_name, text, settings, &Keep::default())
}

/// Like [`open`], with parameters that stay in states although nothing reads them any more.
pub fn open_keeping(
    source_name: &str,
    text: &str,
    settings: &[(String, String)],
    keep: &Keep,
) -> Result<Mcrl2Model, Vec<Diagnostic>> {
    open_within(source_name, text, settings, keep, Limits::default())
}

/// Like [`open_keeping`], with other limits on the evaluation of data.
pub fn open_within(
    source_name: &str,
    text: &str,
    settings: &[(String, String)],
    keep: &Keep,
    limits: Limits,
) -> Result<Mcrl2Model, Vec<Diagnostic>> {
    let (specification, content) = configure(text, settings)?;
    build(source_name, text, specification, content, keep, limits)
}

/// A specification with other values for its constants, and the fingerprint of both.
fn configure(
    text: &str,
    settings: &[(String, String)],
) -> Result<(Specification, Fingerprint), Vec<Diagnostic>> {
    let mut specification = check_specification(text)?;
    let mut content = Fingerprint::of_text(text);
    for (name, value) in settings {
        override_constant(&mut specification, name, value).map_err(|errors| {
            let within = |error: Diagnostic| {
                let message = format!("in the setting {name}={value}: {}", error.message);
                Diagnostic {
                    message,
                    span: sortie_syntax::Span::default(),
                    ..error
                }
            };
            errors.into_iter().map(within).collect::<Vec<_>>()
        })?;
        content = content.and(Fingerprint::of_text(&format!("{name}={value}")));
    }
    Ok((specification, content))
}

fn build(
    source_name: &str,
    text: &str,
    specification: Specification,
    content: Fingerprint,
    keep: &Keep,
    limits: Limits,
) -> Result<Mcrl2Model, Vec<Diagnostic>> {
    let identity = Identity::new(source_name, content);
    let specification = Arc::new(specification);
    let (network, scopes) =
        with_deep_stack(|| components::network(&specification, text, identity, keep, limits))
            .map_err(|error| vec![*error])?;
    Ok(Mcrl2Model {
        network,
        specification,
        scopes,
    })
}

impl Mcrl2Model {
    /// The typed specification.
    pub fn specification(&self) -> &Specification {
        &self.specification
    }

    /// The network of components.
    pub fn network(&self) -> &Network<Sequential> {
        &self.network
    }

    /// The names of the actions that the text of a component has.
    pub fn alphabet(&self, component: ComponentId) -> Vec<Name> {
        let actions = self.scopes[component.0 as usize].actions.iter();
        actions
            .filter_map(|action| self.network.named(action))
            .collect()
    }

    /// Memory that data terms take.
    pub fn term_bytes(&self) -> u64 {
        self.network.processes().bytes()
    }
}

impl Model for Mcrl2Model {
    fn identity(&self) -> Identity {
        self.network.identity()
    }
    fn width(&self) -> usize {
        self.network.width()
    }
    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        self.network.initial(state)
    }
    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        self.network.expand(state, steps)
    }
    fn label(&self, label: LabelId) -> String {
        self.network.label(label)
    }
    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        self.network.fingerprint(state)
    }
    fn describe(&self, state: &[u32]) -> Vec<Field> {
        self.network.describe(state)
    }
    fn bytes(&self) -> u64 {
        self.network.bytes()
    }
    /// All abilities are passed on, since states, labels and steps are those of the network.
    fn extensions(&self) -> Extensions<'_> {
        self.network.extensions()
    }
}

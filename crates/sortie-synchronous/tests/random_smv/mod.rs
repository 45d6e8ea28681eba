//! Random SMV models: their own trees, written as text and evaluated as the language says.

mod expression;

pub use expression::{Context, Expr, Set};

use expression::{Kind, Maker};
use sortie_model::Dice;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    State,
    Input,
    Frozen,
}

/// Module 0 is `main`, 1 is `part`, whose instance is `m`.
pub type Module = usize;

pub struct Variable {
    pub name: String,
    pub module: Module,
    pub kind: Kind,
    pub role: Role,
    pub first: Option<Set>,
    pub next: Option<Set>,
    pub always: Option<Set>,
}

impl Variable {
    pub fn full_name(&self) -> String {
        match self.module {
            0 => self.name.clone(),
            _ => format!("m.{}", self.name),
        }
    }
}

pub struct Property {
    pub expression: Expr,
    pub about_step: bool,
}

/// A named expression: a DEFINE, or the parameter of the instance.
pub struct Definition {
    pub name: String,
    pub module: Module,
    pub value: Expr,
    pub parameter: bool,
}

pub struct Model {
    pub variables: Vec<Variable>,
    pub definitions: Vec<Definition>,
    pub first: Vec<Expr>,
    pub invariants: Vec<Expr>,
    pub steps: Vec<Expr>,
    pub properties: Vec<Property>,
    /// What is said in each module in a formula.
    pub formulas: Vec<(Module, Expr)>,
}

/// The model with this number.
pub fn model(seed: u64) -> Model {
    let mut maker = Maker {
        dice: Dice::new(seed),
        model: Model {
            variables: Vec::new(),
            definitions: Vec::new(),
            first: Vec::new(),
            invariants: Vec::new(),
            steps: Vec::new(),
            properties: Vec::new(),
            formulas: Vec::new(),
        },
    };
    maker.variables();
    maker.assignments();
    maker.constraints();
    maker.model
}

impl Maker {
    fn variables(&mut self) {
        let array = self.dice.index(3) == 0;
        let count = if array { 1 } else { 2 } + self.dice.index(2);
        // The elements of an array come first, so that all others can ask for them.
        for index in 0..2 * usize::from(array) {
            self.variable(format!("a[{index}]"), 0, Kind::Boolean, Role::State);
        }
        for number in 0..count {
            let kind = self.kind();
            let role = match self.dice.index(8) {
                0 => Role::Input,
                1 => Role::Frozen,
                _ => Role::State,
            };
            self.variable(format!("v{number}"), 0, kind, role);
        }
        self.definition("d", 0, false);
        if self.dice.index(2) == 0 {
            self.definition("p", 1, true);
            let kind = self.kind();
            self.variable("w".into(), 1, kind, Role::State);
            self.definition("e", 1, false);
        }
    }

    fn variable(&mut self, name: String, module: Module, kind: Kind, role: Role) {
        self.model.variables.push(Variable {
            name,
            module,
            kind,
            role,
            first: None,
            next: None,
            always: None,
        });
    }

    fn kind(&mut self) -> Kind {
        match self.dice.index(6) {
            0 | 1 => Kind::Boolean,
            2 => Kind::Range(-1, 2),
            3 => Kind::Colour,
            4 => Kind::Mixed,
            _ => Kind::Word,
        }
    }

    fn definition(&mut self, name: &str, module: Module, parameter: bool) {
        // What an instance is given is an expression of `main`.
        let written_in = if parameter { 0 } else { module };
        let place = self.place(written_in, usize::MAX, 0);
        let value = match self.dice.index(2) {
            0 => self.truth(&place, 2),
            _ => self.number(&place, 2),
        };
        self.model.definitions.push(Definition {
            name: name.into(),
            module,
            value,
            parameter,
        });
    }

    fn assignments(&mut self) {
        for number in 0..self.model.variables.len() {
            let (module, role) = {
                let variable = &self.model.variables[number];
                (variable.module, variable.role)
            };
            let kind = self.model.variables[number].kind;
            if role == Role::Input {
                continue;
            }
            let state = self.place(module, number, 0);
            let style = self.dice.index(6);
            if style == 0 && role == Role::State {
                self.model.variables[number].always = Some(self.set(&state, kind, 2));
                continue;
            }
            if style > 1 {
                self.model.variables[number].first = Some(self.set(&state, kind, 1));
            }
            if style != 2 && role == Role::State {
                let mut step = self.place(module, usize::MAX, number);
                step.step = true;
                self.model.variables[number].next = Some(self.set(&step, kind, 3));
            }
        }
    }

    fn constraints(&mut self) {
        let state = self.place(0, usize::MAX, 0);
        let mut step = self.place(0, usize::MAX, usize::MAX);
        step.step = true;
        if self.dice.index(3) == 0 {
            let condition = self.condition(&state);
            self.model.first.push(condition);
        }
        if self.dice.index(4) == 0 {
            let condition = self.condition(&state);
            self.model.invariants.push(condition);
        }
        for _ in 0..self.dice.index(3) {
            let condition = self.condition(&step);
            self.model.steps.push(condition);
        }
        for _ in 0..2 {
            let expression = self.truth(&state, 3);
            self.model.properties.push(Property {
                expression,
                about_step: false,
            });
        }
        let expression = self.truth(&step, 2);
        self.model.properties.push(Property {
            about_step: expression.is_about_step(),
            expression,
        });
        let modules = self.model.variables.iter().map(|v| v.module).max();
        for module in 0..=modules.unwrap_or(0) {
            for _ in 0..3 {
                let place = self.place(module, usize::MAX, 0);
                let expression = self.truth(&place, 4);
                self.model.formulas.push((module, expression));
            }
        }
    }
}

impl Model {
    /// The model as people write it.
    pub fn text(&self) -> String {
        let mut text = String::from("MODULE main\nCONSTANTS red, green, blue;\n");
        let parts = self.variables.iter().any(|variable| variable.module == 1);
        self.declarations(0, &mut text);
        if parts {
            let parameter = self.definitions.iter().find(|d| d.parameter);
            let given = parameter.expect("part has one").value.text(self, 0);
            text += &format!("VAR m : part({given});\n");
        }
        self.assigned(0, &mut text);
        let sections = [
            ("INIT", &self.first),
            ("INVAR", &self.invariants),
            ("TRANS", &self.steps),
        ];
        for (section, conditions) in sections {
            for condition in conditions {
                text += &format!("{section} {}\n", condition.text(self, 0));
            }
        }
        for property in &self.properties {
            text += &format!("INVARSPEC {};\n", property.expression.text(self, 0));
        }
        self.said(0, &mut text);
        if parts {
            text += "MODULE part(p)\n";
            self.declarations(1, &mut text);
            self.assigned(1, &mut text);
            self.said(1, &mut text);
        }
        text
    }

    fn said(&self, module: Module, text: &mut String) {
        for (_, formula) in self.formulas.iter().filter(|(m, _)| *m == module) {
            *text += &format!("LTLSPEC X ({});\n", formula.text(self, module));
        }
    }

    fn declarations(&self, module: Module, text: &mut String) {
        if module == 0 && self.variables[0].name == "a[0]" {
            *text += "VAR a : array 0..1 of boolean;\n";
        }
        for variable in self.variables.iter().filter(|v| v.module == module) {
            if variable.name.contains('[') {
                continue;
            }
            let section = match variable.role {
                Role::State => "VAR",
                Role::Input => "IVAR",
                Role::Frozen => "FROZENVAR",
            };
            let (name, kind) = (&variable.name, variable.kind.text());
            *text += &format!("{section} {name} : {kind};\n");
        }
        for definition in self.definitions.iter().filter(|d| d.module == module) {
            if !definition.parameter {
                let value = definition.value.text(self, module);
                *text += &format!("DEFINE {} := {value};\n", definition.name);
            }
        }
    }

    fn assigned(&self, module: Module, text: &mut String) {
        for variable in self.variables.iter().filter(|v| v.module == module) {
            let name = &variable.name;
            let forms = [
                (format!("init({name})"), &variable.first),
                (format!("next({name})"), &variable.next),
                (name.clone(), &variable.always),
            ];
            for (target, set) in forms {
                if let Some(set) = set {
                    *text += &format!("ASSIGN {target} := {};\n", set.text(self, module));
                }
            }
        }
    }
}

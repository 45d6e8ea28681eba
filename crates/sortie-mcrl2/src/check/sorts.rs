//! Sort declarations: aliases are made transparent, structured sorts become declared sorts with their functions.

use crate::ast::{ConstructorTree, Name, SortKind, SortTree, SortTreeDecl, Span};
use crate::check::checker::{Checker, number};
use crate::check::sort_algebra::{UNKNOWN, element};
use crate::check::type_errors::joined;
use sortie_data::{FunctionId, FunctionKind, Sort, SortDecl, SortId};
use sortie_syntax::Diagnostic;
use std::collections::HashMap;

/// Declared names whose definition has not been looked into yet, or is being looked into.
struct Pending<'t> {
    aliases: HashMap<&'t str, (&'t SortTree, bool)>,
    /// How many definitions are being looked into.
    depth: usize,
}

impl Checker {
    /// Declares sorts. Those that consist of other sorts may use any, in any order.
    pub fn declare_sorts(&mut self, declarations: &[SortTreeDecl]) {
        self.in_sort_section = true;
        let mut pending = Pending {
            aliases: HashMap::new(),
            depth: 0,
        };
        let mut places: HashMap<&str, &SortTreeDecl> = HashMap::new();
        let mut structs: Vec<(SortId, &[ConstructorTree])> = Vec::new();
        for declaration in declarations {
            let SortTreeDecl { name, definition } = declaration;
            if let Some(first) = places.get(name.text.as_str()) {
                // Saying the same again is harmless.
                if first.fingerprint() != declaration.fingerprint() {
                    self.declared_twice(name, Some(first.name.span));
                }
                continue;
            }
            if let Some(known) = self.names.sorts.get(&name.text).cloned() {
                if !self.repeats(&known, definition.as_ref()) {
                    self.declared_twice(name, None);
                }
                continue;
            }
            places.insert(&name.text, declaration);
            if let Some(tree) = definition {
                self.find_inner_structs(tree, true, &mut structs);
            }
            let constructors = match definition.as_ref().map(|tree| &tree.kind) {
                None => None,
                Some(SortKind::Struct(constructors)) => Some(constructors),
                Some(_) => {
                    let alias = definition.as_ref().map(|tree| (&*name.text, (tree, false)));
                    pending.aliases.extend(alias);
                    continue;
                }
            };
            let id = self.new_sort(&name.text, name.span, constructors.is_some());
            self.names.sorts.insert(name.text.clone(), Sort::Named(id));
            structs.extend(constructors.map(|constructors| (id, &constructors[..])));
        }
        for SortTreeDecl { name, .. } in declarations {
            self.resolve_alias(name, &mut pending);
        }
        for (id, constructors) in structs {
            let arguments = self.argument_sorts(constructors);
            self.define_struct(id, constructors, arguments, true);
        }
        self.in_sort_section = false;
        self.inner_structs.clear();
    }

    /// Numbers the structured sorts within a definition, so that it may refer to itself through them:
    /// `sort Tree = List(struct node(Tree));`
    fn find_inner_structs<'t>(
        &mut self,
        tree: &'t SortTree,
        outermost: bool,
        found: &mut Vec<(SortId, &'t [ConstructorTree])>,
    ) {
        if let SortKind::Struct(constructors) = &tree.kind
            && !outermost
        {
            let id = self.new_anonymous_sort(constructors, tree.span);
            self.inner_structs.insert(tree.span.start, id);
            found.push((id, constructors));
        }
        for part in tree.parts() {
            self.find_inner_structs(part, false, found);
        }
    }

    fn new_anonymous_sort(&mut self, constructors: &[ConstructorTree], span: Span) -> SortId {
        let names = joined(constructors, " | ", |constructor| {
            constructor.name.text.clone()
        });
        self.new_sort(&format!("struct {names}"), span, true)
    }

    fn declared_twice(&mut self, name: &Name, first: Option<Span>) {
        let message = format!("the sort `{name}` is declared twice");
        let error = Diagnostic::error(message, name.span).label("declared again, differently");
        self.error(match first {
            Some(first) => error.also(first, "declared here"),
            None => error,
        });
    }

    /// Does the definition in a formula file say what the specification says of this sort?
    fn repeats(&mut self, known: &Sort, definition: Option<&SortTree>) -> bool {
        let Some(tree) = definition else {
            return matches!(known, Sort::Named(_));
        };
        let SortKind::Struct(constructors) = &tree.kind else {
            return self.resolve_sort(tree) == *known;
        };
        let key = struct_key(constructors, &self.argument_sorts(constructors));
        let id = self.names.structs.get(&key);
        id.is_some_and(|id| *known == Sort::Named(*id))
    }

    fn new_sort(&mut self, name: &str, span: Span, structured: bool) -> SortId {
        let id = SortId(number(self.signature.sorts.len()));
        self.signature.sorts.push(SortDecl {
            name: name.to_owned(),
            constructors: Vec::new(),
            structured,
            span,
        });
        id
    }

    /// Resolves the definition behind an alias, unless that is done.
    fn resolve_alias(&mut self, name: &Name, pending: &mut Pending<'_>) {
        let Some((tree, busy)) = pending.aliases.get_mut(name.text.as_str()) else {
            return;
        };
        let tree: &SortTree = tree;
        if *busy {
            self.error(
                Diagnostic::error(format!("the sort `{name}` is defined as itself"), name.span)
                    .label("circular definition")
                    .help("recursion must go through a `struct`: `sort Tree = struct leaf | node(left: Tree, right: Tree);`"),
            );
            self.names.sorts.insert(name.text.clone(), UNKNOWN);
            pending.aliases.remove(name.text.as_str());
            return;
        }
        *busy = true;
        let mut sort = UNKNOWN;
        if pending.depth < MAX_SIZE {
            pending.depth += 1;
            self.resolve_names_within(tree, pending);
            pending.depth -= 1;
            sort = self.resolve_sort(tree);
        }
        if pending.depth == MAX_SIZE || size(&sort, MAX_SIZE) == MAX_SIZE {
            self.too_large(name);
            sort = UNKNOWN;
        }
        if pending.aliases.remove(name.text.as_str()).is_some() {
            self.names.sorts.insert(name.text.clone(), sort);
        }
    }

    fn too_large(&mut self, name: &Name) {
        self.error(
            Diagnostic::error(format!("the sort `{name}` is too large"), name.span)
                .label(format!("written out it has more than {MAX_SIZE} parts"))
                .help("a `struct` counts as one part, whatever it contains"),
        );
    }

    /// Makes sure that all aliases a sort mentions are resolved, but for those that a structured sort hides.
    fn resolve_names_within(&mut self, tree: &SortTree, pending: &mut Pending<'_>) {
        match &tree.kind {
            SortKind::Name(text) => {
                let name = Name {
                    text: text.clone(),
                    span: tree.span,
                };
                self.resolve_alias(&name, pending);
            }
            SortKind::Struct(_) => {}
            _ => {
                for part in tree.parts() {
                    self.resolve_names_within(part, pending);
                }
            }
        }
    }

    /// The sort that an expression denotes; what is wrong with it is reported, and the sort is then unknown.
    pub fn resolve_sort(&mut self, tree: &SortTree) -> Sort {
        match &tree.kind {
            SortKind::Basic(sort) => sort.clone(),
            SortKind::Container(container, element) => match self.resolve_sort(element) {
                poisoned if Self::is_poisoned(&poisoned) => UNKNOWN,
                element => Sort::of(*container, &element),
            },
            SortKind::Function(domain, range) => {
                let domain = domain.iter().map(|sort| self.resolve_sort(sort)).collect();
                let range = self.resolve_sort(range);
                Sort::function(domain, range)
            }
            SortKind::Product(_) => {
                self.error(Diagnostic::error(
                    "`#` is only allowed to the left of `->`",
                    tree.span,
                ));
                UNKNOWN
            }
            SortKind::Name(name) => match self.names.sorts.get(name) {
                Some(sort) => sort.clone(),
                None => {
                    let builtin = ["Bool", "Pos", "Nat", "Int", "Real"];
                    let known = self.names.sorts.keys().map(String::as_str).chain(builtin);
                    let help = self.suggestion(name, known);
                    let name = Name {
                        text: name.clone(),
                        span: tree.span,
                    };
                    self.undeclared("the sort", &name, help);
                    UNKNOWN
                }
            },
            SortKind::Struct(constructors) => self.anonymous_struct(constructors, tree.span),
        }
    }

    /// A structured sort without a name. Its constructors can be named if it is part of the definition of another sort.
    fn anonymous_struct(&mut self, constructors: &[ConstructorTree], span: Span) -> Sort {
        if let Some(&id) = self.inner_structs.get(&span.start) {
            return Sort::Named(id);
        }
        let arguments = self.argument_sorts(constructors);
        let key = struct_key(constructors, &arguments);
        if let Some(&id) = self.names.structs.get(&key) {
            return Sort::Named(id);
        }
        let id = self.new_anonymous_sort(constructors, span);
        self.define_struct(id, constructors, arguments, self.in_sort_section);
        Sort::Named(id)
    }

    /// The sorts of the arguments of each constructor.
    fn argument_sorts(&mut self, constructors: &[ConstructorTree]) -> Vec<Vec<Sort>> {
        let mut resolve = |(_, sort): &(Option<Name>, SortTree)| self.resolve_sort(sort);
        constructors
            .iter()
            .map(|constructor| constructor.arguments.iter().map(&mut resolve).collect())
            .collect()
    }

    /// Declares the functions of a structured sort.
    fn define_struct(
        &mut self,
        id: SortId,
        constructors: &[ConstructorTree],
        arguments: Vec<Vec<Sort>>,
        visible: bool,
    ) {
        let sort = Sort::Named(id);
        let key = struct_key(constructors, &arguments);
        self.names.structs.entry(key).or_insert(id);
        let mut projections: Vec<Projection> = Vec::new();
        let mut recognisers: Vec<(&Name, FunctionId)> = Vec::new();
        for (constructor, arguments) in constructors.iter().zip(arguments) {
            let function = Sort::function(arguments.clone(), sort.clone());
            let kind = FunctionKind::Constructor;
            let function = self.declare_function(&constructor.name, function, kind, visible);
            let declaration = &mut self.signature.sorts[id.0 as usize];
            declaration.constructors.push(function);
            let projected = constructor.arguments.iter().zip(arguments).enumerate();
            for (index, ((name, _), result)) in projected {
                let Some(name) = name else { continue };
                let same = |other: &&mut Projection| {
                    other.name.text == name.text && other.result == result
                };
                match projections.iter_mut().find(same) {
                    Some(projection) => projection.places.push((function, index)),
                    None => projections.push(Projection {
                        name,
                        result,
                        places: vec![(function, index)],
                    }),
                }
            }
            recognisers.extend(constructor.recogniser.as_ref().map(|name| (name, function)));
        }
        for projection in projections {
            let function = Sort::function(vec![sort.clone()], projection.result);
            let kind = FunctionKind::Projection(projection.places);
            self.declare_function(projection.name, function, kind, visible);
        }
        for (name, constructor) in recognisers {
            let function = Sort::function(vec![sort.clone()], Sort::Bool);
            let kind = FunctionKind::Recogniser(constructor);
            self.declare_function(name, function, kind, visible);
        }
    }
}

/// Aliases of aliases can denote sorts of exponential size; no sensible one comes near this many parts.
const MAX_SIZE: usize = 1_000;

/// The number of parts of a sort, counted up to a limit.
fn size(sort: &Sort, limit: usize) -> usize {
    let parts = |sorts: &mut dyn Iterator<Item = &Sort>| {
        sorts.fold(1, |sum, sort| {
            if sum >= limit {
                limit
            } else {
                (sum + size(sort, limit - sum)).min(limit)
            }
        })
    };
    match sort {
        _ if limit == 0 => 0,
        Sort::Function(domain, range) => parts(&mut domain.iter().chain([&**range])),
        _ => parts(&mut element(sort).into_iter()),
    }
}

/// Within one sort a projection may serve several constructors.
struct Projection<'t> {
    name: &'t Name,
    result: Sort,
    places: Vec<(FunctionId, usize)>,
}

/// What makes two structured sorts the same.
fn struct_key(constructors: &[ConstructorTree], arguments: &[Vec<Sort>]) -> String {
    let text = |name: &Option<Name>| name.as_ref().map(|name| name.text.clone());
    let one = |(constructor, sorts): (&ConstructorTree, &Vec<Sort>)| {
        let projections = constructor.arguments.iter().map(|(name, _)| text(name));
        let projections: Vec<_> = projections.collect();
        let (name, recogniser) = (&constructor.name.text, text(&constructor.recogniser));
        format!("{:?}", (name, projections, sorts, recogniser))
    };
    constructors.iter().zip(arguments).map(one).collect()
}

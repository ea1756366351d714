//! Points-to analysis: which objects a pointer may point into, for all runs of the program at once.
//!
//! The analysis is that of Andersen (1994): every scalar that may hold a pointer has a set, and what the program does says which
//! sets contain which. A set holds *targets*: the parts with one path and one type of an object, of a local variable or of
//! allocated memory. The environment has one set for all that it was ever given.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::library::Known;
use crate::memory::Storage;
use crate::tree::{
    Argument, Callee, Expr, ExprKind, FunctionId, Item, ObjectId, Place, PlaceKind, Program, Stmt, StmtKind,
    VariableId,
};
use crate::types::{Rank, Type};

agon_base::id! {
    /// A target.
    pub TargetId;
    /// All objects of one type that are allocated.
    pub HeapId;
    /// A set of targets.
    SetId;
}

/// Where the program does not say how many elements are allocated, there are at most this many.
const MOST_ELEMENTS: u64 = 8;

/// What has scalars.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Owner {
    /// An object with static storage.
    Object(ObjectId),
    /// A parameter or local variable.
    Variable(FunctionId, VariableId),
    /// Allocated memory.
    Heap(HeapId),
}

/// The parts of an owner that have one path and one type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    /// Whose parts they are.
    pub owner: Owner,
    /// The first scalar of a part, in the order of the layout.
    pub leaf: usize,
    /// The type of a part.
    pub ty: Type,
}

/// What a pointer may point into.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Points {
    /// Parts of what belongs to the module.
    pub targets: BTreeSet<TargetId>,
    /// Functions.
    pub functions: BTreeSet<FunctionId>,
    /// Whether it may point to something of the environment's own.
    pub foreign: bool,
}

/// Who the environment is: what it calls, and what it shares.
pub struct World<'a> {
    /// Whether the environment calls a function by its name.
    pub calls: &'a dyn Fn(FunctionId) -> bool,
    /// Whether the environment can name an object.
    pub names: &'a dyn Fn(ObjectId) -> bool,
    /// Whether the environment may change an object.
    pub shares: &'a dyn Fn(ObjectId) -> bool,
    /// Whether the environment has no objects of a type of its own.
    pub is_private: &'a dyn Fn(&Type) -> bool,
    /// Whether two programs are compared: then each needs the addresses that the other one may know.
    pub compared: bool,
    /// Whether the environment reads and writes what it has pointers to, and pointers to its own objects are followed.
    pub exposed: bool,
}

/// The result.
#[derive(Default)]
pub struct Analysis {
    targets: Vec<Target>,
    known: HashMap<Target, TargetId>,
    /// The types of what is allocated.
    pub heaps: Vec<Type>,
    /// The calls that allocate, by their places in memory: of what, and how many elements if that is known.
    sites: HashMap<usize, (HeapId, Option<u64>)>,
    /// The types whose pointers are moved.
    moved: Vec<Type>,
    sets: Vec<Points>,
    contents: BTreeMap<(Owner, usize), SetId>,
    results: BTreeMap<(FunctionId, usize), SetId>,
    /// The sets of expressions, by their places in memory, with the functions that they stand in.
    expressions: HashMap<usize, (SetId, FunctionId)>,
    world: SetId,
    /// What threads give at their ends.
    given_by_threads: SetId,
    /// The functions that threads begin with.
    starts: Vec<SetId>,
    /// What the pointers of a type may point into, wherever there is one.
    typed: Vec<(Type, SetId)>,
    /// The types of what pointers point to that may belong to the environment.
    foreign: Vec<Type>,
    /// The types of what pointers point to that the environment gives.
    asked: Vec<Type>,
}

/// That one set contains what another one leads to.
enum Rule {
    /// All of a set.
    Copy(SetId, SetId),
    /// What fits a pointer to a type, of what the environment has.
    Given(Type, SetId),
    /// What the scalars hold that a set points to, a number of scalars further on.
    Load(SetId, usize, SetId),
    /// What the environment's objects hold that a set points to, where pointers to a type are read.
    LoadForeign(SetId, Type, SetId),
    /// What the scalars that a set points to may be given.
    Store(SetId, SetId, usize),
    /// Parts of what a set points to, a number of scalars further on, with their type.
    Part(SetId, usize, Type, SetId),
    /// What the functions of a set that have a type take and give where they are called.
    Call(SetId, Option<Type>, Vec<Sets>, Sets),
    /// What the environment gives to and takes from the functions that it may call, and what it finds where it may look.
    World,
    /// What a set points to, as parts of another type that begin at the same place, if there are any.
    Cast(SetId, Type, SetId),
    /// The structures whose member of a type, a number of scalars behind their beginning, a set points to.
    Enclosing(SetId, Type, usize, Type, SetId),
}

impl Analysis {
    /// Analyses a program.
    pub fn new(program: &Program, world: &World<'_>) -> Analysis {
        let mut analysis = Analysis::default();
        analysis.world = analysis.set();
        analysis.given_by_threads = analysis.set();
        let exports = program.functions().map(|(id, _)| id).filter(|id| (world.calls)(*id)).collect();
        analysis.sets[analysis.world.index()] =
            Points { functions: exports, foreign: true, ..Points::default() };
        let mut builder = Builder { program, world, analysis, rules: vec![], function: FunctionId(0) };
        builder.program();
        let Builder { mut analysis, rules, .. } = builder;
        analysis.solve(program, world, &rules);
        analysis.find_foreign(program, world, &rules);
        analysis
    }

    /// A target.
    pub fn target(&self, id: TargetId) -> &Target {
        &self.targets[id.index()]
    }

    /// All targets, in the order of their ids.
    pub fn targets(&self) -> impl Iterator<Item = (TargetId, &Target)> {
        (0..).map(TargetId).zip(&self.targets)
    }

    /// The id of a target, if a pointer to it exists.
    pub fn find(&self, target: &Target) -> Option<TargetId> {
        self.known.get(target).copied()
    }

    /// What an expression may point into.
    pub fn points(&self, e: &Expr) -> Points {
        self.expressions.get(&address(e)).map_or(Points::default(), |(set, _)| self.sets[set.index()].clone())
    }

    /// What the pointer that a place holds may point into, where it is moved.
    pub fn held(&self, place: &Place) -> Points {
        let set = self.expressions.get(&(std::ptr::from_ref(place) as usize));
        set.map_or(Points::default(), |(set, _)| self.sets[set.index()].clone())
    }

    /// What a call allocates.
    pub fn site(&self, e: &Expr) -> Option<HeapId> {
        self.sites.get(&address(e)).map(|(heap, _)| *heap)
    }

    /// How many elements of a type are allocated at once, at most.
    pub fn elements(&self, heap: usize) -> u64 {
        let counts = self.sites.values().filter(|(id, _)| id.index() == heap);
        counts.map(|(_, count)| count.unwrap_or(MOST_ELEMENTS)).max().unwrap_or(1).max(1)
    }

    /// Whether some call allocates no element of a type, which gives an address that nothing may be read at.
    pub fn allocates_nothing(&self, heap: usize) -> bool {
        self.sites.values().any(|(id, count)| id.index() == heap && *count == Some(0))
    }

    /// Whether the program computes with pointers to a type.
    pub fn moves(&self, program: &Program, ty: &Type) -> bool {
        self.moved.iter().any(|moved| program.alike(moved, ty))
    }

    /// Whether a thread may begin with a function.
    pub fn is_start(&self, id: FunctionId) -> bool {
        self.starts.iter().any(|set| self.sets[set.index()].functions.contains(&id))
    }

    /// What the environment may point into.
    pub fn given(&self) -> &Points {
        &self.sets[self.world.index()]
    }

    fn holds(&self, set: SetId, owner: Owner) -> bool {
        self.sets[set.index()].targets.iter().any(|target| self.target(*target).owner == owner)
    }

    /// Whether another function than a variable's own has an expression that may point to the variable.
    pub fn is_named_elsewhere(&self, function: FunctionId, variable: VariableId) -> bool {
        let owner = Owner::Variable(function, variable);
        self.expressions.values().any(|(set, within)| *within != function && self.holds(*set, owner))
    }

    /// Whether pointers to a type may point to objects of the environment.
    pub fn is_foreign(&self, program: &Program, ty: &Type) -> bool {
        self.foreign.iter().any(|known| program.alike(known, ty))
    }

    /// Whether the environment gives pointers that may point to a type.
    pub fn is_asked_for(&self, program: &Program, ty: &Type) -> bool {
        self.asked.iter().any(|asked| *asked == Type::Void || program.alike(asked, ty))
    }

    /// The scalars and results that may hold a pointer to a part of an owner.
    pub fn holders(&self, owner: Owner) -> Vec<Holder> {
        let holds = |set: &SetId| self.holds(*set, owner);
        let contents =
            self.contents.iter().filter(|(_, set)| holds(set)).map(|((owner, _), _)| Holder::Owner(*owner));
        let results =
            self.results.iter().filter(|(_, set)| holds(set)).map(|((id, _), _)| Holder::Result(*id));
        let world = holds(&self.world).then_some(Holder::World);
        contents.chain(results).chain(world).collect()
    }

    fn set(&mut self) -> SetId {
        self.sets.push(Points::default());
        SetId(u32::try_from(self.sets.len() - 1).expect("a source text is shorter than 4 GiB"))
    }

    fn content(&mut self, owner: Owner, leaf: usize) -> SetId {
        if let Some(set) = self.contents.get(&(owner, leaf)) {
            return *set;
        }
        let set = self.set();
        self.contents.insert((owner, leaf), set);
        set
    }

    fn intern(&mut self, target: Target) -> TargetId {
        if let Some(id) = self.known.get(&target) {
            return *id;
        }
        let id = TargetId(u32::try_from(self.targets.len()).expect("a source text is shorter than 4 GiB"));
        self.targets.push(target.clone());
        self.known.insert(target, id);
        id
    }

    /// Finds the types of what pointers point to that may belong to the environment.
    fn find_foreign(&mut self, program: &Program, world: &World<'_>, rules: &[Rule]) {
        let mut found: Vec<Type> = Vec::new();
        for rule in rules {
            match rule {
                Rule::Given(ty, _) => found.push(ty.clone()),
                Rule::LoadForeign(pointer, ty, _) if self.sets[pointer.index()].foreign => {
                    found.push(ty.clone())
                }
                _ => {}
            }
        }
        for id in &self.given().functions {
            let Some(body) = &program.function(*id).body else { continue };
            for parameter in &body.variables[..body.parameters] {
                found.extend(pointers(program, &parameter.ty).into_iter().map(|(_, ty)| ty));
            }
        }
        self.asked = found.clone();
        found.retain(|ty| !(world.is_private)(ty));
        let typed = self.typed.iter().filter(|(_, set)| self.sets[set.index()].foreign);
        found.extend(typed.map(|(ty, _)| ty.clone()));
        found.retain(|ty| !matches!(ty, Type::Function(_)));
        for ty in found {
            if !self.foreign.contains(&ty) {
                self.foreign.push(ty);
            }
        }
    }

    /// Adds to a set; says whether that changed it.
    fn include(&mut self, set: SetId, points: &Points) -> bool {
        let own = &mut self.sets[set.index()];
        let before = (own.targets.len(), own.functions.len(), own.foreign);
        own.targets.extend(&points.targets);
        own.functions.extend(&points.functions);
        own.foreign |= points.foreign;
        before != (own.targets.len(), own.functions.len(), own.foreign)
    }

    /// The least sets that keep all rules.
    fn solve(&mut self, program: &Program, world: &World<'_>, rules: &[Rule]) {
        loop {
            let mut changed = world.exposed && self.expose(program, world);
            for rule in rules {
                changed |= match rule {
                    Rule::Copy(from, to) => {
                        let points = self.sets[from.index()].clone();
                        self.include(*to, &points)
                    }
                    Rule::Given(ty, to) => {
                        let points = self.fitting(program, world, ty);
                        self.include(*to, &points)
                    }
                    Rule::Load(pointer, further, to) => {
                        let mut changed = false;
                        for (owner, leaf) in self.scalars(*pointer) {
                            let content = self.content(owner, leaf + further);
                            let points = self.sets[content.index()].clone();
                            changed |= self.include(*to, &points);
                        }
                        changed
                    }
                    Rule::LoadForeign(pointer, ty, to) => {
                        let points = match self.sets[pointer.index()].foreign {
                            true => self.fitting(program, world, ty),
                            false => Points::default(),
                        };
                        self.include(*to, &points)
                    }
                    Rule::Store(from, pointer, further) => {
                        let points = self.sets[from.index()].clone();
                        let theirs = world.exposed && self.sets[pointer.index()].foreign;
                        let mut changed = theirs && self.include(self.world, &points);
                        for (owner, leaf) in self.scalars(*pointer) {
                            let content = self.content(owner, leaf + further);
                            changed |= self.include(content, &points);
                        }
                        changed
                    }
                    Rule::Part(pointer, further, ty, to) => {
                        let mut points = Points::default();
                        for (owner, leaf) in self.scalars(*pointer) {
                            let target = Target { owner, leaf: leaf + further, ty: ty.clone() };
                            points.targets.insert(self.intern(target));
                        }
                        points.foreign = self.sets[pointer.index()].foreign;
                        self.include(*to, &points)
                    }
                    Rule::Call(callee, ty, passed, results) => {
                        let Points { functions, foreign, .. } = self.sets[callee.index()].clone();
                        let mut changed = false;
                        let fits = |id: &FunctionId| ty.as_ref().is_none_or(|ty| has_type(program, *id, ty));
                        for id in functions.into_iter().filter(fits) {
                            changed |= self.called(program, id, passed, results);
                        }
                        if foreign {
                            for set in passed.iter().flatten().flatten() {
                                let points = self.sets[set.index()].clone();
                                changed |= self.include(self.world, &points);
                            }
                        }
                        changed
                    }
                    Rule::World => {
                        let functions = self.sets[self.world.index()].functions.clone();
                        let mut changed = false;
                        for id in functions {
                            changed |= self.called_by_environment(program, world, id);
                        }
                        changed |= self.looked_at(program, world);
                        changed
                    }
                    Rule::Enclosing(from, member, further, ty, to) => {
                        let old = self.sets[from.index()].clone();
                        let mut points = Points { foreign: old.foreign, ..Points::default() };
                        for id in old.targets {
                            if let Some(target) = self.encloses(program, id, member, *further, ty) {
                                points.targets.insert(self.intern(target));
                            }
                        }
                        self.include(*to, &points)
                    }
                    Rule::Cast(from, ty, to) => {
                        // What does not begin at the same place stays what it was.
                        let mut points = self.sets[from.index()].clone();
                        for id in points.targets.clone() {
                            points.targets.insert(self.cast(program, id, ty));
                        }
                        self.include(*to, &points)
                    }
                };
            }
            if !changed {
                return;
            }
        }
    }

    /// The environment reads and writes the objects that it has pointers to, and has pointers to all of their parts.
    fn expose(&mut self, program: &Program, world: &World<'_>) -> bool {
        let targets = self.sets[self.world.index()].targets.iter().map(|id| self.target(*id));
        let open = targets.filter(|target| !(world.is_private)(&target.ty));
        let owners: BTreeSet<Owner> =
            open.map(|target| target.owner).filter(|owner| !constant(program, *owner)).collect();
        let parts = self.targets().filter(|(_, target)| owners.contains(&target.owner));
        let parts = Points { targets: parts.map(|(id, _)| id).collect(), ..Points::default() };
        let mut changed = self.include(self.world, &parts);
        for owner in owners {
            let Some(ty) = self.type_of(program, owner) else { continue };
            for (leaf, ty) in pointers(program, &ty) {
                let content = self.content(owner, leaf);
                let (given, held) = (self.fitting(program, world, &ty), self.sets[content.index()].clone());
                changed |= self.include(content, &given);
                changed |= self.include(self.world, &held);
            }
        }
        changed
    }

    /// The type of one object of an owner.
    fn type_of(&self, program: &Program, owner: Owner) -> Option<Type> {
        match owner {
            Owner::Object(id) => Some(program.object(id).ty.clone()),
            Owner::Variable(function, variable) => {
                let body = program.function(function).body.as_ref()?;
                Some(body.variables[variable.index()].ty.clone())
            }
            Owner::Heap(heap) => Some(self.heaps[heap.index()].clone()),
        }
    }

    /// A function is called with arguments, and gives results.
    fn called(&mut self, program: &Program, id: FunctionId, passed: &[Sets], results: &Sets) -> bool {
        let mut changed = false;
        let Some(body) = &program.function(id).body else { return false };
        for (variable, sets) in (0..body.parameters).zip(passed) {
            let variable = VariableId(u32::try_from(variable).unwrap_or(u32::MAX));
            for (leaf, set) in sets.iter().enumerate() {
                let Some(set) = set else { continue };
                let content = self.content(Owner::Variable(id, variable), leaf);
                let points = self.sets[set.index()].clone();
                changed |= self.include(content, &points);
            }
        }
        for (leaf, set) in results.iter().enumerate() {
            let Some(set) = set else { continue };
            let result = self.result(id, leaf);
            let points = self.sets[result.index()].clone();
            changed |= self.include(*set, &points);
        }
        changed
    }

    /// The environment calls a function with what it has, and gets what the function gives.
    fn called_by_environment(&mut self, program: &Program, world: &World<'_>, id: FunctionId) -> bool {
        let function = program.function(id);
        let Some(body) = &function.body else { return false };
        let mut changed = false;
        for (variable, parameter) in (0..).map(VariableId).zip(&body.variables[..body.parameters]) {
            for (leaf, ty) in pointers(program, &parameter.ty) {
                let content = self.content(Owner::Variable(id, variable), leaf);
                let points = self.fitting(program, world, &ty);
                changed |= self.include(content, &points);
            }
        }
        for (leaf, _) in pointers(program, &function.ty.result) {
            let result = self.result(id, leaf);
            let points = self.sets[result.index()].clone();
            changed |= self.include(self.world, &points);
        }
        changed
    }

    /// The environment has the addresses of objects that it can name, and what it finds in constants that it may look into.
    fn looked_at(&mut self, program: &Program, world: &World<'_>) -> bool {
        let named = |target: &Target| matches!(target.owner, Owner::Object(id) if (world.names)(id));
        let targets = self.targets().filter(|(_, target)| named(target)).map(|(id, _)| id).collect();
        let mut found = Points { targets, ..Points::default() };
        for id in self.given().targets.clone() {
            let Target { owner: Owner::Object(object), ty, .. } = self.target(id).clone() else { continue };
            if program.object(object).constant && !(world.is_private)(&ty) {
                for (leaf, _) in pointers(program, &program.object(object).ty) {
                    let content = self.content(Owner::Object(object), leaf);
                    let points = &self.sets[content.index()];
                    found.targets.extend(&points.targets);
                    found.functions.extend(&points.functions);
                }
            }
        }
        self.include(self.world, &found)
    }

    fn result(&mut self, id: FunctionId, leaf: usize) -> SetId {
        if let Some(set) = self.results.get(&(id, leaf)) {
            return *set;
        }
        let set = self.set();
        self.results.insert((id, leaf), set);
        set
    }

    /// A target as one of another type that begins at the same place; itself if there is none.
    fn cast(&mut self, program: &Program, id: TargetId, ty: &Type) -> TargetId {
        match self.begins_with(program, id, ty) {
            Some(target) => self.intern(target),
            None => id,
        }
    }

    /// What a pointer to a target points to as a pointer to another type, if parts of that type begin at the same place.
    pub fn begins_with(&self, program: &Program, id: TargetId, ty: &Type) -> Option<Target> {
        let Target { owner, leaf, ty: own } = self.target(id).clone();
        let whole = Storage { ty: self.type_of(program, owner)?, objects: None };
        // Characters are those of the whole object, so the first member does not stand for them.
        let all = |ty: &Type| {
            let part = Storage { ty: own.clone(), objects: None }.shape(program, 0, ty);
            let sizes = [program.size(ty), program.size(&own)].map(|size| size.map(|(bytes, _)| bytes));
            matches!((part, sizes), (Some(part), [Some(each), Some(bytes)]) if part.inner * each == bytes)
        };
        let characters = matches!(ty, Type::Integer(integer) if integer.rank == Rank::Char);
        let begins = !program.alike(&own, ty) && whole.shape(program, leaf, ty).is_some();
        (begins && (!characters || all(ty))).then(|| Target { owner, leaf, ty: ty.clone() })
    }

    /// The structures of a type whose member, a number of scalars behind their beginning, a target is.
    pub fn encloses(
        &self,
        program: &Program,
        id: TargetId,
        member: &Type,
        further: usize,
        ty: &Type,
    ) -> Option<Target> {
        let Target { owner, leaf, ty: own } = self.target(id).clone();
        let leaf = leaf.checked_sub(further).filter(|_| program.alike(&own, member))?;
        let whole = Storage { ty: self.type_of(program, owner)?, objects: None };
        whole.shape(program, leaf, ty).map(|_| Target { owner, leaf, ty: ty.clone() })
    }

    fn scalars(&self, pointer: SetId) -> Vec<(Owner, usize)> {
        let targets = self.sets[pointer.index()].targets.iter().map(|id| self.target(*id));
        targets.map(|target| (target.owner, target.leaf)).collect()
    }

    /// What the environment may give where a pointer to a type is asked for.
    pub fn fitting(&self, program: &Program, world: &World<'_>, ty: &Type) -> Points {
        let fits = |target: &Target| *ty == Type::Void || program.alike(&target.ty, ty);
        let given = &self.sets[self.world.index()];
        if let Type::Function(_) = ty {
            let fitting = given.functions.iter().copied().filter(|id| has_type(program, *id, ty));
            return Points { functions: fitting.collect(), foreign: true, ..Points::default() };
        }
        let targets = given.targets.iter().copied().filter(|id| fits(self.target(*id))).collect();
        Points { targets, foreign: !(world.is_private)(ty), ..Points::default() }
    }
}

/// What may hold a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holder {
    /// A scalar of an owner.
    Owner(Owner),
    /// The result of a function.
    Result(FunctionId),
    /// The environment.
    World,
}

/// The call behind conversions.
fn allocation(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(inner) => allocation(inner),
        _ => e,
    }
}

fn is_allocation(e: &Expr) -> bool {
    matches!(allocation(e).kind, ExprKind::Library(Known::Allocate(_), ..))
}

/// A pointer to a member that becomes one to the structure around it.
pub struct Enclosing<'e> {
    /// The pointer to the member.
    pub pointer: &'e Expr,
    /// The type of the member.
    pub member: Type,
    /// How many scalars of the structure come before it.
    pub further: usize,
    /// The type of the structure.
    pub ty: Type,
}

/// Whether an expression is `(struct s *)((char *)p - offsetof(struct s, m))`, where `p` is a pointer to what `m` is.
pub fn enclosing<'e>(program: &Program, e: &'e Expr) -> Option<Enclosing<'e>> {
    let character =
        |e: &Expr| matches!(e.ty.pointed_data(), Some(Type::Integer(ty)) if ty.rank == Rank::Char);
    let ty = e.ty.pointed_data().filter(|ty| matches!(ty, Type::Struct(_)))?;
    let ExprKind::Convert(inner) = &e.kind else { return None };
    let ExprKind::Offset(moved, by, true) = &unconverted(inner).kind else { return None };
    let ExprKind::Number(bytes) = &unconverted(by).kind else { return None };
    let pointer = unconverted(moved);
    let member = pointer.ty.pointed_data().filter(|to| character(moved) && **to != Type::Void)?;
    let further = program.scalars_before(ty, bytes.to_u64()?, member)?;
    Some(Enclosing { pointer, member: member.clone(), further, ty: ty.clone() })
}

fn unconverted(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(inner) => unconverted(inner),
        _ => e,
    }
}

/// Whether nobody may change an object.
fn constant(program: &Program, owner: Owner) -> bool {
    matches!(owner, Owner::Object(id) if program.object(id).constant)
}

fn address(e: &Expr) -> usize {
    std::ptr::from_ref(e) as usize
}

/// The sets of the scalars of a value; nothing for those that are no pointers.
type Sets = Vec<Option<SetId>>;

/// The scalars of a place: those of an owner, or of what a pointer points to.
enum Scalars {
    Of(Owner, usize),
    Behind(SetId, usize),
}

struct Builder<'a> {
    program: &'a Program,
    world: &'a World<'a>,
    analysis: Analysis,
    rules: Vec<Rule>,
    function: FunctionId,
}

impl Builder<'_> {
    fn program(&mut self) {
        for (id, object) in self.program.objects() {
            self.items(Owner::Object(id), &object.initial);
            if self.world.compared && (self.world.names)(id) {
                let leaves = self.program.leaves(&object.ty).into_iter().map(|leaf| leaf.ty).enumerate();
                for (leaf, ty) in leaves.chain([(0, object.ty.clone())]) {
                    self.analysis.intern(Target { owner: Owner::Object(id), leaf, ty });
                }
            }
            for (leaf, ty) in self.pointers(&object.ty) {
                if (self.world.names)(id) {
                    let content = self.analysis.content(Owner::Object(id), leaf);
                    self.rules.push(Rule::Copy(content, self.analysis.world));
                    self.rules.extend((self.world.shares)(id).then_some(Rule::Given(ty, content)));
                }
            }
        }
        self.rules.push(Rule::World);
        for (id, function) in self.program.functions() {
            let Some(body) = &function.body else { continue };
            self.function = id;
            body.statements.iter().for_each(|statement| self.statement(statement));
        }
    }

    fn pointers(&self, ty: &Type) -> Vec<(usize, Type)> {
        pointers(self.program, ty)
    }

    fn items(&mut self, owner: Owner, items: &[Item]) {
        for item in items {
            let sets = self.value(&item.value);
            self.assign(&Scalars::Of(owner, item.leaf), &sets);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Expr(e) => _ = self.value(e),
            StmtKind::Declare(id, items) => {
                self.items(Owner::Variable(self.function, *id), items.as_deref().unwrap_or_default());
            }
            StmtKind::Block(statements) => statements.iter().for_each(|statement| self.statement(statement)),
            StmtKind::If(condition, yes, no) => {
                self.value(condition);
                self.statement(yes);
                no.iter().for_each(|no| self.statement(no));
            }
            StmtKind::While(condition, body, step) => {
                condition.iter().chain(step).for_each(|e| _ = self.value(e));
                self.statement(body);
            }
            StmtKind::Do(body, condition) => {
                self.statement(body);
                self.value(condition);
            }
            StmtKind::Switch(value, _, _, body) => {
                self.value(value);
                self.statement(body);
            }
            StmtKind::Return(Some(value)) => {
                let sets = self.value(value);
                for (leaf, set) in sets.into_iter().enumerate() {
                    if let Some(set) = set {
                        let result = self.analysis.result(self.function, leaf);
                        self.rules.push(Rule::Copy(set, result));
                    }
                }
            }
            StmtKind::Return(None)
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue => {}
        }
    }

    fn nothing(&self, e: &Expr) -> Sets {
        vec![None; if e.ty.is_scalar() { 1 } else { self.program.leaf_count(&e.ty) }]
    }

    /// The sets of an expression's scalars.
    fn value(&mut self, e: &Expr) -> Sets {
        let sets = self.found(e);
        if let (Type::Pointer(_), Some(Some(set))) = (&e.ty, sets.first()) {
            self.analysis.expressions.insert(address(e), (*set, self.function));
            self.analysis.typed.extend(e.ty.pointed_data().map(|to| (to.clone(), *set)));
        }
        sets
    }

    fn found(&mut self, e: &Expr) -> Sets {
        match &e.kind {
            ExprKind::Number(_) => self.nothing(e),
            ExprKind::Function(id) => {
                let set = self.analysis.set();
                self.analysis.sets[set.index()].functions.insert(*id);
                vec![Some(set)]
            }
            ExprKind::Address(place) => {
                let set = self.analysis.set();
                match self.place(place) {
                    Scalars::Of(owner, leaf) => {
                        let id = self.analysis.intern(Target { owner, leaf, ty: place.ty.clone() });
                        self.analysis.sets[set.index()].targets.insert(id);
                    }
                    Scalars::Behind(pointer, further) => {
                        self.rules.push(Rule::Part(pointer, further, place.ty.clone(), set));
                    }
                }
                vec![Some(set)]
            }
            ExprKind::Offset(pointer, by, _) => {
                self.moved(&e.ty);
                self.value(by);
                self.value(pointer)
            }
            ExprKind::Load(place) => self.load(place),
            ExprKind::Unary(_, a) => {
                self.value(a);
                self.nothing(e)
            }
            ExprKind::Convert(a) if e.ty.pointed_data().is_some() && is_allocation(a) => {
                self.value(a);
                self.allocated(e, a)
            }
            ExprKind::Convert(a) if enclosing(self.program, e).is_some() => {
                self.value(a);
                let Some(Enclosing { pointer, member, further, ty }) = enclosing(self.program, e) else {
                    return self.nothing(e);
                };
                let set = self.analysis.set();
                if let Some((from, _)) = self.analysis.expressions.get(&address(pointer)).copied() {
                    self.rules.push(Rule::Enclosing(from, member, further, ty, set));
                }
                vec![Some(set)]
            }
            ExprKind::Convert(a) => {
                let sets = self.value(a);
                match (e.ty.pointed_data(), sets.first().copied().flatten()) {
                    (None, _) if matches!(e.ty, Type::Pointer(_)) => sets,
                    (None, _) => self.nothing(e),
                    (Some(Type::Void), _) | (_, None) => sets,
                    (Some(to), Some(from)) => {
                        let set = self.analysis.set();
                        self.rules.push(Rule::Cast(from, to.clone(), set));
                        vec![Some(set)]
                    }
                }
            }
            ExprKind::Binary(_, a, b) | ExprKind::Logical(_, a, b) | ExprKind::Difference(a, b) => {
                self.value(a);
                self.value(b);
                self.nothing(e)
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.value(condition);
                let (yes, no) = (self.value(yes), self.value(no));
                yes.into_iter().zip(no).map(|(yes, no)| self.joined(yes, no)).collect()
            }
            ExprKind::Comma(first, rest) => {
                self.value(first);
                self.value(rest)
            }
            ExprKind::Assign(place, value) => {
                let sets = self.value(value);
                let scalars = self.place(place);
                self.assign(&scalars, &sets);
                sets
            }
            ExprKind::Update(update) => {
                self.moved(&update.place.ty);
                self.value(&update.operand);
                let sets = self.load(&update.place);
                if let Some(Some(set)) = sets.first() {
                    let address = std::ptr::from_ref(&update.place) as usize;
                    self.analysis.expressions.insert(address, (*set, self.function));
                }
                sets
            }
            ExprKind::Call(callee, arguments) => self.call(e, callee, arguments),
            ExprKind::Compound(id, items) => {
                let owner = Owner::Variable(self.function, *id);
                self.items(owner, items);
                self.loaded(&Scalars::Of(owner, 0), &e.ty)
            }
            ExprKind::Library(Known::Elements, _, arguments) => {
                self.library(e, Known::Elements, arguments);
                self.allocated(e, e)
            }
            ExprKind::Library(known, _, arguments) => self.library(e, *known, arguments),
        }
    }

    /// Pointers of a type are moved.
    fn moved(&mut self, ty: &Type) {
        if let Some(to) = ty.pointed_data().filter(|to| !self.analysis.moved.contains(to)) {
            self.analysis.moved.push(to.clone());
        }
    }

    /// Memory is allocated, and the pointer to it gets a type.
    fn allocated(&mut self, e: &Expr, call: &Expr) -> Sets {
        let Some(ty) = e.ty.pointed_data().filter(|ty| **ty != Type::Void) else { return self.value(call) };
        let known = self.analysis.heaps.iter().position(|known| self.program.alike(known, ty));
        let n = known.unwrap_or_else(|| {
            self.analysis.heaps.push(ty.clone());
            self.analysis.heaps.len() - 1
        });
        let heap = HeapId(u32::try_from(n).expect("a source text is shorter than 4 GiB"));
        let call = allocation(call);
        self.analysis.sites.insert(address(call), (heap, crate::library::allocated(self.program, call, ty)));
        let set = self.analysis.set();
        let id = self.analysis.intern(Target { owner: Owner::Heap(heap), leaf: 0, ty: ty.clone() });
        self.analysis.sets[set.index()].targets.insert(id);
        vec![Some(set)]
    }

    fn joined(&mut self, a: Option<SetId>, b: Option<SetId>) -> Option<SetId> {
        if a.is_none() && b.is_none() {
            return None;
        }
        let set = self.analysis.set();
        self.rules.extend(a.into_iter().chain(b).map(|from| Rule::Copy(from, set)));
        Some(set)
    }

    fn place(&mut self, place: &Place) -> Scalars {
        match &place.kind {
            PlaceKind::Object(id) => Scalars::Of(Owner::Object(*id), 0),
            PlaceKind::Variable(id) => Scalars::Of(Owner::Variable(self.function, *id), 0),
            PlaceKind::Member(inner, member) => {
                let before = match &inner.ty {
                    Type::Struct(id) => self.program.leaves_before(*id, *member),
                    _ => 0,
                };
                match self.place(inner) {
                    Scalars::Of(owner, leaf) => Scalars::Of(owner, leaf + before),
                    Scalars::Behind(set, further) => Scalars::Behind(set, further + before),
                }
            }
            PlaceKind::Element(inner, index) => {
                self.value(index);
                self.place(inner)
            }
            PlaceKind::Target(pointer) => match self.value(pointer).first() {
                Some(Some(set)) => Scalars::Behind(*set, 0),
                _ => Scalars::Behind(self.analysis.set(), 0),
            },
        }
    }

    fn load(&mut self, place: &Place) -> Sets {
        let scalars = self.place(place);
        self.loaded(&scalars, &place.ty)
    }

    fn loaded(&mut self, scalars: &Scalars, ty: &Type) -> Sets {
        let mut sets = vec![None; if ty.is_scalar() { 1 } else { self.program.leaf_count(ty) }];
        for (n, to) in self.pointers(ty) {
            sets[n] = Some(match scalars {
                Scalars::Of(owner, leaf) => self.analysis.content(*owner, leaf + n),
                Scalars::Behind(pointer, further) => {
                    let set = self.analysis.set();
                    self.rules.push(Rule::Load(*pointer, further + n, set));
                    if self.world.exposed {
                        self.rules.push(Rule::LoadForeign(*pointer, to, set));
                    }
                    set
                }
            });
        }
        sets
    }

    fn assign(&mut self, scalars: &Scalars, sets: &Sets) {
        for (n, set) in sets.iter().enumerate() {
            let Some(set) = set else { continue };
            match scalars {
                Scalars::Of(owner, leaf) => {
                    let content = self.analysis.content(*owner, leaf + n);
                    self.rules.push(Rule::Copy(*set, content));
                }
                Scalars::Behind(pointer, further) => {
                    self.rules.push(Rule::Store(*set, *pointer, further + n));
                }
            }
        }
    }

    fn call(&mut self, e: &Expr, callee: &Callee, arguments: &[Expr]) -> Sets {
        let (pointer, ty) = match callee {
            Callee::Function(_) => (None, None),
            Callee::Pointer(pointer) => {
                let set = self.value(pointer).first().copied().flatten();
                (set, pointer.ty.pointed_function().map(|ty| Type::Function(ty.clone())))
            }
        };
        let passed: Vec<Sets> = arguments.iter().map(|argument| self.value(argument)).collect();
        let mut results: Sets = self.nothing(e);
        for (leaf, _) in self.pointers(&e.ty) {
            results[leaf] = Some(self.analysis.set());
        }
        let outside = match callee {
            Callee::Function(id) => self.program.function(*id).body.is_none(),
            Callee::Pointer(_) => true,
        };
        if outside {
            for (leaf, ty) in self.pointers(&e.ty) {
                self.rules.extend(results[leaf].map(|set| Rule::Given(ty, set)));
            }
        }
        match callee {
            Callee::Function(_) if outside => {
                for set in passed.iter().flatten().flatten() {
                    self.rules.push(Rule::Copy(*set, self.analysis.world));
                }
            }
            Callee::Function(id) => {
                let set = self.analysis.set();
                self.analysis.sets[set.index()].functions.insert(*id);
                self.rules.push(Rule::Call(set, None, passed, results.clone()));
            }
            Callee::Pointer(_) => {
                let set = pointer.unwrap_or_else(|| self.analysis.set());
                self.rules.push(Rule::Call(set, ty, passed, results.clone()));
            }
        }
        results
    }

    fn library(&mut self, e: &Expr, known: Known, arguments: &[Argument]) -> Sets {
        let mut places = Vec::new();
        let mut first = None;
        let mut values = Vec::new();
        for (n, argument) in arguments.iter().enumerate() {
            match argument {
                Argument::Value(value) => {
                    let sets = self.value(value);
                    values.push(sets.clone());
                    if n == 0 {
                        first = sets.first().copied().flatten();
                    }
                }
                Argument::Object(place) => places.push((self.place(place), place.ty.clone())),
            }
        }
        if let (Known::Copy, [(to, _), (from, ty)]) = (known, &places[..]) {
            let sets = self.loaded(from, ty);
            self.assign(to, &sets);
        }
        match (known, &values[..], &places[..]) {
            (Known::BeginThread, [start, argument], _) => {
                let given = vec![Some(self.analysis.given_by_threads)];
                if let Some(start) = start.first().copied().flatten() {
                    self.analysis.starts.push(start);
                    self.rules.push(Rule::Call(start, None, vec![argument.clone()], given));
                }
            }
            (Known::JoinThread, _, [(to, _)]) => self.assign(to, &vec![Some(self.analysis.given_by_threads)]),
            (Known::EndThread, [value], _) => {
                let given = value.first().copied().flatten();
                self.rules.extend(given.map(|set| Rule::Copy(set, self.analysis.given_by_threads)));
            }
            _ => {}
        }
        let mut results = self.nothing(e);
        if e.ty.pointed_data().is_some() {
            results[0] = first.or_else(|| Some(self.analysis.set()));
        }
        results
    }
}

/// Whether a function has a type.
fn has_type(program: &Program, id: FunctionId, ty: &Type) -> bool {
    let own = &program.function(id).ty;
    let Type::Function(ty) = ty else { return false };
    let parameters = !ty.prototype
        || (own.parameters.len() == ty.parameters.len()
            && own.parameters.iter().zip(&ty.parameters).all(|(a, b)| same(program, a, b)));
    parameters && same(program, &own.result, &ty.result)
}

/// Whether two types are the same, and what their pointers point to is.
fn same(program: &Program, a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Pointer(a), Type::Pointer(b)) => same(program, a, b),
        (Type::Function(_), Type::Function(_)) => a == b,
        _ => program.alike(a, b),
    }
}

/// The scalars of a type that are pointers, and what they point to.
fn pointers(program: &Program, ty: &Type) -> Vec<(usize, Type)> {
    let pointed = |ty: &Type| match ty {
        Type::Pointer(to) => Some((**to).clone()),
        _ => None,
    };
    if ty.is_scalar() {
        return pointed(ty).map(|to| (0, to)).into_iter().collect();
    }
    let leaves = program.leaves(ty).into_iter().enumerate();
    leaves.filter_map(|(n, leaf)| Some((n, pointed(&leaf.ty)?))).collect()
}

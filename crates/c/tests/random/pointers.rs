//! The file level of a random program with pointers: what pointers point to, and functions that take, keep and give them.
//!
//! Whether a program is right is not known here: the sanitizers say it. A pointer is moved out of its object only where it is
//! followed at once, and only pointers to whole objects are moved, since the sanitizers see nothing else.

use super::types::TYPES;
use super::{Program, Scope, Shape, Variable};

/// What a pointer points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum To {
    /// A number.
    Number,
    /// The first of at least three numbers.
    Cells,
    /// A structure with pointers in it.
    Node,
    /// A pointer to a number.
    Pointer,
    /// A row of a table.
    Row,
}

/// A pointer that statements use.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub name: String,
    pub to: To,
    /// What it points to is not assigned to.
    pub reads: bool,
    /// How many locals of the scope are older than it is.
    pub since: usize,
}

impl Program {
    /// The program of a seed, with pointers.
    pub fn pointed(seed: u64) -> Program {
        let mut program = Program::empty(seed);
        (program.pointed, program.small) = (true, false);
        program.same = program.random.one_in(2);
        program.pointed_file();
        program.script = super::Script::random(&mut program.random, program.exports.len() - 1, 10);
        program
    }

    /// The whole file. It has little that has nothing to do with pointers.
    fn pointed_file(&mut self) {
        self.types();
        let signature = self.signature("ask0", 2);
        self.line(format!("extern {};", signature.declaration()));
        self.imports.push(signature);
        for _ in 0..1 + self.random.below(2) {
            let object = self.data("static ", true);
            self.globals.push(object);
        }
        self.pointed_data();
        self.pure_function(0);
        self.pointed_functions();
        for n in 0..2 {
            let signature = self.signature(&format!("run{n}"), 3);
            self.exported(signature);
        }
        self.dump();
    }

    /// Types and objects that pointers point to, and pointers with static storage.
    pub(super) fn pointed_data(&mut self) {
        let (t, number) = (self.tag, TYPES[1 + self.random.below(11)].name);
        let cell = if self.same { number } else { TYPES[1 + self.random.below(11)].name };
        self.line(format!("typedef {number} num_{t};"));
        self.line(format!("typedef {cell} cell_{t};"));
        self.open(format!("struct node_{t} {{"));
        let mut members = ["num_T v;", "struct node_T *next;", "cell_T a[3];", "num_T *p;"]
            .map(|text| text.replace("_T", &format!("_{t}")));
        let (a, b) = (self.random.below(4), self.random.below(4));
        members.swap(a, b);
        members.iter().for_each(|member| self.line(member));
        self.close("};");
        for text in [
            "void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void free(void *);",
            "void *realloc(void *, unsigned long); void *memcpy(void *, const void *, unsigned long);",
            "void *memmove(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);",
            "int memcmp(const void *, const void *, unsigned long); char *strcpy(char *, const char *);",
            "char *strncpy(char *, const char *, unsigned long); unsigned long strlen(const char *);",
            "int strcmp(const char *, const char *); char *strchr(const char *, int);",
            "char *strstr(const char *, const char *); char *stpcpy(char *, const char *); void bzero(void *, unsigned long);",
            "unsigned long strspn(const char *, const char *); unsigned long strcspn(const char *, const char *);",
            "char *strpbrk(const char *, const char *); int bcmp(const void *, const void *, unsigned long);",
        ] {
            self.line(text);
        }
        for text in [
            "static num_T x0_T = 3, x1_T;",
            "static cell_T a0_T[4] = { 1, 2, 3 }, a1_T[5] = { [4] = 7 };",
            "static cell_T grid_T[2][3] = { { 1 }, { 2, 3 } };",
            "static struct node_T n0_T = { .v = 5 }, ns_T[3];",
            "static num_T *pn_T = &x0_T, *pns_T[3] = { &x1_T, 0, &n0_T.v };",
            "static cell_T *pc_T = a0_T, *own_T;",
            "static struct node_T *pd_T = &ns_T[1], *head_T;",
            "static num_T **pp_T = &pns_T[0];",
            "static cell_T (*pr_T)[3] = grid_T;",
            "static const char *const words_T[4] = { \"abc\", \"\", \"x\", \"ab\" };",
            "static char buf_T[6] = \"hey\";",
            "static int count_T;",
            "struct lead_T { num_T first; cell_T rest[2]; };",
            "static struct lead_T lead_T[2] = { { 4, { 1 } }, { 6 } };",
            "static struct lead_T made_T(num_T n) { struct lead_T l = { n, { 2, 3 } }; return l; }",
        ] {
            self.line(self.tagged(text));
        }
        let scalar = || Box::new(Shape::Scalar);
        let node = Shape::Struct(vec![("v".into(), Shape::Scalar), ("a".into(), Shape::Array(3, scalar()))]);
        let lead =
            Shape::Struct(vec![("first".into(), Shape::Scalar), ("rest".into(), Shape::Array(2, scalar()))]);
        let shapes = [
            ("x0", Shape::Scalar),
            ("x1", Shape::Scalar),
            ("a0", Shape::Array(4, scalar())),
            ("a1", Shape::Array(5, scalar())),
            ("grid", Shape::Array(2, Box::new(Shape::Array(3, scalar())))),
            ("n0", node.clone()),
            ("ns", Shape::Array(3, Box::new(node))),
            ("buf", Shape::Array(6, scalar())),
            ("lead", Shape::Array(2, Box::new(lead))),
        ];
        for (name, shape) in shapes {
            let name = self.named(name);
            self.globals.push(Variable { name, shape, fixed: false });
        }
    }

    /// A text in which `_T` stands for the number of the program.
    pub(super) fn tagged(&self, text: &str) -> String {
        text.replace("_T", &format!("_{}", self.tag))
    }

    /// The pointers with static storage.
    pub(super) fn slots(&self) -> Vec<Pointer> {
        let all = [
            ("pn", To::Number),
            ("pns", To::Number),
            ("pc", To::Cells),
            ("own", To::Cells),
            ("pd", To::Node),
            ("head", To::Node),
            ("pp", To::Pointer),
            ("pr", To::Row),
        ];
        let slot = |(name, to)| Pointer { name: self.named(name), to, reads: false, since: 0 };
        all.into_iter().map(slot).collect()
    }

    /// Functions that take and give pointers.
    pub(super) fn pointed_functions(&mut self) {
        let constant = if self.random.one_in(2) { "const " } else { "" };
        for text in [
            "static void set_T(num_T *p, num_T v) { *p = v; }".into(),
            format!("static num_T get_T({constant}num_T *p) {{ return *p; }}"),
            "static void swap_T(num_T *p, num_T *q) { num_T v = *p; *p = *q; *q = v; }".into(),
            "static num_T *same_T(num_T *p) { return p; }".into(),
            "static num_T opaque_T(void *p, int n) { num_T *q = p; return *q + n; }".into(),
            "static void keep_T(num_T *p) { pn_T = p; }".into(),
            "static num_T *pick_T(int n) { return n == 0 ? &x0_T : n == 1 ? &ns_T[2].v : n == 2 ? pn_T : 0; }"
                .into(),
            "static void point_T(num_T **p, int n) { *p = pick_T(n); }".into(),
            "static struct node_T *find_T(struct node_T *p, num_T v) { int w = 6; while (p && p->v != v && w-- > 0) p = p->next; return p; }"
                .into(),
            "static num_T walk_T(struct node_T *p, int n) { if (!p || n <= 0) return 0; num_T r = walk_T(p->next, n - 1); return r + p->v; }"
                .into(),
            "static num_T deep_T(int n, num_T *p) { num_T own = n; if (p) *p += own; if (n > 0 && n < 4) deep_T(n - 1, n & 1 ? &own : p); return own; }"
                .into(),
            "static void turn_T(int n, num_T **p) { num_T own = n; num_T *q = &own; if (n > 0 && n < 3) turn_T(n - 1, &q); if (p && *p) **p += *q; }"
                .into(),
            "static struct node_T copy_T(const struct node_T *p) { return *p; }".into(),
            "static long length_T(const char *s) { const char *e = s; while (*e) e++; return e - s; }".into(),
        ] {
            self.line(self.tagged(&text));
        }
        for n in 0..1 + self.random.below(3) {
            let name = self.named(&format!("by{n}"));
            let mut texts = Vec::new();
            let mut pointers = Vec::new();
            for m in 0..1 + self.random.below(3) {
                let to = [To::Number, To::Cells, To::Node, To::Pointer, To::Row][self.random.below(5)];
                let name = format!("r{m}");
                texts.push(self.declared(to, &name, false));
                pointers.push(Pointer { name, to, reads: false, since: 0 });
            }
            self.open(format!("static num_{} {name}({}) {{", self.tag, texts.join(", ")));
            let parameters = pointers.iter().map(|pointer| pointer.to).collect();
            let scope = Scope { pointers, result: Some(Some(TYPES[6])), ..Scope::default() };
            self.body(scope, 2);
            self.close("}");
            self.by_pointer.push((name, parameters));
        }
    }

    /// The declaration of a pointer.
    pub(super) fn declared(&self, to: To, name: &str, reads: bool) -> String {
        let text = match to {
            To::Number => format!("num_T *{name}"),
            To::Cells => format!("cell_T *{name}"),
            To::Node => format!("struct node_T *{name}"),
            To::Pointer => format!("num_T **{name}"),
            To::Row => format!("cell_T (*{name})[3]"),
        };
        let constant = if reads { "const " } else { "" };
        self.tagged(&format!("{constant}{text}"))
    }

    /// The checksum of what pointers lead to.
    pub(super) fn pointed_sum(&mut self) {
        for text in [
            "h = h * 31 + (pn_T == &x0_T) + 2 * !pn_T + 4 * (pd_T == &n0_T) + 8 * !pd_T + 16 * !own_T;",
            "h = h * 31 + (pc_T == a0_T) + 2 * (pr_T == &grid_T[1]) + 4 * (pp_T == &pn_T) + (unsigned)count_T;",
            "int w = 6;",
            "for (struct node_T *q = head_T; q && w-- > 0; q = q->next) h = h * 31 + (unsigned long long)q->v;",
        ] {
            self.line(self.tagged(text));
        }
    }
}

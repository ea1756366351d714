//! Random statements that use pointers, each on one line.

use super::pointers::{Pointer, To};
use super::{Program, Scope, Shape, Variable};

impl Program {
    fn one_of(&mut self, mut texts: Vec<String>) -> String {
        texts.swap_remove(self.random.below(texts.len()))
    }

    /// Whether something is done that may be wrong: in half of the programs it is seldom, in the others it is not.
    fn dares(&mut self, n: usize) -> bool {
        self.random.one_in(if self.tag.is_multiple_of(2) { 8 * n } else { n })
    }

    /// Declares something that pointers point to, or a pointer.
    pub(super) fn pointed_local(&mut self, scope: &mut Scope) {
        let t = self.tag;
        let scalar = || Box::new(Shape::Scalar);
        match self.random.below(7) {
            0 => {
                let (name, value) = (self.fresh("v"), self.expression(scope, 1));
                self.line(format!("num_{t} {name} = {value};"));
                scope.variables.push(Variable { name: name.clone(), shape: Shape::Scalar, fixed: false });
                scope.owned.push((name, To::Number));
            }
            1 => {
                let (name, value) = (self.fresh("v"), self.constant());
                let set = !self.dares(6);
                self.partial |= !set;
                let text = if set { format!(" = {{ {value}, 5 }}") } else { String::new() };
                self.line(format!("cell_{t} {name}[4]{text};"));
                let shape = Shape::Array(4, scalar());
                scope.variables.push(Variable { name: name.clone(), shape, fixed: false });
                scope.owned.push((name, To::Cells));
            }
            2 => {
                let (name, value) = (self.fresh("v"), self.constant());
                self.line(format!("struct node_{t} {name} = {{ .v = {value} }};"));
                scope.owned.push((name, To::Node));
            }
            n => {
                let to =
                    [To::Number, To::Number, To::Cells, To::Node, To::Pointer, To::Row][self.random.below(6)];
                let reads = n == 3 && to != To::Pointer && to != To::Row;
                let name = self.fresh("q");
                let value = self.pointer(scope, to, scope.owned.len());
                let declared = self.declared(to, &name, reads);
                self.line(format!("{declared} = {value};"));
                let since = scope.owned.len();
                scope.pointers.push(Pointer { name, to, reads, since });
            }
        }
    }

    /// A pointer in a variable, with its name.
    fn variable_to(&mut self, scope: &Scope, to: To, writes: bool) -> Pointer {
        let mut all = self.slots();
        all.extend(scope.pointers.iter().cloned());
        all.retain(|pointer| pointer.to == to && !(writes && pointer.reads));
        let mut chosen = all.swap_remove(self.random.below(all.len()));
        if chosen.name == self.named("pns") {
            chosen.name = format!("{}[{}]", chosen.name, self.random.below(3));
        }
        chosen
    }

    /// A pointer that may be written through, to locals among the oldest ones.
    fn pointer(&mut self, scope: &Scope, to: To, oldest: usize) -> String {
        let n = self.random.below(3);
        let from = self.variable_to(scope, to, true).name;
        let mut texts = vec![from.clone()];
        let owned = scope.owned[..oldest].iter().filter(|(_, own)| *own == to);
        let locals: Vec<String> = owned.map(|(name, _)| name.clone()).collect();
        let own = |name: &String| if to == To::Cells { name.clone() } else { format!("&{name}") };
        texts.extend(locals.iter().map(own));
        let more: &[&str] = match to {
            To::Number => &[
                "&x0_T",
                "&x1_T",
                "&n0_T.v",
                "&ns_T[N].v",
                "same_T(P)",
                "(num_T *)(void *)P",
                "pick_T(N)",
                "(head_T ? head_T->p : &x0_T)",
                "(num_T *)&lead_T[1]",
                "pns_T[N]",
            ],
            To::Cells => &["a0_T", "a1_T", "&a0_T[0]", "(cell_T *)(void *)P", "a1_T + 1", "&a1_T[2]"],
            To::Node => {
                &["&n0_T", "&ns_T[N]", "ns_T", "ns_T + N", "head_T", "(P ? P->next : 0)", "find_T(P, N)"]
            }
            To::Pointer => &["&pn_T", "&pns_T[N]", "&n0_T.p", "&ns_T[N].p", "pns_T"],
            To::Row => &["grid_T", "grid_T + 1", "&grid_T[1]", "&grid_T[0]"],
        };
        let known = |text: &&&str| !self.by_pointer.is_empty() || !text.contains("_T(");
        texts.extend(more.iter().filter(known).map(|text| (*text).into()));
        if to == To::Number && self.same {
            texts.push("&a0_T[N]".into());
        }
        if self.dares(8) {
            texts = vec!["0".into()];
        }
        let text = self.one_of(texts);
        self.tagged(&text.replace('P', &from).replace('N', &n.to_string()))
    }

    /// A line that is done only if a pointer is not null, almost always.
    fn guarded(&mut self, pointer: &str, text: String) {
        match self.dares(4) {
            true => self.line(text),
            false => self.line(format!("if ({pointer}) {text}")),
        }
    }

    /// The beginning of an assignment.
    fn to(&mut self, scope: &Scope) -> String {
        self.place(scope, 0).map_or(String::new(), |(place, _)| format!("{place} = "))
    }

    /// A statement that uses pointers.
    pub(super) fn alias(&mut self, scope: &Scope) {
        match self.random.below(22) {
            0..4 => self.number_alias(scope),
            4..7 => self.cells_alias(scope),
            7..10 => self.node_alias(scope),
            10 | 11 => self.list(scope),
            12 => self.heap(scope),
            13 => self.twice(scope),
            14 => self.row(scope),
            15 => self.aim(scope),
            16 => self.lend(scope),
            17 => self.pass(scope),
            18 => self.word(scope),
            19 | 20 => self.library(scope),
            _ => self.compare(scope),
        }
    }

    fn number_alias(&mut self, scope: &Scope) {
        let writes = self.random.one_in(2);
        let p = self.variable_to(scope, To::Number, writes).name;
        let value = self.expression(scope, 1);
        if writes {
            let text = match self.random.below(5) {
                0 => format!("(*{p})++;"),
                1 => format!("--*{p};"),
                2 => format!("*{p} ^= {value};"),
                3 => format!("{p}[0] += {value};"),
                _ => format!("*{p} = {value};"),
            };
            return self.guarded(&p, text);
        }
        let to = self.to(scope);
        self.guarded(&p, format!("{to}*{p} + ({value});"));
    }

    /// An index into three numbers, which is seldom too large.
    fn position(&mut self, scope: &Scope) -> String {
        match self.random.below(30) {
            _ if self.dares(10) => self.random.below(7).to_string(),
            n if n < 12 => format!("(unsigned)({}) % 3", self.expression(scope, 1)),
            _ => self.random.below(3).to_string(),
        }
    }

    fn cells_alias(&mut self, scope: &Scope) {
        let writes = self.random.one_in(2);
        let Pointer { name: p, reads, .. } = self.variable_to(scope, To::Cells, writes);
        let (i, value, t) = (self.position(scope), self.expression(scope, 1), self.tag);
        if writes {
            let text = match self.random.below(5) {
                0 => format!("*({p} + ({i})) = {value};"),
                1 => format!("({i})[{p}] ^= {value};"),
                2 => format!("for (cell_{t} *e = {p}, *z = {p} + 3; e < z; e++) *e += {value};"),
                3 => format!("{{ cell_{t} *e = {p}; *e++ = {value}; *++e = 4; *--e -= 1; }}"),
                _ => format!("{p}[{i}] = {value};"),
            };
            return self.guarded(&p, text);
        }
        let (to, constant) = (self.to(scope), if reads { "const " } else { "" });
        let text = match self.random.below(10) {
            // The sanitizer does not see that a null pointer is moved and not followed.
            6 => format!(
                "{{ if ({p}) {{ const char *b = (const char *){p}, *e = (const char *)({p} + 2); {to}(e - b) + (b < e) - (int)(b - e); }} }}"
            ),
            7 => format!(
                "{{ const char *b = (const char *){p}; b += 2 * sizeof(cell_{t}); {to}((const cell_{t} *)b)[-1] + ((const cell_{t} *)b == {p} + 2); }}"
            ),
            8 => format!(
                "{{ cell_{t} *e = (cell_{t}[3]){{ {value}, 2 }}; e[1] += 1; {to}e[0] - e[1] + e[2]; }}"
            ),
            9 => format!("{to}made_{t}({value}).rest[({i}) % 2] + made_{t}({value}).first;"),
            0 => format!("{to}*({p} + ({i})) - ({value});"),
            1 => {
                format!("{{ {constant}cell_{t} *e = {p} + ({i}) % 3; {to}(e - {p}) + 2 * (e > {p}) + *e; }}")
            }
            2 => format!("{{ {constant}cell_{t} *e = {p} + 3; while (e != {p}) {to}*--e + ({value}); }}"),
            3 => format!("{{ {constant}cell_{t} *e = {p}; e += 2; {to}e[-1] + *(e - 2); }}"),
            4 => format!("{{ {constant}cell_{t} *e = &{p}[2]; {to}({p} <= e ? *e : e[-2]); }}"),
            _ => format!("{to}{p}[{i}] * ({value});"),
        };
        self.guarded(&p, text);
    }

    fn node_alias(&mut self, scope: &Scope) {
        let writes = self.random.one_in(2);
        let p = self.variable_to(scope, To::Node, writes).name;
        let q = self.variable_to(scope, To::Node, false).name;
        let (value, to) = (self.expression(scope, 1), self.to(scope));
        let i = match self.dares(10) {
            true => self.random.below(5).to_string(),
            false => self.random.below(3).to_string(),
        };
        let n0 = self.named("n0");
        let text = match (writes, self.random.below(7)) {
            (true, 0) => format!("{p}->v += {value};"),
            (true, 1) => format!("{p}->a[{i}] = {value};"),
            (true, 2) => {
                let other = self.pointer(&Scope::default(), To::Number, 0);
                format!("{p}->p = {other};")
            }
            (true, 3) => format!("{{ if ({q}) *{p} = *{q}; }}"),
            (true, 4) if !p.starts_with("head") => {
                let other = self.pointer(&Scope::default(), To::Node, 0);
                format!("{p}->next = {other};")
            }
            (true, 5) => format!("*{p} = {n0};"),
            (true, _) => format!("(*{p}).v = {value};"),
            (false, 0) => format!("{to}(*{p}).a[{i}] + ({value});"),
            (false, 1) => format!("{n0} = *{p};"),
            (false, 2) => format!("{{ if ({p}->p) {to}*{p}->p; }}"),
            (false, 3) => format!("{{ if ({p}->next) {to}{p}->next->v + ({value}); }}"),
            (false, 4) if self.by_pointer.is_empty() => format!("{to}{p}->a[0];"),
            (false, 4) => {
                format!("{{ struct node_{} d = copy_{}({p}); {to}d.v ^ d.a[1]; }}", self.tag, self.tag)
            }
            // From a member to the structure around it.
            (false, 5) => {
                let (ty, member) =
                    [("num_T *", "p"), ("num_T", "v"), ("struct node_T *", "next")][self.random.below(3)];
                self.tagged(&format!("{{ {ty} *e = &{p}->{member}; struct node_T *d = (struct node_T *)((char *)e - __builtin_offsetof(struct node_T, {member})); {to}(d == {p}) + d->v; }}"))
            }
            _ => format!("{to}{p}->v - ({value});"),
        };
        self.guarded(&p, text);
    }

    /// Something is done to the list.
    fn list(&mut self, scope: &Scope) {
        let (value, to) = (self.expression(scope, 1), self.to(scope));
        let partial = self.dares(8);
        let whole = if partial { "" } else { "d->a[0] = d->a[1] = d->a[2] = 0; d->p = 0; " };
        let way = self.random.below(9);
        self.partial |= partial && way < 2;
        let text = match way {
            0 | 1 => format!(
                "if (count_T < 4) {{ struct node_T *d = malloc(sizeof(struct node_T)); d->v = {value}; {whole}d->next = head_T; head_T = d; count_T++; }}"
            ),
            2 => format!(
                "if (count_T < 4) {{ struct node_T *d = calloc(1, sizeof *d); d->v = {value}; d->next = head_T; head_T = d; count_T++; }}"
            ),
            3 | 4 => "if (head_T) { struct node_T *d = head_T; head_T = d->next; free(d); count_T--; }".into(),
            5 => format!("{{ int w = 6; for (struct node_T *d = head_T; d && w-- > 0; d = d->next) {to}d->v + w; }}"),
            6 => "{ struct node_T *r = 0, *d = head_T; int w = 6; while (d && w-- > 0) { struct node_T *e = d->next; d->next = r; r = d; d = e; } head_T = r; }"
                .into(),
            7 => "{ struct node_T **d = &head_T; int w = 6; while (*d && (*d)->v != 2 && w-- > 0) d = &(*d)->next; if (*d && w > 0) { struct node_T *e = *d; *d = e->next; free(e); count_T--; } }"
                .into(),
            _ if self.dares(1) => "if (head_T) { free(head_T); count_T--; }".into(),
            _ => format!("{{ struct node_T *d = head_T ? head_T : &n0_T; d->a[2] = {value}; d->next = d->next ? d->next : 0; }}"),
        };
        let text = self.tagged(&text);
        self.line(text);
    }

    /// Memory for numbers is allocated, used, freed.
    fn heap(&mut self, scope: &Scope) {
        let (value, to, n) = (self.expression(scope, 1), self.to(scope), 3 + self.random.below(3));
        let text = match self.random.below(7) {
            0 => format!(
                "if (!own_T) {{ own_T = malloc({n} * sizeof(cell_T)); for (int i = 0; i < {n}; i++) own_T[i] = i + ({value}); }}"
            ),
            1 => format!("if (!own_T) own_T = calloc({n}, sizeof(cell_T));"),
            2 | 3 => "free(own_T), own_T = 0;".into(),
            4 if self.dares(2) => "free(own_T);".into(),
            5 => format!(
                "{{ cell_T *e = malloc(sizeof(cell_T[3])); e[0] = {value}; e[2] = e[0]; {to}e[2]; free(e); }}"
            ),
            _ => format!(
                "{{ int n = 1 + (unsigned)({value}) % 4; cell_T *e = calloc(n, sizeof *e); e[n - 1] = n; {to}e[0] + *(e + n - 1); free(e); }}"
            ),
        };
        let text = self.tagged(&text);
        self.line(text);
    }

    /// A pointer to a pointer is followed.
    fn twice(&mut self, scope: &Scope) {
        let p = self.variable_to(scope, To::Pointer, false).name;
        let (value, to) = (self.expression(scope, 1), self.to(scope));
        let text = match self.random.below(4) {
            0 => format!("{{ if (*{p}) **{p} = {value}; }}"),
            1 => format!("{{ if (*{p}) {to}**{p} + ({value}); }}"),
            2 if !self.by_pointer.is_empty() => {
                format!("point_{}({p}, {});", self.tag, self.random.below(4))
            }
            _ => {
                let other = self.pointer(&Scope::default(), To::Number, 0);
                format!("*{p} = {other};")
            }
        };
        self.guarded(&p, text);
    }

    fn row(&mut self, scope: &Scope) {
        let p = self.variable_to(scope, To::Row, false).name;
        let (value, to) = (self.expression(scope, 1), self.to(scope));
        let (i, t) = (self.random.below(3), self.tag);
        let text = match self.random.below(4) {
            0 => format!("(*{p})[{i}] = {value};"),
            1 => format!("{to}{p}[0][{i}] + ({value});"),
            2 => format!("{{ cell_{t} *e = *{p}; {to}e[{i}] + *e; }}"),
            _ => {
                format!(
                    "{{ cell_{t} (*e)[3] = grid_{t}; e++; {to}(*e)[{i}] + (e - grid_{t}); e--; {to}(*e)[0]; }}"
                )
            }
        };
        self.guarded(&p, text);
    }

    /// A pointer gets another target. It seldom outlives it.
    fn aim(&mut self, scope: &Scope) {
        let to = [To::Number, To::Number, To::Cells, To::Node, To::Pointer, To::Row][self.random.below(6)];
        let mut pointer = self.variable_to(scope, to, true);
        if ["own", "head"].iter().any(|slot| pointer.name == self.named(slot)) {
            return self.number_alias(scope);
        }
        if self.dares(3) {
            pointer.since = scope.owned.len();
        }
        let value = self.pointer(scope, to, pointer.since);
        self.line(format!("{} = {value};", pointer.name));
    }

    /// A local is lent to a slot for a while.
    fn lend(&mut self, scope: &Scope) {
        let (value, to) = (self.expression(scope, 1), self.to(scope));
        let import = self.imports[self.random.below(self.imports.len())].clone();
        let arguments = vec!["1"; import.parameters.len()].join(", ");
        let call = format!("{}({arguments});", import.name);
        let functions = !self.by_pointer.is_empty();
        let text = match self.random.below(8) {
            0 => format!("{{ num_T v = {value}; pn_T = &v; {call} {to}v; pn_T = &x0_T; }}"),
            1 => format!(
                "{{ struct node_T v = {{ .v = {value} }}; pd_T = &v; {call} {to}v.v + v.a[1]; pd_T = &n0_T; }}"
            ),
            2 => format!("{{ cell_T v[3] = {{ 1, 2, {value} }}; pc_T = v; {call} {to}v[2]; pc_T = a0_T; }}"),
            3 => {
                format!("{{ num_T *e = &x1_T; {{ num_T v = {value}; e = &v; {to}*e; }} e = &x0_T; {to}*e; }}")
            }
            4 if functions => format!("{{ num_T v; set_T(&v, {value}); {to}v; }}"),
            5 if functions => {
                format!("{{ num_T v; if (({value}) & 7) set_T(&v, 1); else v = 2; {to}get_T(&v); }}")
            }
            6 if functions => format!("{{ num_T v = {value}; num_T w = 2; swap_T(&v, &w); {to}v - w; }}"),
            _ if self.random.one_in(3) => {
                format!("{{ num_T *e = &x1_T; {{ num_T v = {value}; e = &v; }} {to}*e; }}")
            }
            _ => {
                format!("{{ num_T v = {value}; num_T *e = &v, **f = &e; **f += 1; *f = &x1_T; {to}*e + v; }}")
            }
        };
        let text = self.tagged(&text);
        self.line(text);
    }

    /// Pointers are passed to a function.
    fn pass(&mut self, scope: &Scope) {
        if self.by_pointer.is_empty() {
            return self.number_alias(scope);
        }
        let p = self.pointer(scope, To::Number, scope.owned.len());
        let q = self.pointer(scope, To::Node, scope.owned.len());
        let (to, n) = (self.scalar(scope), self.random.below(4));
        let kept = self.pointer(scope, To::Number, 0);
        let text = match self.random.below(10) {
            0 => format!("{to}deep_T({n}, {p});"),
            1 => format!("{{ num_T *e = {p}; turn_T({n}, &e); if (e) {to}*e; }}"),
            2 => format!("{to}walk_T({q}, {n});"),
            3 => format!("keep_T({kept});"),
            4 => format!("{{ num_T *e = {p}; if (e) {to}opaque_T(e, {n}); }}"),
            5 => format!("{{ num_T *e = pick_T({n}); if (e) {to}*e; }}"),
            _ => {
                let (name, parameters) = self.by_pointer[self.random.below(self.by_pointer.len())].clone();
                let mut arguments = Vec::new();
                for parameter in parameters {
                    arguments.push(self.pointer(scope, parameter, scope.owned.len()));
                }
                format!("{to}{name}({});", arguments.join(", "))
            }
        };
        let text = self.tagged(&text);
        self.line(text);
    }

    /// Strings are read and copied.
    fn word(&mut self, scope: &Scope) {
        let (to, n, m) = (self.to(scope), self.random.below(4), self.random.below(4));
        let size = if self.dares(4) { 3 } else { 5 };
        let text = match self.random.below(9) {
            6 if self.dares(2) => format!("{{ volatile char *s = (char *)words_T[{n}]; s[0] = 'q'; }}"),
            6 => format!("{{ volatile char *s = (char *)buf_T; s[{n}] = 'q'; }}"),
            7 => format!(
                "{{ unsigned char *s = (unsigned char *)buf_T; s[{n}] = 200 + {m}; {to}s[{n}] + buf_T[{n}]; s[{n}]++; {to}buf_T[{n}]; s[{n}] = 0; }}"
            ),
            8 => format!(
                "{{ struct lead_T *l = &(struct lead_T){{ .rest = {{ {n} }} }}; l->first = {m}; {to}l->rest[0] + l->first; }}"
            ),
            0 => format!("{{ const char *s = words_T[{n}]; char *d = buf_T; while ((*d++ = *s++)) ; }}"),
            1 => format!(
                "{{ const char *s = words_T[{n}], *z = words_T[{m}]; while (*s && *s == *z) s++, z++; {to}*s - *z; }}"
            ),
            2 => format!(
                "{{ char b[{size}]; const char *s = words_T[{n}]; int i = 0; for (; s[i]; i++) b[i] = s[i]; b[i] = 0; {to}b[0] + i; }}"
            ),
            3 => format!(
                "{{ char b[] = \"xyz\"; char *l = b, *r = b + 2; while (l < r) {{ char c = *l; *l++ = *r; *r-- = c; }} {to}b[0] * 3 + b[1]; }}"
            ),
            4 if !self.by_pointer.is_empty() => format!("{to}length_T(words_T[{n}]) + length_T(\"hello\");"),
            _ => format!("{{ int i = 0; while (i < 5 && buf_T[i]) i++; {to}i + \"quux\"[{n}]; }}"),
        };
        let text = self.tagged(&text);
        self.line(text);
    }

    /// Functions of the C library are called. Copies seldom overlap.
    fn library(&mut self, scope: &Scope) {
        let p = self.variable_to(scope, To::Cells, true).name;
        let (to, value) = (self.to(scope), self.expression(scope, 1));
        let [i, j, k, n, m] = [3, 3, 3, 4, 4].map(|below| self.random.below(below));
        let size = if self.dares(6) { 8 } else { k + 1 };
        let text = match self.random.below(16) {
            12 => format!("if ({p}) {to}(memcmp({p}, grid_T[{}], {size} * sizeof(cell_T)) < 0);", i % 2),
            13 => format!(
                "{{ char *s = strstr(buf_T, words_T[{n}]); {to}(s ? s - buf_T : 9) + strspn(buf_T, \"abeh\") - strcspn(words_T[{m}], words_T[{n}]); }}"
            ),
            14 => format!(
                "{{ char *s = stpcpy(buf_T + {i}, words_T[{n}]); {to}(s - buf_T) + !strpbrk(buf_T, \"cx\"); }}"
            ),
            15 => format!(
                "if ({p}) {{ bzero({p}, {size} * sizeof(cell_T)); {to}bcmp({p}, a1_T, {k} * sizeof(cell_T)) == 0; }}"
            ),
            0 if self.dares(1) => format!("memcpy(a1_T + {i}, a1_T + {j}, {k} * sizeof(cell_T));"),
            0 | 1 => format!("memmove(a1_T + {i}, a1_T + {j}, {k} * sizeof(cell_T));"),
            2 => format!("if ({p}) memcpy({p}, grid_T[{}], {size} * sizeof(cell_T));", i % 2),
            3 => format!("if ({p}) {{ memcpy(a0_T, {p}, {k} * sizeof(cell_T)); {to}a0_T[{k}]; }}"),
            4 => format!("if ({p}) memset({p}, {}, {size} * sizeof(cell_T));", [0, 1, 255][i]),
            5 => format!("{to}(memcmp(buf_T, words_T[{n}], {size}) < 0);"),
            6 if self.dares(1) => format!("strcpy(buf_T + {i}, buf_T + {j});"),
            6 | 7 => format!("strcpy(buf_T + {i}, words_T[{n}]);"),
            8 => format!("strncpy(buf_T, words_T[{n}], {}); {to}buf_T[{m}];", size - 1),
            9 => format!("{to}strlen(words_T[{n}]) + 2 * (strcmp(words_T[{n}], words_T[{m}]) < 0);"),
            10 => format!("{{ char *s = strchr(buf_T, \"heyabx\"[{n}]); {to}(s ? s - buf_T : 9); }}"),
            _ => format!(
                "if (own_T) {{ own_T = realloc(own_T, 4 * sizeof(cell_T)); own_T[3] = {value}; {to}own_T[{k}]; }}"
            ),
        };
        let text = self.tagged(&text);
        self.line(text);
    }

    /// Pointers are compared.
    fn compare(&mut self, scope: &Scope) {
        let to = [To::Number, To::Cells, To::Node, To::Pointer, To::Row][self.random.below(5)];
        let p = self.variable_to(scope, to, false).name;
        let other = match to {
            To::Number => "&x0_T",
            To::Cells => "a0_T",
            To::Node => "&n0_T",
            To::Pointer => "&pn_T",
            To::Row => "grid_T",
        };
        let (to, value) = (self.to(scope), self.expression(scope, 1));
        let operator = ["==", "!="][self.random.below(2)];
        let text = match self.random.below(4) {
            0 => format!("{to}!{p};"),
            1 => format!("{to}({p} ? ({value}) : 7);"),
            2 => format!("{to}({p} {operator} {other}) + ((void *){p} == (void *)0);"),
            3 if self.random.one_in(2) => {
                let n = self.random.below(2);
                match self.random.below(3) {
                    0 => format!(
                        "{{ num_T *e = &lead_T[{n}].first; struct lead_T *f = (struct lead_T *)e; f->rest[1] += {value}; {to}(f - lead_T) + f->first; }}"
                    ),
                    1 => format!(
                        "{{ void *e = &lead_T[{n}], *f = &lead_T[1].first; {to}(e == f) + 2 * (f != (void *)lead_T); }}"
                    ),
                    _ => format!(
                        "{{ struct lead_T *e = lead_T + {n}; num_T *f = (num_T *)(void *)e; *f ^= {value}; {to}e->first; }}"
                    ),
                }
            }
            _ => format!("{to}{p} {operator} {other};"),
        };
        let text = self.tagged(&text);
        self.line(text);
    }
}

//! C as models use it: what small programs return, as a C compiler has it (`gcc -fwrapv` on 64 bits).

use sortie_machines::lurch::read;
use sortie_machines::{Machines, Settings};
use sortie_model::Model;
use sortie_syntax::Source;

/// What `f` returns, called before the first step.
fn run(code: &str) -> i64 {
    let text =
        format!("{code}\nlong result;\nvoid _before(void) {{ result = f(); }}\n%%\nstart;\n");
    let source = Source {
        name: "test",
        text: &text,
    };
    let lurch = read(source).unwrap_or_else(|errors| {
        let told: Vec<String> = errors.iter().map(|e| e.render(source, 100)).collect();
        panic!("{}", told.join("\n"))
    });
    let result = lurch.expression("result").expect("it is a variable");
    let machines = Machines::new(lurch.system, Settings::default())
        .unwrap_or_else(|error| panic!("{code}: {error}"));
    let mut state = Vec::new();
    machines.initial(&mut state).expect("it was made before");
    machines
        .evaluate(&state, &result)
        .expect("a variable has a value")
}

#[test]
fn programs_return_what_a_compiler_says() {
    let mut wrong = Vec::new();
    for (name, code, expected) in PROGRAMS {
        let got = run(code);
        if got != *expected {
            wrong.push(format!("{name}: {got} instead of {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What it is about, the program, and what `f` returns.
const PROGRAMS: &[(&str, &str, i64)] = &[
    (
        "precedence",
        r##"long f(void) { return 2 + 3 * 4 - 10 / 3 % 2 << 1 | 1 ^ 6 & 3; }"##,
        27,
    ),
    (
        "division goes towards zero",
        r##"long f(void) { int a = -7, b = 2; return a / b * 100 + a % b * 10 + 7 / -b; }"##,
        -313,
    ),
    (
        "int wraps",
        r##"int big = 2147483647; long f(void) { big++; return big; }"##,
        -2147483648,
    ),
    (
        "int product wraps",
        r##"int a = 65537; long f(void) { return a * a; }"##,
        131073,
    ),
    (
        "sums wrap once",
        r##"int a = 2147483647; long f(void) { int b = a + a + a - 2147483647; return b; }"##,
        -2,
    ),
    (
        "char wraps",
        r##"char c = 127; long f(void) { c += 2; return c; }"##,
        -127,
    ),
    (
        "unsigned char wraps",
        r##"unsigned char c = 250; long f(void) { c = c + 10; return c; }"##,
        4,
    ),
    (
        "short wraps",
        r##"short s = 32767; long f(void) { ++s; return s--; }"##,
        -32768,
    ),
    (
        "unsigned compares as unsigned",
        r##"unsigned u = 1; int i = -1; long f(void) { return (i < u) * 10 + (i > 0u) * 100 + (i < 0); }"##,
        101,
    ),
    (
        "unsigned subtraction wraps",
        r##"unsigned a = 3, b = 5; long f(void) { return (a - b) / 2; }"##,
        2147483647,
    ),
    (
        "unsigned shift",
        r##"unsigned a = 0xF0000000; int b = -16; long f(void) { return (long) (a >> 28) * 100 + (b >> 2); }"##,
        1496,
    ),
    (
        "mixed division",
        r##"int a = -10; unsigned b = 3; long f(void) { a /= b; return a; }"##,
        1431655762,
    ),
    (
        "mixed remainder",
        r##"int a = -10; unsigned b = 7; long f(void) { int c = a % b; a %= b; return c * 100 + a; }"##,
        101,
    ),
    (
        "long holds more",
        r##"long f(void) { long a = 1L << 40; int b = (int) (a >> 35); return a + b; }"##,
        1099511627808,
    ),
    (
        "long from int product",
        r##"int a = 100000; long f(void) { return (long) a * a; }"##,
        10000000000,
    ),
    (
        "bool is one",
        r##"#include <stdbool.h>
long f(void) { bool b = 17; _Bool c = 0; c = c + 300; return b + c + (b == true); }"##,
        3,
    ),
    (
        "casts cut",
        r##"long f(void) { return (char) 300 + (unsigned char) -1 + (short) 70000; }"##,
        4763,
    ),
    (
        "complement and minus",
        r##"unsigned u = 1; long f(void) { int a = 5; return ~a * 1000 + -a + !a + !!a + (long) (-u >> 16); }"##,
        59531,
    ),
    (
        "hexadecimal, octal, characters",
        r##"long f(void) { return 0x1F + 017 + 'a' + '\n' + '\0' + '\x41' + '\\'; }"##,
        310,
    ),
    (
        "short circuit",
        r##"int n; int bump(int r) { n++; return r; }
long f(void) { int a = bump(0) && bump(1); int b = bump(1) || bump(0); int c = bump(2) && bump(3); return n * 1000 + a * 100 + b * 10 + c; }"##,
        4011,
    ),
    (
        "comma",
        r##"long f(void) { int a, b; a = (b = 3, b + 4); for (a = 0, b = 10; a < b; a++, b--); return a * 100 + b; }"##,
        505,
    ),
    (
        "conditional nests",
        r##"int sign(int x) { return x < 0 ? -1 : x > 0 ? 1 : 0; }
long f(void) { return sign(-5) * 100 + sign(0) * 10 + sign(9); }"##,
        -99,
    ),
    (
        "assignment has a value",
        r##"long f(void) { int a, b; char c; a = b = c = 300; return a * 1000 + b + c; }"##,
        44088,
    ),
    (
        "increments in indices",
        r##"int a[5] = {1, 2, 3, 4, 5}; long f(void) { int i = 0, s = 0; s += a[i++]; s += a[++i] * 10; a[i++] = 7; a[i]--; return s * 10000 + i * 1000 + a[2] * 100 + a[3]; }"##,
        313703,
    ),
    (
        "compound assignments",
        r##"long f(void) { int x = 100; x += 5; x -= 3; x *= 2; x /= 3; x %= 50; x <<= 3; x >>= 1; x |= 5; x &= 0x7E; x ^= 3; return x; }"##,
        79,
    ),
    (
        "two dimensions",
        r##"int g[3][4]; long f(void) { int i, j, s = 0; for (i = 0; i < 3; i++) for (j = 0; j < 4; j++) g[i][j] = i * 10 + j; for (i = 0; i < 3; i++) s += g[i][3 - i] * (i + 1); return s; }"##,
        90,
    ),
    (
        "rows are pointers",
        r##"int g[2][3] = {{1, 2, 3}, {4, 5, 6}}; int sum(int *row) { return row[0] + row[1] + row[2]; }
long f(void) { return sum(g[0]) * 100 + sum(g[1]); }"##,
        615,
    ),
    (
        "initialisers",
        r##"struct P { int x, y; } ps[3] = {{1, 2}, {3}, 5, 6}; int a[] = {1, 2, 3}; int m[2][2] = {1, 2, 3}; char s[] = "ab"; long f(void) { int z[4] = {9}; return ps[0].y + ps[1].x * 10 + ps[1].y * 100 + ps[2].y * 1000 + (long) (sizeof a / sizeof a[0]) * 10000 + m[1][0] * 100000 + m[1][1] + z[0] * 1000000 + z[3] + s[1] + s[2]; }"##,
        9336130,
    ),
    (
        "pointers walk",
        r##"int a[6] = {1, 2, 3, 4, 5, 6}; long f(void) { int *p = a, *q = &a[5]; int s = 0; while (p <= q) { s = s * 10 + *p++; if (p < q) p += 1; } return s * 10 + (q - a); }"##,
        13565,
    ),
    (
        "pointers to pointers",
        r##"int x = 3, y = 4; void swap(int **a, int **b) { int *t = *a; *a = *b; *b = t; }
long f(void) { int *p = &x, *q = &y; swap(&p, &q); *p += 10; return x * 1000 + y * 10 + (p == &y); }"##,
        3141,
    ),
    (
        "pointers to locals",
        r##"void put(int *to, int v) { *to = v; }
long f(void) { int a = 1, b[3] = {0, 0, 0}; put(&a, 7); put(b + 1, 8); put(&b[2], 9); return a * 100 + b[1] * 10 + b[2]; }"##,
        789,
    ),
    (
        "structures",
        r##"typedef struct { int x; int y; } P; P p = {1, 2}, q; long f(void) { P r; P *s = &q; q = p; r = q; r.x = 5; s->y += 10; (*s).x--; return p.x * 10000 + p.y * 1000 + q.x * 100 + q.y * 10 + r.x + r.y; }"##,
        12127,
    ),
    (
        "structures by value",
        r##"struct P { int x, y; }; int area(struct P p, int k) { p.x += k; return p.x * p.y; }
struct P a[2] = {{2, 3}, {4, 5}}; long f(void) { int i = 1; return area(a[i], 1) * 100 + a[1].x * 10 + area(a[0], 0); }"##,
        2546,
    ),
    (
        "arrays in structures",
        r##"struct B { int n; int v[3]; } bs[2]; long f(void) { int i, j; for (i = 0; i < 2; i++) { bs[i].n = i + 1; for (j = 0; j < 3; j++) bs[i].v[j] = 10 * i + j; } struct B *b = &bs[1]; return b->v[2] * 100 + b->n * 10 + bs[0].v[1]; }"##,
        1221,
    ),
    (
        "lists",
        r##"#include <stdlib.h>
struct N { int v; struct N *next; }; struct N *head; void push(int v) { struct N *n = (struct N *) malloc(sizeof(struct N)); n->v = v; n->next = head; head = n; }
long f(void) { int s = 0; struct N *n; push(1); push(2); push(3); n = head; head = head->next; free(n); for (n = head; n; n = n->next) s = s * 10 + n->v; return s; }"##,
        21,
    ),
    (
        "reversed list",
        r##"#include <stdlib.h>
typedef struct N N; struct N { int v; N *next; }; long f(void) { N *h = NULL, *r = 0; int i, s = 0; for (i = 1; i < 6; i++) { N *n = malloc(sizeof *n); n->v = i; n->next = h; h = n; } while (h != NULL) { N *t = h->next; h->next = r; r = h; h = t; } for (; r; r = r->next) s = s * 10 + r->v; return s; }"##,
        12345,
    ),
    (
        "allocated arrays",
        r##"#include <stdlib.h>
long f(void) { int n = 5, i, s = 0; int *a = malloc(n * sizeof(int)), *b = calloc(n, sizeof(int)); for (i = 0; i < n; i++) a[i] = i * i; for (i = 0; i < n; i++) s += a[i] + b[i]; free(a); free(b); return s; }"##,
        30,
    ),
    (
        "fall through",
        r##"int g(int x) { int r = 0; switch (x) { case 1: r += 1; case 2: r += 10; break; case 3: { r += 100; } default: r += 1000; case 7: r += 10000; } return r; }
long f(void) { return g(1) + g(2) * 2 + g(3) * 3 + g(4) * 5 + g(7) * 7; }"##,
        158331,
    ),
    (
        "switch without default",
        r##"enum E { A, B = 5, C }; int g(enum E e) { switch (e) { case A: return 1; case B: return 2; case C: return 3; } return 4; }
long f(void) { return g(A) * 1000 + g(B) * 100 + g(6) * 10 + g(9); }"##,
        1234,
    ),
    (
        "continue in a switch",
        r##"long f(void) { int i, s = 0; for (i = 0; i < 6; i++) { switch (i) { case 1: continue; case 4: s += 100; break; default: s += 1; } s += 10; } return s; }"##,
        154,
    ),
    (
        "loops",
        r##"long f(void) { int i = 0, n = 0; do { n++; } while (i); while (1) { if (++i > 10) break; if (i % 2) continue; n += i; } for (;;) { if (i-- < 5) break; } return n * 100 + i; }"##,
        3103,
    ),
    (
        "recursion",
        r##"int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
long f(void) { return fib(15); }"##,
        610,
    ),
    (
        "mutual recursion",
        r##"int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
long f(void) { return even(10) * 10 + odd(7); }"##,
        11,
    ),
    (
        "ackermann",
        r##"int a(int m, int n) { if (!m) return n + 1; if (!n) return a(m - 1, 1); return a(m - 1, a(m, n - 1)); }
long f(void) { return a(2, 3); }"##,
        9,
    ),
    (
        "parameters are copies",
        r##"int g(int a, char b, unsigned c) { a++; b++; c++; return a + b + (int) (c >> 30); }
long f(void) { int x = 5; return g(x, 200, -2) * 10 + x; }"##,
        -455,
    ),
    (
        "results are cut",
        r##"char g(int x) { return x; } unsigned short h(int x) { return x; }
long f(void) { return g(200) * 100000 + h(-1); }"##,
        -5534465,
    ),
    (
        "scopes",
        r##"int x = 1; long f(void) { int s = x; { int x = 2; s = s * 10 + x; { int x = 3; s = s * 10 + x; } s = s * 10 + x; } for (int x = 7; x < 8; x++) s = s * 10 + x; return s * 10 + x; }"##,
        123271,
    ),
    (
        "static variables",
        r##"int next(void) { static int n = 4; return ++n; }
long f(void) { next(); next(); return next(); }"##,
        7,
    ),
    (
        "macros",
        r##"#define N 4
#define SQ(x) ((x) * (x))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#ifdef N
#define M (N + 1)
#else
#define M 0
#endif
#if N > 3 && !defined(Q)
int k = 2;
#elif 1
int k = 3;
#endif
#undef N
int N = 9;
long f(void) { int j = SQ(k + 1) + \
 MAX(SQ(2), 3); return j * 100 + k * 10 + N; }"##,
        1329,
    ),
    (
        "enumerations",
        r##"enum { a, b, c = 10, d } v = d; typedef enum Color { red, green } Color; long f(void) { Color k = green; enum Color l = red; return a + b * 2 + c * 3 + v * 100 + k * 1000 + l; }"##,
        2132,
    ),
    (
        "tables of constants",
        r##"const int table[5] = {3, 1, 4, 1, 5}; int sizes[2][2] = {{1, 2}, {3, 4}}; long f(void) { int i, j, s = 0; for (i = 0; i < 5; i++) s = s * 10 + table[i]; for (i = 0; i < 2; i++) for (j = 0; j < 2; j++) s += sizes[i][j] * table[j]; return s; }"##,
        31433,
    ),
    (
        "sorting",
        r##"int a[8] = {5, 2, 8, 1, 9, 3, 7, 4}; long f(void) { int i, j, t, s = 0; for (i = 0; i < 8; i++) for (j = 0; j + 1 < 8 - i; j++) if (a[j] > a[j + 1]) { t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } for (i = 0; i < 8; i++) s = s * 10 + a[i]; return s; }"##,
        12345789,
    ),
    (
        "addresses of variables",
        r##"int a = 1, b[3] = {4, 5, 6}; int *p = &a, *q = b, *r = &b[2]; long f(void) { *p += 1; return a * 1000 + *q * 100 + *r * 10 + (r - q); }"##,
        2462,
    ),
    (
        "negative indices of pointers",
        r##"int b[4] = {1, 2, 3, 4}; long f(void) { int *p = b + 3; return p[-1] * 100 + *(p - 2) * 10 + 2[b]; }"##,
        323,
    ),
    (
        "truth of pointers",
        r##"int x; long f(void) { int *p = 0, *q = &x; return !p * 1000 + !q * 100 + (p || q) * 10 + (q && 1) + (p == NULL) + (q != 0) + (p ? 5 : 6); }"##,
        1019,
    ),
    (
        "members of elements through pointers",
        r##"struct S { int a; struct { int b[2]; } in; } s[2]; long f(void) { struct S *p = s; int i = 1; p[i].in.b[i] = 5; (p + 1)->in.b[0]++; p++; p->a = 2; return s[1].a * 100 + s[1].in.b[0] * 10 + s[1].in.b[1]; }"##,
        215,
    ),
    (
        "unsigned char counts",
        r##"long f(void) { unsigned char i = 0; int n = 0; do { n++; i += 3; } while (i); return n; }"##,
        256,
    ),
    (
        "unsigned decrement",
        r##"long f(void) { unsigned u = 0; u--; return u; }"##,
        4294967295,
    ),
    (
        "bits",
        r##"int count(unsigned x) { int n = 0; while (x) { x &= x - 1; n++; } return n; }
long f(void) { return count(0xFF00FF) * 100 + (1 << 4 | 1 << 2) + (~0 & 7); }"##,
        1627,
    ),
    (
        "greatest common divisor",
        r##"unsigned gcd(unsigned a, unsigned b) { while (b) { unsigned t = a % b; a = b; b = t; } return a; }
long f(void) { return gcd(1071, 462); }"##,
        21,
    ),
    (
        "dangling else",
        r##"int g(int a, int b) { if (a) if (b) return 1; else return 2; return 3; }
long f(void) { return g(1, 1) * 100 + g(1, 0) * 10 + g(0, 0); }"##,
        123,
    ),
];

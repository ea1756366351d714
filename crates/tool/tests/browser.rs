//! The workbench in a real browser. Without one, these tests are ignored.

#[path = "browser/driver.rs"]
mod driver;
mod requires;
mod served;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use agon_check::portfolio::Engine;
use driver::{PATIENCE, Page, browser};
use libtest_mimic::Arguments;
use serde_json::json;
use served::Served;

/// There were no errors in the page, and no violations of its content security policy.
#[track_caller]
fn content(page: &Page) {
    assert!(page.complaints.is_empty(), "{:#?}", page.complaints);
}

/// Saves a screenshot for the documentation, if the environment asks for it.
fn keep(name: &str, page: &mut Page) {
    if let Ok(folder) = std::env::var("AGON_PICTURES") {
        std::fs::write(Path::new(&folder).join(name), page.picture()).expect("pictures can be written");
    }
}

/// A server with these options, and a browser that shows its page.
fn visited(options: &[&str]) -> (Served, Page) {
    let server = Served::start(options);
    let mut page = Page::open();
    page.visit(&server.url);
    (server, page)
}

fn corpus(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read_to_string(path).expect("the corpus can be read")
}

/// The number of moves of the play.
const MOVES: &str = "document.querySelectorAll('#moves li').length";

fn the_stack_overflows_and_its_play_can_be_stepped() {
    let (_server, mut page) = visited(&[]);
    // The page shows this at the first visit.
    assert!(page.text("#verdict").starts_with("UNSAFE"), "{}", page.text("#verdict"));
    assert_eq!(page.eval(MOVES), 20);
    assert_eq!(page.text("#where"), "20 of 20");
    assert_eq!(page.text("#moves li[aria-current]"), "Poflo.run");
    assert_eq!(page.text("#left .mark"), "oflo", "the source of the move lights up");
    assert!(page.text("#store").contains("top\t4"), "{}", page.text("#store"));
    page.click("#first");
    assert_eq!(page.text("#where"), "0 of 20");
    assert_eq!(page.eval("document.querySelector('#left .mark')"), json!(null));
    page.click("#forward");
    page.click("#forward");
    assert_eq!(page.text("#moves li[aria-current]"), "Pcheck.run");
    assert!(page.text("#reading").contains("the program calls check"), "{}", page.text("#reading"));
    assert!(page.text("#store").contains("buffer\t[0 0 0 0]"), "{}", page.text("#store"));
    page.click("#moves [data-move='6']");
    assert_eq!(page.text("#where"), "6 of 20");
    assert!(page.text("#store").contains("top\t1"), "{}", page.text("#store"));
    page.click("#back");
    assert_eq!(page.text("#moves li[aria-current]"), "Oinput.0");
    // O's arrows are dashed, P's are not.
    let dashes = "[...document.querySelectorAll('#chart .call')].slice(0, 2).map(e => getComputedStyle(e).strokeDasharray)";
    assert_eq!(page.eval(dashes), json!(["5px, 3px", "none"]));
    page.click("#chart [data-move='20']");
    assert_eq!(page.text("#where"), "20 of 20");
    // Other constants give other plays.
    page.fill("#constants input", "2");
    page.click("#check");
    page.wait(&format!("{MOVES} === 12"));
    content(&page);
}

fn errors_are_seen_as_they_are_typed() {
    let (_server, mut page) = visited(&[]);
    page.fill("#left-text", "f : com -> com |- // é\nf(skp)");
    page.wait("document.querySelector('#left-diagnostics .error')");
    assert!(page.text("#left-diagnostics").starts_with("2:3 E0101 nothing here is called `skp`"));
    page.wait("document.querySelector('#left .wrong')");
    assert_eq!(page.text("#left .wrong"), "skp", "places are counted in characters, not in bytes");
    assert_eq!(page.eval(MOVES), 0, "the play of another text is gone");
    page.click("#left-diagnostics button");
    assert_eq!(page.eval("getSelection().toString() || document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)"), "skp");
    page.write("skip");
    page.wait("!document.querySelector('#left-diagnostics .error')");
    page.fill("#target", "abort");
    page.check("SAFE");
    page.fill("#left-text", "f : com -> com |- // é\n   new int x in f( x:=1 )");
    page.click("#layout");
    page.wait("document.querySelector('#left-text').value.endsWith('new int x in\\nf(x := 1)\\n')");
    content(&page);
}

fn models_are_drawn_and_their_states_can_be_clicked() {
    let (_server, mut page) = visited(&[]);
    page.fill("#left-text", &corpus("corpus/papers/ag-figure-1.ia"));
    page.draw();
    assert!(page.text(".said").starts_with("8 states, 9 transitions"), "{}", page.text(".said"));
    assert_eq!(page.eval("document.querySelectorAll('.state').length"), 8);
    assert_eq!(page.eval("document.querySelectorAll('.edge.o').length"), 5);
    assert_eq!(page.eval("document.querySelectorAll('.edge.p').length"), 4);
    page.click(".state.final circle");
    page.wait("document.querySelectorAll('.on-way.edge').length > 0");
    page.wait(&format!("{MOVES} > 0"));
    let moves = page.eval(MOVES);
    assert_eq!(page.eval("document.querySelectorAll('.on-way.edge').length"), moves, "its play is lit up");
    assert!(page.text("#verdict").contains("a shortest play to state"), "{}", page.text("#verdict"));
    content(&page);
}

fn models_of_modules_are_drawn_in_components() {
    let (_server, mut page) = visited(&[]);
    page.fill("#left-text", &corpus("examples/bucket.ia"));
    page.draw();
    assert!(page.text(".said").starts_with("7 states, 24 transitions"), "{}", page.text(".said"));
    assert_eq!(page.eval("document.querySelectorAll('.state rect').length"), 7);
    let titles = page.eval(
        "[...document.querySelectorAll('.component text')].map((title) => title.textContent).join('; ')",
    );
    assert_eq!(titles, "turn of the environment; take");
    assert_eq!(page.eval("document.querySelectorAll('.edge.hidden-move').length"), 3);
    let labels =
        page.eval("[...document.querySelectorAll('.label')].map((label) => label.textContent).join('; ')");
    assert!(labels.as_str().is_some_and(|labels| labels.contains("take() · now()")), "{labels}");
    page.click(".state rect");
    page.wait("document.querySelectorAll('.chosen').length === 1");
    content(&page);
}

/// A counter that calls `g` when it is full: its model has four states for each number.
fn counter(to: u32) -> String {
    format!("f : com -> com -> com, g : com |- new int%{to} x in f(x := x + 1, if x = {} then g)", to - 1)
}

fn large_models_are_panned_and_larger_ones_refused_politely() {
    let (_server, mut page) = visited(&[]);
    page.fill("#left-text", &counter(667));
    page.draw();
    let states = page.eval("document.querySelectorAll('.state').length").as_u64().unwrap_or(0);
    assert!(states >= 2_000, "{states} states");
    // Each key pans the picture by a step.
    let places = page.eval(
        "(async () => { const canvas = document.querySelector('.canvas'); canvas.focus(); const seen = new Set(); \
         const started = performance.now(); \
         for (let n = 0; n < 20; n++) { \
         canvas.dispatchEvent(new KeyboardEvent('keydown', { key: n % 2 ? 'ArrowLeft' : 'ArrowDown' })); \
         await new Promise(requestAnimationFrame); \
         seen.add(document.querySelector('.canvas svg g').getAttribute('transform')); } return [seen.size, 20_000 / (performance.now() - started)]; })()",
    );
    println!("{states} states: {}, {} pictures a second while panning", page.text(".said"), places[1]);
    assert_eq!(places[0], 20, "every key pans");
    page.fill("#left-text", &counter(66_700));
    page.click("#model");
    page.wait("document.querySelector('.said')?.innerText.includes('too many to draw')");
    println!("{}", page.text(".said"));
    assert!(page.text(".said").starts_with("200,10"), "{}", page.text(".said"));
    assert_eq!(page.eval("document.querySelectorAll('.state').length"), 150);
    page.click(".state.more circle");
    page.click("[title='Show the neighbourhood of the chosen state']");
    page.wait("document.querySelectorAll('.chosen').length === 1 && document.querySelector('.said').innerText.includes('around state')");
    content(&page);
}

fn two_programs_are_told_apart_in_both_models() {
    let (_server, mut page) = visited(&[]);
    page.fill("#left-text", "f : com -> com |- new int%2 x in f(x := 1); if x = 1 then f(skip)");
    page.click("#compare");
    page.fill("#right-text", "f : com -> com |- f(skip)");
    page.click("#do-compare");
    page.wait("document.querySelectorAll('.graph').length === 2");
    page.wait("[...document.querySelectorAll('.said')].every(e => /It has/.test(e.innerText))");
    assert!(page.text("#verdict").starts_with("INEQUIVALENT"), "{}", page.text("#verdict"));
    let said =
        page.eval("[...document.querySelectorAll('.said')].map(e => /It has the play/.test(e.innerText))");
    let has = said.as_array().map_or(0, |list| list.iter().filter(|has| **has == true).count());
    assert_eq!(has, 1, "{said}");
    assert_eq!(page.eval("document.querySelectorAll('.stuck').length"), 1);
    assert_eq!(page.eval("[...document.querySelectorAll('.graph')].every(g => g.querySelectorAll('.on-way.edge').length > 2)"), true);
    // Equal programs.
    page.fill("#right-text", "f : com -> com |- new int%2 y in f(y := 1); if y = 1 then f(skip)");
    page.press("Enter", true);
    page.waits_for("EQUIVALENT");
    content(&page);
}

/// A program whose check takes too long for a test.
const ENDLESS: &str = "e : i32 |- new i32 a in new i32 b in new i32 c in while true do { a := e; b := a * b + e; \
                       c := c * a + b; if c * c = 7919 * a + 3 & b > 123456 then abort }";

/// Waits until this many workers run: a worker that reads the program ends soon.
fn wait_for_workers(server: &Served, number: usize) {
    let started = Instant::now();
    while server.workers() != number {
        assert!(started.elapsed() < PATIENCE, "{} workers run", server.workers());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn a_long_run_is_seen_at_work_and_cancelled() {
    let (server, mut page) = visited(&[]);
    page.fill("#left-text", ENDLESS);
    page.fill("#target", "abort");
    page.click("#check");
    page.wait("document.querySelectorAll('#iterations li').length > 2");
    page.wait("/states/.test(document.querySelector('#progress').innerText)");
    wait_for_workers(&server, 1);
    page.click("#cancel");
    page.waits_for("CANCELLED");
    wait_for_workers(&server, 0);
    // Closing the page ends its run.
    page.click("#check");
    page.wait("document.querySelectorAll('#iterations li').length > 2");
    wait_for_workers(&server, 1);
    page.call("Page.navigate", json!({ "url": "about:blank" }));
    wait_for_workers(&server, 0);
    content(&page);
}

/// An answer is never shown for another program.
fn answers_are_of_the_program_that_is_there() {
    let (server, mut page) = visited(&[]);
    page.eval("document.querySelector('#engine').value = 'explicit'");
    page.fill("#target", "abort");
    page.fill("#left-text", ENDLESS);
    page.click("#check");
    page.wait("!document.querySelector('#cancel').disabled");
    page.fill("#left-text", "const k = 1; f : com |- f; if k = 1 then abort");
    assert_eq!(page.eval("document.querySelector('#cancel').disabled"), true);
    wait_for_workers(&server, 0);
    assert_eq!(page.text("#verdict"), "");
    // A program with another constant is another program.
    page.check("UNSAFE");
    page.wait("document.querySelector('#constants input[name=k]')");
    page.fill("#constants input[name=k]", "5");
    assert_eq!(page.text("#verdict"), "");
    assert_eq!(page.eval("document.querySelectorAll('#moves li').length"), 0);
    page.check("SAFE");
    content(&page);
}

/// All engines are on the menu, and their results are shown.
fn every_engine_shows_what_it_knows_of_the_data() {
    let (_server, mut page) = visited(&[]);
    let engines = page.eval("[...document.querySelector('#engine').options].map(o => o.value)");
    let names: Vec<_> = Engine::ALL.iter().map(|engine| engine.name()).collect();
    assert_eq!(engines, json!(names));
    page.fill("#left-text", &corpus("corpus/papers/gc-b1-warm-up.ia"));
    page.fill("#target", "abort");
    for engine in names {
        page.eval(&format!("document.querySelector('#engine').value = {}", json!(engine)));
        page.eval("document.querySelector('#verdict').replaceChildren()");
        page.check("UNSAFE");
        let told = page.text("#verdict");
        assert!(engine == "auto" || told.contains(&format!("engine {engine}")), "{told}");
    }
    page.fill("#left-text", &corpus("corpus/papers/pred-example-4.ia"));
    page.eval("document.querySelector('#engine').value = 'predicate'");
    page.check("SAFE");
    assert!(page.text("#verdict").contains("x > y"), "{}", page.text("#verdict"));
    assert_eq!(page.eval("document.querySelectorAll('#iterations li').length > 1"), true);
    assert!(
        page.eval("document.querySelector('#closed').textContent")
            .as_str()
            .is_some_and(|text| text.contains("letp"))
    );
    // A program in two parts, with a chosen part, whose contract can be drawn.
    page.fill("#left-text", &corpus("crates/tool/tests/cmd/door.ia"));
    page.wait("[...document.querySelector('#part').options].some(o => o.value === 'work')");
    page.eval("document.querySelector('#more').open = true");
    page.eval("document.querySelector('#part').value = 'work'");
    page.eval("document.querySelector('#engine').value = 'auto'");
    page.check("SAFE");
    let read = page.text("#assumption");
    assert!(read.contains("O may run, then P must") && read.contains("open.write(true)"), "{read}");
    page.eval("document.querySelector('#more').open = false");
    page.click("#draw-assumption");
    page.wait("document.querySelectorAll('#assumption-graph svg .state').length > 6");
    keep("workbench-assumption.png", &mut page);
    // The engine `predicate` ignores the chosen part.
    page.eval("document.querySelector('#engine').value = 'predicate'");
    page.click("#check");
    page.wait("document.querySelector('#verdict').innerText.includes('on its own')");
    page.eval("document.querySelector('#part').value = ''");
    page.check("SAFE");
    assert_eq!(page.text("#assumption"), "");
    content(&page);
}

fn the_address_has_the_play() {
    let (server, mut page) = visited(&[]);
    page.fill("#left-text", &corpus("examples/counter.ia"));
    page.fill("#target", "abort");
    page.click("#check");
    page.wait(&format!("{MOVES} === 4"));
    page.click("#back");
    assert_eq!(page.text("#where"), "3 of 4");
    page.wait("location.href.includes('#1.')");
    let address = page.eval("location.href").as_str().unwrap_or("").to_string();
    assert!(address.contains("#1."), "{address}");
    page.call("Page.navigate", json!({ "url": "about:blank" }));
    page.visit(&address);
    page.wait("document.querySelector('#where')?.innerText === '3 of 4'");
    let lit = page.eval("[...document.querySelectorAll('#left .mark')].map(e => e.textContent).join('')");
    assert_eq!(lit, "assert(count > 0); count := count - 1", "what the move is about lights up");
    assert!(page.text("#store").contains("count\t0"), "{}", page.text("#store"));
    // Other addresses are ignored.
    page.call("Page.navigate", json!({ "url": "about:blank" }));
    page.visit(&format!("{}#1.nonsense", server.url));
    assert!(page.text("#verdict").starts_with("UNSAFE"));
    content(&page);
}

fn the_user_can_be_the_environment() {
    let (_server, mut page) = visited(&[]);
    page.fill("#left-text", &corpus("examples/counter.ia"));
    page.click("#environment");
    page.wait("document.querySelectorAll('#choices button.o').length === 1");
    let choose = |page: &mut Page, text: &str| {
        page.wait(&format!(
            "[...document.querySelectorAll('#choices button.o')].some(b => b.innerText.endsWith({}))",
            json!(text)
        ));
        page.eval(&format!(
            "[...document.querySelectorAll('#choices button.o')].find(b => b.innerText.endsWith({})).click()",
            json!(text)
        ));
    };
    choose(&mut page, "run");
    choose(&mut page, "client.1.run");
    page.wait(&format!("{MOVES} === 4"));
    assert!(page.text("#store").contains("count\t1"), "{}", page.text("#store"));
    page.eval(
        "[...document.querySelectorAll('#choices button')].find(b => b.innerText === 'Take back').click()",
    );
    page.wait(&format!("{MOVES} === 2"));
    choose(&mut page, "client.2.run");
    page.waits_for("ABORT");
    // In a concurrent program the user chooses P's moves, too; and it may deadlock.
    page.fill("#left-text", &corpus("examples/deadlock.ia"));
    page.click("#environment");
    choose(&mut page, "run");
    page.wait("document.querySelector('#choices button.p')");
    page.fill("#target", "deadlock");
    page.press("Enter", true);
    page.wait("/its threads are stuck at/.test(document.querySelector('#verdict').innerText)");
    // Values are typed, and impossible moves are refused.
    page.fill("#left-text", "e : int%8 |- e + 1");
    page.click("#environment");
    choose(&mut page, "q");
    page.wait("document.querySelector('#choices input')");
    page.fill("#choices input", "e.9");
    page.press("Enter", false);
    page.wait("/9 is not a value/.test(document.querySelector('#verdict').innerText)");
    page.fill("#choices input", "e.5");
    page.press("Enter", false);
    page.wait("document.querySelector('#moves li:last-child')?.innerText === 'P6'");
    content(&page);
}

fn a_module_is_called_back_and_its_stack_is_seen() {
    let (_server, mut page) = visited(&[]);
    page.fill("#left-text", &corpus("examples/bucket.ia"));
    page.fill("#target", "abort");
    page.click_button("#check");
    page.wait(&format!("{MOVES} === 6"));
    assert!(
        page.text("#verdict").contains("`assert(tokens > 0)` fails: tokens = 0"),
        "{}",
        page.text("#verdict")
    );
    assert!(
        page.text("#verdict").contains("assumed: the environment has one thread"),
        "{}",
        page.text("#verdict")
    );
    assert!(page.text("#closed").contains("if step = 2 then refill(0)"), "{}", page.text("#closed"));
    // Moves are indented by nesting, and the private cells are beside them.
    let indents =
        "[...document.querySelectorAll('#moves li')].map(e => parseFloat(getComputedStyle(e).paddingLeft))";
    let indents: Vec<f64> = serde_json::from_value(page.eval(indents)).expect("these are numbers");
    let deeper: Vec<bool> = indents.windows(2).map(|pair| pair[0] < pair[1]).collect();
    assert_eq!(deeper, [true, true, false, false, false], "{indents:?}");
    page.click_button("#moves [data-move='3']");
    assert_eq!(page.text("#moves li[aria-current]"), "Orefill(0)re-entry");
    assert!(page.text("#store").contains("tokens\t2"), "{}", page.text("#store"));
    page.click_button("#forward");
    assert!(page.text("#store").contains("tokens\t0"), "{}", page.text("#store"));
    // The chart has the import as a participant, from which the module is called again.
    let heads = "[...document.querySelectorAll('#chart .heads .who')].map(e => e.textContent)";
    assert_eq!(page.eval(heads), json!(["environment", "module", "now"]));
    assert_eq!(page.eval("document.querySelectorAll('#chart .returns').length"), 2);
    // The user is the environment, with the stack of open calls.
    page.click_button("#environment");
    page.wait("document.querySelector('#open-calls')?.innerText === 'No call is open.'");
    let play = |page: &mut Page, text: &str| {
        let form = format!(
            "[...document.querySelectorAll('#choices button, #choices input')].find(e => (e.value || e.innerText).includes({}))",
            json!(text)
        );
        page.wait(&form);
        page.eval(&format!("{{ const e = {form}; e.form ? e.form.requestSubmit() : e.click() }}"));
    };
    play(&mut page, "take()");
    page.wait("document.querySelector('#open-calls')?.innerText === 'Open calls: take › now'");
    play(&mut page, "refill(0)");
    page.wait(&format!("{MOVES} === 4"));
    assert_eq!(page.text("#open-calls"), "Open calls: take › now");
    play(&mut page, "ret 0");
    page.wait("document.querySelector('#verdict .word')?.innerText === 'ABORT'");
    content(&page);
}

fn everything_can_be_done_by_keys() {
    let (_server, mut page) = visited(&[]);
    // Tab reaches every control, and the focus is visible.
    let mut seen = Vec::new();
    page.eval("document.body.focus()");
    for _ in 0..60 {
        page.press("Tab", false);
        let at = page.eval(
            "(() => { const e = document.activeElement; const s = getComputedStyle(e); \
             return e === document.body ? '' : `${e.id || e.textContent} ${s.outlineStyle !== 'none' && s.outlineWidth !== '0px'}`; })()",
        );
        let at = at.as_str().unwrap_or("").to_string();
        assert!(at.is_empty() || at.ends_with("true"), "{at}");
        if !seen.contains(&at) {
            seen.push(at);
        }
    }
    for id in [
        "menu",
        "engine",
        "target",
        "check",
        "model",
        "compare",
        "environment",
        "left-text",
        "tab-play",
        "first",
        "back",
        "step",
        "moves",
        "chart",
    ] {
        assert!(seen.iter().any(|at| *at == format!("{id} true")), "{id} is not come to: {seen:?}");
    }
    // A check, stepping through its play, and the model.
    page.eval("document.querySelector('#left-text').focus()");
    page.fill("#left-text", &corpus("examples/counter.ia"));
    page.eval("document.querySelector('#target').focus()");
    page.fill("#target", "abort");
    page.press("Enter", true);
    page.wait(&format!("{MOVES} === 4"));
    page.eval("document.querySelector('#moves').focus()");
    page.press("Home", false);
    page.press("ArrowDown", false);
    page.press("ArrowRight", false);
    assert_eq!(page.text("#where"), "2 of 4");
    page.press("End", false);
    assert_eq!(page.text("#where"), "4 of 4");
    page.eval("document.querySelector('#tab-play').focus()");
    page.press("ArrowRight", false);
    assert_eq!(page.eval("document.querySelector('#panel-graph').hidden"), false);
    page.eval("document.querySelector('#model').focus()");
    page.press("Enter", false);
    page.wait("document.querySelector('.said')?.innerText.includes('drawn in')");
    page.eval("document.querySelector('.canvas').focus()");
    page.press("n", false);
    page.press("n", false);
    page.wait("document.querySelectorAll('.chosen').length === 1");
    page.press("+", false);
    page.press("ArrowLeft", false);
    content(&page);
}

/// The contrast of a text with its background, by WCAG.
const CONTRAST: &str = "((selector) => {
    const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const e = document.querySelector(selector);
    let ground = e; while (ground && /, 0\\)$|transparent/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
    const [a, b] = [light(getComputedStyle(e).color), light(getComputedStyle(ground ?? document.body).backgroundColor)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
})";

fn it_is_readable_in_light_and_dark() {
    let server = Served::start(&[]);
    let mut page = Page::open();
    for scheme in ["light", "dark"] {
        page.prefer(scheme);
        page.visit(&server.url);
        let things = [
            "body",
            "#verdict .word",
            "#verdict .figures",
            "#left .keyword",
            "#left .comment",
            "#left .storage",
            "#left .constant",
            "#left .entity",
            "#moves .o",
            "#moves .p",
            "#check",
            "#model",
            "label",
            "#left .numbers",
            "small",
            "#left .mark",
            "#moves li[aria-current] .player",
            "#store td",
        ];
        for thing in things {
            let contrast = page.eval(&format!("{CONTRAST}({})", json!(thing))).as_f64().unwrap_or(0.0);
            assert!(contrast >= 4.5, "{thing} has a contrast of {contrast:.1} in {scheme}");
        }
        keep(&format!("workbench-{scheme}.png"), &mut page);
    }
    let paint = page.eval("performance.getEntriesByName('first-contentful-paint')[0].startTime").as_f64();
    let mut took = Vec::new();
    for _ in 0..5 {
        page.eval("delete document.body.dataset.took");
        page.click("#check");
        page.wait("document.body.dataset.took");
        took.push(page.eval("Number(document.body.dataset.took)").as_u64().unwrap_or(u64::MAX));
    }
    took.sort_unstable();
    // The figures for a release are in docs/page.md.
    println!("first paint after {paint:?} ms; verdicts after {took:?} ms");
    if std::env::var_os("AGON_PICTURES").is_some() {
        page.prefer("light");
        page.fill("#left-text", &corpus("corpus/papers/ag-figure-1.ia"));
        page.draw();
        page.click(".state.final circle");
        page.wait("document.querySelectorAll('.on-way.edge').length > 0");
        keep("workbench-model.png", &mut page);
    }
    content(&page);
}

/// The page shows why a program aborts, why there is no play, and what the user can do about a missing verdict.
fn reasons_fit_the_page() {
    let (server, mut page) = visited(&["--time-limit", "20"]);
    page.fill("#target", "abort");
    page.fill("#left-text", "e : int%5 |- new int%4 buffer[3] in buffer[e] := 1");
    page.check("UNSAFE");
    assert_eq!(
        page.text("#verdict .cause"),
        "index 3 is out of bounds of `buffer` (0…2): e = 3 from the environment (1:37)"
    );
    page.fill("#left-text", "skip");
    assert!(page.text("#reading").starts_with("There is no play yet"), "{}", page.text("#reading"));
    page.check("SAFE");
    assert!(page.text("#reading").starts_with("There is no such play"), "{}", page.text("#reading"));
    // The page offers to raise its own limit, not that of the server.
    page.click("#more summary");
    assert_eq!(page.eval("document.querySelector('#time_limit').placeholder"), "20");
    page.eval("document.querySelector('#engine').value = 'explicit'");
    page.fill("#time_limit", "0.3");
    page.fill("#left-text", ENDLESS);
    page.check("UNKNOWN");
    assert!(page.text("#verdict").contains("give more under More, Time limit"), "{}", page.text("#verdict"));
    assert!(page.text("#reading").starts_with("No play was found"), "{}", page.text("#reading"));
    page.eval("document.querySelector('#engine').value = 'partition'");
    page.fill("#time_limit", "");
    page.fill("#iterations", "1");
    page.fill("#left-text", "f : com -> com |- new int x in f(x := x + 1); assert(x < 2)");
    page.check("UNKNOWN");
    assert!(page.text("#verdict").contains("allow more under More, Iterations"), "{}", page.text("#verdict"));
    // The address contains the limits, too.
    page.wait("location.hash.length > 1");
    content(&page);
    drop(server);
    let server = Served::start(&["--time-limit", "0.3"]);
    page.visit(&server.url);
    page.eval("document.querySelector('#engine').value = 'explicit'");
    page.fill("#target", "abort");
    page.fill("#left-text", ENDLESS);
    page.check("UNKNOWN");
    assert!(page.text("#verdict").contains("`agon serve --time-limit SECONDS`"), "{}", page.text("#verdict"));
}

fn a_library_in_c_is_stepped_through() {
    let (server, mut page) = visited(&[]);
    let choose = |id: &str, value: &str| {
        format!(
            "{{ const e = document.querySelector('#{id}'); e.value = '{value}'; e.dispatchEvent(new Event('change')); }}"
        )
    };
    page.eval(&choose("menu", "examples/bucket.c"));
    page.wait("document.querySelector('#language').value === 'c'");
    page.wait("document.querySelector('#left-text').value.includes('int take(void)')");
    page.wait("!document.querySelector('#left-diagnostics .error')");
    assert_eq!(page.text("#left .storage"), "int", "the text is coloured as C");
    page.check("UNSAFE");
    assert!(
        page.text("#verdict").contains("`assert(tokens >= 0)` fails: tokens = -1"),
        "{}",
        page.text("#verdict")
    );
    assert_eq!(page.eval(MOVES), 6);
    let marked = "[...document.querySelectorAll('#left .mark')].map(e => e.textContent).join('')";
    assert_eq!(page.eval(marked), "assert(tokens >= 0)", "the play steps through lines of C");
    page.click("#moves [data-move='2']");
    assert_eq!(page.eval(marked), "now()");
    // The address has the language.
    page.wait("location.href.includes('#1.')");
    let address = page.eval("location.href").as_str().unwrap_or("").to_string();
    page.visit(&server.url);
    page.visit(&address);
    page.wait("document.querySelector('#language').value === 'c'");
    page.fill("#left-text", "static float level;\nvoid f(int x) { level = x; }\n");
    page.wait("document.querySelector('#left-diagnostics .error')");
    assert!(page.text("#left-diagnostics").contains("E0603"), "{}", page.text("#left-diagnostics"));
    content(&page);
}

/// The tests by their names.
const TESTS: [(&str, fn()); 15] = [
    ("the_stack_overflows_and_its_play_can_be_stepped", the_stack_overflows_and_its_play_can_be_stepped),
    ("errors_are_seen_as_they_are_typed", errors_are_seen_as_they_are_typed),
    ("models_are_drawn_and_their_states_can_be_clicked", models_are_drawn_and_their_states_can_be_clicked),
    ("models_of_modules_are_drawn_in_components", models_of_modules_are_drawn_in_components),
    (
        "large_models_are_panned_and_larger_ones_refused_politely",
        large_models_are_panned_and_larger_ones_refused_politely,
    ),
    ("two_programs_are_told_apart_in_both_models", two_programs_are_told_apart_in_both_models),
    ("a_long_run_is_seen_at_work_and_cancelled", a_long_run_is_seen_at_work_and_cancelled),
    ("answers_are_of_the_program_that_is_there", answers_are_of_the_program_that_is_there),
    ("every_engine_shows_what_it_knows_of_the_data", every_engine_shows_what_it_knows_of_the_data),
    ("the_address_has_the_play", the_address_has_the_play),
    ("the_user_can_be_the_environment", the_user_can_be_the_environment),
    ("a_module_is_called_back_and_its_stack_is_seen", a_module_is_called_back_and_its_stack_is_seen),
    ("everything_can_be_done_by_keys", everything_can_be_done_by_keys),
    ("reasons_fit_the_page", reasons_fit_the_page),
    ("it_is_readable_in_light_and_dark", it_is_readable_in_light_and_dark),
];

fn main() -> ExitCode {
    let there = browser().is_some();
    let mut trials: Vec<_> = TESTS.into_iter().map(|(name, run)| requires::trial(name, there, run)).collect();
    let compiler = there && requires::installed("cc");
    let name = "a_library_in_c_is_stepped_through";
    trials.push(requires::trial(name, compiler, a_library_in_c_is_stepped_through));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

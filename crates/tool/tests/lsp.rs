//! A scripted editor talks to the language server.

use std::path::Path;
use std::time::Duration;

use agon::shape::answer::Answer;
use agon::shape::model::Picture;
use serde_json::{Value, json};

use editor::Editor;
use schema::{read, schema};

mod editor;
mod schema;

const URI: &str = "file:///programs/counter.ia";

fn place(line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } })
}

fn document() -> Value {
    json!({ "textDocument": { "uri": URI } })
}

fn counter() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/counter.ia");
    std::fs::read_to_string(path).expect("the example is there")
}

#[test]
fn errors_are_told_as_they_are_typed() {
    let mut editor = Editor::start(URI);
    let said = editor.open("f : com -> com |- f(skp)");
    assert_eq!(said[0]["code"], "E0101");
    assert_eq!(
        said[0]["range"],
        json!({ "start": { "line": 0, "character": 20 }, "end": { "line": 0, "character": 23 } })
    );
    assert!(
        said[0]["message"].as_str().is_some_and(|text| text.contains("nothing here is called `skp`")),
        "{said}"
    );
    assert_eq!(editor.ask("textDocument/codeLens", document()), json!([]), "there is nothing to check");
    assert_eq!(editor.change("f : com -> com |- f(skip)"), json!([]));
    let said = editor.change("x : com, x : com |- x");
    assert_eq!(said[0]["relatedInformation"][0]["message"], "first declared here", "{said}");
    editor.tell("textDocument/didClose", document());
    assert!(editor.refused("textDocument/hover", place(0, 0)).contains("is not open"));
    assert!(editor.refused("textDocument/moonwalk", json!({})).contains("no method"));
    editor.stop();
}

#[test]
fn names_and_words_explain_themselves() {
    let mut editor = Editor::start(URI);
    editor.open("const n = 8;\nclient : com -> com |-\nnew int%n count := 0 in\nlet add = count := count + 1 in\nclient(add)");
    let mut hover = |line, character| {
        let said = editor.at("textDocument/hover", line, character);
        said["contents"]["value"].as_str().unwrap_or("").to_string()
    };
    assert!(hover(1, 2).contains("client : (com{1} -> com){1}"), "{}", hover(1, 2));
    assert!(hover(1, 2).contains("assumed: "), "{}", hover(1, 2));
    assert!(hover(3, 20).contains("count : var int%3"), "{}", hover(3, 20));
    assert!(hover(2, 8).contains("const n = 3"), "the constant as it was given from outside");
    assert!(hover(2, 1).contains("A new cell") && hover(2, 1).contains("type `com`"), "{}", hover(2, 1));
    assert_eq!(hover(3, 8), "");
    let declared = editor.at("textDocument/definition", 4, 8);
    assert_eq!(declared["range"]["start"], json!({ "line": 3, "character": 4 }));
    let mut params = place(3, 20);
    params["context"] = json!({ "includeDeclaration": true });
    assert_eq!(editor.ask("textDocument/references", params).as_array().map(Vec::len), Some(3));
    assert_eq!(editor.at("textDocument/documentHighlight", 3, 20).as_array().map(Vec::len), Some(3));
    editor.stop();
}

#[test]
fn names_are_changed_and_texts_laid_out() {
    let mut editor = Editor::start(URI);
    editor.open("f : com -> com |- // all of it\nnew   int x in\nf ( x := 1 )");
    assert_eq!(editor.at("textDocument/prepareRename", 2, 4)["end"]["character"], 5);
    let mut params = place(2, 4);
    params["newName"] = "total".into();
    let edits = editor.ask("textDocument/rename", params.clone());
    assert_eq!(edits["changes"][URI].as_array().map(Vec::len), Some(2), "{edits}");
    params["newName"] = "f".into();
    assert!(editor.refused("textDocument/rename", params).contains("choose another name"));
    let mut params = document();
    params["options"] = json!({ "tabSize": 2, "insertSpaces": true });
    let edits = editor.ask("textDocument/formatting", params.clone());
    let text = edits[0]["newText"].as_str().expect("there is something to change");
    assert_eq!(text, "f : com -> com |-  // all of it\nnew int x in\nf(x := 1)\n");
    editor.change(text);
    assert_eq!(editor.ask("textDocument/formatting", params), json!([]), "a second time there is not");
    let outline = editor.ask("textDocument/documentSymbol", document());
    let names: Vec<_> =
        outline.as_array().into_iter().flatten().map(|symbol| symbol["name"].clone()).collect();
    assert_eq!(names, ["f", "x"]);
    editor.stop();
}

#[test]
fn a_lens_checks_the_program_and_shows_the_play() {
    let mut editor = Editor::start(URI);
    assert_eq!(editor.open(&counter()), json!([]));
    let lenses = editor.ask("textDocument/codeLens", document());
    assert_eq!(
        lenses[0]["command"],
        json!({ "title": "Check", "command": "agon.check", "arguments": [URI] })
    );
    assert_eq!(lenses[0]["range"]["start"]["line"], 1, "above the term");
    let answer =
        editor.ask("workspace/executeCommand", json!({ "command": "agon.check", "arguments": [URI] }));
    let _: Answer = read(&schema("answer"), &answer, "agon.check");
    assert_eq!(answer["verdict"], "unsafe");
    let said = editor.diagnostics();
    assert_eq!(said[0]["source"], "agon check");
    assert!(said[0]["message"].as_str().is_some_and(|text| text.contains("let client(client_1")), "{said}");
    let cause = "`assert(count > 0)` fails: count = 0";
    assert!(said[0]["message"].as_str().is_some_and(|text| text.contains(cause)), "{said}");
    assert_eq!(answer["cause"]["message"], cause);
    assert_eq!(answer["play"][1]["store"], json!([{ "name": "count", "value": "0" }]));
    let moves: Vec<_> = (said[0]["relatedInformation"].as_array().into_iter().flatten())
        .map(|move_| move_["message"].as_str().unwrap_or(""))
        .collect();
    assert_eq!(moves.len(), 4, "{said}");
    assert_eq!(moves[1], "2. P client.run: the program calls client");
    assert_eq!(said[0]["relatedInformation"][1]["location"]["range"]["start"]["line"], 4);
    let lenses = editor.ask("textDocument/codeLens", document());
    assert_eq!(lenses[0]["command"]["title"], "Check: UNSAFE");
    let model =
        editor.ask("workspace/executeCommand", json!({ "command": "agon.model", "arguments": [URI] }));
    let Picture { states, svg, .. } = read(&schema("picture"), &model, "agon.model");
    assert!(states > 5 && svg.is_some_and(|svg| svg.contains("<svg")), "{model}");
    // Another text has no verdict yet.
    let safe = counter().replace("assert(count > 0)", "skip");
    assert_eq!(editor.change(&safe), json!([]));
    assert!(
        editor
            .refused("workspace/executeCommand", json!({ "command": "agon.dance", "arguments": [URI] }))
            .contains("no command")
    );
    editor.stop();
}

#[test]
fn a_module_has_symbols_types_a_verdict_and_a_model() {
    let mut editor = Editor::start(URI);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bucket.ia");
    let text = std::fs::read_to_string(path).expect("the example is there");
    assert_eq!(editor.open(&text), json!([]));
    let symbols = editor.ask("textDocument/documentSymbol", document());
    let named: Vec<_> = (symbols.as_array().into_iter().flatten())
        .map(|symbol| (symbol["name"].as_str().unwrap_or(""), symbol["detail"].as_str().unwrap_or("")))
        .collect();
    let cell = "cell of the module";
    let procedures = [("refill", "procedure"), ("take", "procedure")];
    assert_eq!(named, [&[("now", "import"), ("tokens", cell), ("last", cell)][..], &procedures].concat());
    let hover = editor.at("textDocument/hover", 10, 12).to_string();
    assert!(hover.contains("import now() : int%4"), "{hover}");
    let hover = editor.at("textDocument/hover", 7, 8).to_string();
    assert!(hover.contains("export take() : bool"), "{hover}");
    let hover = editor.at("textDocument/hover", 4, 7).to_string();
    assert!(hover.contains("int%3 tokens"), "{hover}");
    let hover = editor.at("textDocument/hover", 3, 2).to_string();
    assert!(hover.contains("It may call exports before it returns."), "{hover}");
    let lenses = editor.ask("textDocument/codeLens", document());
    assert_eq!(lenses.as_array().map(Vec::len), Some(2), "{lenses}");
    let run = |command: &str| json!({ "command": command, "arguments": [URI] });
    let answer: Answer =
        read(&schema("answer"), &editor.ask("workspace/executeCommand", run("agon.check")), "agon.check");
    let depths: Vec<_> = answer.finding.play.iter().map(|step| step.depth.unwrap_or(9)).collect();
    assert_eq!(depths, [0, 1, 2, 2, 1, 0]);
    let said = editor.diagnostics();
    assert!(
        said[0]["message"].as_str().is_some_and(|text| text.contains("`assert(tokens > 0)` fails")),
        "{said}"
    );
    let third = &said[0]["relatedInformation"][2]["message"];
    assert_eq!(*third, "3. O refill(0): the environment calls refill while the module waits");
    let model = editor.ask("workspace/executeCommand", run("agon.model"));
    let Picture { states, transitions, svg, .. } = read(&schema("picture"), &model, "agon.model");
    assert_eq!((states, transitions), (7, 24));
    assert!(svg.is_some_and(|svg| svg.contains("take.1 at 0")), "{model}");
    editor.stop();
}

/// A program whose check takes too long for a test.
const ENDLESS: &str = "e : i32 |- new i32 a in new i32 b in new i32 c in while true do { a := e; b := a * b + e; c := c * a + b; if c * c = 7919 * a + 3 & b > 123456 then abort }";

#[test]
fn a_long_run_can_be_cancelled() {
    let mut editor = Editor::start(URI);
    editor.open(ENDLESS);
    let run = json!({ "command": "agon.check", "arguments": [URI] });
    let id = editor.begin("workspace/executeCommand", run.clone());
    std::thread::sleep(Duration::from_millis(300));
    editor.tell("$/cancelRequest", json!({ "id": 2 }));
    let said = editor.response(&id).response_result;
    assert!(said.is_err_and(|error| error.message.contains("cancelled")));
    // A change of the text cancels a run, too.
    let id = editor.begin("workspace/executeCommand", run);
    std::thread::sleep(Duration::from_millis(300));
    editor.version += 1;
    let change = json!({ "textDocument": { "uri": URI, "version": editor.version }, "contentChanges": [{ "text": "skip" }] });
    editor.tell("textDocument/didChange", change);
    let said = editor.response(&id).response_result;
    assert!(said.is_err_and(|error| error.message.contains("the text has changed")));
    editor.stop();
}

/// The server answers for every prefix of a program.
#[test]
fn every_beginning_of_a_program_can_be_asked_about() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/papers/otf-stack-push-pop.ia");
    let text = std::fs::read_to_string(path).expect("the corpus can be read");
    let mut editor = Editor::start(URI);
    editor.open("");
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)).step_by(7) {
        editor.version += 1;
        let change = json!({ "textDocument": { "uri": URI, "version": editor.version }, "contentChanges": [{ "text": &text[..end] }] });
        editor.tell("textDocument/didChange", change);
        let line = text[..end].matches('\n').count() as u32;
        editor.at("textDocument/hover", line, 3);
        editor.at("textDocument/definition", line, 1);
        editor.ask("textDocument/documentSymbol", document());
        editor.ask("textDocument/codeLens", document());
    }
    editor.stop();
}

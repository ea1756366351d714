//! Requests that are answered from the text at once.

use std::collections::HashMap;

use agon_base::source::Span;
use agon_ia::layout::layout;
use lsp_server::{ErrorCode, Request, Response};
use lsp_types as lsp;
use lsp_types::request::{self as on, Request as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::document::Document;
use super::{Shared, hover, outline, rename};

/// Answers a request.
pub(super) fn answer(shared: &Shared, request: Request) -> Response {
    let Request { id, method, params } = request;
    let answered = match method.as_str() {
        on::HoverRequest::METHOD => about(shared, params, hovered),
        on::GotoDefinition::METHOD => about(shared, params, definition),
        on::References::METHOD => about(shared, params, references),
        on::DocumentHighlightRequest::METHOD => about(shared, params, highlights),
        on::PrepareRenameRequest::METHOD => about(shared, params, prepared),
        on::Rename::METHOD => about(shared, params, renamed),
        on::Formatting::METHOD => about(shared, params, formatted),
        on::DocumentSymbolRequest::METHOD => {
            about(shared, params, |document, _: lsp::DocumentSymbolParams| Ok(outline::outline(document)))
        }
        on::CodeLensRequest::METHOD => about(shared, params, |document, params: lsp::CodeLensParams| {
            Ok(outline::lenses(document, &params.text_document.uri))
        }),
        _ => Err((ErrorCode::MethodNotFound, format!("there is no method `{method}`"))),
    };
    match answered {
        Ok(value) => Response::new_ok(id, value),
        Err((code, message)) => Response::new_err(id, code as i32, message),
    }
}

type Refused = (ErrorCode, String);

/// Reads the parameters, finds the document that they are about, and answers.
fn about<P: DeserializeOwned, R: Serialize>(
    shared: &Shared,
    params: Value,
    answer: impl FnOnce(&Document, P) -> Result<R, Refused>,
) -> Result<Value, Refused> {
    let invalid = |error: serde_json::Error| (ErrorCode::InvalidParams, error.to_string());
    // All of these requests say what they are about in one of two ways.
    let identifier =
        params.get("textDocument").or_else(|| params.get("textDocumentPositionParams")?.get("textDocument"));
    let uri = identifier
        .and_then(|identifier| identifier.get("uri"))
        .and_then(Value::as_str)
        .unwrap_or("")
        .to_string();
    let params = serde_json::from_value(params).map_err(invalid)?;
    let documents = shared.documents();
    let Some(document) = documents.get(&uri) else {
        return Err((ErrorCode::InvalidParams, format!("`{uri}` is not open")));
    };
    serde_json::to_value(answer(document, params)?).map_err(invalid)
}

fn hovered(document: &Document, params: lsp::HoverParams) -> Result<Option<lsp::Hover>, Refused> {
    let offset = document.text.offset(params.text_document_position_params.position);
    Ok(hover::hover(document, offset).map(|(span, value)| lsp::Hover {
        contents: lsp::HoverContents::Markup(lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value }),
        range: Some(document.text.range(span)),
    }))
}

fn location(document: &Document, uri: lsp::Uri, span: Span) -> lsp::Location {
    lsp::Location { uri, range: document.text.range(span) }
}

fn definition(
    document: &Document,
    params: lsp::GotoDefinitionParams,
) -> Result<Option<lsp::Location>, Refused> {
    let lsp::TextDocumentPositionParams { text_document, position } = params.text_document_position_params;
    let found = document.names.at(document.text.offset(position));
    Ok(found.map(|(_, id)| location(document, text_document.uri, document.names.declaration(id).ident.span)))
}

/// All mentions of the name at a position, the declaration among them.
fn mentions(document: &Document, position: lsp::Position) -> (Option<Span>, Vec<Span>) {
    match document.names.at(document.text.offset(position)) {
        Some((_, id)) => {
            (Some(document.names.declaration(id).ident.span), document.names.mentions(id).collect())
        }
        None => (None, Vec::new()),
    }
}

fn references(document: &Document, params: lsp::ReferenceParams) -> Result<Vec<lsp::Location>, Refused> {
    let lsp::TextDocumentPositionParams { text_document, position } = params.text_document_position;
    let (declared, spans) = mentions(document, position);
    let wanted =
        spans.into_iter().filter(|span| params.context.include_declaration || Some(*span) != declared);
    Ok(wanted.map(|span| location(document, text_document.uri.clone(), span)).collect())
}

fn highlights(
    document: &Document,
    params: lsp::DocumentHighlightParams,
) -> Result<Vec<lsp::DocumentHighlight>, Refused> {
    let (_, spans) = mentions(document, params.text_document_position_params.position);
    let highlight = |span| lsp::DocumentHighlight { range: document.text.range(span), kind: None };
    Ok(spans.into_iter().map(highlight).collect())
}

fn prepared(
    document: &Document,
    params: lsp::TextDocumentPositionParams,
) -> Result<Option<lsp::Range>, Refused> {
    let found = document.names.at(document.text.offset(params.position));
    Ok(found.map(|(span, _)| document.text.range(span)))
}

fn renamed(document: &Document, params: lsp::RenameParams) -> Result<lsp::WorkspaceEdit, Refused> {
    let lsp::TextDocumentPositionParams { text_document, position } = params.text_document_position;
    let (_, id) = document
        .names
        .at(document.text.offset(position))
        .ok_or_else(|| (ErrorCode::InvalidRequest, "there is no name here".to_string()))?;
    let places =
        rename::rename(document, id, &params.new_name).map_err(|why| (ErrorCode::InvalidRequest, why))?;
    let edit = |span| lsp::TextEdit { range: document.text.range(span), new_text: params.new_name.clone() };
    let edits = places.into_iter().map(edit).collect();
    #[allow(clippy::mutable_key_type, reason = "that is how edits are given")]
    let changes = HashMap::from([(text_document.uri, edits)]);
    Ok(lsp::WorkspaceEdit::new(changes))
}

fn formatted(
    document: &Document,
    _: lsp::DocumentFormattingParams,
) -> Result<Option<Vec<lsp::TextEdit>>, Refused> {
    let Some(new_text) = layout(&document.text.text) else { return Ok(None) };
    let changed = new_text != document.text.text;
    let edit = lsp::TextEdit { range: document.text.whole(), new_text };
    Ok(Some(changed.then_some(edit).into_iter().collect()))
}

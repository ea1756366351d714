//! Requests that are answered at once, from the text.

use std::collections::HashMap;

use agon_base::source::Span;
use agon_ia::layout::layout;
use gen_lsp_types as lsp;
use lsp_server::{ErrorCode, Request, Response};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::document::Document;
use super::{Shared, hover, outline, rename};

/// Answers a request.
pub(super) fn answer(shared: &Shared, request: Request) -> Response {
    use lsp::LspRequestMethod as On;
    let Request { id, method, params } = request;
    let answered = match On::from(method.as_str()) {
        On::TextDocumentHover => about(shared, params, hovered),
        On::TextDocumentDefinition => about(shared, params, definition),
        On::TextDocumentReferences => about(shared, params, references),
        On::TextDocumentDocumentHighlight => about(shared, params, highlights),
        On::TextDocumentPrepareRename => about(shared, params, prepared),
        On::TextDocumentRename => about(shared, params, renamed),
        On::TextDocumentFormatting => about(shared, params, formatted),
        On::TextDocumentDocumentSymbol => {
            about(shared, params, |document, _: lsp::DocumentSymbolParams| Ok(outline::outline(document)))
        }
        On::TextDocumentCodeLens => about(shared, params, |document, params: lsp::CodeLensParams| {
            Ok(outline::lenses(document, &params.text_document.uri))
        }),
        _ => Err((ErrorCode::MethodNotFound, format!("there is no method `{method}`"))),
    };
    match answered {
        Ok(value) => Response::new_ok(id, value),
        Err((code, message)) => Response::new_err(id, code as i32, message),
    }
}

/// The code and the message of an error response.
type LspError = (ErrorCode, String);

/// All of these requests say which document they are about.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct About {
    text_document: lsp::TextDocumentIdentifier,
}

/// Reads the parameters, finds the document that they are about, and answers.
fn about<P: DeserializeOwned, R: Serialize>(
    shared: &Shared,
    params: Value,
    answer: impl FnOnce(&Document, P) -> Result<R, LspError>,
) -> Result<Value, LspError> {
    let invalid = |error: serde_json::Error| (ErrorCode::InvalidParams, error.to_string());
    let About { text_document } = About::deserialize(&params).map_err(invalid)?;
    let params = serde_json::from_value(params).map_err(invalid)?;
    let documents = shared.documents();
    let Some(document) = documents.get(&text_document.uri) else {
        return Err((ErrorCode::InvalidParams, format!("`{}` is not open", text_document.uri)));
    };
    serde_json::to_value(answer(document, params)?).map_err(invalid)
}

fn hovered(document: &Document, params: lsp::HoverParams) -> Result<Option<lsp::Hover>, LspError> {
    if document.is_c {
        return Ok(None);
    }
    let offset = document.text.offset(params.text_document_position_params.position);
    Ok(hover::hover(document, offset).map(|(span, value)| lsp::Hover {
        contents: lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value }.into(),
        range: Some(document.text.range(span)),
    }))
}

fn location(document: &Document, uri: lsp::Uri, span: Span) -> lsp::Location {
    lsp::Location { uri, range: document.text.range(span) }
}

fn definition(document: &Document, params: lsp::DefinitionParams) -> Result<Option<lsp::Location>, LspError> {
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

fn references(document: &Document, params: lsp::ReferenceParams) -> Result<Vec<lsp::Location>, LspError> {
    let lsp::TextDocumentPositionParams { text_document, position } = params.text_document_position_params;
    let (declared, spans) = mentions(document, position);
    let wanted =
        spans.into_iter().filter(|span| params.context.include_declaration || Some(*span) != declared);
    Ok(wanted.map(|span| location(document, text_document.uri.clone(), span)).collect())
}

fn highlights(
    document: &Document,
    params: lsp::DocumentHighlightParams,
) -> Result<Vec<lsp::DocumentHighlight>, LspError> {
    let (_, spans) = mentions(document, params.text_document_position_params.position);
    let highlight = |span| lsp::DocumentHighlight { range: document.text.range(span), kind: None };
    Ok(spans.into_iter().map(highlight).collect())
}

fn prepared(document: &Document, params: lsp::PrepareRenameParams) -> Result<Option<lsp::Range>, LspError> {
    let position = params.text_document_position_params.position;
    let found = document.names.at(document.text.offset(position));
    Ok(found.map(|(span, _)| document.text.range(span)))
}

fn renamed(document: &Document, params: lsp::RenameParams) -> Result<lsp::WorkspaceEdit, LspError> {
    let lsp::TextDocumentPositionParams { text_document, position } = params.text_document_position_params;
    let (_, id) = document
        .names
        .at(document.text.offset(position))
        .ok_or_else(|| (ErrorCode::InvalidRequest, "there is no name here".to_string()))?;
    let places =
        rename::rename(document, id, &params.new_name).map_err(|why| (ErrorCode::InvalidRequest, why))?;
    let edit = |span| lsp::TextEdit { range: document.text.range(span), new_text: params.new_name.clone() };
    let edits = places.into_iter().map(edit).collect();
    let changes = Some(HashMap::from([(text_document.uri, edits)]));
    Ok(lsp::WorkspaceEdit { changes, ..Default::default() })
}

fn formatted(
    document: &Document,
    _: lsp::DocumentFormattingParams,
) -> Result<Option<Vec<lsp::TextEdit>>, LspError> {
    if document.is_c {
        return Ok(None);
    }
    let Some(new_text) = layout(&document.text.text) else { return Ok(None) };
    let changed = new_text != document.text.text;
    let edit = lsp::TextEdit { range: document.text.whole(), new_text };
    Ok(Some(changed.then_some(edit).into_iter().collect()))
}

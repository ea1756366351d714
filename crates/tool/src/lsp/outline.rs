//! The outline of a document, and the code lenses above its term.

use agon_ia::names::{Declaration, DeclarationId, Kind};
use gen_lsp_types::{CodeLens, Command, DocumentSymbol, SymbolKind, Uri};

use super::document::Document;
use crate::session::module::ModuleSession;

/// The declarations of a document; those in a definition are its children.
pub fn outline(document: &Document) -> Vec<DocumentSymbol> {
    let shown = |kind| !matches!(kind, Kind::Label | Kind::Copy);
    let mut below: Vec<(Option<DeclarationId>, DeclarationId, DocumentSymbol)> =
        (document.names.declarations())
            .filter(|(_, declaration)| shown(declaration.kind) && !declaration.ident.name.is_empty())
            .map(|(id, declaration)| (declaration.within, id, symbol(document, declaration)))
            .collect();
    // The children of a definition follow it, so in reverse order each one is complete when it is added to its parent.
    let mut top = Vec::new();
    while let Some((within, _, mut symbol)) = below.pop() {
        symbol.children.iter_mut().for_each(|children| children.reverse());
        let parent = within.and_then(|parent| below.iter_mut().rev().find(|(_, id, _)| *id == parent));
        match parent {
            Some((_, _, parent)) => parent.children.get_or_insert_default().push(symbol),
            None => top.push(symbol),
        }
    }
    top.reverse();
    top
}

fn symbol(document: &Document, declaration: &Declaration) -> DocumentSymbol {
    let kind = match declaration.kind {
        Kind::Constant => SymbolKind::Constant,
        Kind::Free => SymbolKind::Interface,
        Kind::Definition => SymbolKind::Function,
        _ => SymbolKind::Variable,
    };
    let in_module = document.program.module.is_some() && declaration.within.is_none();
    let detail = match declaration.kind {
        Kind::Free if in_module => "import",
        Kind::Cell if in_module => "cell of the module",
        Kind::Semaphore if in_module => "lock of the module",
        Kind::Definition if in_module => "procedure",
        Kind::Constant => "constant",
        Kind::Free => "free identifier",
        Kind::Cell => "local variable",
        Kind::Semaphore => "local semaphore",
        Kind::Definition => "definition",
        _ => "parameter",
    };
    #[allow(deprecated, reason = "the field has to be given")]
    DocumentSymbol {
        name: declaration.ident.name.to_string(),
        detail: Some(detail.into()),
        kind,
        tags: None,
        deprecated: None,
        range: document.text.range(declaration.extent.to(declaration.ident.span)),
        selection_range: document.text.range(declaration.ident.span),
        children: None,
    }
}

/// The code lenses above the term or the module of a document without errors.
pub fn lenses(document: &Document, uri: &Uri) -> Vec<CodeLens> {
    if document.session.is_none() {
        return Vec::new();
    }
    let module = document.module();
    let body = || document.program.tree.span(document.program.body);
    let mut range = document.text.range(module.map_or_else(body, ModuleSession::items));
    range.end = range.start;
    let check = match &document.verdict {
        Some(found) => format!("Check: {}", found.word),
        None => "Check".into(),
    };
    let lens = |title: String, command: &str| {
        let command = Command::new(title, None, command.into(), Some(vec![uri.as_ref().into()]));
        CodeLens { range, command: Some(command), data: None }
    };
    vec![lens(check, super::CHECK), lens("Model".into(), super::MODEL)]
}

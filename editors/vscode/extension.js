// The extension: it starts `agon lsp`, and shows the models that the server draws.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate(context) {
  const settings = vscode.workspace.getConfiguration("agon");
  client = new LanguageClient(
    "agon",
    "agon",
    { command: settings.get("path"), args: ["lsp"] },
    {
      documentSelector: [{ language: "agon" }, { language: "c", scheme: "file" }],
      initializationOptions: { define: settings.get("define"), timeLimit: settings.get("timeLimit") },
      middleware: {
        // The server answers a lens with data; a model is drawn, a verdict is in the text already.
        executeCommand: async (command, args, next) => {
          const answer = await next(command, args);
          if (command === "agon.model" && answer) {
            show(answer);
          }
          return answer;
        },
      },
    },
  );
  const onFile = (command) => () => {
    const editor = vscode.window.activeTextEditor;
    return editor && vscode.commands.executeCommand(command, editor.document.uri.toString());
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("agon.checkFile", onFile("agon.check")),
    vscode.commands.registerCommand("agon.modelFile", onFile("agon.model")),
  );
  return client.start();
}

function show(model) {
  if (!model.svg) {
    const many = `The model has ${model.states} states, too many to draw here. \`agon serve\` shows it piece by piece.`;
    vscode.window.showInformationMessage(many);
    return;
  }
  const beside = vscode.ViewColumn.Beside;
  const panel = vscode.window.createWebviewPanel("agon.model", "Model", beside, { enableScripts: false });
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  panel.webview.html =
    `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">` +
    `<body style="background: white">${model.svg.slice(model.svg.indexOf("<svg"))}</body>`;
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };

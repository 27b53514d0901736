// Hearth's suggestions in unusual places: with several cursors, in a notebook, in the box for a commit message.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { commands, NotebookCellData, NotebookCellKind, NotebookData, Selection, scm, window, workspace } from 'vscode';
import { accept } from './accept.ts';
import { it, type Test } from './suite.ts';

const head = 'function add(a: number, b: number) {\n  return a + b;\n}\n\n';

export const tests: Test[] = [
  it('with several cursors, a suggestion is inserted at each cursor in one step', async () => {
    const text = `${head}function multiply(a: number, b: number) {\n  ret\n}\n\nfunction product(a: number, b: number) {\n  ret\n}\n`;
    const document = await workspace.openTextDocument({ language: 'typescript', content: text });
    const editor = await window.showTextDocument(document);
    editor.selections = [5, 9].map((line) => new Selection(line, 5, line, 5));
    await accept(document);
    const [first, second] = [document.lineAt(5).text, document.lineAt(9).text];
    assert.match(first, /^ {2}return a/);
    assert.equal(second, first);
    await commands.executeCommand('undo');
    assert.equal(document.getText(), text);
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }),

  it('a notebook cell gets suggestions', async () => {
    const cells = ['def multiply(a, b):\n    return a * b', 'def add(a, b):\n    ret'];
    const data = new NotebookData(cells.map((text) => new NotebookCellData(NotebookCellKind.Code, text, 'python')));
    const notebook = await workspace.openNotebookDocument('jupyter-notebook', data);
    const editor = await window.showNotebookDocument(notebook);
    editor.selection = editor.selection.with({ start: 1, end: 2 });
    await commands.executeCommand('notebook.cell.edit');
    const { document } = notebook.cellAt(1);
    for (let i = 0; window.activeTextEditor?.document !== document && i < 100; i++) await sleep(50);
    assert.ok(window.activeTextEditor);
    window.activeTextEditor.selection = new Selection(1, 7, 1, 7);
    await accept(document);
    assert.match(document.getText(), /^ {4}return a/m);
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }),

  it('the box for commit messages gets no suggestions, and "Why No Suggestion?" says why', async () => {
    const control = scm.createSourceControl('test', 'Test', workspace.workspaceFolders?.[0]?.uri);
    control.inputBox.value = 'Mend the ';
    await commands.executeCommand('workbench.view.scm');
    const asked = async () => {
      await commands.executeCommand('workbench.scm.action.focusNextInput');
      await commands.executeCommand('editor.action.inlineSuggest.trigger');
      await commands.executeCommand('hearth.whyNoSuggestion');
      return window.activeTextEditor?.document.getText() ?? '';
    };
    let report = await asked();
    for (let i = 0; !/Commit messages/.test(report) && i < 100; i++, report = await asked()) await sleep(100);
    assert.match(report, /Commit messages and chat get no suggestions/);
    assert.equal(control.inputBox.value, 'Mend the ');
    control.dispose();
    await commands.executeCommand('workbench.view.explorer');
  }),
];

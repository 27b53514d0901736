// What shows that SECURITY.md is true: for each of its sentences, by its first words, the file of a test and a part of the
// test's title; or why there is no test. security.test.ts compares the list with the text.
export type Evidence = [file: string, title: string][] | 'by design' | 'introduces';

const team = 'test/language-server/remote';
const edits = 'test/language-server/edits';

export const claims: Record<string, Evidence> = {
  'What Hearth protects': 'introduces',
  'A claim without a test': 'introduces',
  'Please report': 'introduces',
  "The text of the user's files": 'introduces',

  'A hostile workspace': 'introduces',
  'A workspace can only set': [
    ['test/e2e/restricted.test.ts', 'gets what both allow'],
    ['test/extension/document-mode.test.ts', 'and removes none'],
    ['test/extension/document-mode.test.ts', 'the stricter holds'],
  ],
  'Paths, addresses, the model': [['test/reliability/security.test.ts', 'a workspace can set no path']],
  'Other editors may read': 'introduces',
  'What names a file, a server': [['test/language-server/editors.test.ts', 'cannot name a server or a command']],
  'Beside another editor': [['test/language-server/editors.test.ts', 'is read where the cursor rests']],
  'The text of a document is tokenized': [['test/reliability/fuzz.test.ts', 'the prompt of any document']],
  'What the model generates': 'by design',
  'Hearth starts no shell': [['test/reliability/security.test.ts', 'starts no shell and runs no text']],
  'It runs git': [
    ['test/extension/related-code.test.ts', 'in a workspace that is not trusted'],
    ['test/extension/workspace-files.test.ts', 'nothing is sent'],
  ],
  'An explanation is shown': [
    ['test/fuzz/ts/claims/markdown.ts', 'no text becomes a tag'],
    ['test/extension/explain-markdown.test.ts', 'there is no link to'],
    ['test/reliability/security.test.ts', 'no page of Hearth loads'],
  ],
  "A file's name cannot": [['test/reliability/faults.test.ts', 'cannot begin a line of the log']],
  'Documents of 10 MB': [
    ['test/reliability/flood.test.ts', 'edits of a document of 10 MB'],
    ['test/reliability/protocol.test.ts', 'a line of 1 MB'],
    ['test/reliability/protocol.test.ts', 'an invalid position'],
  ],

  'A hostile model file': 'introduces',
  'Every offset and size': [
    ['test/fuzz/gguf_fuzz.cc', ''],
    ['test/native/gguf_part_test.cc', 'damaged bytes is refused or opened'],
  ],
  'Its chat template': [
    ['test/language-server/explain/chat-template.test.ts', 'cannot end or block the server'],
    ['test/language-server/explain/chat-template.test.ts', 'inherits nothing'],
  ],
  'It sees nothing': [['test/language-server/explain/explain.test.ts', 'a template sees nothing of the code']],
  'The model can write bad code': 'by design',

  'A hostile download server or mirror': 'introduces',
  'A download is verified': [['test/extension/download/download.test.ts', 'a wrong digest deletes']],
  'For three of the fourteen': [['test/extension/model-rows.test.ts', 'whether the digest is known']],
  'For them, only': [
    ['test/extension/download/hostile.test.ts', 'an endless file'],
    ['test/extension/download/download.test.ts', 'not GGUF is refused'],
  ],
  'No answer is longer': [
    ['test/extension/download/hostile.test.ts', 'does not keep a connection alive'],
    ['test/extension/download/hostile.test.ts', 'does not do so for ever'],
    ['test/extension/download/hostile.test.ts', 'without encryption is refused'],
  ],

  'Other users of the machine': 'introduces',
  'Cached pages and statistics': [
    ['test/reliability/security.test.ts', 'statistics are for their owner alone'],
    ['test/reliability/security.test.ts', 'a planted secret'],
  ],
  'So is the folder': [['test/language-server/protocol/endpoint.test.ts', 'everything is for its owner alone']],
  'Before a window sends': [
    ['test/language-server/protocol/endpoint.test.ts', 'is not believed'],
    ['test/language-server/socket.test.ts', 'who does not know the word'],
  ],
  'On Windows, the folder': [['test/native/windows/pipes_test.cc', 'only this user may open a pipe']],
  'Whoever is root': 'by design',

  'A server that hangs or crashes': [
    ['test/reliability/hang.test.ts', 'does not outlive its last window'],
    ['test/extension/server-process.test.ts', 'does not listen in time is killed'],
  ],
  'What it wrote': [['test/language-server/socket.test.ts', 'does not grow for ever']],
  'No crash, and no message': [
    ['test/reliability/crash.test.ts', 'leaves no text of a document'],
    ['test/reliability/crash.test.ts', 'is not quoted'],
  ],
  'Where the system is set': 'by design',

  "A hostile team's server": 'introduces',
  'It learns the prompts': [
    ['test/language-server/provider.test.ts', "no text that contains a secret to a team's server"],
    ['test/language-server/prompt/context-freezing.test.ts', 'no secret of another file'],
  ],
  'All of these tests': 'introduces',
  'It can suggest any text': [['test/language-server/rules/generated-text.test.ts', 'are dropped']],
  'It gets the token only': [
    [`${team}/connection.test.ts`, 'not sent over the network unencrypted'],
    [`${team}/connection.test.ts`, 'is not followed'],
    [`${team}/hostile.test.ts`, 'takes neither the code nor the token along'],
  ],
  'Of an answer, no more text': [
    [`${team}/event-stream.test.ts`, 'no more text comes through'],
    [`${team}/event-stream.test.ts`, 'given up after a megabyte'],
    [`${team}/hostile.test.ts`, 'given up after a minute'],
    [`${team}/connection.test.ts`, 'only the beginning is read'],
  ],
  'Its words enter log': [
    [`${team}/connection.test.ts`, "a server's words come as one line"],
    [`${team}/event-stream.test.ts`, 'figures that are no figures'],
  ],
  'Headers, chunks or white space': [
    [`${team}/hostile.test.ts`, 'is given up in time'],
    [`${team}/hostile.test.ts`, 'never gets the token'],
    [`${team}/hostile.test.ts`, 'is not unpacked'],
  ],
  "The token is in the editor's": [
    [`${team}/connection.test.ts`, '%s is sent'],
    ['test/e2e/managed.test.ts', 'the token of the environment'],
    ['test/e2e/managed.test.ts', "a token of the user's own"],
  ],
  'If it is a command': [
    [`${team}/hostile.test.ts`, 'a command for the token that'],
    ['test/language-server/protocol/configuration.test.ts', 'names no file and no server'],
  ],
  'It ends with the server': [['test/reliability/crash.test.ts', 'end with the server']],
  'The address may come': [
    ['test/language-server/protocol/configuration.test.ts', "an administrator's file is read"],
    ['test/e2e/managed.test.ts', "the administrator's server is asked"],
  ],
  'It binds the editors': 'by design',

  'The network.': 'introduces',
  'Hearth sends nothing': [['test/reliability/security.test.ts', 'use the network']],
  'It connects only': [['test/reliability/security.test.ts', 'use the network']],

  'A file whose name says': [['test/reliability/security.test.ts', 'by its name or its text']],
  'A file with a key': [
    ['test/reliability/security.test.ts', 'by its name or its text'],
    ['test/language-server/server.test.ts', 'explains nothing'],
    ['test/language-server/provider.test.ts', "no text that contains a secret to a team's server"],
  ],
  'Otherwise it is completed': [['test/reliability/security.test.ts', 'a planted secret']],
  'Log, statistics and': [['test/reliability/security.test.ts', 'a planted secret']],
  'What the user edits': [
    [`${edits}/next-edits.test.ts`, 'a file with a secret gets none'],
    [`${edits}/edit-history.test.ts`, 'forgotten after ten minutes'],
    ['test/language-server/server.test.ts', "never asks a team's server for an edit"],
  ],
  'A document with a secret': [
    [`${edits}/edit-history.test.ts`, 'leaves nothing behind'],
    [`${edits}/next-edits.test.ts`, 'a file with a secret gets none'],
  ],
  'Files that are excluded': [[`${edits}/next-edits.test.ts`, 'neither changed nor learned from']],
  'With the disk cache': 'by design',
  'Secrets in a text': [['test/language-server/secrets/secrets.test.ts', 'finds at least 95 of 100']],
  'Of a corpus': [['test/language-server/secrets/secrets.test.ts', 'takes at most 1 of 100']],
  'In texts of another kind': 'by design',
  'The time for the search': [['test/language-server/secrets/time.test.ts', 'in proportion to its length']],

  '`dist/NOTICES.txt`': [['test/scripts/sbom.test.ts', 'has every package of the bundles']],
  'A test fails when': [['test/scripts/sbom.test.ts', 'asks for more than its text']],
  '`npm run check` asks': 'by design',
};

// What shows that SECURITY.md is true. The key is the beginning of a sentence. The value has test files, each with a
// part of a test's title (and with the folder, if several files have the name), or says why there is no test.
// security.test.ts checks it.
export type Evidence = [file: string, title: string][] | 'by design' | 'introduces';

export const claims: Record<string, Evidence> = {
  'What Hearth protects': 'introduces',
  'A claim without a test': 'introduces',
  'Please report': 'introduces',
  "The text of the user's files": 'introduces',

  'A hostile workspace': 'introduces',
  'A workspace can only set': [
    ['restricted.test.ts', 'gets what both the user and the workspace allow'],
    ['document-mode.test.ts', 'and removes none'],
    ['document-mode.test.ts', 'the stricter holds'],
  ],
  'Paths, addresses, the model': [['security.test.ts', 'a workspace can set no path']],
  'Other editors may read': 'introduces',
  'So only two things': [
    ['editors.test.ts', 'cannot name a server or a command'],
    ['configuration.test.ts', 'cannot name a file or server, or take memory'],
    ['window-settings.test.ts', 'where the user has %s, a folder with %s'],
  ],
  'In another editor': [['editors.test.ts', 'is read where the cursor rests']],
  'The text of a document is tokenized': [['fuzz.test.ts', 'the prompt of any document']],
  'What the model generates': 'by design',
  'Hearth starts no shell': [['security.test.ts', 'starts no shell and runs no text']],
  'It runs git': [
    ['related-code.test.ts', 'in a workspace that is not trusted'],
    ['workspace-files.test.ts', 'nothing is sent'],
  ],
  'Code from other files is': [['related-code.test.ts', 'files behind a link']],
  'Looking for edits': [
    ['edits-cost.test.ts', '64 KiB of any text'],
    ['shape-cost.test.ts', '64 KiB of anything'],
  ],
  'An explanation is shown': [
    ['markdown.ts', 'no text becomes a tag'],
    ['explain-markdown.test.ts', 'the page has no link to'],
    ['security.test.ts', 'no page of Hearth loads'],
  ],
  "A file's name cannot": [['faults.test.ts', 'cannot begin a line of the log']],
  'Neither can the name of a setting': [
    ['log.test.ts', 'cannot begin another entry'],
    ['configuration.test.ts', 'cannot forge a line of the log'],
  ],
  'Documents of 10 MB': [
    ['flood.test.ts', 'edits of a document of 10 MB'],
    ['protocol.test.ts', 'a line of 1 MB'],
    ['protocol.test.ts', 'an invalid position'],
  ],

  'A hostile model file': 'introduces',
  'Every offset and size': [
    ['gguf_fuzz.cc', ''],
    ['gguf_part_test.cc', 'damaged bytes is refused or opened'],
  ],
  'The lists in it': [['gguf_part_test.cc', "need far more memory than the file's size"]],
  'A special token whose name': [['vocabulary_test.cc', 'whose name is only part of a character']],
  'A text of the file that': [['addon.test.ts', 'that JavaScript cannot accept']],
  'Its chat template': [
    ['chat-template.test.ts', 'cannot end or block the server'],
    ['chat-template.test.ts', 'inherits no environment'],
  ],
  'It sees nothing': [['explain.test.ts', 'a template does not see the code']],
  'Words of the file': [
    ['problem-message.test.ts', 'cannot put a link into the message'],
    ['status-text.test.ts', 'into the tooltip'],
  ],
  'The model can write bad code': 'by design',

  'A hostile download server or mirror': 'introduces',
  'A download is verified': [['download.test.ts', 'a wrong digest deletes']],
  'For three of the fourteen': [['model-rows.test.ts', 'whether the digest is known']],
  'For them, only': [
    ['download/hostile.test.ts', 'an endless file'],
    ['download.test.ts', 'not GGUF is refused'],
  ],
  'The length of an answer': [
    ['download/hostile.test.ts', 'does not keep a connection alive'],
    ['download/hostile.test.ts', 'gives up on a server'],
    ['download/hostile.test.ts', 'without encryption is refused'],
  ],
  'Of redirects, only': 'by design',

  'Other users of the machine': 'introduces',
  'Cached pages and statistics': [
    ['security.test.ts', 'statistics are for their owner alone'],
    ['security.test.ts', 'a planted secret'],
  ],
  'Pages that belong to somebody else': [
    ['unreadable_file_test.cc', 'open_own() does not open a file that others own'],
  ],
  'So is the folder': [['endpoint.test.ts', 'all files are for their owner alone']],
  'Before a window sends': [
    ['endpoint.test.ts', 'is not trusted with'],
    ['socket.test.ts', 'does not know the secret word'],
  ],
  'On Windows, the folder': [['pipes_test.cc', 'only this user is allowed to open the pipe']],
  'Whoever is root': 'by design',

  'A server that hangs or crashes': [
    ['hang.test.ts', 'does not outlive its last window'],
    ['server-launcher.test.ts', 'does not listen in time is killed'],
  ],
  'What it wrote': [['socket.test.ts', 'standard error stays small']],
  'No crash, and no message': [
    ['crash.test.ts', 'leaves no text of a document'],
    ['crash.test.ts', 'does not quote it'],
  ],
  'Where the system is set': 'by design',

  "A hostile team's server": 'introduces',
  'It learns the prompts': [
    ['provider.test.ts', "no text that contains a secret to a team's server"],
    ['context-freezing.test.ts', 'no secret from another file'],
  ],
  'All of these tests': 'introduces',
  'It can suggest any text': [['generated-text.test.ts', 'are removed from generated text']],
  'It gets the token only': [
    ['remote/team-connection.test.ts', 'never sent unencrypted over the network'],
    ['remote/team-connection.test.ts', 'is not followed'],
    ['remote/hostile.test.ts', 'gets neither the code nor the token'],
  ],
  'Of an answer, no more text': [
    ['remote/event-stream.test.ts', 'text is cut at the length'],
    ['remote/event-stream.test.ts', 'given up after a megabyte'],
    ['remote/hostile.test.ts', 'given up after a minute'],
    ['remote/team-connection.test.ts', 'only the beginning of an endless body'],
  ],
  'An answer that is not a completion': [
    ['remote/event-stream.test.ts', 'without a part of an answer is an error'],
    ['remote/team.test.ts', 'a server that %s: the local model answers'],
  ],
  "A model's name has at most": [['remote/remote-model.test.ts', 'a model name %s is not used']],
  'Its words enter log': [
    ['remote/team-connection.test.ts', "a server's message becomes one line"],
    ['remote/team-connection.test.ts', 'does not contain code that the server repeats'],
    ['remote/event-stream.test.ts', 'invalid figures'],
  ],
  'Headers, chunks or white space': [
    ['remote/hostile.test.ts', 'is given up in time'],
    ['remote/hostile.test.ts', 'never gets the token'],
    ['remote/hostile.test.ts', 'is not unpacked'],
  ],
  "The token is in the editor's": [
    ['remote/team-connection.test.ts', 'the server gets %s'],
    ['managed.test.ts', "with the environment's token"],
    ['managed.test.ts', "a user's own token"],
  ],
  'If it is a command': [
    ['remote/hostile.test.ts', 'a command for the token that'],
    ['configuration.test.ts', 'cannot name a file or server'],
  ],
  'It ends with the server': [['crash.test.ts', 'ends with the server']],
  'The address may come': [
    ['configuration.test.ts', "an administrator's file is read"],
    ['managed.test.ts', "the administrator's server is asked"],
  ],
  'Where it cannot be read, suggestions': [
    ['configuration.test.ts', "if an administrator's file %s, suggestions are off"],
    ['configuration.test.ts', 'an invalid mode'],
    ['configuration.test.ts', 'cannot be opened turns suggestions off'],
  ],
  'It binds the editors': 'by design',

  'The network.': 'introduces',
  'Hearth sends nothing': [['security.test.ts', 'use the network']],
  'It connects only': [['security.test.ts', 'use the network']],

  'A file whose name says': [['security.test.ts', 'a secret in one file']],
  'A file with a key': [
    ['security.test.ts', 'a secret in one file'],
    ['related-code.test.ts', 'even if a chunk ends between the two'],
    ['provider.test.ts', 'is not learned, however far down'],
    ['cli/complete.test.ts', 'is refused before a model is loaded'],
    ['provider.test.ts', "no text that contains a secret to a team's server"],
  ],
  'Otherwise it is completed': [['security.test.ts', 'a planted secret']],
  'A selection with a key': [['server.test.ts', 'explains nothing']],
  'Log, statistics and': [['security.test.ts', 'a planted secret']],
  'What the user edits': [
    ['next-edits.test.ts', 'a file with a secret gets no edits'],
    ['edit-history.test.ts', 'forgotten after ten minutes'],
    ['server.test.ts', "never sends an edit to a team's server"],
  ],
  'A document with a secret': [
    ['edit-history.test.ts', 'leaves no edits'],
    ['next-edits.test.ts', 'a file with a secret gets no edits'],
  ],
  'Files that are excluded': [
    ['next-edits.test.ts', 'neither changed nor learned from'],
    ['next-edits.test.ts', 'where suggestions are off, or before'],
  ],
  'With the disk cache': 'by design',
  'Turning it off': [['engine/disk-cache.test.ts', 'that existed before keeps its other files']],
  'Secrets in a text': [['secrets.test.ts', 'finds at least 95 of 100']],
  'Of a corpus': [['secrets.test.ts', 'takes at most 1 of 100']],
  'In texts of another kind': 'by design',
  'The time for the search': [['time.test.ts', 'of ordinary text are searched at once']],

  '`dist/gpu/wgpu-native.library` is': [['targets.test.ts', "a package may contain its own system's wgpu-native"]],
  'It runs with the rights of Hearth': 'by design',
  'It gets the kernels': 'by design',
  'The models in the package': [['sbom.test.ts', 'has exactly the packages in the bundles']],
  'The engine checks them': [['load-model.test.ts', 'is loaded without adapters of ours if one of them']],
  'The grammars of languages': [['grammars.test.ts', 'refuses a grammar whose digest is not the listed one']],
  'They run without access to files': 'by design',
  '`dist/NOTICES.txt`': [
    ['sbom.test.ts', 'has exactly the packages in the bundles'],
    ['sbom.test.ts', 'licences of code that a compiler links in'],
  ],
  'Both are made by the build': 'by design',
  'A test fails when': [['sbom.test.ts', 'conditions beyond including its text']],
  '`npm run check` asks': 'by design',
};

// The GitHub workflows call only what exists, and have few permissions.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { tagProblems } from '../../scripts/release-version.mjs';
import { targets } from '../../scripts/targets/targets.mjs';

const root = join(import.meta.dirname, '../..');
const folder = join(root, '.github/workflows');
const files = readdirSync(folder);
const texts = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
const workflows = new Map([...texts].map(([file, text]) => [file, load(text)]));
const jobsOf = (workflow) => Object.entries(workflow.jobs);
const jobs = [...workflows].flatMap(([file, workflow]) => jobsOf(workflow).map(([name, job]) => [file, name, job]));
const steps = jobs.flatMap(([file, name, job]) => (job.steps ?? []).map((step) => [`${file}: ${name}`, step]));
const commands = steps.filter(([, step]) => step.run !== undefined).map(([place, step]) => [place, step.run]);
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

test('workflows, jobs and steps exist', () => {
  expect(files.sort()).toEqual(['ci.yml', 'packages.yml', 'release.yml']);
  expect(commands.length).toBeGreaterThan(10);
});

/** The files and npm scripts that a command names but that do not exist. */
function missingIn(command) {
  const paths = [...command.matchAll(/(?<![\w./-])(?:scripts|test|\.ci)\/[\w./-]+/g)].map(([path]) => path);
  const named = [...command.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name);
  return [
    ...paths.filter((path) => !existsSync(join(root, path))),
    ...named.filter((name) => !Object.hasOwn(scripts, name)).map((name) => `npm run ${name}`),
  ];
}

test('every file and script that a step runs exists', () => {
  expect(missingIn('node scripts/nowhere.mjs && npm run nothing')).toEqual(['scripts/nowhere.mjs', 'npm run nothing']);
  expect(commands.flatMap(([place, command]) => missingIn(command).map((path) => `${place}: ${path}`))).toEqual([]);
});

test('every called workflow exists, and so does every job that another waits for', () => {
  for (const [file, , { uses, needs = [] }] of jobs) {
    if (uses) expect(existsSync(join(root, uses)), uses).toBe(true);
    for (const each of [needs].flat()) expect(Object.keys(workflows.get(file).jobs)).toContain(each);
  }
});

test('an artifact that a job downloads is uploaded by a job that it waits for', () => {
  const artifacts = (job, action) =>
    (job.steps ?? []).filter(({ uses }) => uses?.startsWith(`actions/${action}-artifact@`)).map((step) => step.with);
  const downloads = jobsOf(workflows.get('packages.yml')).flatMap(([, job]) =>
    artifacts(job, 'download').map(({ name, path }) => ({ name, path, from: job.needs })),
  );
  for (const { name, from } of downloads) {
    const uploads = artifacts(workflows.get('packages.yml').jobs[from], 'upload');
    expect(uploads.map((upload) => upload.name)).toContain(name);
  }
  expect(downloads).toContainEqual({ name: 'gpu', path: 'dist/gpu', from: 'gpu' });
});

test('actions are pinned to a commit hash, with the version in a comment', () => {
  for (const text of texts.values())
    for (const [line] of text.matchAll(/.*uses: (?!\.\/).*/g)) expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('only the job that publishes may write, and every job has a time limit and leaves no credentials behind', () => {
  for (const workflow of workflows.values()) expect(workflow.permissions).toEqual({ contents: 'read' });
  const writers = jobs.filter(([, , job]) => job.permissions !== undefined).map(([file, name]) => `${file} ${name}`);
  expect(writers).toEqual(['release.yml publish']);
  for (const [file, name, job] of jobs)
    if (!job.uses) expect(job['timeout-minutes'], `${file} ${name}`).toBeGreaterThan(0);
  for (const [place, step] of steps)
    if (step.uses?.startsWith('actions/checkout@')) expect(step.with?.['persist-credentials'], place).toBe(false);
});

test('only the job that publishes gets secrets, and a person must approve it', () => {
  for (const [file, name, job] of jobs) {
    const names = [...JSON.stringify(job).matchAll(/secrets\.(\w+)/g)].map(([, secret]) => secret);
    expect(names, `${file} ${name}`).toEqual(name === 'publish' ? ['VSCE_PAT', 'OVSX_PAT'] : []);
  }
  const { publish } = workflows.get('release.yml').jobs;
  expect(publish).toMatchObject({ environment: 'release', needs: 'packages' });
  expect(workflows.get('release.yml').on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
});

test('no command contains text from the event, since anybody can write that text', () => {
  for (const [place, command] of commands) expect(command, place).not.toMatch(/\$\{\{(?! matrix\.)/);
  for (const text of texts.values()) expect(text).not.toContain('pull_request_target');
});

test('every target is tested on its system', () => {
  const text = texts.get('packages.yml');
  for (const target of Object.keys(targets)) expect(text).toMatch(new RegExp(`target:? ${target}\\b`));
});

test('a tag that differs from the version or has no notes is refused', () => {
  const changelog = '# Changelog\n\n## [Unreleased]\n\n## [0.2.0]\n\n- new\n';
  expect(tagProblems('v0.2.0', '0.2.0', changelog)).toEqual([]);
  expect(tagProblems('v0.2.1', '0.2.0', changelog)).toEqual(['the tag is v0.2.1, and package.json says 0.2.0']);
  expect(tagProblems('v0.3.0', '0.3.0', changelog)).toEqual(['CHANGELOG.md has no section for 0.3.0']);
  expect(tagProblems(undefined, '0.2.0', changelog)).toHaveLength(1);
});

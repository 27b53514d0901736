// Checks that an addon fits its system: compares the facts about the file (binary_facts.py) with the table of targets.
import { join } from 'node:path';
import { root, run } from '../tools.mjs';
import { pythonTools } from './python-tools.mjs';

/** The facts about the file at each path. format is "other" for a file that is neither a program nor a library. */
export async function binaryFacts(paths) {
  const { python } = await pythonTools();
  return JSON.parse(await run(python, [join(root, 'scripts/targets/binary_facts.py'), ...paths], { quiet: true }));
}

/** The functions that Node looks for in an addon. */
const entryPoints = ['napi_register_module_v1', 'node_api_module_get_api_version_v1'];
/** Far fewer dot-product instructions than the kernels contain; other code contains none. */
const minDotProducts = 500;
const minMatrixProducts = 500;

/** A sentence for each reason why the addon does not fit the target. */
export function addonProblems(facts, target) {
  if (facts.format !== target.format || facts.architecture !== target.architecture)
    return [
      `it is ${facts.format} for ${facts.architecture ?? 'nothing'}, not ${target.format} for ${target.architecture}`,
    ];
  return [
    ...facts.libraries.filter((name) => !target.libraries.test(name)).map((name) => `it needs the library ${name}`),
    ...versionProblems(facts.versions ?? {}, target.versions ?? {}),
    ...exportProblems(facts),
    ...lackingProblems(facts.imports),
    ...systemProblems(facts, target),
  ];
}

function versionProblems(versions, permitted) {
  return Object.entries(versions).flatMap(([prefix, version]) => {
    const newest = permitted[prefix];
    if (newest === undefined) return [`it needs ${prefix}_${version.join('.')}, which the system need not have`];
    return compare(version, newest) > 0
      ? [`it needs ${prefix}_${version.join('.')}, newer than ${newest.join('.')}`]
      : [];
  });
}

const compare = (a, b) => a.map((part, i) => part - (b[i] ?? 0)).find((difference) => difference !== 0) ?? 0;

/**
 * A sentence for each reason why the objects of the CPU kernels must not be linked. facts: about each
 * variant_NAME.cc.o. The same source is compiled once per instruction set. If a function were visible outside its
 * object, the linker would keep one copy for all variants, perhaps one with AVX-512, which crashes other processors.
 */
export function variantProblems(facts, target) {
  const found = new Map(facts.map(({ path, globals }) => [/variant_(\w+)\.cc/.exec(path)[1], globals]));
  const missing = target.variants.filter((name) => !found.has(name));
  const shared = [...found].flatMap(([name, globals]) => {
    const table = new RegExp(`hearth7kernels3cpu\\d+${name}_kernelsEv$`);
    return globals.filter((each) => !table.test(each)).map((each) => `its variant ${name} shares ${each}`);
  });
  return [...missing.map((name) => `its variant ${name} is missing`), ...shared];
}

/**
 * Other names that an addon may export on macOS: the linker's names for the file itself, and the operators new and
 * delete of zig's C++ library. macOS uses one weak definition of these operators for the whole process; all definitions
 * call malloc and free.
 */
const harmless = /^(___dso_handle|__mh_dylib_header|__Z(n[aw]|d[al])[A-Za-z0-9_]*)$/;

/** The addon must export only its entry points: the linker could bind other addons of the process to other exports. */
function exportProblems({ format, exports: exported }) {
  const names = exported
    .filter((name) => format !== 'MachO' || !harmless.test(name))
    .map((name) => name.replace(/^_(?=n)/, ''));
  const missing = entryPoints.filter((name) => !names.includes(name)).map((name) => `it does not export ${name}`);
  const others = names.filter((name) => !entryPoints.includes(name));
  return others.length === 0 ? missing : [...missing, `it exports ${others.length} other names, such as ${others[0]}`];
}

/**
 * The linker does not notice that the addon lacks one of its own functions: it expects the function in the program that
 * loads the addon.
 */
function lackingProblems(imported) {
  const own = imported.filter((name) => /^_{1,2}Z(?:T[ISV])?N?K?6hearth/.test(name.replace('__imp_', '')));
  return own.length === 0 ? [] : [`it lacks ${own.length} functions of its own, such as ${own[0]}`];
}

/**
 * macOS must accept the addon. On Apple's processors, macOS loads only signed code; on Intel's, that depends on the
 * program.
 */
function macProblems({ signature, name }) {
  const problems = signature === 'adhoc' ? [] : [`its signature is ${signature}, not ad hoc: macOS may refuse it`];
  return name.startsWith('@rpath/') ? problems : [...problems, `it names a folder of the builder, ${name}`];
}

function systemProblems(facts, target) {
  const problems = [];
  if (target.minimum !== undefined && facts.minimum !== target.minimum)
    problems.push(`it is for macOS ${facts.minimum || 'unknown'}, not ${target.minimum}`);
  if (facts.format === 'MachO') problems.push(...macProblems(facts));
  const { dot, smmla } = facts.instructions ?? {};
  if (dot < minDotProducts) problems.push(`it has ${dot} dot products: kernels are missing`);
  if (smmla < minMatrixProducts) problems.push(`it has ${smmla} matrix products: kernels are missing`);
  return problems;
}

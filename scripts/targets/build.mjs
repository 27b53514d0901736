// Cross-compiles the addon: `node scripts/build-native.mjs --target linux-arm64` makes build/linux-arm64/hearth.node.
// Fails if the addon would not load on every machine of the target.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, nodeApi } from '../cmake.mjs';
import { requireCommands, root, ToolError } from '../tools.mjs';
import { addonProblems, binaryFacts, variantProblems } from './inspect.mjs';
import { pythonTools } from './python-tools.mjs';
import { targetOf } from './targets.mjs';

export const addonOf = (name) => join(root, 'build', name, 'hearth.node');

/** Builds and checks the addon for a target. Returns its facts. programs: C++ tests to build, too. */
export async function buildTarget(name, programs = []) {
  const target = targetOf(name);
  const options = [...(await compilerOptions(target)), nodeApi(), '-DHEARTH_UNITY=ON'];
  await build(`build/${name}`, options, ['hearth_addon', ...programs]);
  const objects = join(root, 'build', name, 'kernels/CMakeFiles/kernels_cpu.dir/cpu');
  const variants = readdirSync(objects).filter((file) => /^variant_.*\.(o|obj)$/.test(file));
  const [facts, ...kernels] = await binaryFacts([addonOf(name), ...variants.map((file) => join(objects, file))]);
  const problems = [...addonProblems(facts, target), ...variantProblems(kernels, target)];
  if (problems.length > 0) throw new ToolError(`${addonOf(name)} is not fit for ${name}:\n  ${problems.join('\n  ')}`);
  return facts;
}

async function compilerOptions({ zig, toolchain = 'zig.cmake', commands = [] }) {
  const file = `-DCMAKE_TOOLCHAIN_FILE=${join(root, 'native', toolchain)}`;
  await requireCommands(...commands);
  if (!zig) return [file];
  const { cxx, linker, ar, ranlib } = await pythonTools();
  return [
    file,
    `-DHEARTH_ZIG_TARGET=${zig}`,
    `-DCMAKE_CXX_COMPILER=${cxx}`,
    `-DHEARTH_ZIG_LINKER=${linker}`,
    `-DCMAKE_AR=${ar}`,
    `-DCMAKE_RANLIB=${ranlib}`,
  ];
}

// Runs the golden cases as a standalone program, golden.js FOLDER, in another system's Node.
import { allCases, answerTo } from '../golden/answer.ts';

async function main(folder: string): Promise<void> {
  let failed = 0;
  const cases = allCases(folder);
  for (const golden of cases) {
    const { accepted } = await answerTo(golden);
    if (accepted === golden.accepted) continue;
    failed++;
    console.log(`FAIL ${golden.languageId}: ${golden.title}\n${accepted}`);
  }
  console.log(`${cases.length - failed} passed, ${failed} failed`);
}

main(process.argv[2] ?? '').catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

// A minimal test runner for the extension host.

export interface Test {
  title: string;
  body: () => Promise<void> | void;
}

export function it(title: string, body: Test['body']): Test {
  return { title, body };
}

/** Runs the tests one after the other. Rejects if one has failed. */
export async function runAll(tests: Test[]): Promise<void> {
  let failed = 0;
  for (const { title, body } of tests) {
    try {
      await body();
      console.log(`ok ${title}`);
    } catch (error) {
      failed++;
      console.log(`FAIL ${title}\n${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  if (tests.length === 0 || failed > 0) throw new Error(`${failed} of ${tests.length} tests failed`);
}

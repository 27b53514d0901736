// Prints which tests passed only at the second try, which Vitest's short output does not say.
import { afterEach } from 'vitest';

afterEach(({ task }) => {
  if (task.result?.state === 'pass' && task.result.retryCount) console.log(`passed at the second try: ${task.name}`);
});

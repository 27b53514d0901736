// Says which tests passed only when they were tried again; Vitest's short output counts them like the others.
import { afterEach } from 'vitest';

afterEach(({ task }) => {
  if (task.result?.state === 'pass' && task.result.retryCount) console.log(`passed at the second try: ${task.name}`);
});

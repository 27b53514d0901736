// `npm run tool -- COMMAND …`: bundles the development tools and runs one. "--help" lists them.
import { bundled } from '../support/bundled.mjs';

await bundled('tool', 'test/tools/tool.ts');

// `npm run tool -- COMMAND …`: bundles the development tools and runs one. "--help" lists them.
import { bundled } from '../../test/support/bundled.mjs';

await bundled('tool', 'lab/tools/tool.ts');

/** Whether the part "webgpu" of test/run.mjs runs the tests: it gets the library and a driver. */
export const hasWebgpu = process.env.HEARTH_WEBGPU_ANY_ADAPTER !== undefined;

// As much of VS Code's API as the pure parts of extension/ use; tests run without an editor.
export const l10n = {
  t: (message: string, ...values: (string | number)[]) =>
    message.replace(/\{(\d+)\}/g, (_, i) => String(values[Number(i)])),
};

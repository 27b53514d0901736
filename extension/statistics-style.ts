// The CSS of the statistics page, in the colours of the user's theme: light, dark or high contrast.
export const style = `
  body { max-width: 760px; margin: 0 auto; padding: 0.5em 2em 2em; line-height: 1.5; color: var(--vscode-foreground); }
  h1 { margin: 0.6em 0 0; font-size: 1.6em; font-weight: 500; }
  h2 { margin: 1.6em 0 0.6em; font-size: 1.15em; font-weight: 600; }
  dl { display: flex; flex-wrap: wrap; gap: 0.8em 3em; margin: 0 0 1.2em; }
  dt, figcaption, footer { color: var(--vscode-descriptionForeground); }
  dd { margin: 0; font-size: 1.5em; font-variant-numeric: tabular-nums; }

  figure { margin: 1.2em 0; }
  figcaption b { margin-right: 1em; font-weight: 600; color: var(--vscode-foreground); }
  figcaption span { display: inline-block; width: 0.75em; height: 0.75em; margin: 0 0.4em 0 0.8em; border-radius: 2px; }
  .suggestions { --series: var(--vscode-charts-blue); --pale: color-mix(in srgb, var(--series) 35%, var(--vscode-editor-background)); }
  .latency { --series: var(--vscode-charts-orange); }
  span.inner { background: var(--series); }
  .suggestions span.outer { background: var(--pale); }
  .latency span { border-radius: 50%; }
  .latency span.outer { box-sizing: border-box; border: 2px solid var(--series); }

  svg { display: block; width: 100%; font-size: 11px; font-variant-numeric: tabular-nums; }
  text { fill: var(--vscode-descriptionForeground); }
  .grid { stroke: var(--vscode-foreground); stroke-opacity: 0.15; }
  .area { fill: transparent; }
  g:hover > .area { fill: var(--vscode-list-hoverBackground, rgba(128, 128, 128, 0.15)); }
  .inner { fill: var(--series); }
  .suggestions .outer { fill: var(--pale); }
  .latency line.outer { stroke: var(--series); stroke-opacity: 0.5; stroke-width: 2; }
  .latency circle.outer { fill: var(--vscode-editor-background); stroke: var(--series); stroke-width: 1.5; }

  table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
  th, td { padding: 0.35em 0.5em; text-align: right; font-weight: inherit; border-bottom: 1px solid var(--vscode-widget-border, rgba(128, 128, 128, 0.3)); }
  thead th { color: var(--vscode-descriptionForeground); vertical-align: bottom; }
  th:first-child { padding-left: 0; text-align: left; }

  footer { margin-top: 2em; }
  button { padding: 0.3em 1em; border: 1px solid var(--vscode-button-border, transparent); border-radius: 2px; font: inherit; cursor: pointer;
    color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); }
  button:hover { background: var(--vscode-button-secondaryHoverBackground); }
  button:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
`;

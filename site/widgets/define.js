// anywidget ships as an AMD module. esbuild puts this in the place of the loader that it expects.
export const defined = [];
export const define = (_names, make) => defined.push(make);

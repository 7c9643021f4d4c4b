// SPDX-License-Identifier: MIT
// wasm_hooks.mjs - lets Node import packages that were made for bundlers: files without their
// endings, and WebAssembly as a module.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const isBundled = (url) => url.includes('/@dimforge/');

export async function resolve(specifier, context, next) {
    if (specifier.startsWith('.') && context.parentURL !== undefined && isBundled(context.parentURL)) {
        const url = new URL(specifier, context.parentURL);
        const path = fileURLToPath(url);
        if (existsSync(`${path}.js`)) {
            return { url: `${url.href}.js`, shortCircuit: true };
        }
        if (existsSync(path) && statSync(path).isDirectory()) {
            return { url: `${url.href}/index.js`, shortCircuit: true };
        }
    }
    return next(specifier, context);
}

export async function load(url, context, next) {
    if (isBundled(url) && url.endsWith('.wasm')) {
        const module = new WebAssembly.Module(readFileSync(fileURLToPath(url)));
        const sources = [...new Set(WebAssembly.Module.imports(module).map((entry) => entry.module))];
        const names = WebAssembly.Module.exports(module).map((entry) => entry.name);
        const source = [
            ...sources.map((name, i) => `import * as source${i} from ${JSON.stringify(name)};`),
            "import { readFileSync } from 'node:fs';",
            `const module = new WebAssembly.Module(readFileSync(new URL(${JSON.stringify(url)})));`,
            `const instance = new WebAssembly.Instance(module, { ${sources.map((name, i) => `${JSON.stringify(name)}: source${i}`).join(', ')} });`,
            `export const { ${names.join(', ')} } = instance.exports;`,
        ].join('\n');
        return { format: 'module', source, shortCircuit: true };
    }
    if (isBundled(url)) {
        return { format: 'module', source: readFileSync(fileURLToPath(url)), shortCircuit: true };
    }
    return next(url, context);
}

// SPDX-License-Identifier: MIT
// serve.mjs - the built page on this machine only: node web/serve.mjs [build/web] [port]
//
// The first free port from the given one on is taken. Files are read once, at the start.

import { readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
const HOST = '127.0.0.1';
const PORTS = 20; // that are tried

async function readSite(folder) {
    const files = new Map();
    for (const name of await readdir(folder)) {
        const type = TYPES[extname(name)];
        if (type !== undefined) {
            files.set(`/${name}`, { type, body: gzipSync(await readFile(`${folder}/${name}`)) });
        }
    }
    files.set('/', files.get('/index.html'));
    return files;
}

// so that memory may be shared between threads
const ISOLATION = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

function answer(files, headers, request, response) {
    const file = files.get(new URL(request.url, 'http://page').pathname);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { allow: 'GET, HEAD' }).end();
    } else if (file === undefined) {
        response.writeHead(404, { 'content-type': 'text/plain' }).end('there is no such file\n');
    } else {
        response.writeHead(200, {
            'content-type': file.type,
            'content-encoding': 'gzip',
            'content-length': file.body.length,
            'cache-control': 'no-cache',
            'x-content-type-options': 'nosniff',
            ...headers,
        }).end(request.method === 'HEAD' ? undefined : file.body);
    }
}

/** @param headers those that let the page have threads, or none
 * @return the server and its address */
export async function serve(folder, firstPort, headers = ISOLATION) {
    const files = await readSite(folder);
    const server = createServer((request, response) => answer(files, headers, request, response));
    for (let port = firstPort; ; port += 1) {
        try {
            await new Promise((done, fail) => {
                server.once('error', fail);
                server.listen(port, HOST, done);
            });
            return { server, address: `http://${HOST}:${server.address().port}/` };
        } catch (error) {
            if (error.code !== 'EADDRINUSE' || port - firstPort >= PORTS) {
                throw error;
            }
        }
    }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
    const folder = resolve(process.argv[2] ?? fileURLToPath(new URL('../build/web', import.meta.url)));
    const { address } = await serve(folder, Number(process.argv[3] ?? 8080));
    console.log(`The viewer is at ${address} (Ctrl+C ends it)`);
}

// SPDX-License-Identifier: MIT
// stream.mjs - `sudar view` and clients of its stream, for tests. Clients are written out, so that
// they can do what a browser would not.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

import { command, root } from './engine.mjs';

const TEXT = 1;
const CLOSE = 8;
const TIMEOUT_MS = 30000;

/** The one that is tested: that with sanitizers, where somebody has built it and says so. */
export const checkedCommand = process.env.SUDAR_CHECKED_COMMAND ?? command;

/** @return the address that it printed, its parts, and how to end it */
export async function startView(words, program = checkedCommand) {
    const child = spawn(program, ['view', ...words, '--page', `${root}build/web`, '--port', '0'], {
        stdio: ['ignore', 'pipe', 'pipe'],
        // what is freed is given back soon, so that memory can be watched
        env: { ...process.env, ASAN_OPTIONS: 'quarantine_size_mb=1' },
    });
    let said = '';
    let errors = '';
    child.stderr.on('data', (data) => { errors += data; });
    const ended = new Promise((done) => { child.on('exit', (code, signal) => done({ code, signal, errors })); });
    await new Promise((done, fail) => {
        child.stdout.on('data', (data) => {
            said += data;
            if (said.includes('Ctrl-C')) {
                done();
            }
        });
        child.on('error', fail);
        ended.then(({ code }) => fail(new Error(`exit code ${code}: ${errors}`)));
    });
    const [, address, port, token, state] = /(http:\/\/127\.0\.0\.1:(\d+)\/(\w+)\/\?stream)#(\S*)/.exec(said);
    return {
        child, address, port: Number(port), token, state, ended,
        stop() {
            child.kill('SIGINT');
            return ended;
        },
    };
}

/** A frame as clients send them: masked. */
export function makeFrame(payload, { opcode = TEXT, isLast = true } = {}) {
    const bytes = Buffer.from(payload);
    const mask = randomBytes(4);
    const head = Buffer.alloc(bytes.length < 126 ? 2 : bytes.length < 65536 ? 4 : 10);
    head[0] = (isLast ? 0x80 : 0) | opcode;
    head[1] = 0x80 | (bytes.length < 126 ? bytes.length : bytes.length < 65536 ? 126 : 127);
    if (head.length === 4) {
        head.writeUInt16BE(bytes.length, 2);
    } else if (head.length === 10) {
        head.writeBigUInt64BE(BigInt(bytes.length), 2);
    }
    return Buffer.concat([head, mask, bytes.map((byte, i) => byte ^ mask[i % 4])]);
}

/** One frame at the start of what has come, or null. */
function takeFrame(bytes) {
    if (bytes.length < 2) {
        return null;
    }
    const code = bytes[1] & 0x7f;
    const start = code < 126 ? 2 : code === 126 ? 4 : 10;
    if (bytes.length < start) {
        return null;
    }
    const size = code < 126 ? code : code === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    return bytes.length < start + size ? null
        : { isLast: (bytes[0] & 0x80) !== 0, opcode: bytes[0] & 15, payload: bytes.subarray(start, start + size), end: start + size };
}

/** The head of a message, with arrays as they stand there. */
const readHead = (payload) => JSON.parse(payload.subarray(4, 4 + payload.readUInt32LE(0)).toString());

export class Client {
    messages = [];
    isClosed = false;
    closeCode = 0;
    #bytes = Buffer.alloc(0);
    #parts = [];
    #wake = () => undefined;

    /** @return a client, or the status with which it was refused */
    static async open({ port, token }, { origin = `http://127.0.0.1:${port}`, path = `/${token}/stream`, host = `127.0.0.1:${port}` } = {}) {
        const client = new Client();
        client.socket = connect(port, '127.0.0.1');
        client.socket.on('error', () => undefined);
        const lines = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`];
        client.socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${origin === null ? '' : `Origin: ${origin}\r\n`}${lines.join('\r\n')}\r\n\r\n`);
        const status = await new Promise((done) => {
            let head = Buffer.alloc(0);
            const hear = (data) => {
                head = Buffer.concat([head, data]);
                const end = head.indexOf('\r\n\r\n');
                if (end >= 0) {
                    client.socket.off('data', hear);
                    client.#hear(head.subarray(end + 4));
                    done(Number(head.toString().split(' ')[1]));
                }
            };
            client.socket.on('data', hear);
            client.socket.on('close', () => done(0));
        });
        client.socket.on('data', (data) => client.#hear(data));
        client.socket.on('close', () => client.#end());
        if (status !== 101) {
            client.socket.destroy();
            return status;
        }
        return client;
    }

    #end() {
        this.isClosed = true;
        this.#wake();
    }

    #hear(data) {
        this.#bytes = Buffer.concat([this.#bytes, data]);
        for (let frame = takeFrame(this.#bytes); frame !== null; frame = takeFrame(this.#bytes)) {
            this.#bytes = this.#bytes.subarray(frame.end);
            if (frame.opcode === CLOSE) {
                this.closeCode = frame.payload.length >= 2 ? frame.payload.readUInt16BE(0) : 0;
                this.#end();
            } else if (frame.opcode < CLOSE) {
                this.#parts.push(frame.payload);
                if (frame.isLast) {
                    this.messages.push(readHead(Buffer.concat(this.#parts)));
                    this.#parts = [];
                }
            }
        }
        this.#wake();
    }

    send(message) {
        this.socket.write(makeFrame(typeof message === 'string' ? message : JSON.stringify(message)));
    }

    /** The next message of a kind; those before it are thrown away. */
    async next(kind, isIt = () => true) {
        const end = Date.now() + TIMEOUT_MS;
        for (;;) {
            while (this.messages.length > 0) {
                const message = this.messages.shift();
                if (message.kind === kind && isIt(message)) {
                    return message;
                }
            }
            if (this.isClosed || Date.now() > end) {
                throw new Error(`no message '${kind}' came${this.isClosed ? ': closed' : ''}`);
            }
            await this.#wait(end - Date.now());
        }
    }

    async closed() {
        const end = Date.now() + TIMEOUT_MS;
        while (!this.isClosed && Date.now() < end) {
            await this.#wait(end - Date.now());
        }
        return this.isClosed;
    }

    #wait(ms) {
        return new Promise((done) => {
            const timer = setTimeout(done, ms);
            this.#wake = () => {
                clearTimeout(timer);
                done();
            };
        });
    }

    /** Open a scene and wait until it stands at a step. */
    async openScene(options) {
        const all = { size: 0, seed: 0, at: 0, settings: {}, file: null, ...options };
        this.send({ kind: 'open', number: 0, options: all });
        await this.next('opened');
        return this.next('frame', ({ step }) => step === all.at);
    }

    /** One step further: its frame. */
    async advance(steps) {
        this.send({ kind: 'drawn' });
        this.send({ kind: 'advance', steps });
        return this.next('frame');
    }
}

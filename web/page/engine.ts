// SPDX-License-Identifier: MIT
// engine.ts - where a pane's engine runs: in a Worker of the page, or in the command that serves it
// (`sudar view`), with the same messages. protocol.ts says how they travel.

import { readMessage, writeMessage, type FromEngine, type OpenOptions, type ToEngine } from './protocol.js';

/** The part of a Worker that panes use. */
export interface Engine {
    onmessage: ((event: MessageEvent<FromEngine>) => void) | null;
    onerror: ((event: ErrorEvent) => void) | null;
    postMessage(message: ToEngine, transfer: Transferable[]): void;
    terminate(): void;
}

/** An engine at the other end of a WebSocket. */
class RemoteEngine implements Engine {
    onmessage: Engine['onmessage'] = null;
    onerror: Engine['onerror'] = null;
    private readonly socket: WebSocket;
    private readonly orders: OpenOptions[] = [];
    /** What is said before the other end hears. */
    private early: string[] = [];

    constructor(address: URL) {
        this.socket = new WebSocket(address);
        this.socket.binaryType = 'arraybuffer';
        this.socket.onopen = () => {
            this.early.forEach((text) => this.socket.send(text));
            this.early = [];
        };
        this.socket.onmessage = ({ data }) => this.hear(readMessage(data as ArrayBuffer));
        this.socket.onclose = ({ reason }) => this.hear({
            kind: 'error',
            text: `The command is gone${reason === '' ? '' : ` (${reason})`}: start 'sudar view' again and open its address.`,
        });
    }

    private hear(message: FromEngine): void {
        if (message.kind === 'opened') {
            message.options = this.orders[message.number as number] as OpenOptions;
        }
        this.onmessage?.(new MessageEvent('message', { data: message }));
    }

    postMessage(message: ToEngine): void {
        const numbered = message.kind === 'open' ? { ...message, number: this.orders.push(message.options) - 1 } : message;
        const text = writeMessage(numbered);
        if (this.socket.readyState === WebSocket.CONNECTING) {
            this.early.push(text);
        } else {
            this.socket.send(text);
        }
    }

    terminate(): void {
        this.socket.onclose = null;
        this.socket.close();
    }
}

/** Whether the page came from a command that has the engine. */
export const isStreamed = new URLSearchParams(location.search).has('stream');

function start(): Engine {
    if (!isStreamed) {
        const threads = new URLSearchParams(location.search).get('threads');
        return new Worker(new URL(`worker.js${threads === null ? '' : `?threads=${threads}`}`, import.meta.url), { type: 'module' });
    }
    const address = new URL('stream', location.href);
    address.protocol = 'ws:';
    address.search = address.hash = '';
    return new RemoteEngine(address);
}

/** The first one starts before the rest of the page (start.ts); what it says waits for its pane. */
const heard: MessageEvent<FromEngine>[] = [];
let first: Engine | null = start();
/** When it has said something. */
export const isStarted = new Promise<void>((done) => {
    const hear = (message: MessageEvent<FromEngine>): void => {
        heard.push(message);
        done();
    };
    (first as Engine).onmessage = hear;
    (first as Engine).onerror = ({ message }) => hear(new MessageEvent('message', { data: { kind: 'error', text: message } }));
});

/** It takes messages from now on; who listens hears all that it has said. */
export function openEngine(): Engine {
    const engine = first ?? start();
    first = null;
    return engine;
}

export function listen(engine: Engine, onmessage: NonNullable<Engine['onmessage']>, onerror: NonNullable<Engine['onerror']>): void {
    engine.onmessage = onmessage;
    engine.onerror = onerror;
    // when who listens is ready
    queueMicrotask(() => heard.splice(0).forEach(onmessage));
}

// SPDX-License-Identifier: MIT
// browser.mjs - the built page in Chromium, for tests and pictures.

import { chromium } from 'playwright-core';

import { serve } from '../serve.mjs';
import { root } from './engine.mjs';

const FLAGS = [
    '--no-sandbox', '--use-gl=angle', '--use-angle=gl-egl', '--ignore-gpu-blocklist', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--no-first-run',
];
const TIMEOUT_MS = 60000;

/** A page that keeps what the console complains of.
 * @param served where it comes from, instead of build/web: its address */
export async function openBrowser(viewport = { width: 960, height: 640 }, served = null) {
    const { server, address } = served === null ? await serve(`${root}build/web`, 8200) : { server: null, address: served };
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
    const page = await browser.newPage({ viewport, acceptDownloads: true });
    const complaints = [];
    page.setDefaultTimeout(TIMEOUT_MS);
    page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') {
            complaints.push(message.text());
        }
    });
    page.on('pageerror', (error) => complaints.push(error.message));

    /** @param state the part after #; with at=N the page stands at that step */
    async function open(state) {
        await page.goto('about:blank');
        await page.goto(`${address}#${state}`);
        const at = Number(/at=(\d+)/.exec(state)?.[1] ?? 1);
        await waitForStep(at);
        await settle();
    }
    const waitForStep = (step) => page.waitForFunction((n) => Number(document.body.dataset.step) >= n, step);
    const waitForExactly = (step) => page.waitForFunction((n) => Number(document.body.dataset.step) === n, step);
    /** Until what was asked for is on the screen. */
    const settle = () => page.waitForFunction(() => [...document.querySelectorAll('.pane')].every(({ dataset }) => {
        const [version, step] = (dataset.drawn ?? '').split(' ');
        return version === dataset.wanted && (step === document.body.dataset.step || document.body.dataset.running === 'true');
    }));
    const hash = () => page.evaluate(() => document.body.dataset.hash);
    async function seek(step) {
        await page.evaluate((value) => {
            const slider = document.getElementById('time');
            slider.value = value;
            slider.dispatchEvent(new Event('input'));
        }, step);
        await waitForExactly(step);
    }
    /** Of a picture: how many colours it has, and a number that changes with any of them. */
    const picture = (number = 0) => page.evaluate((i) => {
        const canvas = document.querySelectorAll('.pane canvas')[i];
        const small = new OffscreenCanvas(canvas.width, canvas.height);
        const context = small.getContext('2d');
        context.drawImage(canvas, 0, 0);
        const pixels = new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
        return { colors: new Set(pixels).size, digest: pixels.reduce((sum, pixel) => (Math.imul(sum, 16777619) ^ pixel) >>> 0, 1) };
    }, number);

    return {
        page, address, complaints, open, waitForStep, waitForExactly, settle, hash, seek, picture,
        async close() {
            await browser.close();
            server?.close();
        },
    };
}

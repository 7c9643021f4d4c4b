// SPDX-License-Identifier: MIT
// plots.ts - figures of the steps as they are drawn, and as a table.

import uPlot from 'uplot';

import type { Frame, Stats } from './protocol.js';

const SHOWN = 600; // steps in the plots
const MAX_ROWS = 200000; // steps in the table
const HEIGHT = 92;
const REDRAW_MS = 150;

interface Line {
    name: string;
    color: string;
    value: (stats: Stats) => number;
}

interface Plot {
    title: string;
    lines: Line[];
}

const PLOTS: Plot[] = [
    {
        title: 'Time per step, ms',
        lines: [
            { name: 'step', color: '#e8a33d', value: (s) => s.stepMs },
            { name: 'solve', color: '#3e7bfa', value: (s) => s.solveMs },
            { name: 'contacts', color: '#46a758', value: (s) => s.contactMs },
            { name: 'pairs', color: '#e5484d', value: (s) => s.pairMs },
            { name: 'islands', color: '#9d7bff', value: (s) => s.islandMs },
            { name: 'refit', color: '#12a5b0', value: (s) => s.refitMs },
            { name: 'sleep', color: '#8a94a0', value: (s) => s.sleepMs },
        ],
    },
    {
        title: 'Contact points, bodies awake',
        lines: [
            { name: 'points', color: '#46a758', value: (s) => s.pointCount },
            { name: 'awake', color: '#e8a33d', value: (s) => s.awakeCount },
        ],
    },
    {
        title: 'Energy, J',
        lines: [
            { name: 'kinetic', color: '#e5484d', value: (s) => s.kinetic },
            { name: 'potential', color: '#3e7bfa', value: (s) => s.potential },
        ],
    },
    { title: 'Deepest penetration, mm', lines: [{ name: 'depth', color: '#9d7bff', value: (s) => 1e3 * s.maxPenetration }] },
];

const COLUMNS: (keyof Stats)[] = [
    'bodyCount', 'awakeCount', 'pairCount', 'contactCount', 'pointCount', 'islandCount', 'pairMs', 'contactMs', 'islandMs', 'solveMs',
    'refitMs', 'sleepMs', 'stepMs', 'kinetic', 'potential', 'maxPenetration', 'byteCount',
];

export class Plots {
    private rows: { step: number; time: number; stats: Stats }[] = [];
    private charts: uPlot[] = [];
    private lastDrawn = 0;

    constructor(private readonly container: HTMLElement) {
        new ResizeObserver(() => this.resize()).observe(container);
    }

    /** In the colours that the page has now. */
    show(): void {
        if (this.charts.length > 0) {
            return;
        }
        const style = getComputedStyle(document.documentElement);
        const ink = style.getPropertyValue('--ink-soft').trim();
        const grid = style.getPropertyValue('--line').trim();
        this.charts = PLOTS.map(({ title, lines }) => {
            const figure = document.createElement('figure');
            figure.setAttribute('aria-label', title);
            const caption = document.createElement('figcaption');
            caption.textContent = title;
            for (const { name, color } of lines) {
                const key = document.createElement('span');
                key.style.color = color;
                key.textContent = ` ${name}`;
                caption.append(key);
            }
            figure.append(caption);
            this.container.append(figure);
            const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { show: false }, size: 40, font: '10px sans-serif' };
            return new uPlot(
                {
                    width: Math.max(160, this.container.clientWidth - 8),
                    height: HEIGHT,
                    legend: { show: false },
                    cursor: { show: false },
                    scales: { x: { time: false } },
                    axes: [{ ...axis, size: 18 }, axis],
                    series: [{}, ...lines.map(({ name, color }) => ({ label: name, stroke: color, width: 1, points: { show: false } }))],
                },
                [[], ...lines.map(() => [])],
                figure,
            );
        });
        this.redraw();
    }

    hide(): void {
        this.charts.forEach((chart) => chart.destroy());
        this.charts = [];
        this.container.replaceChildren();
    }

    clear(): void {
        this.rows = [];
        this.redraw();
    }

    add({ step, time, stats }: Frame): void {
        // after going back, what came later is no longer true
        while (this.rows.length > 0 && (this.rows[this.rows.length - 1] as { step: number }).step >= step) {
            this.rows.pop();
        }
        this.rows.push({ step, time, stats });
        if (this.rows.length > MAX_ROWS) {
            this.rows.splice(0, MAX_ROWS / 10);
        }
        if (performance.now() - this.lastDrawn > REDRAW_MS) {
            this.redraw();
        }
    }

    private redraw(): void {
        this.lastDrawn = performance.now();
        const shown = this.rows.slice(-SHOWN);
        const times = shown.map(({ time }) => time);
        this.charts.forEach((chart, i) => {
            chart.setData([times, ...(PLOTS[i] as Plot).lines.map(({ value }) => shown.map(({ stats }) => value(stats)))]);
        });
    }

    private resize(): void {
        const width = Math.max(160, this.container.clientWidth - 8);
        this.charts.forEach((chart) => chart.width !== width && chart.setSize({ width, height: HEIGHT }));
    }

    toCsv(): string {
        const lines = this.rows.map(({ step, time, stats }) => [step, time, ...COLUMNS.map((name) => stats[name])].join(','));
        return `${[['step', 'time', ...COLUMNS].join(','), ...lines].join('\n')}\n`;
    }
}

// SPDX-License-Identifier: MIT
// keys.ts - the keyboard, and the list of what it does.

export interface Key {
    key: string;
    text: string;
    act: () => void;
}

const SHOWN: Record<string, string> = { ' ': 'Space', ArrowRight: '→', ArrowLeft: '←' };

export function listenToKeys(keys: Key[]): void {
    addEventListener('keydown', (event) => {
        const target = event.target as HTMLElement;
        const isTyping = target.closest('input:not([type=checkbox]), select, textarea, [contenteditable]') !== null;
        // a button that has the focus is pressed by the space bar
        const isPressing = event.key === ' ' && target.closest('button, summary') !== null;
        const found = keys.find(({ key }) => key === event.key);
        if (found !== undefined && !isTyping && !isPressing && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            found.act();
        }
        // before the panel, which keeps keys to itself
    }, { capture: true });
}

export function fillHelp(list: HTMLElement, keys: Key[]): void {
    for (const { key, text } of keys) {
        const term = document.createElement('dt');
        const cap = document.createElement('kbd');
        cap.textContent = SHOWN[key] ?? key.toUpperCase();
        term.append(cap);
        const meaning = document.createElement('dd');
        meaning.textContent = text;
        list.append(term, meaning);
    }
}

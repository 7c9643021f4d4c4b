// SPDX-License-Identifier: MIT
// site.js - the manual's search, its menu on narrow screens, and the choice of light or dark.

const root = document.documentElement;
const stored = { get: () => { try { return localStorage.theme; } catch { return undefined; } },
    set: (theme) => { try { localStorage.theme = theme; } catch { /* a page from disk may have no storage */ } } };
if (stored.get()) root.dataset.theme = stored.get();

/** Sections in which every word of the question stands, best first: [title, chapter, address, text]. */
function find(question) {
    const words = question.toLowerCase().split(/\s+/).filter(Boolean);
    const scored = [];
    for (const entry of words.length > 0 ? INDEX : []) {
        const title = entry[0].toLowerCase();
        const all = `${title} ${entry[1].toLowerCase()} ${entry[3].toLowerCase()}`;
        if (!words.every((word) => all.includes(word))) continue;
        let score = title === words.join(' ') ? 100 : 0;
        for (const word of words) {
            score += title.startsWith(word) ? 12 : title.includes(word) ? 8 : 0;
            score += Math.min(all.split(word).length - 1, 5);
        }
        scored.push([score - title.length / 50, entry]);
    }
    return scored.sort((a, b) => b[0] - a[0]).slice(0, 20).map(([, entry]) => entry);
}

/** Some words around the first that was asked for. */
function around(text, question) {
    const at = text.toLowerCase().indexOf(question.toLowerCase().split(/\s+/)[0]);
    const begin = Math.max(0, at - 40);
    return `${begin > 0 ? '… ' : ''}${text.slice(begin, begin + 120)}`;
}

document.addEventListener('DOMContentLoaded', () => {
    const input = document.getElementById('search');
    const list = document.getElementById('found');
    const menu = document.getElementById('menu');

    document.getElementById('theme').onclick = () => {
        const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
        root.dataset.theme = dark ? 'light' : 'dark';
        stored.set(root.dataset.theme);
    };
    const open = (isOpen) => {
        document.body.classList.toggle('open', isOpen);
        menu.setAttribute('aria-expanded', isOpen);
    };
    menu.onclick = () => open(!document.body.classList.contains('open'));
    document.getElementById('content').onclick = () => open(false);
    document.querySelectorAll('nav a').forEach((link) => link.addEventListener('click', () => open(false)));
    document.querySelector('nav .own')?.scrollIntoView({ block: 'nearest' });

    let at = 0;
    const show = () => {
        const found = find(input.value);
        list.replaceChildren(...found.map(([title, chapter, address, text]) => {
            const link = document.createElement('a');
            link.href = address;
            const small = document.createElement('small');
            small.textContent = `${chapter} · ${around(text, input.value)}`;
            link.append(title, small);
            const row = document.createElement('li');
            row.append(link);
            return row;
        }));
        if (input.value.trim() && found.length === 0) list.textContent = 'Nothing has all of these words.';
        list.hidden = !input.value.trim();
        at = 0;
        list.querySelectorAll('a')[0]?.classList.add('at');
    };
    input.oninput = show;
    input.onfocus = show;
    input.onkeydown = (event) => {
        const links = list.querySelectorAll('a');
        if (event.key === 'Enter' && links[at]) {
            location.href = links[at].href;
            list.hidden = true;
        } else if (event.key === 'Escape') {
            input.blur();
            list.hidden = true;
        } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            links[at]?.classList.remove('at');
            at = Math.max(0, Math.min(links.length - 1, at + (event.key === 'ArrowDown' ? 1 : -1)));
            links[at]?.classList.add('at');
            links[at]?.scrollIntoView({ block: 'nearest' });
        }
    };
    document.addEventListener('keydown', (event) => {
        if (event.key === '/' && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) {
            event.preventDefault();
            input.focus();
        }
    });
    document.addEventListener('click', (event) => { if (!event.target.closest('.search')) list.hidden = true; });
});

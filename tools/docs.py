#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# The manual as a site: tools/docs.py [FOLDER], out/docs by default.
#
# Chapters (docs/contents.txt) are CommonMark and become pages; so do the public headers, and the
# files that chapters link to. Names of headers are links wherever they stand in code. All is in one
# folder that can be opened as it is, from a disk or a server: search needs neither.

import html
import json
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path

from markdown_it import MarkdownIt

import check_docs
import manual
from manual import DOCS, ROOT

SITE = DOCS / 'site'
PICTURES = ('.png', '.jpg', '.svg', '.gif')
LANGUAGES = {'.c': 'c', '.h': 'c', '.inc': 'c', '.cpp': 'cpp', '.py': 'python', '.js': 'js', '.mjs': 'js', '.ts': 'js',
             '.sh': 'sh', '.json': 'json'}

# ---- code ----------------------------------------------------------------------------------

WORDS = {
    'c': 'auto bool break case char const continue default do double else enum extern false float for if int int32_t '
         'int64_t inline long NULL return short signed size_t sizeof static struct switch true typedef uint16_t uint32_t '
         'uint64_t uint8_t union unsigned void while class namespace new nullptr template throw try catch using public',
    'python': 'and as assert break class def del elif else except False finally for from if import in is lambda None not '
              'or pass raise return True try while with yield',
    'js': 'async await break case catch class const continue default else export false finally for from function if import '
          'in let new null of return switch this throw true try typeof undefined var while',
    'sh': 'case do done elif else esac fi for if in then while',
    'json': 'true false null',
}
WORDS['cpp'] = WORDS['c']
COMMENT = {'python': r'#[^\n]*', 'sh': r'(?:(?<=\s)|^)#[^\n]*', 'cmake': r'#[^\n]*', 'text': r'(?!)', '': r'(?!)'}
TOKEN = r'''(?P<c>{comment})|(?P<s>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`)|(?P<p>^\s*#\s*\w+)|''' \
        r'''(?P<n>\b\d[\w.]*(?:(?<=e)-\d+f?)?)|(?P<w>[A-Za-z_]\w*(?:\.\w+)?)'''


class Code:
    """Highlights code and makes links of the names of headers."""

    def __init__(self, places):
        self.places = places  # name: address

    def name(self, word, here=''):
        place = self.places.get(word)
        if place is None and '.' in word:  # a field of what is not a type: s.radius
            first, _, rest = word.partition('.')
            return f'{self.name(first, here)}.{html.escape(rest)}'
        if place is None or word == here:
            return html.escape(word)
        return f'<a href="{place}">{html.escape(word)}</a>'

    def highlight(self, code, language, here=''):
        words = set(WORDS.get(language, '').split())
        comment = COMMENT.get(language, r'//[^\n]*|/\*.*?\*/')
        if language not in WORDS:
            return self.prose(code) if language in ('text', '') else html.escape(code)
        out, at = [], 0
        for token in re.finditer(TOKEN.format(comment=comment), code, re.S | re.M):
            out.append(html.escape(code[at : token.start()]))
            kind, text = token.lastgroup, token[0]
            if kind == 'w':
                out.append(f'<b>{text}</b>' if text in words else self.name(text, here))
            elif kind == 'c':
                out.append(f'<i>{self.prose(text)}</i>')
            elif kind == 'p' and language in ('python', 'sh', 'js', 'json'):
                out.append(html.escape(text))
            else:
                out.append(f'<span class="{kind}">{html.escape(text)}</span>')
            at = token.end()
        return ''.join(out) + html.escape(code[at:])

    def prose(self, text):
        """Words of a comment: names become links, what stands between backquotes is code."""
        parts = re.split(r'\b((?:sd[A-Z]|SD_)\w+(?:\.(?!h\b)\w+)?)', text)
        linked = ''.join(self.name(p) if i % 2 else html.escape(p, quote=False) for i, p in enumerate(parts))
        return re.sub(r'`([^`]+)`', r'<code>\1</code>', linked)

    def comment(self, lines):
        """A comment of a header: paragraphs, indented code, @param and @return."""
        out, paragraph, terms = [], [], []
        for line in [*lines, '']:
            if found := re.match(r'@(param \w+|return)\s*(.*)', line):
                terms.append([found[1].replace('param ', ''), found[2]])
            elif terms and line.strip():
                terms[-1][1] += ' ' + line.strip()
            elif line.startswith('    ') and (not paragraph or paragraph[0].startswith('    ')):
                paragraph.append(line)
            elif line.strip() and not (paragraph and paragraph[0].startswith('    ')):
                paragraph.append(line)
            else:
                if paragraph and paragraph[0].startswith('    '):
                    code = '\n'.join(part[4:] for part in paragraph)
                    out.append(f'<pre><code>{self.highlight(code, "c")}</code></pre>')
                elif paragraph:
                    out.append(f'<p>{self.prose(" ".join(paragraph))}</p>')
                paragraph = [line] if line.strip() else []
        if paragraph:
            out.append(f'<p>{self.prose(" ".join(paragraph))}</p>')
        rows = [f'<dt>{"returns" if name == "return" else f"<code>{name}</code>"}</dt><dd>{self.prose(text)}</dd>'
                for name, text in terms]
        return ''.join(out) + (f'<dl>{"".join(rows)}</dl>' if rows else '')


# ---- pages ---------------------------------------------------------------------------------


def page_of(path):
    """Name of the page of a chapter or of another file of the repository."""
    named = {'overview': 'index', 'sudar': 'command', 'CHANGELOG': 'changelog'}
    if path.parent == DOCS and path.suffix in ('.md', '.1') or path.name == 'CHANGELOG.md':
        return f'{named.get(path.stem, path.stem)}.html'
    return 'file-' + str(path.relative_to(ROOT)).replace('/', '-') + '.html'


def section_of(words):
    """Title and anchor of a section of a header, without what only its authors look for in brackets."""
    title = re.sub(r' \((?:[A-F]\d|src/).*?\)', '', words)
    return title[0].upper() + title[1:], re.sub(r'\W+', '-', title)


class Site:
    def __init__(self, out):
        self.out = out
        self.parts = manual.contents()
        self.headers = manual.headers()
        places = {name: f'api-{h.name[:-2]}.html#{name}' for h in self.headers for g in h.groups for name in g.names}
        self.code = Code(places)
        self.chapters = {c.path: c for _, chapters in self.parts for c in chapters}
        self.files = []  # of the repository that pages link to
        self.search = []
        self.template = (SITE / 'page.html').read_text(encoding='utf-8')
        self.markdown = MarkdownIt('commonmark').enable(['table', 'strikethrough'])
        for name in ('fence', 'code_inline', 'heading_open', 'heading_close', 'link_open', 'image', 'table_open', 'table_close',
                     'html_block'):
            self.markdown.add_render_rule(name, self.rule(name))
        self.order = [(c.title, page_of(c.path)) for c in self.chapters.values()]
        self.order += [('API', 'api.html')] + [(h.name, f'api-{h.name[:-2]}.html') for h in self.headers]

    def rule(self, name):
        method = getattr(self, f'render_{name}')
        return lambda _, tokens, at, options, env: method(tokens[at], env)

    # what differs from plain CommonMark

    def render_fence(self, token, env):
        language, _, info = token.info.strip().partition(' ')
        label = ''
        if info.startswith('from '):
            path = (ROOT / info[5:]).resolve()
            label = f'<a class="label" href="{self.file_page(path)}">{html.escape(info[5:])}</a>'
        elif info == 'output':
            label = '<span class="label">output</span>'
        return f'<div class="code {info.split(" ")[0]}">{label}<pre><code>{self.code.highlight(token.content, language)}</code></pre></div>\n'

    def render_code_inline(self, token, env):
        text = token.content
        found = re.fullmatch(r'((?:sd[A-Z]|SD_)\w+(?:\.\w+)?)(.*)', text, re.S)
        if env.get('in_link') or not found:
            header = f'api-{text[:-2]}.html'
            is_header = text.endswith('.h') and any(header == page for _, page in self.order) and not env.get('in_link')
            return f'<a href="{header}"><code>{text}</code></a>' if is_header else f'<code>{html.escape(text)}</code>'
        return f'<code>{self.code.name(found[1])}{html.escape(found[2])}</code>'

    def render_heading_open(self, token, env):
        _, words, name = env['headings'].pop(0) if int(token.tag[1]) < 5 else (0, '', '')
        env['name'] = name
        return f'<{token.tag} id="{name}">'

    def render_heading_close(self, token, env):
        return f'<a class="here" href="#{env["name"]}" aria-label="Link to this heading">#</a></{token.tag}>\n'

    def render_link_open(self, token, env):
        return f'<a href="{html.escape(self.address(token.attrs["href"], env["path"]))}">'

    def render_image(self, token, env):
        return self.picture(token.attrs['src'], html.escape(token.content), env)

    def render_table_open(self, token, env):
        return '<div class="table"><table>\n'

    def render_table_close(self, token, env):
        return '</table></div>\n'

    def render_html_block(self, token, env):
        return re.sub(r'<!--.*?-->', '', re.sub(r'src="([^"]+)"', lambda m: f'src="{self.copy(m[1], env)}"', token.content), flags=re.S)

    def picture(self, source, words, env):
        return f'<a href="{self.copy(source, env)}"><img src="{self.copy(source, env)}" alt="{words}" loading="lazy"></a>'

    def copy(self, source, env):
        if re.match(r'https?:', source):
            return source
        path = (env['path'].parent / source).resolve()
        shutil.copy(path, self.out / path.name)
        return path.name

    def address(self, target, path):
        """Where a link of a file leads on the site."""
        if re.match(r'[a-z]+:|#', target):
            return target
        file, _, part = target.partition('#')
        goal = (path.parent / file).resolve()
        if goal.is_dir():
            goal = goal / 'README.md' if (goal / 'README.md').exists() else goal
        if goal.suffix in PICTURES:
            shutil.copy(goal, self.out / goal.name)
            return goal.name
        return self.file_page(goal) + (f'#{part}' if part else '')

    def file_page(self, path):
        if path.is_dir():
            raise ValueError(f'{path.relative_to(ROOT)} is a folder without a README.md: link to a file')
        if path not in self.chapters and path not in self.files:
            self.files.append(path)
        return page_of(path)

    # pages

    def render(self, text, path, headings):
        env = {'path': path, 'headings': list(headings)}
        return self.markdown.render(text, env)

    def navigation(self, page):
        rows = []
        for part, chapters in self.parts:
            rows.append(f'<h2>{part}</h2><ul>')
            for chapter in chapters:
                own = page_of(chapter.path) == page
                rows.append(f'<li{" class=own" if own else ""}><a href="{page_of(chapter.path)}">{html.escape(chapter.title)}</a>')
                inner = [h for h in chapter.headings if h[0] == 2] if own else []
                if 1 < len(inner) < 30:
                    rows.append('<ul>' + ''.join(f'<li><a href="#{a}">{html.escape(w)}</a></li>' for _, w, a in inner) + '</ul>')
                rows.append('</li>')
            rows.append('</ul>')
        rows.append('<h2>Reference</h2><ul>')
        for title, name in self.order[len(self.chapters) :]:
            rows.append(f'<li{" class=own" if name == page else ""}><a href="{name}">{title if title != "API" else "All names"}</a>')
            inner = [section_of(part) for h in self.headers if h.name == title and name == page for kind, part in h.parts if kind == 'section']
            rows.append('<ul>' + ''.join(f'<li><a href="#{a}">{html.escape(w)}</a></li>' for w, a in inner) + '</ul></li>' if inner else '</li>')
        return '\n'.join(rows) + '</ul>'

    def write(self, page, title, body):
        pages = [name for _, name in self.order]
        steps = ''
        if page in pages:
            at = pages.index(page)
            if at > 0:
                steps += f'<a rel="prev" href="{pages[at - 1]}">{html.escape(self.order[at - 1][0])}</a>'
            if at + 1 < len(pages):
                steps += f'<a rel="next" href="{pages[at + 1]}">{html.escape(self.order[at + 1][0])}</a>'
        fields = {'title': html.escape(title), 'navigation': self.navigation(page), 'body': body, 'steps': steps}
        text = re.sub(r'\{\{(\w+)\}\}', lambda m: fields[m[1]], self.template)
        (self.out / page).write_text(text, encoding='utf-8')

    def index(self, page, chapter_title, body):
        """What the search knows of a page: its sections, each with its words."""
        for part in re.split(r'(?=<h[1-4] id=)', body):
            found = re.match(r'<h[1-4] id="([^"]*)">(.*?)</h\d>', part, re.S)
            if found:
                title = html.unescape(re.sub(r'<a class="here".*?</a>|<[^>]+>', '', found[2]))
                words = html.unescape(re.sub(r'<[^>]+>', ' ', part[found.end() :]))
                self.search.append([title, chapter_title, f'{page}#{found[1]}', ' '.join(words.split())])

    def write_chapters(self):
        for chapter in self.chapters.values():
            body = self.render(chapter.text, chapter.path, chapter.headings)
            self.write(page_of(chapter.path), chapter.title, body)
            self.index(page_of(chapter.path), chapter.title, body)

    def write_headers(self):
        rows = []
        for header in self.headers:
            page = f'api-{header.name[:-2]}.html'
            summary = header.head[0].partition(' - ')[2]
            body = [f'<h1 id="{header.name}">{header.name}</h1>', f'<pre class="include"><code>#include &lt;sudar/{header.name}&gt;</code></pre>',
                    self.code.comment([summary[0].upper() + summary[1:], *header.head[1:]])]
            names = []
            for kind, part in header.parts:
                if kind == 'section':
                    title, name = section_of(part)
                    body.append(f'<h2 id="{name}">{html.escape(title)}</h2>')
                elif kind == 'note':
                    body.append(self.code.comment(part))
                else:
                    body.append(self.group(part))
                    names += part.names
                    doc = ' '.join(line for line in part.doc if not line.startswith('@'))
                    self.search += [[name, header.name, f'{page}#{name}', doc] for name in part.names if '.' not in name]
            self.write(page, header.name, '\n'.join(body))
            links = ' '.join(f'<a href="{page}#{name}">{name}</a>' for name in names if re.match(r'sd[^.]*$', name))
            rows.append(f'<h2><a href="{page}">{header.name}</a></h2><p>{self.code.prose(summary)}</p><p class="names">{links}</p>')
        intro = '<h1 id="api">All names</h1><p>Everything public, by header. <code>#include &lt;sudar/sudar.h&gt;</code> has them all.</p>'
        self.write('api.html', 'API', intro + '\n'.join(rows))

    def group(self, group):
        """Declarations with an anchor for each name, and their comment."""
        code = self.code.highlight(re.sub('///<?', '//', '\n'.join(group.code)), 'c')
        anchors = set()
        for name in group.names:
            if '.' in name:
                continue
            mark = f'<a href="{self.code.places[name]}">{name}</a>'
            if mark in code and name not in anchors:
                code = code.replace(mark, f'<a id="{name}" class="name" href="#{name}">{name}</a>', 1)
                anchors.add(name)
        owner = group.names[0]
        spots = ''.join(f'<a id="{name}"></a>' for name in group.names if name not in anchors)
        return f'<section id="group-{owner}">{spots}<pre><code>{code}</code></pre>{self.code.comment(group.doc)}</section>'

    def write_files(self):
        """Sources and documents that are linked to; documents may link to more."""
        for path in self.files:
            name = str(path.relative_to(ROOT))
            if path.suffix == '.md':
                chapter = manual.read_chapter(path)
                body = self.render(chapter.text, path, chapter.headings)
            else:
                text = path.read_text(encoding='utf-8')
                body = f'<h1>{name}</h1><pre><code>{self.code.highlight(text, LANGUAGES.get(path.suffix, ""))}</code></pre>'
            self.write(page_of(path), name, body)

    def write_all(self):
        self.write_chapters()
        self.write_headers()
        self.write_files()
        for name in ('site.css', 'site.js', 'icon.svg'):
            shutil.copy(SITE / name, self.out / name)
        (self.out / 'search.js').write_text('const INDEX = ' + json.dumps(self.search, ensure_ascii=False) + ';\n', encoding='utf-8')


# ---- links of what was written -------------------------------------------------------------


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(path.read_text(encoding='utf-8'))

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key == 'id':
                self.ids.add(value)
            elif key in ('href', 'src'):
                self.links.append(value)


def broken(out):
    pages = {path.name: Page(path) for path in out.glob('*.html')}
    count = 0
    for name, page in pages.items():
        for link in page.links:
            file, _, part = link.partition('#')
            count += 1
            if re.match(r'[a-z]+:', link):
                continue
            if not (out / (file or name)).exists():
                yield f'{name}: there is no {link}'
            elif part and part not in pages[file or name].ids:
                yield f'{name}: there is no {link}'
    print(f'docs: {len(pages)} pages, {count} links')


def main():
    out = (ROOT / (sys.argv[1] if len(sys.argv) > 1 else 'out/docs')).resolve()
    check_docs.check_links(manual.documents())
    if check_docs.faults:
        print('\n'.join(check_docs.faults))
        return 1
    if out.exists() and any(out.iterdir()) and not (out / 'search.js').exists():
        print(f'docs: {out} holds other things than a site of the manual: name another folder')
        return 1
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    Site(out).write_all()
    faults = list(broken(out))
    print('\n'.join([*faults, f'docs: {out / "index.html"}']))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

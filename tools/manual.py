# SPDX-License-Identifier: MIT
# manual.py - what the manual is made of, as tools/docs.py and tools/check_docs.py read it: chapters
# of Markdown in the order of docs/contents.txt, and the comments of the public headers.
#
# Chapters are CommonMark; here they are only cut into what is checked. Headers are in the one format
# that `make format` gives them, so that a line tells what it begins.

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / 'docs'
HEADERS = ROOT / 'include' / 'sudar'

# documents that are checked as chapters are, without being chapters
OTHERS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'python/README.md', 'web/README.md']


# ---- chapters ------------------------------------------------------------------------------


@dataclass
class Block:
    """Code between fences, or of a comment <!-- code: LANGUAGE ... -->, which readers do not see."""

    line: int
    language: str
    info: str  # what stands after the language: 'output', 'from FILE'
    code: str
    file: str = ''  # name under which it is saved: <!-- file: NAME -->
    hidden: bool = False


@dataclass
class Chapter:
    path: Path
    text: str
    title: str = ''
    blocks: list = field(default_factory=list)
    headings: list = field(default_factory=list)  # (level, words, anchor)
    links: list = field(default_factory=list)  # (line, target)
    names: list = field(default_factory=list)  # (line, what stands between backquotes)

    @property
    def name(self):
        return str(self.path.relative_to(ROOT))


def plain(words):
    """Markdown's marks taken off a heading."""
    return re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', words).replace('`', '').replace('**', '').strip()


def anchor(words, taken):
    """The name that GitHub gives a heading."""
    base = re.sub(r'[^\w\- ]', '', plain(words).lower()).replace(' ', '-')
    name, count = base, 0
    while name in taken:
        count += 1
        name = f'{base}-{count}'
    taken.add(name)
    return name


LINK = re.compile(r'!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)(?:\s+"[^"]*")?\)')
FENCE = re.compile(r'^(\s*)(```+)\s*([\w+-]*)\s*(.*?)\s*$')


def read_chapter(path):
    path = Path(path).resolve()
    text = path.read_text(encoding='utf-8')
    if path.suffix == '.1':
        text = man_to_markdown(text)
    chapter = Chapter(path, text)
    taken, file = set(), ''
    lines = text.split('\n')
    at = 0
    while at < len(lines):
        line, number = lines[at], at + 1
        at += 1
        if opened := FENCE.match(line):
            indent, marks = len(opened[1]), opened[2]
            begin = at
            while at < len(lines) and lines[at].strip() != marks:
                at += 1
            code = '\n'.join(l[indent:] if l[:indent].isspace() else l for l in lines[begin:at]) + '\n'
            chapter.blocks.append(Block(number, opened[3], opened[4], code, file))
            file, at = '', at + 1
        elif line.startswith('<!--'):
            begin = at - 1
            while '-->' not in lines[at - 1]:
                at += 1
            words = '\n'.join(lines[begin:at])
            if found := re.fullmatch(r'<!--\s*file:\s*(\S+)\s*-->', words):
                file = found[1]
            elif found := re.match(r'<!--\s*code:\s*(\w+)[ \t]*\n(.*)-->', words, re.S):
                chapter.blocks.append(Block(number, found[1], '', found[2], hidden=True))
        elif heading := re.match(r'(#{1,4}) (.*)', line):
            chapter.headings.append((len(heading[1]), plain(heading[2]), anchor(heading[2], taken)))
            chapter.title = chapter.title or plain(heading[2])
        if not FENCE.match(line) and not line.startswith(('<!--', '    ')):
            chapter.names += [(number, name) for name in re.findall(r'`([^`]+)`', line)]
            bare = re.sub(r'`[^`]*`', '', line)
            chapter.links += [(number, target) for target in LINK.findall(bare)]
    return chapter


def listed():
    """Parts and files of docs/contents.txt: {file: title of its part}, in order."""
    files, part = {}, ''
    for line in (DOCS / 'contents.txt').read_text().split('\n'):
        if not line.strip() or line.startswith('#'):
            continue
        if not line.startswith(' '):
            part = line.strip()
            continue
        files[line.strip()] = part
    return files


def contents():
    """The manual: a list of (title of the part, chapters)."""
    parts = {}
    for name, part in listed().items():
        if (DOCS / name).exists():
            parts.setdefault(part, []).append(read_chapter(DOCS / name))
    return list(parts.items())


def documents():
    """Chapters and what else is checked as they are."""
    return [c for _, part in contents() for c in part] + [read_chapter(ROOT / name) for name in OTHERS]


# ---- the manual page of the command ---------------------------------------------------------


def man_words(words, font=None):
    """Text of man(7) with its fonts as Markdown: bold and italic."""
    words = re.sub(r'\\f([RP])', '\\\\fR', words).replace('\\-', '-').replace('\\&', '').replace('\\(aq', "'")
    parts = re.split(r'\\f([RBI])', words)
    out = []
    for style, part in zip([font] + parts[1::2], parts[0::2]):
        core = part.strip()
        if core and style in ('B', 'I') and core not in ',|=':
            before, after = part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]
            mark = '`' if style == 'B' else '*'
            core = core if style == 'B' else re.sub(r'([*_])', r'\\\1', core)
            out.append(f'{before}{mark}{core}{mark}{after}')
        else:
            out.append(part.replace('*', '\\*').replace('<', '&lt;').replace('_', '\\_'))
    return ''.join(out)


def man_line(macro, rest):
    """A line of one or two fonts in turn: .B words, .BI "one" "two" ..."""
    words = [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|(\S+)', rest)]
    if len(macro) == 1:
        return man_words(' '.join(words), macro)
    return ''.join(man_words(word, macro[i % 2]) for i, word in enumerate(words))


def man_to_markdown(text):
    """docs/sudar.1 as a chapter. It knows the requests that the page uses, and refuses others."""
    out, term, literal = ['# Command'], 0, False

    def add(words):
        nonlocal term
        if term == 2:  # the option itself
            out.extend(['', f'- {words}  '])
            term = 1
        elif out[-1].startswith(('-', '  ')) and term == 1:
            out.append('  ' + words)
        else:
            out.append(words)

    for line in text.split('\n'):
        request, _, rest = line.partition(' ')
        if literal and request != '.fi':
            out.append(line.replace('\\-', '-'))
        elif request in ('.\\"', '.TH', ''):
            continue
        elif request in ('.SH', '.SS'):
            words = rest.strip('"')
            words = words.capitalize() if request == '.SH' else words
            out.extend(['', ('## ' if request == '.SH' else '### ') + words, ''])
            term = 0
        elif request == '.TP':
            term = 2
        elif request == '.PP':
            out.append('')
            term = 0
        elif request == '.br':
            out[-1] += '  '
        elif request in ('.nf', '.fi'):
            out.append('```sh example' if request == '.nf' else '```')
            literal = request == '.nf'
        elif request in ('.B', '.I', '.BI', '.BR', '.RB', '.RI', '.IR'):
            add(man_line(request[1:], rest))
        elif line.startswith('.'):
            raise ValueError(f'sudar.1: {request} is not known to tools/manual.py')
        else:
            add(man_words(line))
    return '\n'.join(out) + '\n'


# ---- public headers ------------------------------------------------------------------------


@dataclass
class Group:
    """A comment and the declarations right below it."""

    line: int
    doc: list  # lines of the comment, without ///
    code: list = field(default_factory=list)  # declarations as they stand
    names: list = field(default_factory=list)
    is_exported: bool = False  # has a function of the library, not of the header alone


@dataclass
class Header:
    name: str  # world.h
    head: list  # lines of the comment at the top
    parts: list = field(default_factory=list)  # ('section', title), ('note', lines), ('group', Group)

    @property
    def groups(self):
        return [what for kind, what in self.parts if kind == 'group']


NOT_API = re.compile(r'#define (SUDAR_\w+|SD_API|SD_BEGIN_C|SD_END_C)\b')


def declaration(lines, at):
    """Where a declaration that begins at a line ends, and what of it is shown."""
    end = at
    if lines[at].startswith('#define'):
        while lines[end].endswith('\\'):
            end += 1
        return end + 1, lines[at : end + 1]
    if lines[at].startswith('static inline'):
        while not lines[end].endswith('{'):
            end += 1
        shown = lines[at : end + 1]
        while lines[end] != '}':
            end += 1
        return end + 1, shown[:-1] + [shown[-1][:-2] + ';']
    opened = 0
    while True:
        bare = lines[end].split('//')[0]
        opened += bare.count('{') + bare.count('(') - bare.count('}') - bare.count(')')
        end += 1
        if opened == 0 and bare.rstrip().endswith(';'):
            return end, [line.replace('SD_API ', '').replace('static inline ', '') for line in lines[at:end]]


def declared(code):
    """Names that a declaration makes public: its own, members of an enumeration, fields."""
    text = '\n'.join(line.split('//')[0] for line in code)
    if found := re.match(r'#define (\w+)', text):
        return [found[1]]
    if found := re.match(r'typedef (struct|enum|union) \w*\s*\{(.*)\}\s*(\w+);', text, re.S):
        kind, body, name = found.groups()
        if kind == 'enum':
            return [name] + re.findall(r'\bSD_\w+(?=\s*(?:=[^,]*)?(?:,|\s*$))', body)
        flat = re.sub(r'\b(struct|union) \{', '', body)
        fields = [re.sub(r'\[.*?\]', '', part) for part in re.split('[;,]', re.sub(r'\)\([^)]*\)', ')', flat))]
        last = [re.search(r'(\w+)\)?\s*$', part.strip()) for part in fields if part.strip(' \n}')]
        return [name] + [f'{name}.{word[1]}' for word in last if word]
    if found := re.match(r'typedef [^;(]*?(\w+)(\([^;]*\))?;', text, re.S):
        return [found[1]]
    return [re.search(r'(\w+)\(', text)[1]]


def read_header(path):
    lines = path.read_text(encoding='utf-8').split('\n')
    at = 1  # after the licence
    header = Header(path.name, [])
    while lines[at].startswith('//'):
        header.head.append(lines[at][3:])
        at += 1
    group, doc, doc_line, depth = None, [], 0, 0
    while at < len(lines):
        line = lines[at]
        if section := re.match(r'// -+ (.*?) -+$', line):
            header.parts.append(('section', section[1]))
            group = None
        elif line.startswith('///'):
            doc_line = doc_line if doc else at + 1
            doc.append(line[4:])
            group = None
        elif line.startswith('//'):
            if not header.parts or header.parts[-1][0] != 'note' or not lines[at - 1].startswith('//'):
                header.parts.append(('note', []))
            header.parts[-1][1].append(line[3:])
            group = None
        elif line.startswith('#if'):
            depth += 1
        elif line.startswith('#endif'):
            depth -= 1
        elif line.startswith('#') and (depth > 1 or not line.startswith('#define') or NOT_API.match(line)):
            pass
        elif re.match(r'SD_API|typedef|static inline|#define', line):
            end, code = declaration(lines, at)
            if group is None:
                group = Group(doc_line or at + 1, doc)
                header.parts.append(('group', group))
                doc, doc_line = [], 0
            group.code += code
            group.names += declared(code)
            group.is_exported |= line.startswith('SD_API')
            at = end
            continue
        elif line.strip() and line not in ('SD_BEGIN_C', 'SD_END_C'):
            raise ValueError(f'{path.name}:{at + 1}: not understood: {line}')
        else:
            group = None
        at += 1
    return header


def headers():
    """All public headers, in the order in which they build on each other."""
    order = re.findall(r'(\w+\.h) ', (DOCS / 'architecture.md').read_text().split('include/sudar/')[1].split('src/base')[0])
    rank = {name: i for i, name in enumerate(order)}
    files = sorted(HEADERS.glob('*.h'), key=lambda path: rank.get(path.name, 99))
    return [read_header(path) for path in files if path.name != 'sudar.h']

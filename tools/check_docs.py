#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# The manual's code is compiled and run, its links and names looked up (CONTRIBUTING.md says how):
#     tools/check_docs.py [BUILD] [CHAPTER...]
# BUILD is build/release, with the module for Python, or a WebAssembly build, which runs the blocks of
# JavaScript and nothing else. Chapters are all if none is named.

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import manual
from manual import ROOT

SECONDS = 120  # after which code that runs is stopped
WARNINGS = '-Wall -Wextra -Wshadow -Werror -Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-function'.split()
INCLUDES = ['<sudar/sudar.h>', '<math.h>', '<stdio.h>', '<string.h>']

faults = []


def fault(chapter, line, words):
    faults.append(f'{chapter.name}:{line}: {words}')


# ---- links and names -----------------------------------------------------------------------


def check_links(chapters):
    anchors = {c.path: {name for _, _, name in c.headings} for c in chapters}
    for chapter in chapters:
        for line, target in chapter.links:
            if re.match(r'[a-z]+:', target):
                continue
            file, _, part = target.partition('#')
            path = (chapter.path.parent / file).resolve() if file else chapter.path
            if not path.exists() or ROOT not in [path, *path.parents]:
                fault(chapter, line, f'there is no {file} to link to')
            elif part and part not in anchors.get(path, ()):
                fault(chapter, line, f'{file or "this page"} has no heading #{part}')


def public_names():
    """Name of each public type, function, constant or field: the header it is in."""
    return {name: header.name for header in manual.headers() for group in header.groups for name in group.names}


def check_names(chapters):
    public = set(public_names())
    sources = set()
    for folder in 'include src test scenes scenefile render output explain cli web lab fuzz bench'.split():
        for path in (ROOT / folder).rglob('*'):
            if path.suffix in ('.c', '.h', '.inc') and 'node_modules' not in path.parts:
                sources.update(re.findall(r'\b(?:sd[A-Z]|SD_)\w+', path.read_text(encoding='utf-8', errors='replace')))
    for chapter in chapters:
        for line, words in chapter.names:
            for name, star, field in re.findall(r'\b((?:sd[A-Z]|SD_)\w+)(\*?)(?:\.(\w+))?', words):
                if field and name in public and f'{name}.{field}' not in public and field != 'h':
                    fault(chapter, line, f'{name} has no field {field}')
                elif star or name.endswith('_'):
                    if not any(other.startswith(name) for other in sources):
                        fault(chapter, line, f'nothing in the sources begins with {name}')
                elif name not in sources:
                    fault(chapter, line, f'there is no {name} in the sources')


def check_contents(chapters):
    named = set(manual.listed())
    there = {path.name for path in manual.DOCS.glob('*.md')}
    for name in sorted(there - named):
        faults.append(f'docs/{name}: not in docs/contents.txt')
    for name in sorted(named - there):
        if name.endswith('.md') and not (manual.DOCS / name).exists():
            faults.append(f'docs/contents.txt: there is no {name}')
    for chapter in chapters:
        for block in chapter.blocks:
            known = 'c cpp python js sh json text cmake'.split()
            if block.language not in known + ['']:
                fault(chapter, block.line, f"'{block.language}' is none of {', '.join(known)}")
            if block.info.startswith('from '):
                path = ROOT / block.info[5:]
                if not path.exists() or f'\n{block.code}' not in f'\n{path.read_text(encoding="utf-8")}':
                    fault(chapter, block.line, f'these lines are not in {block.info[5:]} as they stand here')


def check_comments():
    """Functions of headers have a comment, their own or one that they share; small inline ones may do without."""
    for header in manual.headers():
        above = ''
        for kind, part in header.parts:
            if kind == 'group':
                if part.is_exported and not part.doc and above != 'note':
                    faults.append(f'include/sudar/{header.name}:{part.line}: {part.names[0]} has no comment')
            above = kind


# ---- values in comments --------------------------------------------------------------------

NUMBER = re.compile(r'-?\d+(\.\d+)?(e-?\d+)?')


def tolerance(number):
    """Half a unit of the last digit that is written."""
    digits, _, power = number.partition('e')
    return 0.5 * 10.0 ** (int(power or 0) - len(digits.partition('.')[2]))


def with_checks(block, mark, check):
    """The lines of a block, with a check in the place of every comment that states a value."""
    out, begin = [], 0  # of the statement that a line is the end of
    for number, line in enumerate(block.code.split('\n'), block.line + 1):
        code, _, comment = line.partition(mark)
        out.append(line)
        if comment.startswith(' -> '):
            statement = ' '.join(part.split(mark)[0].strip() for part in out[begin:]).rstrip('; ')
            wanted = re.split(r'[,:] ', comment[4:].rstrip(',: '))[0].strip()
            is_set = re.match(r'([^=!<>()]*?[\w\]])\s*=(?!=)', statement)
            if is_set:
                out[-1] = f'{code.rstrip(" ;")}; {check(is_set[1].split()[-1].lstrip("*"), wanted, number)}'
            else:
                out[begin:] = [''] * (len(out) - begin - 1) + [check(statement, wanted, number)]
        if code.rstrip().endswith((';', '{', '}', ':')) or not code.strip() or mark == '#':
            begin = len(out)
    return out


# ---- C and C++ -----------------------------------------------------------------------------

C_CHECKS = r'''
static int docsFaults = 0;
#define DOCS_FAULT (docsFaults++, __LINE__)
#define DOCS_NUMBER(value, wanted, tolerance) \
    (fabs((double)(value) - (wanted)) <= (tolerance) ? 0 \
     : fprintf(stderr, "%s:%d: %s is %.9g, not %s\n", __FILE__, DOCS_FAULT, #value, (double)(value), #wanted))
#define DOCS_WORD(value, wanted) \
    ((value) == (wanted) ? 0 : fprintf(stderr, "%s:%d: %s is not %s\n", __FILE__, DOCS_FAULT, #value, #wanted))
'''


def c_check(value, wanted, line):
    if NUMBER.fullmatch(wanted):
        return f'DOCS_NUMBER({value}, {wanted}, {tolerance(wanted) * 1.000001});'
    return f'DOCS_WORD({value}, {wanted});'


def c_program(chapter, blocks):
    """One program of all fragments: what stands before ---, then a function of the rest."""
    top, body, includes = [], [], list(INCLUDES)
    for block in blocks:
        lines = with_checks(block, '//', c_check)
        for at, line in enumerate(lines):
            if found := re.match(r'#include (\S+)', line):
                includes.append(found[1])
                lines[at] = ''
        place = f'#line {block.line + 1} "{chapter.name}"'
        if block.hidden and '---' in lines:
            cut = lines.index('---')
            top += [place, *lines[:cut]]
            place = f'#line {block.line + cut + 2} "{chapter.name}"'
            lines = lines[cut + 1 :]
        body += [place, *lines]
    head = [f'#include {name}' for name in dict.fromkeys(includes)]
    return '\n'.join([*head, C_CHECKS, *top, 'static void chapter(void) {', *body, '}',
                      'int main(void) {', '    chapter();', '    return docsFaults != 0;', '}', ''])


def compile_c(chapter, build, folder, language, name, source):
    file = folder / f'{name}.{language}'
    file.write_text(source, encoding='utf-8')
    compiler = ['cc', '-std=c17', '-D_GNU_SOURCE'] if language == 'c' else ['c++', '-std=c++17']
    program = folder / name
    done = subprocess.run([*compiler, *WARNINGS, f'-I{ROOT}/include', f'-I{ROOT}/scenefile', str(file), '-o', str(program),
                           f'{build}/scenefile/libsudar_scenefile.a', f'{build}/src/libsudar.a', '-lm', '-lpthread'], capture_output=True, text=True)
    if done.returncode != 0:
        faults.append(f'{chapter.name}: its {language} does not compile:\n{done.stderr}')
        return None
    return [str(program)]


def run_c(chapter, build, folder, language):
    blocks = [b for b in chapter.blocks if b.language == language and not b.info]
    fragments = [b for b in blocks if 'int main' not in b.code]
    if any(not b.hidden for b in fragments):
        command = compile_c(chapter, build, folder, language, 'fragments', c_program(chapter, fragments))
        run(chapter, command, folder, language, fragments[0].line)
    for block in blocks:
        if 'int main' in block.code:
            source = f'#line {block.line + 1} "{chapter.name}"\n{block.code}'
            command = compile_c(chapter, build, folder, language, f'program{block.line}', source)
            run(chapter, command, folder, language, block.line)


# ---- other languages -----------------------------------------------------------------------

PYTHON_CHECKS = '''def check_number(value, wanted, tolerance, place):
    if not abs(float(value) - wanted) <= tolerance:
        raise SystemExit(f'{place}: it is {value}, not {wanted}')
def check_word(value, wanted, place):
    if value != wanted:
        raise SystemExit(f'{place}: it is {value!r}, not {wanted!r}')
'''
JS_CHECKS = '''
function check_number(value, wanted, tolerance, place) {
    if (!(Math.abs(Number(value) - wanted) <= tolerance)) throw new Error(`${place}: it is ${value}, not ${wanted}`);
}
function check_word(value, wanted, place) {
    if (value !== wanted) throw new Error(`${place}: it is ${value}, not ${wanted}`);
}
'''


def script_check(chapter, end):
    def check(value, wanted, line):
        place = f"'{chapter.name}:{line}'"
        if NUMBER.fullmatch(wanted):
            return f'check_number({value}, {wanted}, {tolerance(wanted) * 1.000001}, {place}){end}'
        return f'check_word({value}, {wanted}, {place}){end}'
    return check


def run_script(chapter, build, folder, language):
    blocks = [b for b in chapter.blocks if b.language == language and not b.info]
    if not any(not b.hidden for b in blocks):
        return
    if language == 'python':
        module = ROOT / build / 'python'
        if not list(module.glob('sudar/_*.so')):
            faults.append(f'{chapter.name}: {build} has no module for Python: cmake --preset release -DSUDAR_PYTHON=ON')
            return
        lines = [line for b in blocks for line in with_checks(b, '#', script_check(chapter, ''))]
        (folder / 'blocks.py').write_text(PYTHON_CHECKS + '\n'.join(lines), encoding='utf-8')
        run(chapter, ['/usr/bin/python3', 'blocks.py'], folder, language, blocks[0].line, {'PYTHONPATH': str(module)})
    else:
        package = folder / 'node_modules' / 'sudar'
        package.mkdir(parents=True)
        for file in [*(ROOT / 'web').glob('*.js'), ROOT / 'web/package.json', *(ROOT / build / 'web').glob('*.wasm')]:
            shutil.copy(file, package)
        lines = [line for b in blocks for line in with_checks(b, '//', script_check(chapter, ';'))]
        (folder / 'blocks.mjs').write_text('\n'.join(lines) + JS_CHECKS, encoding='utf-8')
        run(chapter, ['node', 'blocks.mjs'], folder, language, blocks[0].line)


def run_shell(chapter, build, folder):
    targets = set(re.findall(r'^([\w-]+):', (ROOT / 'Makefile').read_text(), re.M))
    for block in chapter.blocks:
        if block.language != 'sh' or block.info:
            continue
        if block.code.startswith('sudar'):
            run(chapter, ['sh', '-ec', block.code], folder, 'sh', block.line, is_quiet=False)
            continue
        for number, line in enumerate(block.code.split('\n'), block.line + 1):
            for target in re.findall(r'(?:^|&& )make ([a-z]\w*)', line):
                if target not in targets:
                    fault(chapter, number, f'there is no make {target}')
            for path in re.findall(r'(?:^|\s)((?:tools|examples|web|python|scenes|docs)/[\w./-]+\w)', line):
                if not (ROOT / path).exists():
                    fault(chapter, number, f'there is no {path}')


def check_json(chapter, folder):
    for block in chapter.blocks:
        if block.language != 'json':
            continue
        if '"sudar":' in block.code:  # which may have comments
            file = folder / (block.file or 'scene.json')
            file.write_text(block.code, encoding='utf-8')
            run(chapter, ['sudar', 'scene', file.name], folder, 'json', block.line)
            continue
        try:
            json.loads(block.code)
        except ValueError as error:
            fault(chapter, block.line, f'not JSON: {error}')


def check_pictures(build):
    """Scenes that only tools/pictures.sh draws."""
    for path in sorted((manual.DOCS / 'pictures').glob('*.json')):
        done = subprocess.run([f'{build}/cli/sudar', 'scene', str(path)], capture_output=True, text=True)
        if done.returncode != 0:
            faults.append(done.stderr.strip())


# ---- running -------------------------------------------------------------------------------


def run(chapter, command, folder, language, line, environment=None, is_quiet=True):
    """Run code of a chapter: exit status 0, no words that the chapter does not show, and its output."""
    if command is None:
        return
    env = dict(os.environ, PATH=f'{folder}/.bin:{os.environ["PATH"]}', NO_COLOR='1', **(environment or {}))
    try:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        fault(chapter, line, f'its {language} did not end in {SECONDS} s')
        return
    unknown = [words for words in done.stderr.split('\n') if words.strip() and words.strip() not in chapter.text]
    if done.returncode != 0 or (is_quiet and unknown):
        fault(chapter, line, f'its {language} ended with {done.returncode} and said:\n' + '\n'.join(unknown))
    outputs = []
    for at, block in enumerate(chapter.blocks):
        before = next((b for b in reversed(chapter.blocks[:at]) if b.language != 'text'), None)
        if block.language == 'text' and block.info == 'output' and before and before.language == language:
            if language not in ('sh',) and 'int main' not in before.code or before.line == line:
                outputs.append(block)
    for block in outputs:
        if block.code not in done.stdout:
            fault(chapter, block.line, f'this was not printed, but:\n{done.stdout}')


def run_chapter(chapter, build):
    languages = {b.language for b in chapter.blocks}
    with tempfile.TemporaryDirectory(prefix='sudar-docs-') as name:
        folder = Path(name)
        if 'wasm' in build:
            run_script(chapter, build, folder, 'js')
            return
        (folder / '.bin').mkdir()
        (folder / '.bin/sudar').symlink_to(ROOT / build / 'cli/sudar')
        for block in chapter.blocks:
            if block.file:
                (folder / block.file).write_text(block.code, encoding='utf-8')
            if found := re.match(r'from examples/(\w+)\.c', block.info):
                run(chapter, [str(ROOT / build / 'examples' / found[1])], folder, block.language, block.line)
        check_json(chapter, folder)
        for language in ('c', 'cpp'):
            if language in languages:
                run_c(chapter, build, folder, language)
        run_script(chapter, build, folder, 'python')
        run_shell(chapter, build, folder)


def main():
    words = sys.argv[1:]
    build = words.pop(0) if words and '/' in words[0] and Path(words[0]).is_dir() else 'build/release'
    os.chdir(ROOT)
    chapters = manual.documents()
    chosen = [c for c in chapters if not words or any(word in c.name for word in words)]
    if 'wasm' not in build:
        check_links(chapters)
        check_names(chapters)
        check_contents(chapters)
        check_comments()
        check_pictures(build)
    with ThreadPoolExecutor((os.cpu_count() or 1) + 1) as pool:
        list(pool.map(lambda chapter: run_chapter(chapter, build), chosen))
    if faults:
        print('\n'.join(faults))
        print(f'manual: {len(faults)} faults')
        return 1
    languages = ('js',) if 'wasm' in build else ('c', 'cpp', 'python', 'sh', 'json')
    count = sum(1 for c in chosen for b in c.blocks if not b.hidden and b.language in languages)
    print(f'manual: {len(chosen)} documents, {count} blocks of code, {sum(len(c.links) for c in chapters)} links')
    return 0


if __name__ == '__main__':
    sys.exit(main())

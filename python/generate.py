# SPDX-License-Identifier: MIT
"""The table of web/api.inc as C for Python, and as type stubs.

    generate.py api.inc OUT.c OUT.pyi

One rule for all: sdWorld_Step(world, dt) is world.step(dt). Functions whose first argument is their
own object are methods of it, others are functions of the class (Body.create), and those without a
class belong to the module (sdDistance is distance). What C returns through pointers is returned.
"""

import re
import sys

# hand-written in world.c, or of no use here
SKIPPED = {'sdWorld_Create', 'sdResult_Text'}
SKIPPED_OWNERS = {'View', 'Explanation', 'Flat', 'FlatScene', 'GlbWriter'}
SKIPPED_TYPES = {'sdViewFigures', 'sdExplanation', 'sdExplainMethod', 'sdFlat', 'sdFlatScene', 'sdFlatFigures', 'sdGlbWriter'}

# other threads of Python go on meanwhile
SLOW = {
    'sdWorld_Step', 'sdWorld_RaycastMany', 'sdWorld_Save', 'sdWorld_Restore', 'sdHistory_Record', 'sdHistory_Restore',
    'sdMesh_Create', 'sdMesh_Decompose', 'sdHull_Create', 'sdField_Create', 'sdConcave_Create', 'sdModel_Create',
    'sdScene_Build', 'sdSceneFile_Build',
}

SCALARS = {
    'float': 'FLOAT', 'double': 'DOUBLE', 'int': 'INT', 'int32_t': 'INT', 'uint32_t': 'UINT32', 'size_t': 'SIZE',
    'uint64_t': 'UINT64', 'bool': 'BOOL',
}
STUB_SCALARS = {'float': 'float', 'double': 'float', 'bool': 'bool'}
VECTORS = {'sdVec3': 'f', 'sdPos': 'd', 'sdQuat': 'f'}
MATRICES = {'sdMat33': 'f'}
HIDDEN_PARAMETERS = {'sdPairCache', 'sdMeshReader', 'sdFault'}
VALUES = ('handle', 'id', 'string', 'struct', 'pointer', 'inout', 'scalar', 'array')


def snake(name):
    return re.sub(r'(?<=[a-z0-9])([A-Z])', r'_\1', name).lower()


class Type:
    def __init__(self, text):
        match = re.fullmatch(r'(const )?(\w+) ?(\*{0,2})', text.strip())
        self.is_const, self.base, self.stars = match[1] is not None, match[2], len(match[3])

    def c(self):
        return ('const ' if self.is_const else '') + self.base + '*' * self.stars


class Parameter:
    def __init__(self, text):
        kind, self.name = text.rsplit(' ', 1)
        self.type = Type(kind)
        self.role = None


# ---- the table -----------------------------------------------------------------------------

class Api:
    def __init__(self, path):
        self.classes, self.ids, self.enums, self.structs, self.functions = {}, {}, {}, {}, {}
        with open(path, encoding='utf-8') as file:
            for line in file:
                row = re.match(r'(CLASS|ID|ENUM|VALUE|STRUCT|STATIC|FIELD|ITEMS|ARRAY|CASE|FUNCTION)\((.*)\)\s*$', line)
                if row:
                    self.add(row[1], row[2])
        for name in SKIPPED_TYPES:
            for table in (self.structs, self.classes, self.enums):
                table.pop(name, None)
        for values in self.enums.values():
            self.name_values(values)
        for function in self.functions.values():
            self.plan(function)

    def add(self, kind, text):
        if kind == 'FUNCTION':
            returns, name, parameters = re.fullmatch(r'([^,]+), (\w+), \((.*)\)', text).groups()
            owner, verb = re.fullmatch(r'sd(?:([A-Za-z0-9]+)_)?(\w+)', name).groups()
            if name in SKIPPED or owner in SKIPPED_OWNERS:
                return
            listed = [] if parameters == 'void' else [Parameter(part) for part in parameters.split(', ')]
            self.functions[name] = {'name': name, 'owner': owner, 'method': snake(verb), 'returns': Type(returns), 'parameters': listed}
            return
        parts = [part.strip() for part in text.split(', ')]
        if kind == 'CLASS':
            self.classes[parts[0]] = {'name': parts[0][2:], 'release': parts[1], 'retain': parts[2].strip('"')}
        elif kind == 'ID':
            self.ids[parts[0]] = {'name': parts[1].strip('"')}
        elif kind == 'ENUM':
            self.last = self.enums[parts[0]] = []
        elif kind == 'VALUE':
            self.last.append({'constant': parts[0]})
        elif kind in ('STRUCT', 'STATIC'):
            self.last_struct = self.structs[parts[0]] = {'name': parts[0], 'is_static': kind == 'STATIC', 'fields': []}
        else:
            where = 2 if kind == 'CASE' else 1
            self.last_struct['fields'].append({
                'kind': kind, 'type': Type(parts[where - 1]), 'name': parts[where],
                'more': parts[0] if kind == 'CASE' else parts[2] if len(parts) > 2 else None})

    @staticmethod
    def name_values(values):
        """SD_BODY_STATIC, SD_BODY_DYNAMIC: static, dynamic."""
        words = [value['constant'].split('_') for value in values]
        common = 0
        while all(len(parts) > common + 1 and parts[common] == words[0][common] for parts in words):
            common += 1
        for value, parts in zip(values, words):
            value['word'] = '-'.join(parts[common:]).lower()

    def is_optional(self, base):
        initial = self.functions.get(f'{base}_Default')
        return base.endswith('Options') if initial is None else not initial['parameters']

    def plan(self, function):
        """Who a function belongs to, and what each of its parameters is for."""
        owner, parameters, returns = function['owner'], function['parameters'], function['returns']
        seen = [p for p in parameters if p.type.base != 'sdContext']
        function['is_method'] = False
        if f'sd{owner}' in self.classes and seen and seen[0].type.base == f'sd{owner}' and seen[0].type.stars == 1:
            seen[0].role = 'self'
            function['is_method'] = True
        elif len(seen) > 1 and seen[0].type.base == 'sdWorld' and self.ids.get(seen[1].type.base, {}).get('name') == owner and seen[1].type.stars == 0:
            seen[0].role, seen[1].role = 'world', 'self'
            function['is_method'] = True
        for i, p in enumerate(parameters):
            p.role = p.role or self.role_of(p, parameters, i, returns)
        outputs = [p for p in parameters if p.role in ('new', 'list', 'mirror', 'out', 'inout')]
        for p in outputs[1:]:
            p.role = 'none'
        function['output'] = outputs[0] if outputs else None

    def role_of(self, p, parameters, i, returns):
        kind, following = p.type, parameters[i + 1] if i + 1 < len(parameters) else None
        counts = following is not None and following.type.stars == 0 and re.fullmatch(r'count|size|length|\w+Count', following.name)
        if kind.base == 'sdContext':
            return 'context'
        if kind.base in HIDDEN_PARAMETERS or p.name == 'bodies':
            return 'none'
        if kind.stars == 0:
            return 'struct' if kind.base in self.structs else 'id' if kind.base in self.ids else 'scalar'
        if kind.stars == 2:
            return 'new'
        if kind.base in self.classes:
            return 'handle'
        if kind.is_const:
            if counts:
                following.role = 'length'
                return 'array'
            return 'string' if kind.base == 'char' else 'pointer'
        if following is not None and following.name == 'capacity':
            following.role = 'capacity'
            return 'list'
        if p.name in ('count', 'size') and (returns.stars == 1 or any(q.role == 'list' for q in parameters)):
            return 'total'
        if p.name == 'def':
            return 'inout'
        return 'mirror' if any(q.role == 'array' for q in parameters) else 'out'

    # ---- names of types in C -----------------------------------------------------------------

    def index(self, table, key):
        return list(table).index(key)

    def value_type(self, kind):
        base = kind.base
        if base == 'char':
            return '{VALUE_TEXT, 0}'
        if base == 'void':
            return '{VALUE_BYTES, 0}'
        if base in self.classes:
            return '{VALUE_HANDLE, %d}' % self.index(self.classes, base)
        if base in self.ids:
            return '{VALUE_ID, %d}' % self.index(self.ids, base)
        if base in self.enums:
            return '{VALUE_ENUM, %d}' % self.index(self.enums, base)
        if base in self.structs:
            return '{VALUE_STRUCT, %d}' % self.index(self.structs, base)
        return '{VALUE_%s, 0}' % SCALARS.get(base, 'HIDDEN')

    def per(self, kind):
        """Triangles are counted, their indices are stored."""
        return 3 if kind.base == 'int32_t' and kind.is_const else 1

    def owner_name(self, function):
        return function['owner'] or 'sudar'

    def owners(self):
        known = {c['name'] for c in self.classes.values()} | {i['name'] for i in self.ids.values()} | {s[2:] for s in self.structs}
        spaces = []
        for function in self.functions.values():
            owner = function['owner']
            if owner is not None and owner not in known and owner not in spaces:
                spaces.append(owner)
        return spaces


# ---- C -------------------------------------------------------------------------------------

def given(function):
    return [p for p in function['parameters'] if p.role in VALUES]


def optional_from(api, function):
    """The index of the first parameter that may be left out."""
    listed = given(function)
    first = len(listed)
    while first > 0 and listed[first - 1].role == 'pointer' and (api.is_optional(listed[first - 1].type.base) or listed[first - 1].name == 'def'):
        first -= 1
    return first


def emit_tables(api, out):
    for name, values in api.enums.items():
        out.append(f'static const char* const {name}_words[] = {{' + ', '.join(f'"{v["word"]}"' for v in values) + '};')
        out.append(f'static const int {name}_values[] = {{' + ', '.join(v['constant'] for v in values) + '};')
    out.append('const EnumInfo enumInfos[] = {')
    out += [f'    {{"{name[2:]}", {name}_words, {name}_values, {len(values)}}},' for name, values in api.enums.items()]
    out.append(f'}};\nconst int enumCount = {len(api.enums)};\n')

    for name, struct in api.structs.items():
        emit_fields(api, name, struct, out)
    out.append('const StructInfo structInfos[] = {')
    for name, struct in api.structs.items():
        form = 'VECTOR' if name in VECTORS else 'MATRIX' if name in MATRICES else 'STATIC' if struct['is_static'] else 'FIELDS'
        number = VECTORS.get(name) or MATRICES.get(name)
        initial = f'{name}_initialise' if f'{name}_Default' in api.functions else 'NULL'
        out.append(f'    {{"{name[2:]}", FORM_{form}, sizeof({name}), {name}_fields, {len(struct["fields"])}, '
                   f"{repr(number) if number else 0}, {initial}, methods_{name[2:]}}},")
    out.append(f'}};\nconst int structCount = {len(api.structs)};\n')

    for name, info in api.classes.items():
        out.append(f'static void {name}_release(void* object) {{ {info["release"]}(({name}*)object); }}')
        if info['retain'] != 'NULL':
            out.append(f'static void {name}_retain(void* object) {{ {info["retain"]}((const {name}*)object); }}')
    out.append('const ClassInfo classInfos[] = {')
    for name, info in api.classes.items():
        retain = 'NULL' if info['retain'] == 'NULL' else f'{name}_retain'
        out.append(f'    {{"{info["name"]}", {name}_release, {retain}, methods_{info["name"]}}},')
    out.append(f'}};\nconst int classCount = {len(api.classes)};')
    out.append(f'const int worldClass = {api.index(api.classes, "sdWorld")};\n')
    out.append('const IdInfo idInfos[] = {')
    out += [f'    {{"{info["name"]}", methods_{info["name"]}}},' for info in api.ids.values()]
    out.append(f'}};\nconst int idCount = {len(api.ids)};\n')
    out.append('const SpaceInfo spaceInfos[] = {')
    out += [f'    {{"{name}", methods_{name}}},' for name in api.owners()]
    out.append(f'}};\nconst int spaceCount = {len(api.owners())};')


def emit_fields(api, name, struct, out):
    if f'{name}_Default' in api.functions:
        parameters = api.functions[f'{name}_Default']['parameters']
        arguments = ', '.join(f'({p.type.base}){{0}}' for p in parameters)
        out.append(f'static void {name}_initialise(void* value) {{ *({name}*)value = {name}_Default({arguments}); }}')
    out.append(f'static const FieldInfo {name}_fields[] = {{')
    for field in struct['fields']:
        kind, field_type = field['kind'], field['type']
        extra = {'FIELD': '0', 'ITEMS': f'(size_t)({field["more"]})', 'CASE': f'(size_t){field["more"]}',
                 'ARRAY': f'offsetof({name}, {field["more"]})'}[kind]
        form = 'PLAIN' if kind == 'FIELD' else kind
        value = api.value_type(field_type)
        out.append(f'    {{"{snake(field["name"])}", FIELD_{form}, {value}, offsetof({name}, {field["name"]}), {extra}, {api.per(field_type)}}},')
    out.append('};')


def convert(api, p, i, place, lines):
    """A given value as C's, and the argument of the call."""
    base, slot, what = p.type.base, f'given[{i}]', f'"{place}: {snake(p.name)}"'
    if p.role == 'handle':
        lines.append(f'    {base}* a{i} = sdPy_ToHandle({api.index(api.classes, base)}, {slot}, {what});')
        lines.append(f'    if (a{i} == NULL) goto done;')
        return f'a{i}'
    if p.role == 'id':
        lines.append(f'    {base} a{i};')
        lines.append(f'    if (!sdPy_ToId({api.index(api.ids, base)}, {slot}, (uint32_t*)&a{i}, {what})) goto done;')
        return f'a{i}'
    if p.role in ('struct', 'pointer', 'inout'):
        lines.append(f'    {base}* a{i} = sdPy_ToStruct({api.index(api.structs, base)}, &{slot}, {what});')
        lines.append(f'    if (a{i} == NULL) goto done;')
        return f'*a{i}' if p.role == 'struct' else f'a{i}'
    if p.role == 'array':
        lines.append(f'    Py_ssize_t n{i};')
        lines.append(f'    void* a{i} = sdPy_ToArray((ValueType){api.value_type(p.type)}, {api.per(p.type)}, &{slot}, &n{i}, {what});')
        lines.append(f'    if (a{i} == NULL) goto done;')
        return f'a{i}'
    c = 'const char*' if p.role == 'string' else base
    kind = '{VALUE_TEXT, 0}' if p.role == 'string' else api.value_type(p.type)
    lines.append(f'    {c} a{i};')
    lines.append(f'    if (!sdPy_Write((ValueType){kind}, (void*)&a{i}, {slot}, {what}, NULL)) goto done;')
    return f'a{i}'


def emit_function(api, function, out):
    """One wrapper: arguments, the call, what it gives."""
    name, owner, returns, output = function['name'], api.owner_name(function), function['returns'], function['output']
    place = f'{owner}.{function["method"]}'
    listed, first = given(function), optional_from(api, function)
    lines, arguments, position, array_count = [], [], 0, None
    world = 'NULL'
    for p in function['parameters']:
        if p.role == 'context':
            arguments.append('sdPy_GetContext()')
        elif p.role == 'none':
            arguments.append('NULL')
        elif p.role == 'world':
            lines.append(f'    sdWorld* world = sdPy_WorldOf(self, "{place}");')
            lines.append('    if (world == NULL) goto done;')
            arguments.append('world')
            world = '(PyObject*)((IdObject*)self)->world'
        elif p.role == 'self' and p.type.stars > 0:
            lines.append(f'    {p.type.base}* me = sdPy_ToHandle({api.index(api.classes, p.type.base)}, self, "{place}");')
            lines.append('    if (me == NULL) goto done;')
            arguments.append('me')
            world = 'self' if p.type.base == 'sdWorld' else world
        elif p.role == 'self':
            arguments.append(f'({p.type.base})((IdObject*)self)->id')
        elif p.role == 'length':
            arguments.append(f'({p.type.base})n{array_count}')
        elif p.role == 'capacity':
            arguments.append('(int)capacity')
        elif p.role == 'total':
            arguments.append('&total')
        elif p.role == 'list':
            arguments.append('sdPy_ItemsData(items)')
        elif p.role == 'mirror':
            arguments.append('sdPy_ItemsData(items)')
        elif p.role in ('new', 'out'):
            arguments.append('&out')
        else:
            if p.role == 'array':
                array_count = position
            if p.type.base == 'sdWorld':
                world = f'given[{position}]'
            elif p.role == 'id' and world == 'NULL':
                world = f'(PyObject*)((IdObject*)given[{position}])->world'
            arguments.append(convert(api, p, position, place, lines))
            position += 1
    emit_wrapper(api, function, out, listed, first, lines, arguments, world, array_count)


def emit_wrapper(api, function, out, listed, first, lines, arguments, world, array_count):
    name, returns, output = function['name'], function['returns'], function['output']
    place = f'{api.owner_name(function)}.{function["method"]}'
    out.append(f'static const ParameterInfo parameters_{name}[] = {{')
    for i, p in enumerate(listed):
        index = api.index(api.structs, p.type.base) if p.role in ('pointer', 'inout') and (p.name == 'def' or api.is_optional(p.type.base)) else -1
        out.append(f'    {{"{snake(p.name)}", {index}, {"true" if i >= first else "false"}}},')
    if not listed:
        out.append('    {NULL, -1, false},')
    out.append('};')
    out.append(f'static PyObject* call_{name}(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {{')
    out.append(f'    static const BindInfo bind = {{"{place}", parameters_{name}, {len(listed)}}};')
    out.append(f'    PyObject* given[{max(1, len(listed))}] = {{NULL}};')
    out.append('    PyObject* result = NULL;')
    is_list = output is not None and output.role in ('list', 'mirror')
    if is_list:
        out.append('    PyObject* items = NULL;')
    out.append('    if (!sdPy_Bind(&bind, args, count, names, given)) return NULL;')
    out += lines
    total = next((p for p in function['parameters'] if p.role == 'total'), None)
    if total is not None:
        out.append(f'    {total.type.base} total = 0;')
    item = api.value_type(output.type) if output is not None else None
    if output is not None and output.role == 'new':
        out.append(f'    {output.type.base}* out = NULL;')
    elif output is not None and output.role == 'out':
        out.append(f'    {output.type.base} out;')
        out.append('    memset(&out, 0, sizeof out);')
    if output is not None and output.role == 'list':
        out.append('    Py_ssize_t capacity = 64;')
        out.append('again:')
    if is_list:
        room = 'capacity' if output.role == 'list' else f'n{array_count}'
        out.append(f'    items = sdPy_NewItems((ValueType){item}, {room});')
        out.append('    if (items == NULL) goto done;')
    out.append('    sdPy_ClearLog(self);')
    emit_call(api, function, arguments, world, out)
    emit_return(api, function, world, item, array_count, out)
    out.append('done:')
    if is_list:
        out.append('    Py_XDECREF(items);')
    out.append(f'    sdPy_Release(given, {len(listed)});')
    out.append('    return result;')
    out.append('}\n')


def emit_call(api, function, arguments, world, out):
    name, returns = function['name'], function['returns']
    call = f'{name}({", ".join(arguments)})'
    is_void = returns.base == 'void' and returns.stars == 0
    if not is_void:
        out.append(f'    {returns.c()} answer;')
    assign = call if is_void else f'answer = {call}'
    if name in SLOW:
        # what may change must not be used by another thread meanwhile
        busy = ['self' if p.role == 'self' else f'given[{given(function).index(p)}]' for p in function['parameters']
                if p.role in ('self', 'handle') and api.classes.get(p.type.base, {}).get('retain') == 'NULL']
        out += [f'    sdPy_SetBusy({value}, true);' for value in busy]
        out.append('    Py_BEGIN_ALLOW_THREADS')
        out.append(f'    {assign};')
        out.append('    Py_END_ALLOW_THREADS')
        out += [f'    sdPy_SetBusy({value}, false);' for value in busy]
    else:
        out.append(f'    {assign};')
    checked = 'answer' if returns.base == 'sdResult' else 'SD_OK'
    out.append(f'    if (!sdPy_Check({world if world != "NULL" else "self"}, {checked}, "{name}")) goto done;')


def emit_return(api, function, world, item, array_count, out):
    returns, output = function['returns'], function['output']
    total = any(p.role == 'total' for p in function['parameters'])
    if output is None:
        if returns.base in ('sdResult', 'void') and returns.stars == 0:
            out.append('    result = Py_NewRef(Py_None);')
        elif total:
            out.append(f'    result = sdPy_ReturnArray((ValueType){api.value_type(returns)}, 1, answer, (Py_ssize_t)total, self);')
        elif returns.stars > 0 and returns.base in api.structs:
            index = api.index(api.structs, returns.base)
            out.append('    result = answer == NULL ? Py_NewRef(Py_None)')
            out.append(f'                            : sdPy_ReturnStruct({index}, answer, self, {world});')
        elif returns.stars > 0 and returns.base in api.classes:
            out.append(f'    result = sdPy_WrapHandle({api.index(api.classes, returns.base)}, answer, true);')
        elif returns.base in api.structs:
            out.append(f'    result = sdPy_ReturnStruct({api.index(api.structs, returns.base)}, &answer, self, {world});')
        else:
            out.append(f'    result = sdPy_Read((ValueType){api.value_type(returns)}, &answer, NULL, {world});')
    elif output.role == 'new':
        out.append(f'    result = sdPy_WrapHandle({api.index(api.classes, output.type.base)}, out, false);')
    elif output.role == 'inout':
        slot = given(function).index(output)
        out.append(f'    result = Py_NewRef(given[{slot}]);')
    elif output.role == 'out':
        base = output.type.base
        if base in api.structs:
            out.append(f'    result = sdPy_ReturnStruct({api.index(api.structs, base)}, &out, self, {world});')
        else:
            out.append(f'    result = sdPy_Read((ValueType){item}, &out, NULL, {world});')
    elif output.role == 'mirror':
        out.append(f'    result = sdPy_ReturnItems((ValueType){item}, items, n{array_count}, {world});')
        out.append('    items = NULL;')
    else:
        found = 'total' if total else 'answer'
        out.append(f'    if ((Py_ssize_t){found} > capacity) {{')
        out.append(f'        capacity = (Py_ssize_t){found};')
        out.append('        Py_CLEAR(items);')
        out.append('        goto again;')
        out.append('    }')
        out.append(f'    result = sdPy_ReturnItems((ValueType){item}, items, (Py_ssize_t){found}, {world});')
        out.append('    items = NULL;')


def emit_methods(api, out):
    owners = [c['name'] for c in api.classes.values()] + [i['name'] for i in api.ids.values()] + [s[2:] for s in api.structs] + api.owners()
    for owner in [*owners, None]:
        table = 'PyMethodDef moduleMethods' if owner is None else f'static PyMethodDef methods_{owner}'
        out.append(f'{table}[] = {{')
        for function in api.functions.values():
            if function['owner'] != owner:
                continue
            flags = 'METH_FASTCALL | METH_KEYWORDS' + ('' if function['is_method'] or owner is None else ' | METH_STATIC')
            text = f'{function["method"]}({", ".join(snake(p.name) for p in given(function))})'
            out.append(f'    {{"{function["method"]}", (PyCFunction)(void (*)(void))call_{function["name"]}, {flags}, "{text}\\n\\n{function["name"]} in the C headers."}},')
        out.append('    {NULL, NULL, 0, NULL},')
        out.append('};')


# ---- stubs ---------------------------------------------------------------------------------

def stub_type(api, kind, is_input, is_list=False):
    base = kind.base
    if base == 'char':
        return 'str'
    if base == 'void':
        return 'bytes'
    if is_list:
        if base in SCALARS or base in VECTORS:
            return 'ArrayLike' if is_input else 'NDArray[Any]'
        if base in api.ids or (is_input and base in api.structs) or has_pointers(api, base):
            return f'{"Sequence" if is_input else "list"}[{stub_type(api, kind, is_input)}]'
        return 'NDArray[Any]'
    if base in api.classes:
        return api.classes[base]['name']
    if base in api.ids:
        return api.ids[base]['name']
    if base in api.enums:
        return 'Literal[' + ', '.join(repr(v['word']) for v in api.enums[base]) + ']' if is_input else 'str'
    if base in VECTORS or base in MATRICES:
        return 'ArrayLike' if is_input else 'NDArray[Any]'
    if base in api.structs:
        return f'{base[2:]} | Mapping[str, Any] | Sequence[Any]' if is_input and not api.structs[base]['is_static'] else base[2:]
    return STUB_SCALARS.get(base, 'int')


def has_pointers(api, base):
    struct = api.structs.get(base)
    return struct is not None and any(f['type'].stars > 0 or has_pointers(api, f['type'].base) for f in struct['fields'])


def stub_return(api, function):
    returns, output = function['returns'], function['output']
    if output is not None:
        return stub_type(api, output.type, False, output.role in ('list', 'mirror'))
    if returns.base in ('sdResult', 'void') and returns.stars == 0:
        return 'None'
    if any(p.role == 'total' for p in function['parameters']):
        return 'bytes' if returns.base == 'void' else stub_type(api, returns, False, True)
    one = stub_type(api, returns, False)
    return f'{one} | None' if (returns.stars > 0 and returns.base != 'char') or returns.base in api.ids else one


def stub_function(api, function, indent):
    first, parts, has_fields = optional_from(api, function), [], False
    for i, p in enumerate(given(function)):
        is_fields = p.role in ('pointer', 'inout') and (p.name == 'def' or api.is_optional(p.type.base))
        has_fields = has_fields or is_fields
        kind = 'Any' if is_fields else stub_type(api, p.type, True, p.role == 'array')
        name = f'_{snake(p.name)}' if is_fields else snake(p.name)
        parts.append(f'{name}: {kind}' + (' = ...' if i >= first else ''))
    if has_fields:
        parts.append('**fields: Any')
    decorate = '' if function['is_method'] or not indent else f'{indent}@staticmethod\n'
    me = ['self'] if function['is_method'] else []
    return f'{decorate}{indent}def {function["method"]}({", ".join(me + parts)}) -> {stub_return(api, function)}: ...'


def emit_stubs(api):
    out = ['# Made by generate.py from web/api.inc.', 'from typing import Any, Literal, Mapping, Sequence', '',
           'from numpy.typing import ArrayLike, NDArray', '']
    def members(owner):
        return [stub_function(api, f, '    ') for f in api.functions.values() if f['owner'] == owner]
    for info in api.classes.values():
        out.append(f'class {info["name"]}:')
        if info['name'] == 'World':
            out += ['    def __init__(self, _def: Any = ..., *, threads: int = 1, **fields: Any) -> None: ...',
                    '    @staticmethod', '    def create(_def: Any = ..., *, threads: int = 1, **fields: Any) -> World: ...',
                    '    def get_poses(self, out: NDArray[Any] | None = ...) -> NDArray[Any]: ...',
                    '    def get_velocities(self, out: NDArray[Any] | None = ...) -> NDArray[Any]: ...']
        out += ['    @property', '    def is_free(self) -> bool: ...', '    def free(self) -> None: ...',
                f'    def __enter__(self) -> {info["name"]}: ...', '    def __exit__(self, *_: object) -> None: ...', *members(info['name']), '']
    for info in api.ids.values():
        out += [f'class {info["name"]}:', f'    def __init__(self, world: World, id: int) -> None: ...',
                '    @property', '    def world(self) -> World: ...', '    @property', '    def id(self) -> int: ...', *members(info['name']), '']
    for name, struct in api.structs.items():
        if name in VECTORS or name in MATRICES:
            continue
        fields = [f for f in struct['fields'] if f['type'].base != 'sdContext']
        out.append(f'class {name[2:]}:')
        if not struct['is_static']:
            out.append('    def __init__(self, *values: Any, **fields: Any) -> None: ...')
        out += [f'    {snake(f["name"])}: {"Any" if f["kind"] in ("ITEMS", "CASE") else stub_type(api, f["type"], False, f["kind"] == "ARRAY")}' for f in fields]
        out += [*members(name[2:]), '']
    for space in api.owners():
        out += [f'class {space}:', *members(space), '']
    out += ['class SudarError(Exception):', '    result: str', '']
    out += [stub_function(api, f, '') for f in api.functions.values() if f['owner'] is None]
    out += ['def step_many(worlds: Sequence[World], dt: float, count: int = ..., *, threads: int = ...) -> None: ...', '']
    return '\n'.join(out)


def main(table, c_path, stub_path):
    api = Api(table)
    out = ['// made by generate.py', '#include "core.h"', '', '#include <string.h>', '']
    for function in api.functions.values():
        emit_function(api, function, out)
    emit_methods(api, out)
    emit_tables(api, out)
    with open(c_path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(out) + '\n')
    with open(stub_path, 'w', encoding='utf-8') as file:
        file.write(emit_stubs(api))


if __name__ == '__main__':
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])

"""Just enough C++ reading for the tidy checks: blanked text, functions, includes, declared names."""
import re

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/'
    r'|R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.S)


def _blank(text):
    return re.sub(r'[^\n]', ' ', text)


def blank_comments_and_strings(text):
    """The same text with comments, strings and characters replaced by spaces: offsets and lines stay."""
    return _TOKEN.sub(lambda m: _blank(m.group()), text)


def line_of(text, offset):
    return text.count('\n', 0, offset) + 1


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def includes(text):
    """Yields (line, quoted?, path)."""
    for m in _INCLUDE.finditer(text):
        yield line_of(text, m.start()), m.group(1) == '"', m.group(2)


def _skip_template_heads(head):
    while True:
        m = re.match(r'\s*template\s*<', head)
        if not m:
            return head.strip()
        depth, at = 1, m.end()
        while at < len(head) and depth:
            depth += {'<': 1, '>': -1}.get(head[at], 0)
            at += 1
        head = head[at:]


_FUNCTION_TAIL = re.compile(r'(\)|\bconst|\bnoexcept|\boverride|\bfinal|\btry|\bmutable|&)\s*$')
_TYPE_HEAD = re.compile(r'^(?:\[\[.*?\]\]|\s|typedef\b|static\b|inline\b|constexpr\b)*(class|struct|union)\b')


def _kind(head):
    """What the brace after `head` opens, at namespace or class scope."""
    head = _skip_template_heads(re.sub(r'^\s*(?:(?:public|private|protected)\s*:(?!:)\s*)*', '', head))
    if re.search(r'\bnamespace\b', head) or re.match(r'extern\s*$', head):
        return 'scope'
    if _TYPE_HEAD.match(head):
        return 'scope'
    if re.match(r'enum\b', head) or '(' not in head or re.search(r'(?<![=!<>])=\s*$', head):
        return 'value'
    if re.search(r'(?<![=!<>])=(?!=)(?!\s*(?:default|delete))', re.sub(r'\(.*?\)|operator\S+', '', head, flags=re.S)):
        return 'value'
    if _FUNCTION_TAIL.search(head) or head.endswith('}'):
        return 'function'
    if re.search(r'\)[^()]*->[^()]*$', head) or re.search(r'\brequires\b', head):
        return 'function'
    return 'value' if re.search(r'\)\s*(?:noexcept\s*)?:(?!:)', head) else 'function'


def functions(blanked):
    """Yields (first line, last line) of every function body, braces included. Lambdas belong to their function."""
    blanked = re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', lambda m: _blank(m.group()), blanked, flags=re.M)
    stack, head = [], ''
    for m in re.finditer(r'[{};]|[^{};]+', blanked):
        token = m.group()
        inside = stack[-1][0] if stack else 'scope'
        if token == '{':
            kind = _kind(head) if inside == 'scope' else 'inner'
            stack.append((kind, m.start(), head))
            head = ''
        elif token == '}':
            if not stack:
                return
            kind, start, head_before = stack.pop()
            if kind == 'function':
                yield line_of(blanked, start), line_of(blanked, m.start())
            head = head_before + '{}' if kind in ('value', 'inner') else ''
        elif token == ';':
            head = ''
        else:
            head += token


def _after_angles(text, at):
    depth = 1
    while at < len(text) and depth:
        depth += {'<': 1, '>': -1}.get(text[at], 0)
        at += 1
    return at


def unordered_names(blanked):
    """Names declared with an unordered container type, or with an alias of one, in this text."""
    names, aliases = set(), set()
    for m in re.finditer(r'\bunordered_(?:flat_)?(?:multi)?(?:map|set)\s*<', blanked):
        before = blanked[blanked.rfind('\n', 0, m.start()) + 1:m.start()]
        alias = re.search(r'\busing\s+(\w+)\s*=\s*(?:std::)?$', before)
        if alias:
            aliases.add(alias.group(1))
        declared = re.match(r'\s*(?:const\b)?\s*[&*]?\s*(\w+)', blanked[_after_angles(blanked, m.end()):])
        if declared and not alias:
            names.add(declared.group(1))
    for alias in aliases:
        names.update(re.findall(r'\b%s\b\s*(?:const\b)?\s*[&*]?\s*(\w+)\s*[;={,)]' % alias, blanked))
    return names


def range_loops(blanked):
    """Yields (line, last name of the range expression) of every range-for."""
    for m in re.finditer(r'\bfor\s*\(', blanked):
        depth, at = 1, m.end()
        while at < len(blanked) and depth:
            depth += {'(': 1, ')': -1}.get(blanked[at], 0)
            at += 1
        inside = blanked[m.end():at - 1]
        colon = re.search(r'(?<!:):(?!:)', inside)
        if not colon or '?' in inside[:colon.start()]:
            continue
        name = re.search(r'(\w+)\s*(?:\(\s*\))?\s*$', inside[colon.end():])
        if name:
            yield line_of(blanked, m.start()), name.group(1)

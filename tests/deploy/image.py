"""Checks on deploy/Dockerfile without a container engine: what it copies is there, and what it installs suffices."""
import fnmatch
import pathlib
import re
import shutil
import subprocess


def instructions(dockerfile):
    """(word, rest) of each instruction; continued lines joined, comments left out."""
    text = re.sub(r'\\\n', ' ', re.sub(r'^\s*#.*\n', '', dockerfile.read_text(), flags=re.M))
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


def stages(dockerfile):
    """Name → (base, instructions)."""
    found, name = {}, None
    for word, rest in instructions(dockerfile):
        if word == 'FROM':
            base, _, name = re.split(r'\s+(AS)\s+', rest.strip())
            found[name] = (base, [])
        else:
            found[name][1].append((word, rest))
    return found


def in_context(root):
    """Relative path → whether the build sees it, as .dockerignore says (the last rule that matches decides)."""
    rules = [line.strip() for line in (root / '.dockerignore').read_text().splitlines()
             if line.strip() and not line.startswith('#')]

    def seen(path):
        visible = True
        for rule in rules:
            pattern = rule.removeprefix('!')
            plain = pattern.removeprefix('**/')
            parts = path.parts if pattern == plain else (path.name,)
            prefixes = ['/'.join(parts[:n]) for n in range(1, len(parts) + 1)]
            if any(fnmatch.fnmatch(p, plain) for p in prefixes):
                visible = rule.startswith('!')
        return visible
    return seen


def check_copies(root, dockerfile, scratch):
    """Every COPY from the context finds something; returns a folder that holds just what the build stage sees."""
    seen = in_context(root)
    built = stages(dockerfile)
    for word, rest in built['build'][1]:
        if word != 'COPY':
            continue
        *sources, target = rest.split()
        for source in sources:
            path = root / source
            assert path.exists(), f'COPY {source}: not in the tree'
            files = [p for p in ([path] if path.is_file() else path.rglob('*')) if p.is_file()]
            kept = [p for p in files if seen(p.relative_to(root))]
            assert kept, f'COPY {source}: .dockerignore hides it'
            for file in kept:
                copy = scratch / file.relative_to(root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, copy)
    for name, (base, steps) in built.items():
        pinned = re.fullmatch(r'[a-z]+:[a-z0-9.-]+@sha256:[0-9a-f]{64}', base)
        assert base in built or pinned, f'{name}: FROM {base} names no digest'
        for word, rest in steps:
            source = re.match(r'--from=(\S+)', rest) if word == 'COPY' else None
            assert source is None or source[1] in built, f'{name}: COPY {rest}'
    return scratch


def check_configures(context, scratch):
    """What the build stage copies is enough for CMake (not compiled here: that takes long and is done elsewhere)."""
    run = subprocess.run(['cmake', '--preset', 'release', '-B', str(scratch)], cwd=context, text=True,
                         capture_output=True)
    assert run.returncode == 0, f'the files of the image do not configure:\n{run.stderr}'


def check_not_root(dockerfile):
    built = stages(dockerfile)
    users = [rest for word, rest in built['runtime'][1] if word == 'USER']
    assert users == ['1000:1000'], users
    for name in ('vc-scheduler', 'vc-controller-manager', 'vc-webhook-manager', 'basalt'):
        base, steps = built[name]
        assert base == 'runtime' and steps == [('ENTRYPOINT', f'["{name}"]')], name
    assert list(built)[-1] == 'basalt', 'the last stage is what a plain docker build makes'


def installed_packages(dockerfile):
    words = ' '.join(rest for word, rest in stages(dockerfile)['runtime'][1] if word == 'RUN')
    listed = re.search(r'apt-get install -y --no-install-recommends (.*?)&&', words)[1]
    return set(listed.split())


def libraries_of(program):
    listed = subprocess.run(['ldd', str(program)], text=True, capture_output=True, check=True).stdout
    assert 'not found' not in listed, listed
    return [pathlib.Path(m) for m in re.findall(r'=> (/\S+)', listed)]


def package_of(library):
    for path in (library, library.resolve()):  # /lib is a link to /usr/lib, and packages know one of the two
        for spelling in (str(path), '/usr' + str(path), str(path).removeprefix('/usr')):
            run = subprocess.run(['dpkg-query', '--search', spelling], text=True, capture_output=True)
            if run.returncode == 0:
                return run.stdout.split(':')[0]
    raise AssertionError(f'no package has {library}')


ALWAYS_THERE = {'libc6', 'libgcc-s1'}  # in every Debian image
OF_SANITIZERS = {'libasan8', 'libubsan1', 'libtsan2'}
NOT_WITH_SANITIZERS = {'libjemalloc2'}


def is_sanitized(build):
    return re.search(r'^BASALT_SANITIZE:\w+=.', (build / 'CMakeCache.txt').read_text(), re.M) is not None


def check_libraries(program, build, dockerfile):
    needed = {package_of(library) for library in libraries_of(program)} - ALWAYS_THERE
    if is_sanitized(build):
        needed = needed - OF_SANITIZERS | NOT_WITH_SANITIZERS
    listed = installed_packages(dockerfile)
    assert needed <= listed, f'the image lacks {sorted(needed - listed)}'
    spare = {p for p in listed if p.startswith('lib')} - needed
    assert not spare, f'the image installs {sorted(spare)}, which the program does not use'


def check_install(build, scratch, programs):
    """`cmake --install` gives the program under all its names."""
    subprocess.run(['cmake', '--install', str(build), '--prefix', str(scratch)], check=True, capture_output=True)
    folder = scratch / 'bin'
    for name in programs:
        path = folder / name
        assert path.exists(), f'cmake --install does not install {name}'
        assert path.resolve() == (folder / 'basalt').resolve(), f'{name} is not the program'

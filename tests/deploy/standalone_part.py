"""The helm lines of the guides, on this chart and on `basalt up`, whose own objects must not be in their way.

Left out is --wait: nobody runs Deployments in `basalt up`, and it says so.
"""
import contextlib
import subprocess

SPACE = 'volcano-system'
GUIDES = [
    ['install', 'volcano', '-n', SPACE, '--create-namespace'],
    ['install', 'volcano', '-n', SPACE, '--create-namespace', '--set', 'basic.scheduler.enabled=true', '--set',
     'basic.controller.enabled=true', '--set', 'basic.admission.enabled=true'],
    ['upgrade', '--install', 'volcano', '--namespace', SPACE, '--version', 'v1.12.0', '--set',
     'basic.image.tag=v1.12.0', '--timeout=300s'],
]


@contextlib.contextmanager
def standalone(basalt, state):
    """A cluster that serves; its kubeconfig."""
    kubeconfig = state / 'config'
    words = ['up', '--ephemeral', '--state', state, '--kubeconfig', kubeconfig, '--port', '0', '--no-local-node']
    program = subprocess.Popen([basalt, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = program.stdout.readline()  # is there when it serves
        assert 'https://' in line, f'{line}{program.stderr.read() if program.poll() is not None else ""}'
        yield kubeconfig
    finally:
        program.terminate()
        program.communicate(timeout=60)


def standalone_part(chart, basalt, scratch):
    state = scratch / 'standalone'
    state.mkdir(mode=0o700)
    with standalone(basalt, state) as kubeconfig:
        for words in GUIDES:
            def helm(*more):
                run = chart.run_helm('--kubeconfig', kubeconfig, *more)
                assert run.returncode == 0, f'helm {" ".join(map(str, more))}: {run.stderr}'
                return run.stdout
            place = words.index('volcano') + 1
            notes = helm(*words[:place], chart.folder, *words[place:]).partition('NOTES:')[2]
            unknown = [word.partition('=')[0] for word in words if word.startswith('basic.')]
            for value in unknown:
                assert f'  {value} (' in notes, f'{value} is taken without a word:\n{notes}'
            assert unknown or 'have no meaning here' not in notes, notes
            helm('uninstall', 'volcano', '-n', SPACE)
    return f'{len(GUIDES)} helm lines of guides work on basalt up'

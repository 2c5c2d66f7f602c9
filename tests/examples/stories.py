"""Plays stories of examples/ beside each other and counts them, in one of their two worlds."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
# Stories on simulated nodes mostly wait; those on this machine go one by one.
TOGETHER = {'standalone': 3, 'kubernetes': 2}
TOPIC_SECONDS = 240


def kubectl():
    built = subprocess.run([ROOT / 'tests/kube/build', 'kubectl'], capture_output=True, text=True, check=False)
    return f'{built.stdout.splitlines()[-1]}/kubectl' if built.returncode == 0 else None


def all_topics():
    """Topic → whether it needs this machine; cron first: it waits for the full minute."""
    listed = subprocess.run([ROOT / 'examples/run', '--list'], capture_output=True, text=True, check=True)
    rows = [line.split()[:2] for line in listed.stdout.splitlines()]
    return {name: where == 'local' for name, where in sorted(rows, key=lambda row: (row[0] != 'cron', row[0]))}


def play(topic, basalt, world, environment):
    began = time.monotonic()
    try:
        done = subprocess.run([ROOT / 'examples/run', topic, '--on', world, '--basalt', basalt, '--times'],
                              cwd=ROOT, text=True, env=environment, capture_output=True, timeout=TOPIC_SECONDS,
                              check=False)
        status, said = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        status, said = 1, f'{late.stdout}\nnot finished after {TOPIC_SECONDS} s'
    return topic, status, said, time.monotonic() - began


def problem_of(topic, status, said):
    """Why the story does not count as told; None when it does."""
    if status != 0:
        return f'exit status {status}'
    if not re.search(r'^[ \d.]+s  ok: ', said, re.M) or not said.rstrip().endswith(f'{topic}: all as stated'):
        return 'it says nothing that was checked'
    return None


def play_all(basalt, topics=(), world='standalone'):
    """The exit status: 0 when all that could be played hold, and there were some."""
    basalt = str(pathlib.Path(basalt).resolve())
    program = os.environ.get('KUBECTL') or kubectl()
    environment = {**os.environ, **({'KUBECTL': program} if program else {})}
    known, failed, skipped = all_topics(), 0, 0
    topics = topics or list(known)
    with concurrent.futures.ThreadPoolExecutor(1) as here, \
            concurrent.futures.ThreadPoolExecutor(TOGETHER[world]) as simulated:
        stories = [(here if known.get(topic) else simulated).submit(play, topic, basalt, world, environment)
                   for topic in topics]
        for story in concurrent.futures.as_completed(stories):
            topic, status, said, seconds = story.result()
            if status == SKIPPED:
                skipped += 1
                print(f'SKIPPED  {topic}: {said.strip().splitlines()[-1]}', flush=True)
            elif problem := problem_of(topic, status, said):
                failed += 1
                print(f'FAILED   {topic} ({seconds:.0f} s): {problem}')
                print(re.sub('^', '    | ', said, flags=re.M), flush=True)
            else:
                print(f'ok       {topic} ({seconds:.0f} s)', flush=True)
    print(f'examples: {len(topics) - failed - skipped} passed, {failed} failed, {skipped} skipped')
    return 1 if failed or len(topics) == skipped else 0

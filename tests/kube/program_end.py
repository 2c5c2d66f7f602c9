"""How a program of ours may end: 0 after SIGTERM, by a SIGKILL of the test's own, or because its lease was lost.

Everything else is a crash, and so is a report of a sanitizer or a broken invariant in what it said, whatever the exit
status: a test that only looks at what the system did in the end would never hear of it.
"""
import re
import signal
import subprocess

REPORT = re.compile(
    r'^.*(?:ERROR: \w*Sanitizer|WARNING: ThreadSanitizer|: runtime error: |invariant broken: ).*$', re.M)
LEASE_LOST = 'the lease is lost'  # a replica that no longer leads ends by itself, with status 1


def describe(status):
    """`status` as subprocess has it: a negative one is a signal."""
    if status >= 0:
        return f'exit status {status}'
    return f'signal {-status} ({signal.Signals(-status).name})'


def fault_of_end(name, status, told, said):
    """What is wrong with the end of a program; '' when it ended as it should.

    told: the signal that it was sent to end, None when it ended by itself. said: its log, of this life.
    """
    if report := REPORT.search(said):
        return f'{name} ended with {describe(status)}, and its log has: {report.group(0).strip()}'
    good = (status == 0 and told in (signal.SIGTERM, signal.SIGINT)
            or status == -signal.SIGKILL and told == signal.SIGKILL
            or status == 1 and LEASE_LOST in said)
    if good:
        return ''
    after = f'after {signal.Signals(told).name}' if told else 'by itself'
    return f'{name} ended {after} with {describe(status)}; it said last:\n{said[-2000:]}'


def stop(name, process, log, seconds=60):
    """Ends a subprocess.Popen by SIGTERM; what is wrong with how it ended, or ''. log: the path of what it said."""
    told = None
    if process.poll() is None:
        told = signal.SIGTERM
        process.send_signal(told)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return f'{name} has not ended within {seconds} s of SIGTERM'
    return fault_of_end(name, process.returncode, told, log.read_text(errors='replace'))

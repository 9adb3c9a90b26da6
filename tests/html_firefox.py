#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""html_firefox.py MAKER SCREENSHOTS: the page of `report --html` in headless Firefox, over its Marionette socket"""
import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SKIP = 77
PATIENCE = 90  # seconds; a busy machine takes long to start a browser


class Firefox:
    PREFS = {'marionette.port': 0, 'browser.dom.window.dump.enabled': True, 'devtools.console.stdout.content': True,
             'app.update.enabled': False, 'datareporting.policy.dataSubmissionEnabled': False,
             'network.captive-portal-service.enabled': False, 'network.connectivity-service.enabled': False,
             'browser.shell.checkDefaultBrowser': False, 'toolkit.telemetry.enabled': False,
             # a proxy that is none: the browser asks nobody for updates
             'network.proxy.type': 1, 'network.proxy.http': '127.0.0.1', 'network.proxy.http_port': 9,
             'network.proxy.ssl': '127.0.0.1', 'network.proxy.ssl_port': 9}

    def __init__(self, path, folder):
        profile = os.path.join(folder, 'profile')
        os.mkdir(profile)
        with open(os.path.join(profile, 'user.js'), 'w', encoding='ascii') as f:
            for name, value in self.PREFS.items():
                f.write('user_pref(%s, %s);\n' % (json.dumps(name), json.dumps(value)))
        self.log = os.path.join(folder, 'log')
        with open(self.log, 'wb') as log:
            self.process = subprocess.Popen(
                [path, '--headless', '--marionette', '--no-remote', '--profile', profile, 'about:blank'],
                stdout=log, stderr=log, start_new_session=True, env={**os.environ, 'HOME': folder, 'MOZ_HEADLESS': '1'})
        self.serial, self.received = 0, b''
        self.socket = self.connect(os.path.join(profile, 'MarionetteActivePort'))
        self.answer()  # who it is
        self.call('WebDriver:NewSession')

    def connect(self, port_file):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with open(port_file, encoding='ascii') as f:
                    return socket.create_connection(('127.0.0.1', int(f.read())), PATIENCE)
            except (OSError, ValueError):
                time.sleep(0.1)
        raise TimeoutError('Firefox does not start')

    def answer(self):
        while b':' not in self.received:
            self.receive()
        length, self.received = self.received.split(b':', 1)
        while len(self.received) < int(length):
            self.receive()
        text, self.received = self.received[:int(length)], self.received[int(length):]
        return json.loads(text)

    def receive(self):
        block = self.socket.recv(1 << 16)
        if not block:
            raise EOFError('Firefox has ended')
        self.received += block

    def call(self, name, **params):
        self.serial += 1
        text = json.dumps([0, self.serial, name, params]).encode()
        self.socket.sendall(b'%d:%s' % (len(text), text))
        _, _, error, result = self.answer()
        if error:
            raise RuntimeError('%s: %s' % (name, error['message']))
        return result.get('value') if isinstance(result, dict) else result

    def run(self, script):
        return self.call('WebDriver:ExecuteScript', script='return ' + script, args=[])

    def open(self, path, fragment=''):
        self.call('WebDriver:Navigate', url='about:blank')
        self.call('WebDriver:Navigate', url='file://' + path + fragment)
        deadline = time.monotonic() + PATIENCE
        while not self.run('document.documentElement.dataset.ready') and time.monotonic() < deadline:
            time.sleep(0.05)

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


failures = 0


def check(good, what, seen=None):
    global failures
    if not good:
        failures += 1
        print('FAIL: %s: %r' % (what, seen))


def rows(firefox):
    return firefox.run('[...document.querySelectorAll("#rows tr[data-frame]")].map(tr => '
                       '[...tr.cells].map(td => td.innerText))')


def test(firefox, path, shots):
    firefox.open(path)
    check(firefox.run('document.getElementById("summary").innerText').startswith('cpu-clock · 20,000 samples'),
          'the page shows its samples', firefox.run('document.body.innerText'))
    check([row[2] for row in rows(firefox)][:2] == ['memcpy', 'sys_write'], 'the table has functions', rows(firefox))
    with open(os.path.join(shots, 'firefox.png'), 'wb') as f:
        f.write(base64.b64decode(firefox.call('WebDriver:TakeScreenshot', full=False)))
    firefox.open(path, '#range=2000000-4499999')
    check('5,369 of 20,000 samples' in firefox.run('document.getElementById("summary").innerText'),
          'a range filters', firefox.run('document.getElementById("summary").innerText'))
    check(firefox.run('performance.getEntriesByType("resource").length') == 0, 'nothing is requested')
    firefox.open(path, '#view=sandwich&select=4&tracks=heat')
    check(firefox.run('document.querySelector(".crumb").textContent') == 'memcpy', 'a sandwich is shown')
    widths = firefox.run('["upper", "canvas"].map(id => document.getElementById(id).getBoundingClientRect().width)')
    check(widths[0] == widths[1], 'its halves are equally wide, whichever has a scroll bar', widths)


def main():
    maker, shots = sys.argv[1:]
    path = shutil.which(os.environ.get('FIREFOX', 'firefox-esr')) or shutil.which('firefox')
    if not path:
        print('skipped: there is no Firefox here (set FIREFOX to its path)')
        return SKIP
    os.makedirs(shots, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix='sonde-firefox-', ignore_cleanup_errors=True) as folder:
        page = os.path.join(folder, 'timed.html')
        with open(page, 'wb') as f:
            subprocess.run([maker, 'timed'], stdout=f, check=True)
        firefox = Firefox(path, folder)
        try:
            test(firefox, page, shots)
        finally:
            firefox.close()
        with open(firefox.log, encoding='utf-8', errors='replace') as f:
            wrong = [line for line in f if 'file:///' in line]
        check(not wrong, 'the console is empty', wrong)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""html_browser.py - a page in headless Chromium, over the DevTools protocol on two pipes: no driver, no packages"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find_chromium():
    for name in (os.environ.get('CHROMIUM', ''), 'chromium', 'chromium-browser', 'google-chrome'):
        path = name and shutil.which(name)
        if path:
            return path
    return None


class Browser:
    """One browser with one page. What the page logs and requests is kept."""

    FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
             '--disable-background-networking',
             '--disable-component-update', '--disable-sync', '--disable-extensions', '--disable-dev-shm-usage',
             '--hide-scrollbars', '--remote-debugging-pipe']

    def __init__(self, path, timeout=240):
        self.timeout = timeout
        self.profile = tempfile.mkdtemp(prefix='sonde-html-')
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()
        # The browser reads descriptor 3 and writes 4: moved there in two steps, since either may be in use.
        arguments = [path, *self.FLAGS, '--user-data-dir=' + self.profile, 'about:blank']
        shell = 'exec "$@" 3<&%d 4>&%d' % (to_browser, from_browser)
        self.process = subprocess.Popen(['sh', '-c', shell, 'sh', *arguments], pass_fds=(to_browser, from_browser),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.received = b''
        self.serial = 0
        self.session = None
        self.logged, self.requests, self.fired = [], [], []
        targets = self.call('Target.getTargets')['targetInfos']
        target = next(t['targetId'] for t in targets if t['type'] == 'page')
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(domain + '.enable')
        self.call('Performance.enable', timeDomain='threadTicks')

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def message(self, deadline):
        while b'\0' not in self.received:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError('the browser does not answer')
            block = os.read(self.back, 1 << 16)
            if not block:
                raise EOFError('the browser has ended')
            self.received += block
        text, self.received = self.received.split(b'\0', 1)
        return json.loads(text)

    def note(self, message):
        method, params = message.get('method'), message.get('params', {})
        self.fired.append(method)
        if method == 'Runtime.exceptionThrown':
            details = params['exceptionDetails']
            self.logged.append(details.get('exception', {}).get('description') or details['text'])
        elif method == 'Runtime.consoleAPICalled':
            self.logged.append('console.%s: %s' % (params['type'], [a.get('value') for a in params['args']]))
        elif method == 'Log.entryAdded':
            self.logged.append(params['entry']['text'])
        elif method == 'Page.javascriptDialogOpening':
            self.logged.append('dialog: ' + params['message'])
        elif method == 'Network.requestWillBeSent':
            self.requests.append(params['request']['url'])

    def call(self, method, **params):
        self.serial += 1
        message = {'id': self.serial, 'method': method, 'params': params}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        deadline = time.monotonic() + self.timeout
        while True:
            answer = self.message(deadline)
            if answer.get('id') == self.serial:
                if 'error' in answer:
                    raise RuntimeError('%s: %s' % (method, answer['error']['message']))
                return answer['result']
            self.note(answer)

    def open(self, path, fragment=''):
        self.open_url('file://' + os.path.abspath(path) + fragment)

    def open_url(self, url):
        for url in ('about:blank', url):
            self.logged, self.requests, self.fired = [], [], []
            self.call('Page.navigate', url=url)
            deadline = time.monotonic() + self.timeout
            while 'Page.loadEventFired' not in self.fired:
                self.note(self.message(deadline))
        # a page of a profile unpacks its data first
        self.run('new Promise(done => { const wait = () => document.getElementById("columns") === null ||'
                 ' document.documentElement.dataset.ready ? done() : setTimeout(wait, 5); wait() })')
        self.settle()

    def run(self, script):
        """The value of an expression, JSON as Python."""
        result = self.call('Runtime.evaluate', expression=script, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise RuntimeError('%s: %s' % (script, result['exceptionDetails']))
        return result['result'].get('value')

    def busy(self):
        """The CPU time of the page's main thread so far, in milliseconds."""
        metrics = {m['name']: m['value'] for m in self.call('Performance.getMetrics')['metrics']}
        return metrics['TaskDuration'] * 1000

    def settle(self):
        """Waits for the pause after typing and the frames that paint; size() turns animations off."""
        self.run('new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 120))')

    def click(self, x, y, count=1):
        for kind in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=count)
        self.settle()

    def double_click(self, x, y):
        """Two clicks, between which the page has the time to answer the first one."""
        self.click(x, y)
        self.click(x, y, count=2)

    def move(self, x, y):
        self.call('Input.dispatchMouseEvent', type='mouseMoved', x=x, y=y)
        self.settle()

    def key(self, name, text=''):
        self.call('Input.dispatchKeyEvent', type='keyDown', key=name, text=text)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=name)
        self.settle()

    def type(self, text):
        self.call('Input.insertText', text=text)
        self.settle()

    def size(self, width, height, scale=1, dark=False):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=scale,
                  mobile=False)
        self.call('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'},
            {'name': 'prefers-reduced-motion', 'value': 'reduce'}])
        self.settle()

    def screenshot(self, path):
        with open(path, 'wb') as f:
            f.write(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))

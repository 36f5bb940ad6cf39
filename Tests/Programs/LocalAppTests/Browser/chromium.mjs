// Chromium, driven by the DevTools protocol over two pipes; no packages.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

export const pause = ms => new Promise(done => setTimeout(done, ms))

/// Starts Chromium with a profile of its own, which `close` removes unless it is to keep it, or with one that was kept. `language` is `en` or `uk`; `more` are further options;
/// `hasWindow` shows it on the screen of `DISPLAY`.
export async function chromium({ language = 'en', profile = fs.mkdtempSync(path.join(os.tmpdir(), 'taskvault-chromium-')), more = [], hasWindow = false } = {}) {
  const child = spawn('chromium', [hasWindow ? '--ozone-platform=x11' : '--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--hide-scrollbars', '--force-color-profile=srgb', '--remote-debugging-pipe', `--user-data-dir=${profile}`, `--lang=${language}`, ...more, 'about:blank'],
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: profile, LANGUAGE: language } })
  const waiting = new Map(), listeners = new Set()
  let number = 0, rest = ''
  child.stdio[4].setEncoding('utf8').on('data', data => {
    const messages = (rest + data).split('\0')
    rest = messages.pop()
    for (const text of messages) {
      const message = JSON.parse(text), wait = waiting.get(message.id)
      if (!wait) { for (const each of listeners) each(message); continue }
      waiting.delete(message.id)
      message.error ? wait.fail(new Error(`${wait.method}: ${message.error.message}`)) : wait.done(message.result)
    }
  })
  child.on('exit', () => { for (const each of waiting.values()) each.fail(new Error('chromium has ended')) })
  const call = (method, params = {}, sessionId) => new Promise((done, fail) => {
    waiting.set(++number, { done, fail, method })
    child.stdio[3].write(JSON.stringify({ id: number, method, params, sessionId }) + '\0')
  })
  return {
    profile,
    page: (options = {}) => open(call, listeners, { language, ...options }),
    async close({ keep = false } = {}) {
      await Promise.race([call('Browser.close').catch(() => {}), pause(3000)])
      child.kill('SIGKILL')
      await pause(100)
      // Its children still write for a moment.
      for (let tries = 20; !keep && fs.existsSync(profile); await pause(200)) try { fs.rmSync(profile, { recursive: true, force: true }) } catch (problem) { if (!--tries) throw problem }
    },
  }
}

async function open(call, listeners, { language, width = 1080, height = 860, dark = false, touch = false, still = true }) {
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true })
  const send = (method, params) => call(method, params, sessionId)
  const problems = []
  listeners.add(({ method, params, sessionId: from }) => {
    if (from != sessionId) return
    if (method == 'Runtime.exceptionThrown') problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text)
    if (method == 'Log.entryAdded' && params.entry.source == 'security') problems.push(params.entry.text)
    if (method == 'Runtime.consoleAPICalled' && params.type == 'error') problems.push(params.args.map(each => each.value).join(' '))
  })
  for (const each of ['Page', 'Runtime', 'Log', 'Network']) await send(`${each}.enable`)
  const page = {
    send, problems, targetId, sessionId, listeners,
    /// Evaluates an expression in the page; a promise is waited for.
    async evaluate(expression) {
      const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true, userGesture: true })
      if (exceptionDetails) throw new Error(`${exceptionDetails.exception?.description ?? exceptionDetails.text}\n${expression}`)
      return result.value
    },
    go: async url => { await send('Page.navigate', { url }); await page.until("document.readyState == 'complete'") },
    /// Waits until an expression is true; fails after `limit` ms with the text of the page.
    async until(expression, limit = 20000) {
      for (const end = Date.now() + limit; ; await pause(15)) {
        const value = await page.evaluate(expression).catch(() => null)
        if (value) return value
        if (Date.now() > end) throw new Error(`never: ${expression}\n${await page.text()}\n${problems.join('\n')}`)
      }
    },
    text: () => page.evaluate('document.body.innerText'),
    has: text => page.until(`document.body.innerText.includes(${JSON.stringify(text)})`),
    hasNot: text => page.until(`!document.body.innerText.includes(${JSON.stringify(text)})`),
    /// Clicks where an element is, as a finger or a mouse does. `selector` may end with `=text`: the first one with this text or label.
    async click(selector, button = 'left') {
      const { x, y } = await page.still(selector)
      for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased']) await send('Input.dispatchMouseEvent', { type, x, y, button: type == 'mouseMoved' ? 'none' : button, clickCount: 1 })
    },
    find: selector => page.until(`(() => {
      const [css, text] = ${JSON.stringify(selector)}.split('=text=')
      const found = [...document.querySelectorAll(css)].find(each => each.checkVisibility() && (text == null || each.innerText.trim() == text || each.getAttribute('aria-label') == text))
      if (!found) return
      found.scrollIntoView({ block: 'center' })
      const box = found.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2, top = document.elementFromPoint(x, y)
      return top && (found.contains(top) || top.contains(found)) && { x, y }
    })()`),
    /// Where an element is once it stays there: rows move while a list renews itself.
    async still(selector) {
      for (let last = {}; ; await pause(40)) {
        const now = await page.find(selector)
        if (now.x == last.x && now.y == last.y) return now
        last = now
      }
    },
    /// Types into what has the focus, or into a field by its label.
    async type(text, label) {
      if (label) await page.click(`input, textarea=text=${label}`).catch(() => page.evaluate(`[...document.querySelectorAll('label')].find(each => each.checkVisibility() && each.innerText.trim() == ${JSON.stringify(label)}).control.focus()`))
      await send('Input.insertText', { text })
    },
    async focus(label) {
      await page.until(`(() => { const found = [...document.querySelectorAll('label')].find(each => each.checkVisibility() && each.innerText.trim() == ${JSON.stringify(label)})?.control; found?.focus(); found?.select?.(); return Boolean(found) })()`)
    },
    async press(key, modifiers = 0) {
      const code = { Enter: 13, Escape: 27, Delete: 46, ' ': 32, ArrowDown: 40, ArrowUp: 38, Tab: 9 }[key] ?? key.toUpperCase().charCodeAt(0)
      const text = key == 'Enter' ? '\r' : key.length == 1 ? key : undefined
      await send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', key, text, windowsVirtualKeyCode: code, modifiers })
      await send('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode: code, modifiers })
    },
    async swipe(selector, by) {
      const { x, y } = await page.still(selector)
      await send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
      for (let step = 1; step <= 8; step++) await send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: x + by * step / 8, y }] })
      await send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    },
    async look(options) {
      const { width = 1080, height = 860, dark = false, touch = false, still = true } = options
      await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: touch })
      await send('Emulation.setTouchEmulationEnabled', { enabled: touch })
      await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }, { name: 'prefers-reduced-motion', value: still ? 'reduce' : 'no-preference' }] })
    },
    picture: async file => fs.writeFileSync(file, Buffer.from((await send('Page.captureScreenshot', { format: 'png' })).data, 'base64')),
    close: () => call('Target.closeTarget', { targetId }),
  }
  await send('Emulation.setUserAgentOverride', { userAgent: (await call('Browser.getVersion')).userAgent, acceptLanguage: language == 'uk' ? 'uk,en' : 'en' })
  await page.look({ width, height, dark, touch, still })
  return page
}

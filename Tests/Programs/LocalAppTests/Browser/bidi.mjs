// Firefox, driven by WebDriver BiDi.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pause } from './chromium.mjs'
import { socket } from './socket.mjs'

/// Starts Firefox with a profile of its own, which `close` removes unless it is to keep it, or with one that was kept; and opens a page with what world.mjs uses of
/// Chromium's. `preferences` are more of `user.js`; `hasWindow` shows it on the screen of `DISPLAY`. `said()` is what it wrote.
export async function firefox({ profile = fs.mkdtempSync(path.join(os.tmpdir(), 'taskvault-firefox-')), preferences = {}, hasWindow = false } = {}) {
  const off = ['browser.shell.checkDefaultBrowser', 'datareporting.policy.dataSubmissionEnabled', 'app.update.enabled', 'network.captive-portal-service.enabled', 'network.connectivity-service.enabled']
  fs.writeFileSync(path.join(profile, 'user.js'), Object.entries({ ...Object.fromEntries(off.map(each => [each, false])), ...preferences }).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`).join('\n'))
  const child = spawn('firefox-esr', [...(hasWindow ? [] : ['--headless']), '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: profile } })
  let said = ''
  for (const each of [child.stdout, child.stderr]) each.setEncoding('utf8').on('data', data => { said += data })
  const address = await new Promise((done, fail) => {
    child.stderr.on('data', data => { const found = /WebDriver BiDi listening on (ws:\S+)/.exec(data); if (found) done(found[1]) })
    child.on('exit', () => fail(new Error('firefox has ended')))
    setTimeout(() => fail(new Error('firefox does not listen')), 30000).unref()
  })
  const waiting = new Map()
  const { send } = await socket(`${address}/session`, data => { const message = JSON.parse(data), wait = waiting.get(message.id); waiting.delete(message.id); message.type == 'error' ? wait?.fail(new Error(`${message.error}: ${message.message}`)) : wait?.done(message.result) })
  let number = 0
  const call = (method, params = {}) => new Promise((done, fail) => { waiting.set(++number, { done, fail }); send(JSON.stringify({ id: number, method, params })) })
  await call('session.new', { capabilities: {} })
  const { context } = await call('browsingContext.create', { type: 'tab' })
  const actions = (id, type, actions) => call('input.performActions', { context, actions: [{ id, type, actions }] })
  const keys = text => [...text].flatMap(value => ['keyDown', 'keyUp'].map(type => ({ type, value })))
  const page = {
    call, context,
    go: url => call('browsingContext.navigate', { context, url, wait: 'complete' }),
    async evaluate(expression) {
      const answer = await call('script.evaluate', { expression: `Promise.resolve(${expression}).then(value => JSON.stringify(value ?? null))`, target: { context }, awaitPromise: true, userActivation: true })
      if (answer.type == 'exception') throw new Error(`${answer.exceptionDetails.text}\n${expression}`)
      return JSON.parse(answer.result.value)
    },
    async until(expression, limit = 10000) {
      for (const end = Date.now() + limit; ; await pause(30)) {
        const value = await page.evaluate(expression).catch(() => null)
        if (value) return value
        if (Date.now() > end) throw new Error(`never: ${expression}\n${await page.evaluate('document.body.innerText')}`)
      }
    },
    has: text => page.until(`document.body.innerText.includes(${JSON.stringify(text)})`),
    hasNot: text => page.until(`!document.body.innerText.includes(${JSON.stringify(text)})`),
    type: text => actions('keyboard', 'key', keys(text)),
    press: key => actions('keyboard', 'key', keys({ Enter: '\uE007', Escape: '\uE00C', Delete: '\uE017' }[key] ?? key)),
    /// Gives the file picker of the page files.
    async choose(...files) {
      await page.until("document.querySelector('input[type=file]')")
      const { nodes: [{ sharedId }] } = await call('browsingContext.locateNodes', { context, locator: { type: 'css', value: 'input[type=file]' } })
      await call('input.setFiles', { context, element: { sharedId }, files })
    },
    async click(css) {
      const { x, y } = await page.until(`(() => {
        const found = document.querySelector(${JSON.stringify(css)})
        found?.scrollIntoView({ block: 'center' })
        const box = found?.getBoundingClientRect(), x = Math.round(box?.x + box?.width / 2), y = Math.round(box?.y + box?.height / 2)
        return box?.width && y > 0 && y < innerHeight && { x, y }
      })()`)
      await actions('mouse', 'pointer', [{ type: 'pointerMove', x, y }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }])
    },
  }
  return { page, profile, said: () => said, async close({ keep = false } = {}) {
    const ended = new Promise(done => child.on('exit', done))
    // What is kept is written at the end.
    await Promise.race([Promise.all([call('browser.close').catch(() => {}), keep && ended]), pause(keep ? 20000 : 2000)])
    child.kill('SIGKILL')
    await pause(300)
    if (!keep) fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  } }
}

// firefox.mjs: the main flows in Firefox, driven by WebDriver BiDi.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pause } from './chromium.mjs'
import { socket } from './socket.mjs'
import { create, expect, passphrase, verify, world } from './world.mjs'

/// Starts Firefox with a profile of its own, and opens a page with what world.mjs uses of Chromium's.
async function firefox() {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'taskvault-firefox-'))
  fs.writeFileSync(path.join(profile, 'user.js'), ['browser.shell.checkDefaultBrowser', 'datareporting.policy.dataSubmissionEnabled', 'app.update.enabled', 'network.captive-portal-service.enabled', 'network.connectivity-service.enabled'].map(each => `user_pref("${each}", false);`).join('\n'))
  const child = spawn('firefox-esr', ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: profile } })
  const address = await new Promise((done, fail) => {
    child.stderr.setEncoding('utf8').on('data', data => { const found = /WebDriver BiDi listening on (ws:\S+)/.exec(data); if (found) done(found[1]) })
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
    async click(css) {
      const { x, y } = await page.until(`(() => { const box = document.querySelector(${JSON.stringify(css)})?.getBoundingClientRect(); return box?.width && { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) } })()`)
      await actions('mouse', 'pointer', [{ type: 'pointerMove', x, y }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }])
    },
  }
  return { page, async close() { await Promise.race([call('browser.close').catch(() => {}), pause(2000)]); child.kill('SIGKILL'); await pause(300); fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 }) } }
}

const place = world(), { page, close } = await firefox()
const html = () => page.evaluate('document.documentElement.outerHTML')
let passed = 0, failed = 0
const step = async (name, act) => { try { await act(); passed++; console.log(`ok    ${name}`) } catch (problem) { failed++; console.log(`FAIL  ${name}\n${problem.stack}`) } }
try {
  await step('S10 create a password', async () => { await create(page, await place.url()); await page.has('No tasks yet.') })
  await step('S3 S18 add, mark, delete, undo', async () => {
    await page.press('n')
    await page.has('New task')
    await page.until("document.activeElement?.matches('.task-form input')")
    await page.type('buy milk')
    await page.press('Enter')
    await page.until("!document.querySelector('.task-form') && document.querySelector('.list .row')")
    await page.click('.list .row .tick')
    await page.until("document.querySelector('.list .row.done')")
    await page.evaluate("document.querySelector('.list .row .title').focus()")
    await page.press('Delete')
    await page.has('Task deleted.')
    await page.click('.toast button')
    await page.has('buy milk')
  })
  await step('S8 a protected task is shown and hidden', async () => {
    await page.evaluate("import('/verify.js').then(({ verify }) => { verify() })")
    await verify(page)
    await page.evaluate("import('/server.js').then(({ api }) => api.post('tasks', { name: 'a quiet word', nickname: 'gift', protected: true }))")
    await page.has('gift')
    await page.click('.row.hiding button.plain')
    await page.has('a quiet word')
    await page.press('Escape')
    await page.hasNot('a quiet word')
    expect((await html()).includes('a quiet word'), false, 'the text is left')
  })
  await step('S20 statistics', async () => {
    await page.evaluate("location.hash = '#statistics'")
    await page.has('completed in the past 24 hours')
    await page.click('.backlink')
    await page.has('buy milk')
  })
  await step('the list changes live with the command line', async () => { await place.run('task', 'add', 'from the terminal'); await page.has('from the terminal') })
  await step('S10 lock, a wrong password, unlock', async () => {
    await page.click('.pill')
    await page.has('Enter password')
    await page.type('wrong')
    await page.press('Enter')
    await page.has('The password is wrong.')
    await page.type(passphrase)
    await page.press('Enter')
    await page.has('buy milk')
  })
  await step('a reload shows nothing', async () => { await page.call('browsingContext.reload', { context: page.context, wait: 'complete' }); await page.has('Open TaskVault again'); await page.hasNot('buy milk') })
} finally { await close(); await place.end() }
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0

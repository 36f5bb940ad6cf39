// A home of its own with `taskvault app` in it, and what the scripts beside this file share: tests that are counted, waiting, accounts of failures.
import { execFile, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { chromium, pause } from './chromium.mjs'

export const passphrase = 'four quiet herons wade'
const programs = path.resolve(process.env.TASKVAULT_PROGRAMS ?? '.build/release')

/// Makes a home. `run('task', 'add', 'x')` gives the output of a command; `url(…)` starts the app, with more words, and gives an address that works once.
export function world() {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'taskvault-page-')), vault = path.join(home, 'vault'), folder = `--home=${vault}`
  const env = { PATH: `${programs}:${process.env.PATH}`, HOME: home, TASKVAULT_HOME: vault, XDG_RUNTIME_DIR: path.join(home, 'run'), LANG: 'C.UTF-8', TZ: process.env.TZ ?? 'UTC' }
  fs.mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 })
  const run = async (...words) => (await promisify(execFile)('taskvault', words, { env, maxBuffer: 1 << 26 })).stdout
  return {
    home, run,
    /// Runs a command at another time, which `faketime` understands.
    at: (time, ...words) => promisify(execFile)('faketime', [time, 'taskvault', ...words], { env }),
    json: async (...words) => JSON.parse(await run(...words, '--json')),
    async url(...words) {
      const app = spawn('taskvault', ['app', '--print-url', folder, ...words], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      for await (const data of app.stdout) {
        const found = /http:\S+/.exec(data)
        if (found) { app.stdout.destroy(); return found[0] }
      }
      throw new Error('taskvault app printed no address')
    },
    /// The processes of all apps of this home. They have sessions of their own.
    apps: () => fs.readdirSync('/proc').filter(id => {
      try {
        const words = Number(id) && fs.readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')
        return words && words.includes('--foreground') && words.includes(folder)
      } catch { return false }
    }),
    /// Ends all apps of this home as a crash would.
    crash() { for (const id of this.apps()) try { process.kill(Number(id), 'SIGKILL') } catch {} },
    async end() {
      await run('lock').catch(() => {})
      this.crash()
      await pause(200)
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/// Goes through *Create password* to the list, as a new user does. Gives the recovery code.
export async function create(page, url) {
  await page.go(url)
  await page.has('Create password')
  await page.type(passphrase)
  await page.press('Enter')
  await page.has('Repeat password')
  await page.type(passphrase)
  await page.press('Enter')
  const code = await page.until("document.querySelector('.recovery')?.textContent", 20000)
  await page.press('Enter')
  await page.until("document.querySelector('nav')")
  return code
}

/// Types a password into the start screen, and presses Enter.
export async function enter(page, text = passphrase) {
  await page.until("/Enter password|Ввести пароль/.test(document.querySelector('main.start button.main')?.innerText)")
  await page.evaluate("document.querySelector('main.start input').focus()")
  await page.type(text)
  await page.press('Enter')
}
/// The same, and waits for the screens.
export async function unlock(page, text) {
  await enter(page, text)
  await page.until("document.querySelector('nav')", 20000)
}

/// Opens a place, as `location.hash` names it. The page follows the address later: keys that are pressed before would reach the screen before.
export const visit = (page, hash) => page.evaluate(`new Promise(done => {
  if (location.hash == '#${hash}') return done()
  addEventListener('hashchange', () => done(), { once: true })
  location.hash = '#${hash}'
})`).then(() => page.until(`document.querySelector('.pane.${hash.includes('/') ? 'detail' : 'list'}')?.children.length`))

/// The text of the document with what stands in fields.
export const html = page => page.evaluate('document.documentElement.outerHTML + [...document.querySelectorAll("input, textarea")].map(each => each.value).join()')

/// Errors and violations of the page. Those of requests belong to the tests.
export const faults = page => page.problems.filter(each => !/ERR_|Failed to load|Failed to fetch/.test(each))

/// Gives the file picker of Chromium's page files.
export async function choose(page, ...files) {
  await page.until("document.querySelector('input[type=file]')")
  const { root } = await page.send('DOM.getDocument'), { nodeId } = await page.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'input[type=file]' })
  await page.send('DOM.setFileInputFiles', { files, nodeId })
}

/// Waits for what is asked for, and verifies if the dialog comes first.
export async function verifiedFor(page, done) {
  await page.until(`${done} || document.querySelector('dialog .form input.masked')`)
  if (!await page.evaluate(`Boolean(${done})`)) { await page.type(passphrase); await page.press('Enter') }
  await page.until(done, 20000)
}
export const shows = text => `document.body.innerText.includes(${JSON.stringify(text)})`

/// Types the passphrase into the dialog that asks for it.
export async function verify(page) {
  await page.until("document.querySelector('dialog input.masked')")
  await page.type(passphrase)
  await page.press('Enter')
  await page.until("!document.querySelector('dialog')", 10000)
}

/// Answers some requests of a page in place of the server: `{ 'account/sign-in': body => result or { error } }`. Gives what was sent, and `stop`.
export async function answering(page, answers) {
  const sent = []
  const listener = async ({ method, params, sessionId }) => {
    if (sessionId != page.sessionId || method != 'Fetch.requestPaused') return
    const name = params.request.url.split('/api/')[1], answer = answers[name], body = params.request.postData && JSON.parse(params.request.postData)
    sent.push({ name, body })
    if (!answer) return page.send('Fetch.continueRequest', { requestId: params.requestId })
    const result = await answer(body), [status, text] = result.error ? [403, result] : [200, { result, warnings: [] }]
    await page.send('Fetch.fulfillRequest', { requestId: params.requestId, responseCode: status, responseHeaders: [{ name: 'Content-Type', value: 'application/json' }], body: Buffer.from(JSON.stringify(text)).toString('base64') })
  }
  page.listeners.add(listener)
  await page.send('Fetch.enable', { patterns: [{ urlPattern: '*/api/*' }] })
  // It takes effect some time later.
  while (!sent.some(each => each.name == 'probe')) await page.evaluate("fetch('/api/probe').then(() => 0, () => 0)")
  return { sent, async stop() { await page.send('Fetch.disable'); page.listeners.delete(listener) } }
}

export function expect(found, wanted, what = '') {
  if (JSON.stringify(found) != JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(found)}, wanted ${JSON.stringify(wanted)}`)
}

/// Runs tests with one home and one browser, until one fails: each begins where the one before ended. Exits with 1 if one failed.
export async function attempt(tests) {
  const place = world(), browser = await chromium()
  let passed = 0, failed = 0
  try {
    for (const [name, test] of Object.entries(tests)) {
      const began = Date.now()
      try { await test({ place, browser }); passed++; console.log(`ok    ${name} (${Date.now() - began} ms)`) } catch (problem) { failed++; console.log(`FAIL  ${name}\n${problem.stack}`); break }
    }
  } finally { await browser.close(); await place.end() }
  console.log(`${passed} passed, ${failed} failed`)
  // Also if a server of a failed test still runs.
  process.exit(failed ? 1 : 0)
}

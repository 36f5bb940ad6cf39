// Signs in on the page of the local app at a server of pages.py: app.mjs TASKVAULT FOLDER CERTIFICATE COMMAND... FOLDER is empty. Chromium is the browser of both pages.
import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import readline from 'node:readline'
import { chromium } from '../Programs/LocalAppTests/Browser/chromium.mjs'

const [taskvault, folder, certificate, ...command] = process.argv.slice(2), [name, password] = ['ada@example.org', 'correct horse']
const env = { PATH: '/usr/bin:/bin', HOME: folder, TASKVAULT_HOME: `${folder}/home`, XDG_STATE_HOME: `${folder}/state`, XDG_RUNTIME_DIR: `${folder}/run`, LANG: 'C.UTF-8', LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH ?? '' }
fs.mkdirSync(`${folder}/run`, { mode: 0o700 })
fs.writeFileSync(`${folder}/passphrase`, 'four words rarely mixed\n', { mode: 0o600 })
const run = (...words) => execFileSync(taskvault, words, { env, encoding: 'utf8' }).trim()
const expect = (what, isRight) => { if (!isRight) throw new Error(what); console.log(what) }

run('init', '--kdf-memory', '19', '--kdf-passes', '2', '--passphrase-file', `${folder}/passphrase`)
run('unlock', '--passphrase-file', `${folder}/passphrase`)
const server = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
server.stdin.write(`${password}\n`)
const issuer = (await readline.createInterface({ input: server.stdout })[Symbol.asyncIterator]().next()).value.split(' ')[0]
run('settings', 'set', 'server-ca', certificate)
run('settings', 'set', 'server', issuer)
const browser = await chromium({ more: ['--ignore-certificate-errors'] })
let failed = true
try {
  const page = await browser.page()
  await page.go(run('app', '--print-url'))
  await page.has('Open its page')
  expect('the start leads to the page of the server, not to a form', await page.evaluate("!document.querySelector('dialog input')"))
  const there = await browser.page()
  await there.send('Page.navigate', { url: await page.evaluate("document.querySelector('dialog a').href") })
  for (const [field, text] of [['username', name], ['password', password]]) {
    await there.until(`document.querySelector('input[name=${field}]')`)
    await there.evaluate(`document.querySelector('input[name=${field}]').focus()`)
    await there.send('Input.insertText', { text })
  }
  await there.press('Enter')
  await there.has('You are signed in')
  // A hidden page closes no dialog.
  await page.send('Page.bringToFront')
  await page.until("!document.querySelector('dialog')")
  const { account, state } = await page.evaluate("import('/server.js').then(({ api }) => api.get('account'))")
  expect(`the page is signed in as ${account}`, account == name && state == 'signed_in')
  await page.evaluate("import('/start.js').then(each => each.signIn())")
  expect('the next start is silent', await page.evaluate("!document.querySelector('dialog')"))
  await page.evaluate("import('/server.js').then(({ api }) => api.post('account/sign-out'))")
  await page.evaluate("import('/start.js').then(each => { each.signIn() })")
  await page.has('Open its page')
  const address = await page.evaluate("document.querySelector('dialog a').href")
  await page.click('dialog button=text=Cancel')
  await page.until("!document.querySelector('dialog')")
  for (const end = Date.now() + 120000; await fetch(address, { redirect: 'manual' }).then(() => true, () => false);) if (Date.now() > end) throw new Error('the listener stays')
  expect('a cancelled sign-in listens no longer', true)
  expect('the page had no errors', page.problems.length == 0)
  failed = false
} finally {
  await browser.close()
  server.stdin.end()
  run('lock')
}
process.exit(failed ? 1 : 0)

// offers.mjs: in a real window, neither browser offers to save the vault's password, and neither profile has it, after creating, unlocking, verifying, a new secret and a change of the password. A control
// shows that the browser would offer it for a password field, and that the form history is found, in the same profile.
import fs from 'node:fs'
import path from 'node:path'
import { firefox } from './bidi.mjs'
import { chromium, pause } from './chromium.mjs'
import { create, expect, passphrase, unlock, world } from './world.mjs'

const value = 'brass-kettle-9041', next = 'nine loud geese swim', control = 'control-name-7315'

/// Chromium tells in its own log what its password manager decides.
async function inChromium() {
  const browser = await chromium({ hasWindow: true }), page = await browser.page(), log = await browser.page()
  await log.go('chrome://password-manager-internals/')
  await page.send('Page.bringToFront')
  const offered = async () => /(show_save|SHOW_SAVE|Decision: ASK|DECISION: ASK|Save password|ask the user)/i.test(await log.text())
  return { page, profile: browser.profile, close: browser.close, offered, hasLog: async () => (await log.text()).length > 200 }
}
/// Firefox's password manager tells on standard output what it does. Without a window it asks nobody; it would after a submission that it handles.
async function inFirefox() {
  const { page, profile, said, close } = await firefox({ hasWindow: true, preferences: { 'signon.debug': true, 'signon.loglevel': 'All', 'devtools.console.stdout.chrome': true, 'browser.dom.window.dump.enabled': true } })
  return { page, profile, close, offered: async () => /Handling form submission/.test(said()), hasLog: async () => /LoginManager/.test(said()) }
}

let failed = 0
for (const [name, start] of Object.entries({ Chromium: inChromium, Firefox: inFirefox })) {
  const place = world(), { page, profile, close, offered, hasLog } = await start()
  let isClosed = false
  try {
    await create(page, await place.url())
    await page.click('.pill')
    await unlock(page)
    await page.evaluate("location.hash = '#secrets'")
    await page.has('No secrets yet.')
    await page.press('n')
    await page.until("document.activeElement?.matches('dialog input')")
    await page.type('mail.example')
    const field = number => page.evaluate(`(document.querySelectorAll('dialog input')[${number}].focus(), 0)`)
    await field(1)
    await page.type('ada')
    await field(2)
    await page.type(value)
    await page.press('Enter')
    await page.until("document.querySelector('.detail h1')?.innerText == 'mail.example'")
    await page.evaluate("location.hash = '#settings'")
    await page.until("[...document.querySelectorAll('.toggle')].length > 10")
    await page.evaluate("[...document.querySelectorAll('button')].find(each => each.innerText == 'Change password').click()")
    for (const [text, button] of [[passphrase, 'Enter password'], [next, 'Create password'], [next, 'Repeat password']]) {
      await page.until(`document.querySelector('dialog button.main')?.innerText == '${button}'`)
      await page.type(text)
      await page.press('Enter')
    }
    await page.until("document.body.innerText.includes('The password is changed.')", 10000)
    await pause(1500)
    expect([await hasLog(), await offered()], [true, false], 'an offer to save')
    console.log(`ok    ${name} offers nothing`)
    // The control: a page with a password field in the same browser.
    await page.evaluate(`(() => {
      const form = document.createElement('form'), user = document.createElement('input'), password = document.createElement('input')
      user.name = 'user'
      password.name = password.type = 'password'
      form.append(user, password)
      form.onsubmit = event => { event.preventDefault(); form.remove(); history.pushState(null, '', '#control') }
      document.body.append(form)
      user.focus()
      globalThis.control = form
    })()`)
    await page.type(control)
    await page.evaluate('control.lastChild.focus()')
    await page.type('a password of the control')
    await page.evaluate('control.requestSubmit()')
    let isOffered = false
    for (let n = 0; n < 50 && !isOffered; n++) { await pause(100); isOffered = await offered() }
    if (!isOffered) throw new Error('the control was not seen')
    // The control's name goes to the form history some time later.
    await pause(1500)
    await close({ keep: true })
    isClosed = true
    const names = fs.readdirSync(profile, { recursive: true, withFileTypes: true }).filter(each => each.isFile()).map(each => path.join(each.parentPath ?? each.path, each.name))
    const found = texts => names.filter(each => { const data = fs.readFileSync(each); return texts.some(text => data.includes(text) || data.includes(Buffer.from(text, 'utf16le'))) })
    expect(found([control]).length > 0, true, 'the form history')
    expect(found([passphrase, value, next, 'mail.example']), [], 'files of the profile')
    console.log(`ok    ${name} keeps nothing in its profile`)
  } catch (problem) { failed++; console.log(`FAIL  ${name}\n${problem.stack}`) } finally {
    if (!isClosed) await close()
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    await place.end()
  }
}
console.log(failed ? `${failed} failed` : '2 passed, 0 failed')
process.exit(failed ? 1 : 0)

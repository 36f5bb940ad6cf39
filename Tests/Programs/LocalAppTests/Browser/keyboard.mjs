// keyboard.mjs: what the owner asked for of the page, S1 to S21, by keys alone: the expressions only read the page, and no pointer is used. In Chromium, with the real programs.
// S2 and S11 are interfaces inside of programs, without a part on the page.
import fs from 'node:fs'
import path from 'node:path'
import { pause } from './chromium.mjs'
import { authServer } from './server.mjs'
import { attempt, expect, faults, html, passphrase, shows } from './world.mjs'

const canary = 'walnut-canary-16180339', examples = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../../../../Docs/Examples')
let page, server
/// The name of what has the focus: its label, that of its field, or its first line; and whether it is seen.
const focus = () => page.evaluate(`(() => {
  const found = document.activeElement, box = found.getBoundingClientRect()
  return { name: (found.ariaLabel ?? found.labels?.[0]?.innerText ?? found.innerText ?? '').trim().split('\\n')[0], isSeen: found == document.body || box.bottom > 0 && box.top < innerHeight }
})()`)
/// Presses Tab until the element with this name has the focus.
async function tab(name) {
  const met = new Set()
  for (let n = 0; n < 300; n++) {
    const found = await focus()
    if (name instanceof RegExp ? name.test(found.name) : found.name == name) return
    if (!found.isSeen) throw new Error(`out of sight: ${found.name}`)
    met.add(found.name)
    await page.press('Tab')
  }
  throw new Error(`Tab does not reach ${name}: ${[...met].join(' | ')}`)
}
const keys = async (...all) => { for (const each of all) await page.press(each) }
/// Goes to a screen by its link.
const go = async name => { await tab(new RegExp(`^${name}\\d*$`)); await keys('Enter'); await page.until(`document.querySelector('.list h1')?.innerText == '${name}' && !document.querySelector('.detail')`) }
const row = text => `[...document.querySelectorAll('.row')].find(each => each.innerText.includes(${JSON.stringify(text)}))`
const noDialog = () => page.until("!document.querySelector('dialog')", 20000)
const item = async name => { await page.until("document.querySelector('dialog.menu')"); await tab(name); await keys('Enter') }
/// Types the password if the dialog for the verification comes first.
async function verified(done) {
  await page.until(`${done} || document.querySelector('dialog input.masked')`)
  if (!await page.evaluate(`Boolean(${done})`)) { await page.type(passphrase); await keys('Enter') }
  await page.until(done, 20000)
}
const stored = async (place, name) => place.json('task', 'show', (await place.json('task', 'list')).find(each => each.name == name).id)
const eventually = async (what, found) => { for (let n = 0; !await found(); n++) { if (n > 100) throw new Error(what); await pause(50) } }
const unlock = async (text = passphrase) => { await page.has('Enter password'); await page.type(text); await keys('Enter'); await page.until("document.querySelector('nav')", 20000) }

await attempt({
  async 'S10 create, repeat, the recovery code, lock, enter'({ place, browser }) {
    page = await browser.page()
    await page.go(await place.url())
    await page.evaluate("globalThis.pointed = 0; for (const each of ['pointerdown', 'mousedown', 'touchstart']) addEventListener(each, () => { pointed++ }, true)")
    for (const title of ['Create password', 'Repeat password']) { await page.has(title); await page.type(passphrase); await keys('Enter') }
    await page.until("document.querySelector('.recovery')", 20000)
    await tab('I have written it down')
    await keys('Enter')
    await page.has('No tasks yet.')
    await tab(/^Unlocked/)
    await keys('Enter')
    await page.has('Enter password')
    await page.type('not this one')
    await keys('Enter')
    await page.has('The password is wrong.')
    await unlock()
  },

  async 'S1 S3 S18 a task: added, cancelled, marked, unmarked, deleted, brought back, renamed'({ place }) {
    await keys('n')
    await page.until("document.activeElement?.matches('.task-form input')")
    await page.type('buy milk')
    await keys('Enter')
    // The row may come before the form is left.
    await page.until(`${row('buy milk')} && !document.querySelector('.task-form')`)
    await keys('n')
    await page.until("document.activeElement?.matches('.task-form input')")
    await page.type('never added')
    await tab('Cancel')
    await keys('Enter')
    await page.until("!document.querySelector('.task-form')")
    await keys('a')
    await page.type('water the plants')
    await keys('Enter')
    await page.until(row('water the plants'))
    await tab('buy milk')
    await keys(' ')
    await page.until(`${row('buy milk')}.matches('.done')`)
    await tab('buy milk')
    await keys(' ')
    await page.until(`!${row('buy milk')}.matches('.done')`)
    await tab('buy milk')
    await keys('Delete')
    await page.has('Task deleted.')
    await page.until(`!${row('buy milk')}`)
    await keys('u')
    await page.until(row('buy milk'))
    await tab('buy milk')
    await keys('F2')
    await page.until("document.activeElement?.matches('.rename')")
    await page.type('buy oat milk')
    await keys('Enter')
    await page.until(row('buy oat milk'))
    expect((await place.json('task', 'list')).map(each => each.name).sort(), ['buy oat milk', 'water the plants'])
  },

  async 'S1 S3 S4 steps, and the switch of each reminder'({ place }) {
    await tab('water the plants')
    await keys('Enter')
    await page.until("document.querySelector('.add-step input')")
    await tab('Add a step')
    for (const name of ['find the can', 'fill it']) { await page.type(name); await keys('Enter'); await page.until(`[...document.querySelectorAll('.detail .row')].some(each => each.innerText.includes('${name}'))`) }
    await tab('find the can')
    await keys(' ')
    await page.until("document.querySelector('.detail .row.done')")
    for (const name of ['Remind me', 'Remind me: fill it']) {
      await tab(name)
      await keys(' ')
      await page.has('When?')
      await keys(...'05012031')
      await keys('Enter')
      await noDialog()
    }
    await eventually('no reminders', async () => { const task = await stored(place, 'water the plants'); return task.reminder && task.subtasks[1].reminder })
    await page.until("document.querySelectorAll('.detail .switch:checked').length == 2")
    await tab('Remind me')
    await keys(' ')
    await eventually('still on', async () => !(await stored(place, 'water the plants')).reminder)
    await tab('find the can')
    await keys('Delete')
    await page.has('Step deleted.')
    await tab('fill it')
    await keys('Enter')
    await page.until("document.querySelector('dialog input')")
    await page.type(' well')
    await keys('Enter')
    await noDialog()
    await eventually('the step', async () => (await stored(place, 'water the plants')).subtasks.map(each => each.name).join() == 'fill it well')
    await keys('Escape')
    await page.until("!document.querySelector('.detail')")
  },

  async 'S8 a protected task: shown after a verification, hidden by Esc'() {
    await keys('n')
    await page.until("document.activeElement?.matches('.task-form input')")
    await page.type(canary)
    await tab('Protect')
    await keys(' ')
    await tab('Public name')
    await page.type('gift')
    await keys('Enter')
    await verified("!document.querySelector('.task-form')")
    await page.until(row('gift'))
    await tab('Show: gift')
    await keys('Enter')
    await verified(shows(canary))
    await keys('Escape')
    await page.hasNot(canary)
    if ((await html(page)).includes(canary)) throw new Error('the text stayed')
  },

  async 'S20 statistics, and back; S21 all done, and undone'() {
    await tab('Statistics')
    await keys('Enter')
    await page.has('completed in the past 24 hours')
    await keys('Escape')
    await page.until(row('gift'))
    await tab('More')
    await keys('Enter')
    await item('Mark all as complete')
    await page.has('All marked as complete.')
    await page.until("document.querySelectorAll('.list .row.done').length == 3")
    await keys('u')
    await page.until("document.querySelectorAll('.list .row.done').length == 0")
  },

  async 'S19 what was done 24 hours ago clears itself'({ place }) {
    await place.at('25 hours ago', 'task', 'add', 'done long ago')
    await page.until(row('done long ago'))
    await place.at('25 hours ago', 'task', 'done', 'done long ago')
    await page.until(`!${row('done long ago')}`)
  },

  async 'several tasks, views and the search'() {
    await tab('buy oat milk')
    await keys('x', 'ArrowDown', 'x')
    await page.has('Selected: 2')
    await keys('Escape')
    await page.hasNot('Selected: 2')
    await keys('/')
    await page.type('oat')
    await page.until("document.querySelectorAll('.list .row').length == 1")
    await keys('ArrowDown')
    expect((await focus()).name, 'buy oat milk')
    await keys('/', 'Escape')
    await page.until("document.querySelectorAll('.list .row').length == 3")
    await tab(/^Scheduled/)
    await keys(' ')
    await page.until("document.querySelectorAll('.list .row').length == 1")
    await tab('Remove the filter Scheduled')
    await keys('Enter')
    await page.until("document.querySelectorAll('.list .row').length == 3")
    await keys('?')
    await page.until("document.querySelector('dialog kbd')")
    await keys('Enter')
    await noDialog()
  },

  async 'S5 S14 messages: accepted, declined, read; the picture'({ place }) {
    for (const name of ['task', 'picture']) await place.run('inbox', 'receive', path.join(examples, `${name}.apns`))
    await page.until("document.querySelector('.banner')")
    await tab(/^New: /)
    await keys('Escape')
    await go('Inbox')
    await tab(/^Hang the picture/)
    await keys('a')
    await page.until("document.querySelector('.badge.accepted')")
    await tab(/^Return the library books/)
    await keys('Delete')
    await page.until("document.querySelector('.badge.declined')")
    expect((await place.json('inbox', 'list')).map(each => each.state), ['accepted', 'declined'])
    await tab(/^Return the library books/)
    await keys('Enter')
    await page.has('Bring the tote bag.')
    await page.until("document.querySelector('.detail').contains(document.activeElement)")
    await keys('Escape')
    await page.until("!document.querySelector('.detail')")
    await page.until(`${row('Return the library books')}?.contains(document.activeElement)`)
    await go('Picture')
    await page.has('Hang the picture')
  },

  async 'S15 a banner: Enter opens its message, Esc puts it away'({ place }) {
    const receive = title => { const file = path.join(place.home, 'message.json'); fs.writeFileSync(file, JSON.stringify({ title, body: 'one' })); return place.run('inbox', 'receive', file) }
    await receive('first banner')
    await tab('New: first banner')
    await keys('Enter')
    await page.until("document.querySelector('.detail h1')?.innerText == 'first banner'")
    await keys('Escape')
    await page.until("!document.querySelector('.detail')")
    await receive('second banner')
    await tab('New: second banner')
    await keys('Escape')
    await page.until("!document.querySelector('.banner')")
  },

  async 'S13 files: added, sorted, sizes, deleted, brought back'({ place }) {
    const names = ['beta.txt', 'Alpha.txt'].map(name => { const file = path.join(place.home, name); fs.writeFileSync(file, name); return file })
    await page.send('Page.setInterceptFileChooserDialog', { enabled: true })
    const listener = ({ method, params }) => { if (method == 'Page.fileChooserOpened') page.send('DOM.setFileInputFiles', { files: names, backendNodeId: params.backendNodeId }) }
    page.listeners.add(listener)
    await go('Files')
    await keys('n')
    await page.has('Files added: 2')
    page.listeners.delete(listener)
    const shown = () => page.evaluate("[...document.querySelectorAll('.list .row .text')].map(each => each.innerText)")
    await page.until("document.querySelectorAll('.list .row').length == 2")
    expect(await shown(), ['Alpha.txt', 'beta.txt'])
    for (const [label, then] of [['Sort alphabetically', "document.querySelector('.row .text').innerText == 'beta.txt'"], ['Show sizes', "!document.querySelector('.list').innerText.includes('9 B')"]]) {
      await tab('More')
      await keys('Enter')
      await item(label)
      await page.until(then)
    }
    const { file_sort, file_sizes } = await place.json('settings', 'list')
    expect([file_sort, file_sizes], ['-name', false], 'kept')
    await tab('beta.txt')
    await keys('Delete')
    await page.has('File deleted.')
    await page.until(`!${row('beta.txt')}`)
    await keys('u')
    await page.until(row('beta.txt'))
    await tab('beta.txt')
    await keys('Enter')
    await page.until("document.querySelector('.detail pre')?.innerText == 'beta.txt'")
    await keys('Escape')
  },

  async 'secrets: added, shown, hidden, deleted'({ place }) {
    await go('Secrets')
    await keys('n')
    await page.until("document.activeElement?.matches('dialog input')")
    await page.type('mail.example')
    await tab('Password')
    await page.type(canary)
    await keys('Enter')
    await page.until("document.querySelector('.detail h1')?.innerText == 'mail.example'")
    await tab('Show: Password')
    await keys('Enter')
    await page.has(canary)
    await keys('Escape')
    await page.hasNot(canary)
    await tab('Secrets')
    await keys('Enter')
    await tab('mail.example')
    await keys('Delete')
    await eventually('deleted', async () => !(await place.json('secret', 'list')).length)
  },

  async 'S12 the password; S9 a passkey unlocks'() {
    await go('Settings')
    await tab('Change password')
    await keys('Enter')
    for (const [text, button] of [[passphrase, 'Enter password'], ['nine loud geese swim', 'Create password'], ['nine loud geese swim', 'Repeat password']]) {
      await page.until(`document.querySelector('dialog button.main')?.innerText == '${button}'`)
      await page.type(text)
      await keys('Enter')
    }
    await page.has('The password is changed.')
    await noDialog()
    await page.send('WebAuthn.enable', { enableUI: false })
    await page.send('WebAuthn.addVirtualAuthenticator', { options: { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true, hasPrf: true } })
    await tab('Add a passkey')
    await keys('Enter')
    await page.until("document.activeElement?.matches('dialog input')")
    await tab('Password')
    await page.type('nine loud geese swim')
    await keys('Enter')
    await noDialog()
    await page.until(row('Passkey'))
    await tab(/^Unlocked/)
    await keys('Enter')
    await page.has('Enter password')
    await tab('Use a passkey')
    await keys('Enter')
    await page.until("document.querySelector('nav')", 20000)
  },

  async 'S6 S7 the server on this machine: an account, signed out, signed in'({ place }) {
    server = await authServer(place)
    await go('Settings')
    await tab('Change: Server')
    await keys('Enter')
    await page.until("document.activeElement?.matches('dialog input')")
    await page.type(server.url)
    await keys('Enter')
    await verified("!document.querySelector('dialog')")
    await page.until("[...document.querySelectorAll('button')].some(each => each.innerText == 'Create an account')")
    await tab('Create an account')
    await keys('Enter')
    await page.until("document.activeElement?.matches('dialog input')")
    await page.type('ada@example.org')
    await tab('Password')
    await page.type('seven grey owls listen')
    await keys('Enter')
    await noDialog()
    const button = name => page.until(`[...document.querySelectorAll('button')].some(each => each.innerText == '${name}')`)
    await button('Sign out')
    await tab('Sign out')
    await keys('Enter')
    await button('Sign in')
    await tab('Sign in')
    await keys('Enter')
    await page.until(`${shows('Sign out')} || document.activeElement?.matches('dialog input')`)
    if (!await page.evaluate(shows('Sign out'))) {
      await page.type('ada@example.org')
      await tab('Password')
      await page.type('seven grey owls listen')
      await keys('Enter')
    }
    await button('Sign out')
  },

  async 'S16 S17 checklists: saved, removed, and refused while saving is off'({ place }) {
    const saved = async () => (await place.json('checklist', 'list', '--saved')).length
    await go('Checklists')
    await page.until(row('Before a journey'))
    await tab('Before a journey')
    await keys('s')
    await eventually('not saved', async () => await saved() == 1)
    await tab('Saved')
    await keys('Enter')
    await page.until("location.hash == '#saved'")
    await page.until(row('Before a journey'))
    await tab('Before a journey')
    await keys('Enter')
    await page.has('Valid for six months.')
    await keys('Escape')
    await page.until("!document.querySelector('.detail')")
    await tab('Before a journey')
    await keys('Delete')
    await eventually('not removed', async () => await saved() == 0)
    await go('Settings')
    await tab('Allow saving')
    await keys(' ')
    await page.has('Everything saved is erased.')
    await tab('Switch off')
    await keys('Enter')
    await noDialog()
    await go('Checklists')
    await page.until(row('Before a journey'))
    await tab('Before a journey')
    await keys('s')
    await page.has('Allow saving in the settings first.')
    await keys('Enter')
    await noDialog()
    expect(await saved(), 0)
    await server.stop()
  },

  async 'S21 a reload asks for the password; nothing was pointed at'() {
    expect(await page.evaluate('pointed'), 0, 'pointers')
    await page.evaluate('globalThis.isOld = true')
    await page.send('Page.reload')
    await page.until('!globalThis.isOld')
    await unlock('nine loud geese swim')
    await go('Tasks')
    await page.until(row('gift'))
    expect(faults(page), [], 'errors of the page')
  },
})

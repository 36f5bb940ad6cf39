// screens.mjs: what the owner asked for in Inbox, Picture, Files, Checklists, Secrets and Settings, done in Chromium with the real programs.
import crypto from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import zlib from 'node:zlib'
import { chromium, pause } from './chromium.mjs'
import { authServer } from './server.mjs'
import { attempt, choose, create, expect, faults, html, passphrase, shows, unlock, verifiedFor, visit } from './world.mjs'

const canary = 'mandelkern-canary-27182818', examples = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../../../../Docs/Examples')
let page, server
const titles = () => page.evaluate("[...document.querySelectorAll('.list .row')].map(each => each.querySelector('.text').innerText)")
const open = hash => visit(page, hash)
const row = text => `[...document.querySelectorAll('.row')].find(each => each.innerText.includes(${JSON.stringify(text)}))`
/// Opens a row. The rows of a list that is not shown are not in the document, so it waits.
const enter = async text => { await page.until(row(text)); await page.evaluate(`${row(text)}.querySelector('.title').click()`) }
const more = async word => { await page.click('.pane:last-of-type button=text=More'); await page.click(`dialog.menu button=text=${word}`) }
const swipe = async (text, by) => { await page.look({ width: 390, height: 844, touch: true }); await page.swipe(`.list .row .text=text=${text}`, by); await page.look({}) }
const receive = (place, message) => { const file = path.join(place.home, 'message.json'); fs.writeFileSync(file, JSON.stringify(message)); return place.run('inbox', 'receive', file) }
const file = (place, name, content) => { const at = path.join(place.home, name); fs.writeFileSync(at, content); return at }

/// A picture of one colour: PNG.
function picture(side) {
  const table = Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1; return n >>> 0 })
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]), size = Buffer.alloc(4), sum = Buffer.alloc(4)
    size.writeUInt32BE(data.length)
    sum.writeUInt32BE((body.reduce((crc, byte) => table[(crc ^ byte) & 255] ^ (crc >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0)
    return Buffer.concat([size, body, sum])
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', head), chunk('IDAT', zlib.deflateSync(Buffer.alloc(side * (1 + side * 3)))), chunk('IEND', Buffer.alloc(0))])
}
/// The code of a secret now (RFC 6238), by Node's HMAC.
function oneTimeCode(secret) {
  const bits = [...secret].map(each => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(each).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g).map(each => parseInt(each, 2))), message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000)))
  const hash = crypto.createHmac('sha1', key).update(message).digest()
  return String((hash.readUInt32BE(hash[19] & 15) & 0x7fffffff) % 1000000).padStart(6, '0')
}
const authenticator = () => page.send('WebAuthn.addVirtualAuthenticator', { options: { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true, hasPrf: true } })

await attempt({
  async 'S5 S14 the samples: rows, three lines, words and colours'({ place, browser }) {
    page = await browser.page()
    await create(page, await place.url())
    await open('inbox')
    await page.has('The inbox is off.')
    await place.run('inbox', 'receive', path.join(examples, 'task.apns'))
    await page.has('Return the library books')
    await place.run('inbox', 'receive', path.join(examples, 'picture.apns'))
    await page.has('Hang the picture')
    expect((await titles()).map(each => each.split('\n')[0].replace(/ ?New$/, '')), ['Hang the picture', 'Return the library books'], 'newest first')
    expect(await page.evaluate("document.querySelectorAll('.badge.new').length"), 2)
    expect(await page.evaluate("getComputedStyle(document.querySelector('.lines')).webkitLineClamp"), '3', 'lines')
    const colour = "getComputedStyle(document.querySelector('.badge')).color"
    const fresh = await page.evaluate(colour)
    await page.click('.row button=text=Accept')
    await page.has('Accepted. It is a task now.')
    await page.until("document.querySelector('.badge.accepted')?.innerText == 'Accepted'")
    if (await page.evaluate(colour) == fresh) throw new Error('accepted has the colour of new')
    const [task] = (await place.json('task', 'list')).filter(each => each.name == 'Hang the picture')
    if (!task) throw new Error('no task was made')
    await page.click('.row button=text=Delete')
    await page.until("document.querySelector('.badge.declined')?.innerText == 'Declined'")
    expect((await place.json('inbox', 'list')).map(each => each.state), ['accepted', 'declined'])
  },

  async 'S14 the detail with the whole text; the picture tab'() {
    await enter('Return the library books')
    await page.has('Bring the tote bag.')
    await page.has('find the books')
    await page.press('Escape')
    await enter('Hang the picture')
    await page.has('pictures.example.org sees that you load it.')
    expect(await page.evaluate("performance.getEntriesByType('resource').some(each => /inbox\\/.*picture/.test(each.name))"), false, 'the picture was asked for')
    await open('picture')
    await page.until("document.querySelector('.placeholder, img.picture')")
    await page.has('Hang the picture')
  },

  async 'a message that was decided is erased for good, after a question'({ place }) {
    await open('inbox')
    await enter('Return the library books')
    await more('Erase')
    await page.has('It cannot be brought back.')
    await page.click('dialog button=text=Cancel')
    await page.until("!document.querySelector('dialog')")
    expect((await place.json('inbox', 'list')).length, 2, 'after Cancel')
    await more('Erase')
    await page.click('dialog button=text=Erase')
    await page.until("!document.querySelector('.detail')")
    expect((await place.json('inbox', 'list')).map(each => each.title), ['Hang the picture'])
  },

  async 'S15 a banner on any tab: a tap opens, Back has it on top; a swipe puts it away'({ place }) {
    await open('tasks')
    await receive(place, { title: 'first banner', body: 'one' })
    await page.until("document.querySelector('.banner strong')?.innerText == 'first banner'")
    await page.click('.banner')
    await page.until("location.hash.startsWith('#inbox/') && document.querySelector('.detail h1')?.innerText == 'first banner'")
    await page.click('.detail .back')
    await page.until("!document.querySelector('.detail')")
    // The list is drawn when the detail is gone.
    await page.until("document.querySelector('.list .row .text')?.innerText.startsWith('first banner')")
    await open('tasks')
    await receive(place, { title: 'second banner' })
    await page.until("document.querySelector('.banner strong')?.innerText == 'second banner'")
    const { x, y } = await page.find('.banner')
    await page.send('Input.dispatchMouseEvent', { type: 'mousePressed', x, y, button: 'left', clickCount: 1 })
    for (const step of [10, 20, 40]) await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y: y - step, button: 'left', buttons: 1 })
    await page.send('Input.dispatchMouseEvent', { type: 'mouseReleased', x, y: y - 40, button: 'left', clickCount: 1 })
    await page.until("!document.querySelector('.banner')")
    expect(await page.evaluate('location.hash'), '#tasks')
  },

  async 'S15 --item inbox/ID opens the detail; Back has it on top'({ place, browser }) {
    const messages = await place.json('inbox', 'list'), last = messages.at(-1)
    const other = await browser.page()
    await other.go(await place.url('--item', `inbox/${last.id}`))
    await other.until(`document.querySelector('.detail h1')?.innerText == ${JSON.stringify(last.title)}`)
    await other.click('.detail .back')
    await other.until("!document.querySelector('.detail')")
    expect(await other.until("document.querySelector('.list .row')?.dataset.key"), last.id, 'on top')
    await other.close()
    await page.send('Page.bringToFront')
  },

  async 'S13 files: added, listed, sorted, sizes, thumbnails in memory'({ place }) {
    await open('files')
    await page.has('No files yet.')
    await choose(page, file(place, 'beta.png', picture(300)), file(place, 'Alpha.txt', canary), file(place, 'large.bin', Buffer.alloc(9 << 20, 7)))
    await page.has('Files added: 3')
    await page.until(row('large.bin'))
    expect(await titles(), ['Alpha.txt', 'beta.png', 'large.bin'], 'by name')
    await page.press('/')
    await page.type('beta')
    await page.until("document.querySelectorAll('.list .row').length == 1")
    await page.press('Escape')
    await page.until("document.querySelectorAll('.list .row').length == 3")
    await page.until("document.querySelector('.row img.thumb')?.src.startsWith('blob:')")
    await page.has('9.4 MB')
    await more('Sort alphabetically')
    await page.until("document.querySelector('.row .text').innerText == 'large.bin'")
    await more('Show sizes')
    await page.hasNot('9.4 MB')
    const { file_sort, file_sizes } = await place.json('settings', 'list')
    expect([file_sort, file_sizes], ['-name', false], 'kept')
    await more('Sort alphabetically')
    await more('Show sizes')
    await page.has('9.4 MB')
    expect((await place.json('file', 'list')).map(each => each.name), ['Alpha.txt', 'beta.png', 'large.bin'])
  },

  async 'S13 files: dropped, viewed, downloaded, renamed, deleted, brought back'({ place }) {
    const { x, y } = await page.find('.list h1'), data = { items: [], files: [file(place, 'dropped.txt', 'by mouse')], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop']) await page.send('Input.dispatchDragEvent', { type, x, y, data })
    await page.has('dropped.txt')
    await enter('Alpha.txt')
    await page.has(canary)
    await page.click('.detail button=text=Download')
    const saved = (await page.until("/Saved as (.+[.]txt)/.exec(document.querySelector('.toast')?.innerText)?.[1]"))
    expect(fs.readFileSync(saved, 'utf8'), canary, 'downloaded')
    expect(fs.statSync(saved).mode & 0o777, 0o600, 'its mode')
    await more('Rename')
    await page.focus('Name')
    await page.type('Omega.txt')
    await page.press('Enter')
    await page.until("document.querySelector('.detail h1').innerText == 'Omega.txt'")
    await page.press('Escape')
    await page.until("!document.querySelector('.detail')")
    await page.until(row('dropped.txt'))
    await page.evaluate(`${row('dropped.txt')}.querySelector('.title').focus()`)
    await page.press('Delete')
    await page.has('File deleted.')
    await page.until(`!${row('dropped.txt')}`)
    await page.click('.toast button')
    await page.until(row('dropped.txt'))
    await swipe('dropped.txt', -220)
    await page.until(`!${row('dropped.txt')}`)
    await more('Deleted files')
    await page.click('.detail .row button=text=Restore')
    await page.until("!document.querySelector('.detail .row')")
    await open('files')
    await page.until(row('dropped.txt'))
  },

  async 'a PDF is shown; the progress of an upload is there on return'({ place }) {
    await choose(page, file(place, 'paper.pdf', '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'))
    await page.has('Files added: 1')
    await enter('paper.pdf')
    await page.until("document.querySelector('.detail iframe.document')?.src.startsWith('blob:')")
    await open('files')
    // Pieces wait until the screen was left and is there again.
    await page.evaluate("globalThis.real = fetch; globalThis.waits = new Promise(done => { globalThis.give = done }); globalThis.fetch = async (...all) => { if (String(all[0]).includes('?offset=')) await waits; return real(...all) }; 0")
    await choose(page, file(place, 'slow.bin', Buffer.alloc(5 << 20, 3)))
    await page.until("document.querySelector('.progress progress')?.checkVisibility()")
    await open('tasks')
    await page.until("!document.querySelector('.progress')")
    await open('files')
    await page.until("document.querySelector('.progress progress')?.checkVisibility()")
    await page.evaluate('give(); globalThis.fetch = real; 0')
    await page.has('Files added: 1')
    await page.until(`${row('slow.bin')} && !document.querySelector('.progress progress')`)
  },

  async 'S8 a protected file: verified, and away with Esc'() {
    await enter('Omega.txt')
    await page.has(canary)
    await more('Protect')
    await verifiedFor(page, "document.querySelector('.detail .placeholder')")
    if ((await html(page)).includes(canary)) throw new Error('the content stayed')
    await page.click('.detail .placeholder button=text=Show')
    await verifiedFor(page, shows(canary))
    await page.press('Escape')
    if ((await html(page)).includes(canary)) throw new Error('the content stayed after Esc')
    await open('files')
  },

  async 'secrets: added with a made password, found, shown, hidden'({ place }) {
    await open('secrets')
    await page.has('No secrets yet.')
    await page.click('button=text=Add a secret')
    await page.focus('Service')
    await page.type('mail.example')
    await page.focus('Account')
    await page.type('ada')
    await page.click('dialog button=text=Generate')
    const made = await page.until("document.querySelectorAll('dialog input')[2].value")
    expect(made.length, 24, 'length')
    await page.click('dialog button=text=Add')
    await page.until("document.querySelector('.detail h1')?.innerText == 'mail.example'")
    expect((await place.run('secret', 'get', 'mail.example', 'ada')).trim(), made)
    if ((await html(page)).includes(made)) throw new Error('the password is in the document')
    await page.click('.detail button=text=Show: Password')
    await page.has(made)
    await page.until("document.querySelector('.detail .countdown')")
    expect(await page.evaluate('location.hash.includes("mail")'), false, 'the address has the name')
    await page.press('Escape')
    await page.hasNot(made)
    await open('secrets')
    await page.press('/')
    await page.type('nothing like it')
    await page.has('Nothing matches.')
    await page.press('Escape')
    await page.until(row('mail.example'))
  },

  async 'secrets: a protected one; hidden page, lock'({ place, browser }) {
    await page.click('button=text=Add')
    await page.focus('Service')
    await page.type('bank.example')
    await page.focus('Account')
    await page.type('ada')
    await page.focus('Password')
    await page.type(canary)
    await page.click('dialog .switch')
    await page.click('dialog button=text=Add')
    await page.until("document.querySelectorAll('dialog').length == 2 || document.querySelector('.detail h1')?.innerText == 'bank.example'")
    if (await page.evaluate("document.querySelectorAll('dialog').length == 2")) { await page.type(passphrase); await page.press('Enter') }
    await page.until("document.querySelector('.detail h1')?.innerText == 'bank.example'", 10000)
    const show = async () => {
      await page.click('.detail button=text=Show: Password')
      await verifiedFor(page, shows(canary))
    }
    await show()
    const other = await browser.page()
    await other.send('Page.bringToFront')
    await page.until('document.hidden')
    if ((await html(page)).includes(canary)) throw new Error('the value stayed in a hidden page')
    await other.close()
    await page.send('Page.bringToFront')
    await page.until('!document.hidden')
    await show()
    await place.run('lock')
    await page.has('Enter password')
    if ((await html(page)).includes(canary)) throw new Error('the value stayed after the lock')
    await unlock(page)
  },

  async 'secrets: copied by the page, which clears at its next focus'() {
    await page.send('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] }).catch(() => {})
    await open('secrets')
    await page.evaluate("import('/core.js').then(({ state }) => { state.clipboard = false })")
    await page.until(row('mail.example'))
    await page.evaluate(`${row('mail.example')}.querySelector('button.plain').click()`)
    await page.has('Copied. The clipboard is cleared when you come back to this page.')
    expect((await page.evaluate('navigator.clipboard.readText()')).length, 24, 'copied')
    // A browser may refuse at the first focus.
    await page.evaluate("(() => { const real = navigator.clipboard.writeText; navigator.clipboard.writeText = async () => { navigator.clipboard.writeText = real; throw new DOMException('', 'NotAllowedError') }; dispatchEvent(new Event('focus')) })()")
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await page.has('The clipboard is cleared.')
    expect(await page.evaluate('navigator.clipboard.readText()'), '')
  },

  async 'secrets: a code with its countdown, fields, tags, history, trash'({ place }) {
    await enter('mail.example')
    await page.click('.detail button=text=Add a field')
    await page.evaluate("document.querySelector('dialog select').value = 'totp'")
    await page.focus('Value')
    await page.type('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    await page.click('dialog button=text=Save')
    await page.click('.detail button=text=Show: Code')
    await page.until("/^\\d{3} \\d{3}$/.test(document.querySelector('.totp code')?.innerText) && /^\\d+ s$/.test(document.querySelector('.totp small').innerText)")
    await page.click('.detail button=text=Hide: Code')
    await page.until("!document.querySelector('.totp')")
    await page.click('.detail button=text=Edit')
    await page.focus('Tags')
    await page.type('work mail')
    await page.focus('Label')
    await page.type('Mail')
    await page.click('dialog button=text=Save')
    await page.until("document.querySelector('.detail h1')?.innerText == 'Mail'")
    await page.has('#work')
    const before = (await place.run('secret', 'get', 'mail.example', 'ada')).trim()
    await page.evaluate(`${row('Password')}.querySelector('.more').click()`)
    await page.click('dialog.menu button=text=Change')
    await page.focus('Value')
    await page.type('another one')
    await page.click('dialog button=text=Save')
    await page.until("!document.querySelector('dialog')")
    expect((await place.run('secret', 'get', 'mail.example', 'ada')).trim(), 'another one')
    await page.evaluate(`${row('Password')}.querySelector('.more').click()`)
    await page.click('dialog.menu button=text=Earlier values')
    await verifiedFor(page, "[...document.querySelectorAll('dialog button')].some(each => each.innerText == 'Restore')")
    await page.click('dialog button=text=Restore')
    await page.has('Restored.')
    expect((await place.run('secret', 'get', 'mail.example', 'ada')).trim(), before)
    await more('Delete')
    await page.has('Secret deleted.')
    await page.until(`!${row('mail.example')}`)
    await more('Deleted secrets')
    await page.until("document.querySelector('.detail .row')")
    await open('secrets')
    await page.click('.toast button').catch(() => place.run('secret', 'restore', 'mail.example', 'ada'))
    await page.until(row('Mail'))
  },

  async 'S12 Change password in a dialog: a mismatch starts over'() {
    await open('settings')
    const step = async (text, button) => { await page.until(`document.querySelector('dialog button.main')?.innerText == '${button}'`); await page.type(text); await page.press('Enter') }
    const change = async (old, fresh) => {
      await page.until("document.querySelectorAll('.toggle').length > 10")
      await page.click('button=text=Change password')
      await step(old, 'Enter password')
      expect(await page.evaluate("document.querySelectorAll('dialog input').length"), 1, 'one field')
      await step(fresh, 'Create password')
      await step('not the same', 'Repeat password')
      await page.has('The two passwords differ. Start over.')
      await step(fresh, 'Create password')
      await step(fresh, 'Repeat password')
      await page.until("!document.querySelector('dialog')", 20000)
      await page.has('The password is changed.')
    }
    await change(passphrase, 'another quiet heron')
    await page.until("document.querySelector('.pill')", 10000)
    await page.click('.pill')
    await unlock(page, 'another quiet heron')
    await open('settings')
    await change('another quiet heron', passphrase)
  },

  async 'settings: changed and kept; the command line changes them live'({ place }) {
    await open('settings')
    const select = "[...document.querySelectorAll('.toggle')].find(each => each.innerText.includes('Lock without use after')).querySelector('select')"
    await page.until(`${select}.value == '15m'`)
    await page.evaluate(`(() => { const select = ${select}; select.value = '5m'; select.dispatchEvent(new Event('change')) })()`)
    await page.until("!document.querySelector('dialog')")
    for (let n = 0; (await place.json('settings', 'list')).idle_limit != 300; n++) { if (n > 20) throw new Error('not kept'); await pause(100) }
    await page.evaluate('document.activeElement.blur()')
    await place.run('settings', 'set', 'snooze', '30m')
    await page.until("[...document.querySelectorAll('.toggle')].find(each => each.innerText.includes('Later means')).querySelector('select').value == '30m'")
  },

  async 'theme and language are settings of the vault: at once, after a lock, in a new page; each setting is explained'({ place, browser }) {
    await open('settings')
    await page.until("document.querySelectorAll('.controls .toggle').length > 25")
    expect(await page.evaluate("[...document.querySelectorAll('.controls .toggle .words')].filter(each => !/^[A-Z].*[.]$/.test(each.querySelector('small')?.innerText)).map(each => each.innerText)"), [], 'without an explanation')
    const line = name => `[...document.querySelectorAll('.controls .toggle')].find(each => each.innerText.startsWith('${name}\\n'))`
    const set = (name, value) => page.evaluate(`(() => { const choice = ${line(name)}.querySelector('select'); choice.focus(); choice.value = '${value}'; choice.dispatchEvent(new Event('change')) })()`)
    const look = "[document.documentElement.lang, getComputedStyle(document.documentElement).backgroundColor].join(' ')", light = 'rgb(246, 245, 242)', dark = 'rgb(22, 21, 19)'
    expect(await page.evaluate(look), `en ${light}`, 'as the browser')
    await set('Theme', 'dark')
    await page.until(`${look} == 'en ${dark}'`)
    await set('Language', 'uk')
    await page.until(`${look} == 'uk ${dark}' && document.querySelector('.list h1')?.innerText == 'Параметри'`)
    // The choice keeps the focus, and all is in Ukrainian.
    await page.until("document.activeElement.matches('select') && document.activeElement.value == 'uk'")
    expect(await page.evaluate("[...document.querySelectorAll('nav .word, .list h2, .controls .words')].map(each => each.innerText).filter(each => /[a-z]{4}/.test(each.replace(/docker|swap|D-Bus|TaskVault|https?:.*|taskvault/gi, '')))"), [], 'in English')
    const { theme, language } = await place.json('settings', 'list')
    expect([theme, language], ['dark', 'uk'])
    await page.click('.pill')
    await page.has('Ввести пароль')
    // A new page follows its browser until the vault is open.
    const other = await browser.page()
    await other.go(await place.url())
    await other.has('Enter password')
    expect(await other.evaluate(look), `en ${light}`, 'before the unlock')
    await unlock(other)
    await other.until(`${look} == 'uk ${dark}' && document.querySelector('.list h1')?.innerText == 'Завдання'`)
    await other.close()
    await page.send('Page.bringToFront')
    // Changed in the terminal: the page follows.
    for (const name of ['theme', 'language']) await place.run('settings', 'unset', name)
    await page.until(`${look} == 'en ${light}' && document.querySelector('.list h1')?.innerText == 'Settings'`)
  },

  async 'passkeys: added, used, renamed, revoked'() {
    await page.send('WebAuthn.enable', { enableUI: false })
    await authenticator()
    await page.click('button=text=Add a passkey')
    await page.focus('Name')
    await page.type('this machine')
    await page.focus('Password')
    await page.type(passphrase)
    await page.press('Enter')
    await page.until("!document.querySelector('dialog')", 20000)
    await page.has('this machine')
    await page.click('.pill')
    await page.click('button=text=Use a passkey')
    await page.until("document.querySelector('nav')", 10000)
    await open('settings')
    await page.until(row('this machine'))
    await page.click('button=text=Rename a passkey')
    await page.focus('Name')
    await page.type('the old laptop')
    await page.press('Enter')
    await page.until("!document.querySelector('dialog')", 20000)
    await page.until(row('the old laptop'))
    expect(await page.evaluate(`${row('the old laptop')}.querySelector('button.danger').innerText`), 'Revoke')
    await page.evaluate(`${row('the old laptop')}.querySelector('button.danger').click()`)
    await page.focus('Password')
    await page.type(passphrase)
    await page.press('Enter')
    await page.until("!document.querySelector('dialog')", 20000)
    await page.until(`!${row('the old laptop')}`)
  },

  async 'S6 the server, an account, signing in'({ place }) {
    server = await authServer(place)
    await open('settings')
    const line = "[...document.querySelectorAll('.toggle')].find(each => each.innerText.startsWith('Server\\n'))"
    await page.until(line)
    await page.evaluate(`${line}.querySelector('button').click()`)
    await page.focus('Server')
    await page.type(server.url)
    await page.click('dialog button=text=Save')
    await page.click('button=text=Create an account')
    await page.focus('E-mail')
    await page.type('ada@example.org')
    await page.focus('Password')
    await page.type('seven grey owls listen')
    await page.click('dialog button.main')
    await page.until("!document.querySelector('dialog')", 20000)
    if (!await page.until("document.body.innerText.includes('Sign out')", 2000).catch(() => false)) {
      await page.click('button=text=Sign in')
      await page.focus('E-mail')
      await page.type('ada@example.org')
      await page.focus('Password')
      await page.type('seven grey owls listen')
      await page.click('dialog button.main')
    }
    await page.has('Sign out')
    await page.has('ada@example.org')
  },

  async 'S15 a message arrives without a reload, and without taskvault services'({ place }) {
    await place.run('inbox', 'enable')
    const address = file(place, 'address.json', await place.run('inbox', 'address', '--for', 'Olena', '--json'))
    await place.run('inbox', 'send', address, '--title', 'sent over the network')
    await page.until("document.querySelector('.banner strong')?.innerText == 'sent over the network'", 30000)
    await page.press('Escape')
  },

  async 'an address for a sender stays until Done: copy, print, file, QR code; it is revoked'({ place }) {
    await open('settings')
    await page.until("[...document.querySelectorAll('button')].some(each => each.innerText == 'Make an address')")
    await page.click('button=text=Make an address')
    await page.focus('Sender')
    await page.type('Maria')
    await page.click('dialog button=text=Make an address')
    const address = await page.until("document.querySelector('dialog.held .recovery')?.textContent", 20000)
    expect(JSON.parse(address) instanceof Object, true)
    expect(await page.evaluate("[Boolean(document.querySelector('dialog .qr')), ...[...document.querySelectorAll('dialog button')].map(each => each.innerText)]"), [true, 'Copy', 'Print', 'Save as a file', 'Done'])
    await page.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: place.home })
    await page.click('dialog button=text=Save as a file')
    for (let n = 0; !fs.existsSync(path.join(place.home, 'Maria.json')) || fs.readFileSync(path.join(place.home, 'Maria.json'), 'utf8') != address + '\n'; n++) { if (n > 100) throw new Error('no file'); await pause(50) }
    await page.evaluate("import('/core.js').then(({ tell }) => tell('hide'))")
    await place.run('lock')
    await page.has('Enter password')
    expect(await page.evaluate("document.querySelector('dialog.held .recovery')?.textContent"), address, 'after a lock')
    await page.click('dialog button=text=Done')
    await page.until("!document.querySelector('dialog')")
    await unlock(page)
    await open('settings')
    await page.until(row('Maria'))
    await page.evaluate(`${row('Maria')}.querySelector('button.danger').click()`)
    await page.has('The sender can send no more.')
    await page.click('dialog button=text=Revoke')
    await page.until(`!${row('Maria')}`)
    expect((await place.json('inbox', 'senders')).map(each => each.name), ['Olena'])
  },

  async 'S6 sessions: device, first and last use, network; one is ended, then all'() {
    const ask = (path, headers, body) => fetch(server.url + path, { method: body ? 'POST' : 'GET', headers, body })
    const signedIn = await ask('/oauth/token', {}, new URLSearchParams({ grant_type: 'password', client_id: 'taskvault', username: 'ada@example.org', password: 'seven grey owls listen', device_name: 'the old laptop' }))
    // An event of a later server, by a name that all objects have.
    await page.evaluate("globalThis.real = fetch; globalThis.fetch = async (...all) => { const answer = await real(...all); if (!String(all[0]).includes('account/events')) return answer; const { result } = await answer.json(); return Response.json({ result: [...result, { ...result[0], action: 'constructor' }] }) }; 0")
    const token = (await signedIn.json()).access_token, allowed = async () => (await ask('/account', { Authorization: `Bearer ${token}` })).status
    expect(await allowed(), 200, 'the other device')
    await page.click('button=text=Sessions and devices')
    await page.until(row('the old laptop'))
    const texts = await page.evaluate(`[...document.querySelectorAll('.detail .group')].map(each => each.innerText)`)
    expect(texts.length, 3, 'this device, others, and events')
    for (const word of ['New device', 'the old laptop', 'constructor']) expect(texts[2].includes(word), true, word)
    for (const word of ['This device', 'Last use: ', 'First use: ', '127.0.0.0/24']) expect(texts[0].includes(word), true, word)
    await page.click('.detail button=text=End: the old laptop')
    await page.click('dialog button=text=Cancel')
    expect(await allowed(), 200, 'after Cancel')
    await page.click('.detail button=text=End: the old laptop')
    await page.has('The device asks for the password again.')
    await page.click('dialog button=text=End')
    // The events still name it.
    await page.until("![...document.querySelectorAll('.detail .group')].slice(0, -1).some(each => each.innerText.includes('the old laptop'))")
    expect(await allowed(), 401, 'the ended session')
    await page.evaluate('globalThis.fetch = real; 0')
    await page.click('.detail button=text=End all sessions')
    await page.click('dialog button=text=End')
    await page.until("!document.querySelector('.detail')")
    await page.click('button=text=Sign in')
    await page.focus('E-mail')
    await page.type('ada@example.org')
    await page.focus('Password')
    await page.type('seven grey owls listen')
    await page.click('dialog button.main')
    await page.has('Sign out')
  },

  async 'S6 a second factor: an app, its form at a sign-in, a passkey, and its end'() {
    const submit = async () => { await page.click('dialog button.main'); await page.until("!document.querySelector('dialog')", 20000) }
    const signInAgain = async () => {
      await page.click('button=text=Sessions and devices')
      await page.click('.detail button=text=End all sessions')
      await page.click('dialog button=text=End')
      await page.until("!document.querySelector('.detail')")
      await page.click('button=text=Sign in')
      await page.focus('E-mail')
      await page.type('ada@example.org')
      await page.focus('Password')
      await page.type('seven grey owls listen')
      await page.click('dialog button.main')
      await page.has('The server does not know this device yet.')
    }
    await page.has('The password alone signs in.')
    await page.click('button=text=Add an authenticator app')
    const secret = await page.until("document.querySelector('dialog .recovery')?.textContent", 20000)
    await page.focus('Code that the app shows')
    await page.type(oneTimeCode(secret))
    await page.focus('Password')
    await page.type('seven grey owls listen')
    await page.click('dialog button.main')
    await page.has('Each signs in once in place of the second factor.')
    const codes = (await page.evaluate("document.querySelector('dialog .recovery').innerText")).split('\n')
    expect([codes.length, /^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/.test(codes[0])], [10, true], 'recovery codes')
    await page.click('dialog button=text=Done')
    await page.has('10 recovery codes left')
    await signInAgain()
    await page.focus('Code or recovery code')
    await page.type('AAAA-BBBB-CCCC-DDDD')
    await page.click('dialog button.main')
    await page.has('The code is wrong or was used.')
    await page.evaluate("(() => { const field = document.querySelector('dialog input'); field.focus(); field.select() })()")
    await page.type(codes[0])
    await submit()
    await page.has('9 recovery codes left')
    await page.click('button=text=Add a passkey to the account')
    await page.focus('Password')
    await page.type('seven grey owls listen')
    await page.focus('Code or recovery code')
    await page.type(codes[1])
    await submit()
    await page.has('8 recovery codes left')
    await signInAgain()
    await page.click('dialog button=text=Use a passkey')
    await page.until("!document.querySelector('dialog')", 20000)
    await page.has('8 recovery codes left')
    for (const left of [1, 0]) {
      await page.evaluate(`${row(left ? 'Authenticator app' : 'Passkey')}.querySelector('button.danger').click()`)
      await page.focus('Password')
      await page.type('seven grey owls listen')
      await page.click('dialog button=text=Use a passkey')
      await page.until("!document.querySelector('dialog')", 20000)
      if (left) await page.until(`!${row('Authenticator app')}`)
    }
    await page.has('The password alone signs in.')
  },

  async 'S16 checklists: save, the saved list, its detail without a network, swipe'({ place }) {
    await open('checklists')
    await page.click('button=text=Save: Before a journey')
    await page.until("document.querySelector('button[aria-label=\"Remove: Before a journey\"]')")
    await open('saved')
    await page.until(row('Before a journey'))
    await server.stop()
    await enter('Before a journey')
    await page.has('Valid for six months.')
    expect(await page.evaluate("document.querySelector('.detail a.link').href"), 'https://pictures.example.org/journey.jpg', 'the address of the picture')
    expect(await page.evaluate("document.querySelectorAll('.detail img').length"), 0, 'the picture itself is not kept')
    await page.press('Escape')
    await page.until("!document.querySelector('.detail')")
    await swipe('Before a journey', -220)
    await page.has('Nothing is saved yet.')
    expect(await place.json('checklist', 'list', '--saved'), [])
  },

  async 'S17 allow saving: off removes what is saved; Save says so with OK'({ place }) {
    await server.start()
    await open('checklists')
    await page.click('button=text=Save: Before a journey')
    await page.until("document.querySelector('button[aria-label=\"Remove: Before a journey\"]')")
    await open('settings')
    const saving = "[...document.querySelectorAll('.toggle')].find(each => each.innerText.includes('Allow saving'))"
    await page.until(saving)
    await page.evaluate(`${saving}.querySelector('input').click()`)
    await page.has('Everything saved is erased.')
    await page.click('dialog button=text=Switch off')
    await page.until("!document.querySelector('dialog')")
    for (let n = 0; (await place.json('checklist', 'list', '--saved')).length; n++) { if (n > 20) throw new Error('still saved'); await pause(100) }
    await open('checklists')
    await page.click('button=text=Save: Before a journey')
    await page.has('Allow saving in the settings first.')
    await page.click('dialog button=text=OK')
    await page.until("!document.querySelector('dialog')")
    await server.stop()
  },

  async 'S21 from a small phone to a desktop'() {
    const id = await page.evaluate("import('/server.js').then(({ api }) => api.get('inbox')).then(all => all[0].id)")
    for (const [width, height] of [[320, 568], [844, 390], [768, 1024], [1440, 900]]) {
      await page.look({ width, height, touch: width < 1024 })
      for (const hash of ['inbox', `inbox/${id}`, 'picture', 'files', 'files/removed', 'checklists', 'saved', 'secrets', 'secrets/1', 'secrets/removed', 'settings', 'settings/sessions']) {
        await open(hash)
        await pause(80)
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${hash} fits ${width} px`)
      }
    }
    await page.look({})
  },

  async 'wrong host, origin, bearer: refused'() {
    const { host, port } = await page.evaluate('({ host: location.host, port: location.port })')
    const ask = (address, headers, method = 'GET') => new Promise(done => {
      const request = http.request({ host: address, port, path: '/api/secrets', method, headers }, answer => { answer.resume(); done(answer.statusCode) })
      request.on('error', () => done('refused'))
      request.end()
    })
    const same = { Host: host, 'Sec-Fetch-Site': 'same-origin' }
    for (const address of ['127.0.0.1', '::1']) {
      for (const other of ['evil.example', 'taskvault.localhost', `a.${host.split(':')[0]}`]) expect(await ask(address, { ...same, Host: `${other}:${port}` }), 403, other)
      expect(await ask(address, { ...same, 'Sec-Fetch-Site': 'cross-site' }), 403, 'site')
      expect(await ask(address, { ...same, Origin: `http://taskvault.localhost:${port}` }, 'POST'), 403, 'origin')
      expect(await ask(address, { ...same, Authorization: 'Bearer of-somebody-else' }), 401, 'bearer')
    }
  },

  async 'nothing of it is in the browser\'s profile'({ place }) {
    expect(faults(page), [], 'errors and violations of the page')
    const browser = await chromium(), first = await browser.page()
    await first.go(await place.url())
    await first.until("document.querySelector('nav') || document.querySelector('main.start input')")
    if (await first.evaluate("Boolean(document.querySelector('main.start'))")) await unlock(first)
    await first.evaluate("location.hash = '#secrets'")
    await first.until("[...document.querySelectorAll('.row')].some(each => each.innerText.includes('bank.example'))")
    await first.evaluate("[...document.querySelectorAll('.row')].find(each => each.innerText.includes('bank.example')).querySelector('.title').click()")
    await first.click('.detail button=text=Show: Password')
    await verifiedFor(first, shows(canary))
    await first.evaluate("location.hash = '#files'")
    await first.until("document.querySelector('.row img.thumb')")
    await pause(500)
    await browser.close({ keep: true })
    const names = fs.readdirSync(browser.profile, { recursive: true, withFileTypes: true }).filter(each => each.isFile()).map(each => path.join(each.parentPath ?? each.path, each.name))
    if (names.length < 10) throw new Error('the profile is empty')
    const thumb = picture(300).subarray(0, 60)
    const hits = names.filter(name => { const data = fs.readFileSync(name); return [canary, passphrase, 'bank.example', thumb].some(each => data.includes(each) || typeof each == 'string' && data.includes(Buffer.from(each, 'utf16le'))) })
    fs.rmSync(browser.profile, { recursive: true, force: true })
    expect(hits, [], 'files of the profile')
  },
})

// flows.mjs: what the owner asked for in Start, Tasks and Statistics, done in Chromium with the real programs. One home for all, in this order.
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { chromium, pause } from './chromium.mjs'
import { answering, attempt, expect, faults, html, passphrase, shows, unlock, verifiedFor, verify } from './world.mjs'

const canary = 'zimtstern-canary-48151623'
let page, code
const rows = () => page.evaluate("[...document.querySelectorAll('.list .row')].map(each => each.querySelector('.text').innerText)")
const row = name => `.list .row[data-key="${name}"]`
const idOf = name => page.until(`[...document.querySelectorAll('.list .row')].find(each => each.querySelector('.text').innerText == ${JSON.stringify(name)})?.dataset.key`)
const list = () => page.evaluate("document.querySelector('nav a[href=\"#tasks\"]').click()").then(() => page.until("!document.querySelector('.detail')"))

/// Adds a task by the screen for it.
async function add(name, more = async () => {}) {
  await list()
  await page.press('n')
  await page.has('New task')
  await page.focus('Name')
  await page.type(name)
  await more()
  await page.click('.task-form button=text=Add')
}
const due = value => page.evaluate(`(() => { const control = document.querySelector('.task-form .pair'); control.value = '${value}'; control.day.dispatchEvent(new Event('input', { bubbles: true })) })()`)

await attempt({
  async 'S10 create, repeat, a mismatch starts over, four characters'({ place, browser }) {
    page = await browser.page()
    await page.go(await place.url())
    await page.has('Create password')
    expect(await page.evaluate("document.querySelectorAll('main .form input, main .form button').length"), 2, 'one field and one button')
    expect(await page.evaluate("[...document.querySelectorAll('form, input')].map(each => [each.autocomplete, each.type, getComputedStyle(each).webkitTextSecurity, each.spellcheck])"), [['off', 'text', 'disc', false]], 'filled in or saved by the browser')
    await page.type('abc')
    await page.press('Enter')
    await page.has('At least 4 characters.')
    await page.type(passphrase)
    await page.until("document.querySelector('.strength.strong, .strength.fair, .strength.weak')")
    await page.press('Enter')
    await page.has('Repeat password')
    await page.type('another one')
    await page.press('Enter')
    await page.has('The two passwords differ. Start over.')
    await page.has('Create password')
    await page.type(passphrase)
    await page.press('Enter')
    await page.has('Repeat password')
    await page.type(passphrase)
    await page.press('Enter')
    code = await page.until("document.querySelector('.recovery')?.textContent", 20000)
    // What a new owner must know: three cards, the third with the code.
    expect(await page.evaluate("[...document.querySelectorAll('main.start section h2')].map(each => each.innerText)"), ['What is encrypted', 'Where it is', 'How to get back in'])
    expect(await page.evaluate("[...document.querySelectorAll('main.start section')].map(each => Boolean(each.querySelector('.recovery')))"), [false, false, true])
    await page.has(`In ${place.home}/vault on this machine.`)
    await page.click('button=text=I have written it down')
    await page.has('No tasks yet.')
    if ((await html(page)).includes(code)) throw new Error('the recovery code is still there')
  },

  async 'S10 enter, a wrong password, the recovery code'() {
    await page.click('.pill')
    await page.has('Enter password')
    await page.hasNot('How to get back in')
    await page.type('not this one')
    await page.press('Enter')
    await page.has('The password is wrong.')
    await page.click('button=text=Recovery code')
    await page.type(code)
    await page.press('Enter')
    // At once a new password, without the old one; *Later* keeps the old one.
    await page.has('Choose a new password')
    await page.click('button=text=Later')
    await page.has('No tasks yet.')
    await page.click('.pill')
    await unlock(page)
    await page.has('No tasks yet.')
  },

  async 'S3 S18 add by the screen; Cancel adds nothing'() {
    await page.click('button=text=Add a task')
    await page.focus('Name')
    await page.type('never added')
    await page.click('button=text=Cancel')
    await page.has('No tasks yet.')
    await add('buy milk')
    await page.until("!document.querySelector('.task-form')")
    await page.has('buy milk')
    await add('water the plants', () => due('2030-05-01T09:00'))
    await page.has('water the plants')
    expect((await rows()).includes('never added'), false)
  },

  async 'S1 S3 mark, unmark, delete by key, undo'({ place }) {
    const id = await idOf('buy milk')
    await page.click(`${row(id)} .tick`)
    await page.until(`document.querySelector('${row(id)}.done')`)
    await page.until(`getComputedStyle(document.querySelector('${row(id)} .text')).textDecorationLine == 'line-through'`)
    await page.until("/1 done in the last 24 hours/.test(document.querySelector('.below').innerText)")
    await page.evaluate(`document.querySelector('${row(id)} .title').focus()`)
    await page.press(' ')
    await page.until(`!document.querySelector('${row(id)}.done')`)
    // At once, while the other command may still run: it begins when that has ended.
    await page.evaluate(`document.querySelector('${row(id)} .title').focus()`)
    await page.press('Delete')
    await page.has('Task deleted.')
    await page.until(`!document.querySelector('${row(id)}')`)
    expect((await place.json('task', 'list')).some(each => each.name == 'buy milk'), false, 'deleted')
    await page.click('.toast button')
    await idOf('buy milk')
  },

  async 'S3 delete by swipe'() {
    await page.look({ width: 390, height: 844, touch: true })
    await page.evaluate("globalThis.asked = []; globalThis.real = fetch; globalThis.fetch = (...all) => { asked.push(all[0]); return real(...all) }; 0")
    await page.swipe('.list .row .text=text=buy milk', -60)
    await page.until("!document.querySelector('.drawn')")
    expect(await page.evaluate("asked.filter(each => each.includes('remove'))"), [], 'after a short swipe')
    await page.swipe('.list .row .text=text=buy milk', -220)
    await page.until("asked.includes('/api/tasks/remove')")
    await page.evaluate('globalThis.fetch = real; 0')
    await page.has('Task deleted.')
    await page.click('.toast button')
    await idOf('buy milk')
    await page.look({})
  },

  async 'S1 S3 S4 steps: add, mark, remind, delete; the reminder of the task'({ place }) {
    const id = await idOf('water the plants'), stored = async () => (await place.json('task', 'show', id))
    await page.click(`${row(id)} .title`)
    await page.until("document.querySelector('.add-step input')")
    await page.evaluate("document.querySelector('.add-step input').focus()")
    await page.type('find the can')
    await page.press('Enter')
    await page.has('find the can')
    await page.type('fill it')
    await page.press('Enter')
    await page.has('fill it')
    await page.click('.detail input=text=Done: find the can')
    await page.until("document.querySelector('.detail .row.done')")
    await page.click('.detail .toggle .switch')
    await page.until("document.querySelector('.detail .toggle .switch').checked && /at /.test(document.querySelector('.detail .toggle').innerText)")
    expect(Boolean((await stored()).reminder), true, 'the reminder is on')
    await page.click('.detail .toggle .switch')
    await page.until("!/at /.test(document.querySelector('.detail .toggle').innerText)")
    expect((await stored()).reminder, null, 'the reminder is off')
    // A step without a time asks for one first.
    await page.click('.detail input=text=Remind me: fill it')
    await page.has('When?')
    await page.evaluate("document.querySelector('dialog .pair').value = '2030-04-30T18:00'")
    await page.click('dialog button=text=Save')
    await page.until("!document.querySelector('dialog[open]') && [...document.querySelectorAll('.detail .row .switch')].some(each => each.checked)")
    expect(Boolean((await stored()).subtasks[1].reminder), true, 'the reminder of the step')
    await page.until("document.querySelectorAll('.detail .row')[1].innerText.includes('2030')")
    await page.evaluate("document.querySelectorAll('.detail .row .title')[0].focus()")
    await page.press('Delete')
    await page.has('Step deleted.')
    await page.until("document.querySelectorAll('.detail .row').length == 1")
  },

  async 'edit: name, list, tags, priority, repeat'({ place }) {
    const id = await idOf('water the plants')
    await page.evaluate(`location.hash = '#tasks/${id}/edit'`)
    await page.has('Edit task')
    await page.focus('Name')
    await page.type('water all plants')
    await page.focus('List')
    await page.type('home')
    await page.focus('Tags')
    await page.type('garden green')
    await page.evaluate("(() => { const field = label => [...document.querySelectorAll('.task-form label')].find(each => each.innerText == label).control; field('Repeat').value = 'weekly'; field('Priority').value = 'high' })()")
    await page.click('.task-form button=text=Save')
    await page.until("!document.querySelector('.task-form') && document.querySelector('.detail')")
    const { name, list: of, tags, priority, repeat } = await place.json('task', 'show', id)
    expect([name, of, tags, priority, repeat], ['water all plants', 'home', ['garden', 'green'], 'high', 'FREQ=WEEKLY'])
    await page.until("[...document.querySelectorAll('nav .side .word')].some(each => each.innerText == 'home')")
    await list()
  },

  async 'S3 a task that waits is not in the list, and has its details'({ place }) {
    await place.run('task', 'add', 'not yet', '--wait', 'tomorrow')
    const [{ id }] = await place.json('task', 'list', '--waiting')
    await page.evaluate(`location.hash = '#tasks/${id}'`)
    await page.until("document.querySelector('.detail h1')?.innerText == 'not yet'")
    await list()
    expect((await rows()).includes('not yet'), false, 'it is in the list')
    await place.run('task', 'remove', id, '--yes')
  },

  async 'filters, search with /, keys'() {
    await page.click('nav .side button:has(.dot)')
    await page.until("document.querySelectorAll('.list .row').length == 1")
    await page.click('.filters button')
    await page.until("document.querySelectorAll('.list .row').length == 2")
    await page.press('/')
    await page.type('milk')
    await page.until("document.querySelectorAll('.list .row').length == 1")
    await page.press('ArrowDown')
    expect(await page.evaluate("document.activeElement.closest('.row').innerText.includes('milk')"), true, 'the arrow goes to the row')
    await page.press('/')
    await page.press('Escape')
    await page.until("document.querySelectorAll('.list .row').length == 2")
    await page.evaluate("document.querySelector('.list .row .title').focus()")
    await page.press('Enter')
    await page.until("document.querySelector('.detail')")
    await page.press('Escape')
    await page.until("!document.querySelector('.detail')")
  },

  async 'the list changes live with the command line'({ place }) {
    await place.run('task', 'add', 'from the terminal')
    const began = Date.now()
    await page.has('from the terminal')
    if (Date.now() - began > 1000) throw new Error(`after ${Date.now() - began} ms`)
    await place.run('task', 'remove', await idOf('from the terminal'), '--yes').catch(() => {})
  },

  async 'S8 S9 a protected task: lock, verification, Esc, page hidden'({ browser }) {
    await add(canary, async () => {
      await page.click('.toggle=text=Protect\nThe text stays in the vault. The list shows a lock.').catch(() => page.evaluate("document.querySelectorAll('.task-form .switch')[1].click()"))
      await page.focus('Public name')
      await page.type('gift')
    })
    // It asks unless the tests before took less than the two minutes of the verification.
    await page.until("document.querySelector('dialog input.masked') || !document.querySelector('.task-form')")
    if (await page.evaluate("Boolean(document.querySelector('dialog'))")) await verify(page)
    await page.until("!document.querySelector('.task-form')")
    const id = await idOf('gift')
    if ((await html(page)).includes(canary)) throw new Error('the text is in the document')
    await page.click(`${row(id)} button=text=Show: gift`)
    await page.has(canary)
    await page.until("document.querySelector('.countdown')")
    await page.press('Escape')
    await page.hasNot(canary)
    if ((await html(page)).includes(canary)) throw new Error('the text stayed after Esc')
    await page.click(`${row(id)} button=text=Show: gift`)
    await page.has(canary)
    await page.evaluate(`location.hash = '#tasks/${id}'`)
    await page.until("document.querySelector('.detail')")
    await page.click('.detail button=text=Show')
    await page.until("document.querySelector('.add-step input')")
    // A step that is half typed keeps nothing from being hidden.
    await page.evaluate("document.querySelector('.add-step input').focus()")
    await page.type('half a step')
    const other = await browser.page()
    await other.send('Page.bringToFront')
    await page.until("document.hidden")
    if ((await html(page)).includes(canary)) throw new Error('the text stayed in a hidden page')
    await other.close()
    await page.send('Page.bringToFront')
    await page.until("!document.hidden")
    await list()
    await page.click('button=text=More')
    await page.click('dialog button=text=Show all protected tasks')
    await page.has(canary)
    await page.click('.pill')
    await page.has('Enter password')
    if ((await html(page)).includes(canary)) throw new Error('the text stayed after the lock')
    await page.type(passphrase)
    await page.press('Enter')
    await page.has('gift')
    expect(await page.evaluate("[document.title, localStorage.length + sessionStorage.length, document.cookie]"), ['Tasks · TaskVault', 0, ''])
    expect(await page.evaluate('indexedDB.databases().then(all => all.length)'), 0, 'databases of the browser')
    const { entries } = await page.send('Page.getNavigationHistory')
    if (JSON.stringify(entries).includes(canary) || entries.some(each => each.url.includes('token='))) throw new Error('the history has a text or a token')
  },

  async 'S8 a text that is on its way does not come back after Esc'({ place }) {
    const id = await idOf('gift')
    await page.click(`${row(id)} button=text=Show: gift`)
    await verifiedFor(page, shows(canary))
    const { sent, stop } = await answering(page, { [`tasks/${id}`]: async () => { await pause(400); return { id, name: canary, notes: '', subtasks: [], files: [] } } })
    await place.run('task', 'add', 'meanwhile')
    while (!sent.some(each => each.name == `tasks/${id}`)) await pause(20)
    await page.press('Escape')
    await page.hasNot(canary)
    await page.has('meanwhile')
    await pause(600)
    if ((await html(page)).includes(canary)) throw new Error('the text came back')
    await stop()
    await place.run('task', 'remove', await idOf('meanwhile'), '--yes')
  },

  async 'S9 a passkey unlocks and verifies'() {
    await page.send('WebAuthn.enable', { enableUI: false })
    await page.send('WebAuthn.addVirtualAuthenticator', { options: { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true, hasPrf: true } })
    // Registered as Settings does, with the modules of the page.
    await page.evaluate(`(async () => {
      const { api, base64, bytes } = await import('/server.js'), { assertion } = await import('/verify.js')
      const { challenge_base64, rp_id } = await api.post('passkeys/challenge', { purpose: 'register' })
      const made = await navigator.credentials.create({ publicKey: { rp: { id: rp_id, name: 'TaskVault' }, user: { id: crypto.getRandomValues(new Uint8Array(16)), name: 'TaskVault', displayName: 'TaskVault' },
        challenge: bytes(challenge_base64), pubKeyCredParams: [-7, -8, -257].map(alg => ({ type: 'public-key', alg })), authenticatorSelection: { userVerification: 'required', residentKey: 'discouraged' }, extensions: { prf: {} } } })
      const next = await api.post('passkeys/register', { client_data_base64: base64(made.response.clientDataJSON), attestation_object_base64: base64(made.response.attestationObject) })
      await api.secret('passkeys/add', { ...await assertion(next), label: 'this machine', passphrase: ${JSON.stringify(passphrase)} })
      Object.assign((await import('/core.js')).state, await api.get('state'))
    })()`)
    await page.click('.pill')
    await page.click('button=text=Use a passkey')
    await page.has('gift')
    await page.click(`${row(await idOf('gift'))} button=text=Show: gift`)
    await page.until(`document.querySelector('dialog') || document.body.innerText.includes('${canary}')`)
    if (await page.evaluate("Boolean(document.querySelector('dialog'))")) await page.click('dialog button=text=Use a passkey')
    await page.has(canary)
    await page.press('Escape')
  },

  async 'S6 signed in silently, else the form, and again after a wrong password'() {
    const state = await page.evaluate("import('/server.js').then(({ api }) => api.get('state'))")
    const tried = [], again = async () => { await page.click('.pill'); await unlock(page); await page.has('gift') }
    let known = false
    const { stop } = await answering(page, {
      state: () => ({ ...state, server: 'https://tasks.example' }),
      'account/sign-in': body => {
        tried.push(body)
        if (known) return { account: 'o@example.org', state: 'signed_in' }
        if (!body.email) return { error: { code: 'not_signed_in', message: 'not signed in', hint: null } }
        if (body.password != 'right one') return { error: { code: 'server_rejected', message: 'rejected', hint: null } }
        known = true
        return { account: body.email, state: 'signed_in' }
      },
    })
    await again()
    await page.has('To the server https://tasks.example.')
    for (const [password, then] of [['wrong one', () => page.has('The e-mail or the password is wrong.')], ['right one', () => page.until("!document.querySelector('dialog')")]]) {
      await page.focus('E-mail')
      await page.type('o@example.org')
      await page.evaluate("(() => { const field = document.querySelector('dialog input.masked'); field.focus(); field.select() })()")
      await page.type(password)
      await page.press('Enter')
      await then()
    }
    expect(tried.map(each => each.password ?? null), [null, 'wrong one', 'right one'])
    await again()
    await pause(300)
    expect([tried.length, await page.evaluate("document.querySelectorAll('dialog').length")], [4, 0], 'silent')
    await stop()
  },

  async 'S6 on the page of a server that takes no passwords'() {
    const state = await page.evaluate("import('/server.js').then(({ api }) => api.get('state'))"), calls = []
    let outcome = { state: 'waiting' }
    const { stop } = await answering(page, {
      state: () => ({ ...state, server: 'https://tasks.example' }),
      'account/sign-in': () => ({ error: { code: 'needs_browser', message: 'a page', hint: null } }),
      'account/web-sign-in': () => { calls.push('begin'); return { address: 'http://127.0.0.1:9/start', code: 'WDJB-MJHT' } },
      'account/web-sign-in-wait': async () => { await pause(50); return outcome },
      'account/web-sign-in-end': () => { calls.push('end'); return { state: 'ended' } },
    })
    const again = async () => { await page.click('.pill'); await unlock(page); await page.has('Open its page') }
    await again()
    await page.has('WDJB-MJHT')
    expect(await page.evaluate("(({ href, target, rel }) => [href, target, rel])(document.querySelector('dialog a'))"), ['http://127.0.0.1:9/start', '_blank', 'noopener noreferrer'])
    expect(await page.evaluate("document.querySelectorAll('dialog input').length"), 0, 'nothing to type')
    outcome = { error: { code: 'denied', message: 'declined', hint: null } }
    await page.has('The sign-in was declined.')
    await page.click('dialog button=text=Cancel')
    await page.until("!document.querySelector('dialog')")
    outcome = { state: 'waiting' }
    await again()
    outcome = { account: 'o@example.org', state: 'signed_in' }
    await page.until("!document.querySelector('dialog')")
    expect(calls, ['begin', 'end', 'begin'])
    await stop()
  },

  async 'S6 at a server that offers the password grant alone'() {
    const state = await page.evaluate("import('/server.js').then(({ api }) => api.get('state'))")
    let method = 'password_grant'
    const { stop } = await answering(page, {
      state: () => ({ ...state, server: 'https://tasks.example' }),
      'account/sign-in': () => ({ error: { code: 'usage', message: 'missing EMAIL', hint: null } }),
      'account/method': () => ({ method }),
    })
    for (const words of ['https://tasks.example offers only the password grant: this program sends it the password.', 'To the server https://tasks.example.']) {
      await page.click('.pill'); await unlock(page)
      await page.has(words)
      await page.click('dialog button=text=Cancel')
      await page.until("!document.querySelector('dialog')")
      method = 'accounts'
    }
    await stop()
  },

  async 'S18 S20 statistics and back'() {
    const id = await idOf('buy milk')
    await page.click(`${row(id)} .tick`)
    await page.until(`document.querySelector('${row(id)}.done')`)
    await page.click('a=text=Statistics')
    await page.has('completed in the past 24 hours')
    await page.until("document.querySelector('.number')?.innerText == '1'")
    expect(await page.evaluate("document.querySelectorAll('.bars rect').length"), 14, 'bars')
    if (!/: 1[.;]/.test(await page.evaluate("document.querySelector('.bars').getAttribute('aria-label')"))) throw new Error('the bars have no text alternative')
    // Another width has other bars, so that the letters below them keep their size.
    for (const [size, wide] of [[{ width: 390, height: 844 }, 336], [{}, 665]]) {
      await page.look(size)
      await page.until(`document.querySelector('.bars').viewBox.baseVal.width == ${wide}`)
    }
    await page.click('a=text=Back to tasks')
    await page.has('buy milk')
  },

  async 'S19 what was done 24 hours ago clears itself'({ place }) {
    await place.at('23 hours ago', 'task', 'add', 'done lately')
    await place.at('25 hours ago', 'task', 'add', 'done long ago')
    const lately = await idOf('done lately'), longAgo = await idOf('done long ago')
    await place.at('23 hours ago', 'task', 'done', lately)
    await page.until(`document.querySelector('${row(lately)}.done')`)
    await place.at('25 hours ago', 'task', 'done', longAgo)
    await page.until(`!document.querySelector('${row(longAgo)}')`)
    expect((await rows()).includes('done lately'), true, 'cleared too early')
    await place.run('task', 'remove', lately, '--yes')
  },

  async 'S21 mark all as complete; undo'() {
    await page.click('button=text=More')
    await page.click('dialog button=text=Mark all as complete')
    await page.has('All marked as complete.')
    await page.until("document.querySelectorAll('.list .row.done').length >= 2")
    await page.click('.toast button')
    await page.until("document.querySelectorAll('.list .row:not(.done)').length >= 2")
  },

  async 'S21 a reload shows the locked start screen in the same tab, also while the vault is open'({ place }) {
    const headers = []
    const listener = ({ method, params }) => { if (method == 'Network.requestWillBeSent') headers.push(params.request.headers.Authorization) }
    page.listeners.add(listener)
    await page.evaluate("import('/server.js').then(({ api }) => api.get('state')).then(() => 0)")
    const earlierName = await page.evaluate('window.name')
    await page.send('Page.reload')
    await page.has('Enter password')
    await page.hasNot('buy milk')
    page.listeners.delete(listener)
    const { session: { state } } = await place.json('status').then(session => ({ session })), bearer = headers.filter(Boolean)[0]
    expect(state, 'unlocked', 'the vault')
    // Neither the earlier bearer nor that of the held page reads anything; the key works once.
    expect(await page.evaluate(`(async () => {
      const { api } = await import('/server.js'), told = async act => { try { await act(); return 'given' } catch (problem) { return problem.code ?? String(problem) } }
      const earlier = await fetch('/api/tasks', { headers: { Authorization: ${JSON.stringify(bearer)} } })
      return [earlier.status, await told(() => api.get('tasks')), await told(() => api.get('secrets')), window.name == earlierName]
    })()`.replace('earlierName', JSON.stringify(earlierName))), [401, 'locked', 'locked', false])
    await page.type('not this one')
    await page.press('Enter')
    await page.has('The password is wrong.')
    expect(await page.evaluate("import('/server.js').then(({ api }) => api.get('tasks')).then(() => 'given', problem => problem.code)"), 'locked')
    await page.type(passphrase)
    await page.press('Enter')
    await page.has('buy milk')
    // A tab of another site, and a second tab, get no key.
    await page.go('data:text/html,<title>x</title>other')
    expect(await page.evaluate('window.name'), '', 'the name of the tab')
    // Back does not bring the page out of the browser's cache; a browser may restore the name of the tab, and with it the locked screen.
    await page.evaluate('history.back()')
    await page.until("/Open TaskVault again|Enter password/.test(document.body.innerText)")
    if ((await html(page)).includes('buy milk')) throw new Error('a task after Back')
  },

  async 'S21 kept across restarts'({ place }) {
    await page.go(await place.url())
    await page.has('buy milk')
    expect(await page.evaluate('location.hash'), '', 'the token is gone from the address')
    expect(await page.evaluate("Boolean(document.querySelector('link[rel=manifest]'))"), false, 'an offer to install')
  },

  async 'one failed request is no end; what may have been done is not sent again'({ place }) {
    const failing = path => page.evaluate(`(() => { const real = fetch; let left = 1; globalThis.tried = []; globalThis.fetch = (...all) => { if (String(all[0]).startsWith('${path}')) { tried.push(all[0]); if (left-- > 0) return Promise.reject(new TypeError('failed')) } return real(...all) }; globalThis.heal = () => { globalThis.fetch = real } })()`)
    await failing('/api/tasks')
    await place.run('task', 'add', 'after a failure')
    await page.has('after a failure')
    await page.evaluate('heal()')
    const id = await idOf('after a failure')
    await failing('/api/tasks/remove')
    await page.evaluate(`document.querySelector('${row(id)} .title').focus()`)
    await page.press('Delete')
    await page.has('The connection was interrupted. See whether it was done.')
    expect(await page.evaluate("tried.length"), 1, 'sent')
    await page.evaluate('heal()')
    await place.run('task', 'remove', id, '--yes')
    await page.until(`!document.querySelector('${row(id)}')`)
  },

  async 'S21 from a small phone to a desktop, both orientations'() {
    for (const [width, height] of [[320, 568], [390, 844], [844, 390], [768, 1024], [1024, 768], [1440, 900]]) {
      await page.look({ width, height, touch: width < 1024 })
      for (const hash of ['#tasks', '#tasks/new', '#statistics']) {
        await page.evaluate(`location.hash = '${hash}'`)
        await page.until("document.querySelector('.pane').children.length")
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${hash} fits ${width} px`)
      }
    }
    await page.evaluate("location.hash = '#tasks'")
    await page.until("document.querySelectorAll('.list .row').length > 1")
    const ids = await page.evaluate("[...document.querySelectorAll('.list .row')].map(each => each.dataset.key)")
    await page.evaluate(`location.hash = '#tasks/${ids[0]}'`)
    await page.until("document.querySelector('.detail h1')")
    const ground = id => page.evaluate(`getComputedStyle(document.querySelector('${row(id)}')).backgroundColor`)
    if (await ground(ids[0]) == await ground(ids[1])) throw new Error('the open row is not lit beside its detail')
    await page.look({})
    await list()
  },

  async 'a new task is typed in one line; what was understood is shown'({ place }) {
    await add('water the roses tomorrow #garden !high', () => page.has('Understood: water the roses'))
    await page.until("!document.querySelector('.task-form')")
    const task = (await place.json('task', 'list')).find(each => each.name == 'water the roses')
    expect([task?.tags, task?.priority, task?.due?.length], [['garden'], 'high', 10])
    await add('read tomorrow', async () => { await page.has('Understood: read'); await due('2030-05-01') })
    await page.has('given twice')
    await page.click('button=text=Cancel')
    await place.run('task', 'remove', '--yes', task.id)
  },

  async 'two pages: both change live'({ place, browser }) {
    const second = await browser.page()
    await second.go(await place.url())
    await second.has('buy milk')
    await place.run('task', 'add', 'seen by both')
    await page.has('seen by both')
    await second.has('seen by both')
    await second.close()
  },

  async 'a server that cannot prove itself gets no password'() {
    await page.click('.pill')
    await page.has('Enter password')
    const { sent, stop } = await answering(page, { challenge: () => ({ proof_base64: Buffer.alloc(32).toString('base64') }) })
    await page.type(passphrase)
    await page.press('Enter')
    await page.has('Open TaskVault again')
    await stop()
    expect([sent.some(each => each.name == 'challenge'), JSON.stringify(sent).includes(passphrase)], [true, false], 'the password was sent')
  },

  async 'G8 a hostile page on another port gets and changes nothing'({ place, browser }) {
    await page.go(await place.url())
    await page.has('Enter password')
    const address = await page.evaluate('location.origin')
    const server = http.createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end('<!doctype html><title>hostile</title><body>')).listen(0, '127.0.0.1')
    const hostile = await browser.page()
    await hostile.go(`http://taskvault.localhost:${server.address().port}/`)
    const found = await hostile.evaluate(`(async () => {
      const tried = async (path, more) => { try { const answer = await fetch('${address}' + path, more); return answer.type == 'opaque' ? 'opaque' : answer.status } catch { return 'refused' } }
      const frame = document.createElement('iframe')
      frame.src = '${address}/'
      document.body.append(frame)
      await new Promise(done => { frame.onload = done; setTimeout(done, 2000) })
      let read = 'no'
      try { read = frame.contentDocument?.body?.innerText ? 'yes' : 'no' } catch {}
      return [await tried('/api/state'), await tried('/api/tasks', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"name":"planted"}' }), read]
    })()`)
    expect(found, ['refused', 'refused', 'no'])
    // Without reading the answer: a form, and a request whose answer is opaque.
    await hostile.evaluate(`fetch('${address}/api/session/lock', { method: 'POST', mode: 'no-cors', body: 'x' }).catch(() => {})`)
    await hostile.close()
    server.close()
    await page.type(passphrase)
    await page.press('Enter')
    await page.has('buy milk')
    await page.hasNot('planted')
  },

  async 'when the app ends the page clears itself'({ place }) {
    place.crash()
    await page.has('Open TaskVault again')
    const left = await html(page)
    if (left.includes('buy milk') || left.includes('gift')) throw new Error('a text is left')
    expect(faults(page), [], 'errors and violations of the page')
  },

  async 'nothing of it is in the browser\'s profile'({ place }) {
    const browser = await chromium(), first = await browser.page()
    await place.run('lock')
    await first.go(await place.url())
    await unlock(first)
    await first.has('gift')
    await first.click('button=text=Show: gift')
    await verifiedFor(first, shows(canary))
    const bearers = []
    first.listeners.add(({ method, params }) => { if (method == 'Network.requestWillBeSent') bearers.push(params.request.headers.Authorization?.slice(7)) })
    await first.press('Escape')
    await first.evaluate("import('/server.js').then(({ api }) => api.get('state')).then(() => 0)")
    await pause(300)
    await browser.close({ keep: true })
    const wanted = [canary, passphrase, ...bearers.filter(Boolean).slice(0, 1)]
    expect(wanted.length, 3, 'a bearer was seen')
    const names = fs.readdirSync(browser.profile, { recursive: true, withFileTypes: true }).filter(each => each.isFile()).map(each => path.join(each.path, each.name))
    if (names.length < 10) throw new Error('the profile is empty')
    const hits = names.filter(name => { const data = fs.readFileSync(name); return wanted.some(each => data.includes(each) || data.includes(Buffer.from(each, 'utf16le'))) })
    fs.rmSync(browser.profile, { recursive: true, force: true })
    expect(hits, [], 'files of the profile')
  },
})

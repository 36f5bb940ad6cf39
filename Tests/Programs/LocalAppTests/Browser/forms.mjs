// forms.mjs: what is typed and what is shown once stays where the owner needs it, the focus stays on its row, and each text is one of the page's language. In Chromium, with the real programs.
import fs from 'node:fs'
import { pause } from './chromium.mjs'
import { answering, attempt, create, expect, faults, html, passphrase, shows, unlock, visit } from './world.mjs'

let page
const open = hash => visit(page, hash)
const row = text => `[...document.querySelectorAll('.list .row')].find(each => each.innerText.includes(${JSON.stringify(text)}))`
const focused = () => page.evaluate("document.activeElement.closest('.row')?.querySelector('.text').innerText ?? document.activeElement.tagName")
const recovery = "document.querySelector('.recovery')?.textContent"

await attempt({
  async 'a weak password is asked about, one error at a time, which goes while typing'({ place, browser }) {
    page = await browser.page()
    await page.go(await place.url())
    await page.has('Create password')
    await page.press('Enter')
    await page.has('Fill in: Password')
    await page.type('abc')
    await page.hasNot('Fill in: Password')
    await page.has('At least 4 characters.')
    await page.press('Enter')
    await page.until("document.querySelector('.error').textContent")
    expect(await page.evaluate("document.body.innerText.split('At least 4 characters.').length"), 2, 'the error is there once')
    await page.type('password')
    await page.until("!document.querySelector('.error').textContent")
    await page.press('Enter')
    await page.has('Use a weak password?')
    await page.click('dialog button=text=Cancel')
    await page.until("!document.querySelector('dialog') && !document.querySelector('main button.main').disabled")
    await page.type('password')
    await page.press('Enter')
    await page.click('dialog button=text=Use it')
    await page.has('Repeat password')
    await page.send('Page.reload')
    await create(page, await place.url())
  },

  async 'a new recovery code stays until Done: hide, lock, the end of the app\'s session; Esc asks; print shows it alone'({ place }) {
    await open('settings')
    await page.click('button=text=New recovery code')
    await page.type(passphrase)
    await page.press('Enter')
    const code = await page.until(recovery, 10000)
    await page.evaluate("import('/core.js').then(({ tell }) => tell('hide'))")
    await place.run('lock')
    await page.has('Enter password')
    expect(await page.evaluate(recovery), code, 'after a lock')
    await page.press('Escape')
    await page.has('It is not shown again.')
    await page.press('Escape')
    await page.until("document.querySelectorAll('dialog').length == 1")
    await page.press('Escape')
    await page.click('dialog:last-of-type button=text=Cancel')
    expect(await page.evaluate(recovery), code, 'after Esc')
    await page.send('Emulation.setEmulatedMedia', { media: 'print' })
    expect(await page.evaluate("[...document.querySelectorAll('body > *, dialog button')].filter(each => each.checkVisibility()).map(each => each.tagName + '.' + each.className)"), ['DIALOG.held'], 'on paper')
    await page.send('Emulation.setEmulatedMedia', { media: '' })
    await page.evaluate('globalThis.printed = 0; globalThis.print = () => { printed++ }')
    await page.click('dialog button=text=Print')
    expect(await page.evaluate('printed'), 1)
    await page.send('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] }).catch(() => {})
    await page.click('dialog button=text=Copy')
    for (let n = 0; await page.evaluate('navigator.clipboard.readText()') != code; n++) { if (n > 40) throw new Error('not copied'); await pause(50) }
    // At its next focus the page clears the clipboard, and says so: here, and not in a test after this one.
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await page.has('The clipboard is cleared.')
    await page.click('dialog button=text=Done')
    await page.until("!document.querySelector('dialog')")
    await page.evaluate("document.querySelector('main.start input').focus()")
    // With this code: a new password at once, without the old one.
    await page.click('button=text=Recovery code')
    await page.type(code)
    await page.press('Enter')
    await page.has('Choose a new password')
    await page.type('three grey owls listen')
    await page.press('Enter')
    await page.has('Repeat password')
    await page.type('three grey owls listen')
    await page.press('Enter')
    await page.until("document.querySelector('nav')", 10000)
    await page.click('.pill')
    await unlock(page, 'three grey owls listen')
  },

  async 'S12 the password changes in its dialog, which checks the old one first'() {
    await open('settings')
    await page.click('button=text=Change password')
    await page.type('not this one')
    await page.press('Enter')
    await page.has('The password is wrong.')
    await page.type('three grey owls listen')
    await page.hasNot('The password is wrong.')
    await page.press('Enter')
    await page.has('New password')
    for (const button of ['Create password', 'Repeat password']) {
      await page.until(`document.querySelector('dialog button.main')?.innerText == '${button}'`)
      if (button == 'Repeat password') await page.evaluate("globalThis.seen = new Set(); globalThis.looking = setInterval(() => seen.add([document.querySelector('main.start') ? 'start' : 'screens', document.querySelector('dialog') ? 'dialog' : '', document.querySelector('dialog [role=status] progress')?.checkVisibility() ? 'progress' : ''].join(' ')), 20); 0")
      await page.type(passphrase)
      await page.press('Enter')
    }
    await page.has('The password is changed.')
    await page.evaluate('clearInterval(looking)')
    expect((await page.evaluate('[...seen].filter(each => /start/.test(each))')), [], 'the lock screen was seen')
    expect((await page.evaluate("seen.has('screens dialog progress')")), true, 'the progress in the dialog')
    await page.click('.pill')
    await unlock(page)
  },

  async 'the start screen: an event that is late, a lock that is answered late, and a request that runs change nothing'() {
    const told = state => page.evaluate(`Promise.all([import('/core.js'), import('/verify.js')]).then(([{ tell }, { renewSession }]) => { tell('session', { session: ${JSON.stringify({ state, verified: false })} }); return renewSession() })`)
    const typed = () => page.evaluate("[document.activeElement.value, document.querySelectorAll('main.start').length, document.querySelectorAll('nav').length]")
    await page.click('.pill')
    await page.has('Enter password')
    await page.type(passphrase.slice(0, 9))
    for (const state of ['unlocked', 'locked', 'unlocked']) {
      await told(state)
      expect(await typed(), [passphrase.slice(0, 9), 1, 0], `typed, and then ${state} came late`)
    }
    // Another vault, or none: the screen changes, the text stays.
    await page.evaluate("import('/verify.js').then(({ takeSession }) => { takeSession({ state: 'none' }); takeSession({ state: 'locked' }) })")
    expect(await typed(), [passphrase.slice(0, 9), 1, 0], 'a changed screen')
    // While the request runs the vault is open, and closed again: its error is seen.
    let give
    const held = new Promise(done => { give = done }), { stop, sent } = await answering(page, { 'session/unlock': async () => { await held; return { error: { code: 'wrong_passphrase', message: 'x', hint: null } } } })
    await page.press('Enter')
    for (let n = 0; !sent.some(each => each.name == 'session/unlock'); n++) { if (n > 200) throw new Error('not sent'); await pause(50) }
    await page.evaluate("import('/verify.js').then(({ takeSession }) => { takeSession({ state: 'unlocked' }); takeSession({ state: 'none' }); takeSession({ state: 'locked' }) })")
    expect(await typed(), ['', 1, 0], 'while the request runs')
    give()
    await page.has('The password is wrong.')
    await stop()
    await unlock(page)
    // The answer to a lock that came after it was opened again.
    await page.evaluate("import('/verify.js').then(({ renewSession, takeAnswer }) => { const late = takeAnswer(new Promise(done => { globalThis.answer = done })); return renewSession().then(() => { answer({ state: 'locked' }); return late }) })")
    expect(await page.evaluate("[document.querySelectorAll('main.start').length, document.querySelectorAll('nav').length]"), [0, 1], 'a late answer')
  },

  async 'public text survives a lock and Esc; a secret does not'({ place }) {
    await open('tasks')
    await page.press('n')
    await page.until("document.activeElement?.matches('.task-form input')")
    await page.type('half a task')
    await place.run('lock')
    await unlock(page)
    await page.until("document.querySelector('.task-form input')?.value == 'half a task'")
    await page.press('Escape')
    await page.has('Not saved.')
    await page.click('.toast button')
    await page.until("document.querySelector('.task-form input')?.value == 'half a task'")
    await page.click('.task-form button=text=Cancel')
    await page.until("!document.querySelector('.task-form')")
    await page.hasNot('Not saved.')
    await page.press('n')
    await page.until("document.querySelector('.task-form input')?.value == ''")
    await page.evaluate('history.back()')
    await page.until("!document.querySelector('.task-form')")
    await open('secrets')
    await page.press('n')
    await page.focus('Service')
    await page.type('half.example')
    await page.focus('Password')
    await page.type('half a value')
    await page.press('Escape')
    await page.has('Closed without saving.')
    await page.click('.toast button')
    await page.until("document.querySelector('dialog input')?.value == 'half.example'")
    if ((await html(page)).includes('half a value')) throw new Error('the value came back')
    await place.run('lock')
    await page.has('Enter password')
    // A dialog that closed is taken away by the event of its end.
    await page.until("![...document.querySelectorAll('input')].some(each => each.value == 'half.example')")
    if ((await html(page)).includes('half.example')) throw new Error('the name of a secret is there after the lock')
    await unlock(page)
  },

  async 'Back after adding returns to the list; groups for undated and done tasks'({ place }) {
    await place.at('yesterday', 'task', 'add', 'older', '--due', 'today')
    await open('inbox')
    await open('tasks')
    for (const name of ['alpha', 'beta', 'gamma']) {
      await page.press('n')
      await page.focus('Name')
      await page.type(name)
      await page.press('Enter')
      // The row may come before the form is left.
      await page.until(`${row(name)} && !document.querySelector('.task-form')`)
    }
    await page.evaluate('history.back()')
    await pause(200)
    expect(await page.evaluate("[location.hash, Boolean(document.querySelector('.task-form'))]"), ['#tasks', false], 'after Back')
    await page.until(row('older'))
    await page.evaluate(`${row('older')}.querySelector('.tick').click()`)
    const groups = () => page.evaluate("[...document.querySelectorAll('.list .group')].map(each => [each.querySelector('h2').innerText, ...[...each.querySelectorAll('.text')].map(each => each.innerText)].join())")
    await page.until("[...document.querySelectorAll('.list h2')].some(each => each.innerText == 'Done')")
    expect(await groups(), ['No date,alpha,beta,gamma', 'Done,older'])
  },

  async 'the focus stays on its row; arrows cross groups; keys are listed'() {
    await page.evaluate(`${row('beta')}.querySelector('.title').focus()`)
    await page.press(' ')
    await page.until(`${row('beta')}.matches('.done')`)
    await page.has('2 done in the last 24 hours')
    expect(await focused(), 'beta', 'after done')
    await page.press(' ')
    await page.until(`!${row('beta')}.matches('.done')`)
    await page.has('1 done in the last 24 hours')
    expect(await focused(), 'beta', 'after undone')
    await page.press('Delete')
    await page.until(`!${row('beta')}`)
    expect(await focused(), 'gamma', 'after delete')
    await page.has('Task deleted.')
    await page.press('u')
    await page.until(row('beta'))
    for (let n = 0; await focused() != 'beta'; n++) { if (n > 40) throw new Error(`after undo: ${await focused()}`); await pause(50) }
    await page.press('ArrowDown')
    await page.press('ArrowDown')
    expect(await focused(), 'older', 'in the next group')
    await page.press('?')
    await page.until("document.querySelector('dialog kbd')")
    const keys = await page.evaluate("[...document.querySelectorAll('dialog kbd')].map(each => each.innerText)")
    for (const key of ['n', 'Space', 'Delete', '/', '?']) expect(keys.includes(key), true, key)
    await page.press('Escape')
    await page.until("!document.querySelector('dialog')")
    // By the pointer: the box that was clicked keeps the focus.
    await page.click('.list .row .tick')
    await page.until(`${row('alpha')}.matches('.done')`)
    expect(await page.evaluate("document.activeElement.className"), 'tick')
  },

  async 'menus open at their button; titles have two lines; #% is no exception; the title names the screen'({ place }) {
    await place.run('task', 'add', 'x'.repeat(900))
    await page.until(row('xxx'))
    const { lines, text } = await page.evaluate(`(() => { const text = ${row('xxx')}.querySelector('.text'), style = getComputedStyle(text); return { lines: Math.round(text.getBoundingClientRect().height / parseFloat(style.lineHeight)), text: text.innerText.length } })()`)
    expect([lines, text], [2, 900], 'lines of a title')
    // It moves while it opens.
    const near = () => page.until(`(() => { const button = document.querySelector('.list .square').getBoundingClientRect(), menu = document.querySelector('dialog.menu').getBoundingClientRect(); return Math.abs(menu.top - button.bottom) < 12 && menu.right > button.left && menu.left < button.right })()`)
    await page.click('.list button=text=More')
    await near()
    // Not by a click, which scrolls the list behind the menu.
    await page.evaluate("[...document.querySelectorAll('dialog.menu button')].find(each => each.innerText == 'Filter').click()")
    await page.until("document.querySelector('dialog.menu')?.innerText.includes('All tasks')")
    await near()
    await page.press('Escape')
    await page.evaluate("location.hash = '#%'")
    await page.until("document.querySelector('.list h1')?.innerText == 'Tasks'")
    for (const [hash, title] of [['tasks', 'Tasks'], ['secrets', 'Secrets'], ['statistics', 'Statistics'], ['settings', 'Settings']]) {
      await page.evaluate(`location.hash = '#${hash}'`)
      await page.until(`document.title == '${title} · TaskVault'`)
    }
    await open('tasks')
    await page.evaluate(`${row('alpha')}.querySelector('.title').click()`)
    await page.until("document.querySelector('.detail h1')?.innerText == 'alpha'")
    expect(await page.evaluate('document.title'), 'Tasks · TaskVault', 'the title beside a task')
    await page.click('.detail button=text=Edit')
    await page.until("document.querySelector('.task-form')")
    expect(await page.evaluate('document.title'), 'Tasks · TaskVault', 'the title of its form')
    await page.click('.task-form button=text=Cancel')
    await page.until("!document.querySelector('.task-form')")
    await open('tasks')
    await page.click('.pill')
    await page.until("document.title == 'TaskVault'")
    await unlock(page)
    expect(faults(page), [], 'errors of the page')
  },

  async 'titles have two lines in each list'() {
    const title = 'x'.repeat(400), time = new Date().toISOString(), known = { id: '1', tags: [], fields: [], urls: [] }
    const message = { ...known, title, body: 'one', state: 'new', sender: 'Ada', received: time }, stored = { ...known, name: title, size: 1, media_type: 'text/plain', added: time }
    const { stop } = await answering(page, { secrets: () => [{ ...known, service: title, account: 'ada' }], files: () => [stored], inbox: () => [message], 'inbox?kept=1': () => [message], checklists: () => [{ ...known, title, summary: 'a week before', items: 2 }] })
    for (const screen of ['secrets', 'files', 'inbox', 'checklists']) {
      await open(screen)
      await page.until(row('xxx'))
      const [lines, isWhole] = await page.evaluate(`(() => { const text = ${row('xxx')}.querySelector('.text'); return [Math.round(text.getBoundingClientRect().height / parseFloat(getComputedStyle(text).lineHeight)), text.innerText.includes('${title}')] })()`)
      expect([lines, isWhole], [2, true], screen)
    }
    await stop()
    await open('tasks')
  },

  async 'print hides the frame; a wide window is used; marks are aligned with the first line'({ place }) {
    await place.run('task', 'add', 'printed', '--due', 'today')
    await page.until(row('printed'))
    await page.send('Emulation.setEmulatedMedia', { media: 'print' })
    const seen = selector => page.evaluate(`[...document.querySelectorAll('${selector}')].filter(each => each.checkVisibility()).length`)
    expect([await seen('nav, .pill, .head button, .search'), await seen('.list .row') > 3, await seen('.list h1')], [0, true, 1], 'on paper')
    await page.send('Emulation.setEmulatedMedia', { media: '' })
    await page.look({ width: 1900, height: 1000 })
    await open('settings')
    await page.until("document.querySelectorAll('.settings .toggle').length > 20")
    expect(await page.evaluate("new Set([...document.querySelectorAll('.columns .group')].map(each => Math.round(each.getBoundingClientRect().x))).size"), 2, 'columns of settings')
    await open('tasks')
    await page.evaluate(`${row('printed')}.querySelector('.title').click()`)
    await page.until("document.querySelector('.detail h1')?.innerText == 'printed'")
    const wide = await page.evaluate("(() => { const [main, list, detail] = ['main', '.list', '.detail'].map(each => document.querySelector(each).getBoundingClientRect()); return [list.right <= detail.left, main.right > 1850, (list.width + detail.width) / main.width > 0.98] })()")
    expect(wide, [true, true, true], 'list and detail side by side')
    const off = (box, text) => page.evaluate(`(() => { const box = ${box}.getBoundingClientRect(), text = ${text}, line = text.getBoundingClientRect().top + parseFloat(getComputedStyle(text).lineHeight) / 2; return Math.abs(box.top + box.height / 2 - line) })()`)
    for (const [name, box, text] of [['row', `${row('printed')}.querySelector('.tick')`, `${row('printed')}.querySelector('.text')`], ['details', "document.querySelector('.headline .tick')", "document.querySelector('.headline h1')"], ['long title', `${row('xxx')}.querySelector('.tick')`, `${row('xxx')}.querySelector('.text')`]]) {
      const distance = await off(box, text)
      if (distance > 3) throw new Error(`${name}: the mark is ${distance} px beside its line`)
    }
    await page.look({})
    await open('tasks')
  },

  async 'a browser that cannot draw dots gets password fields; none has a form'({ place, browser }) {
    const other = await browser.page()
    await other.send('Page.addScriptToEvaluateOnNewDocument', { source: "CSS.supports = () => false" })
    await other.go(await place.url())
    await other.until("document.querySelector('nav, main.start input')")
    if (await other.evaluate("Boolean(document.querySelector('nav'))")) { await other.click('.pill'); await other.has('Enter password') }
    expect(await other.evaluate("[document.querySelector('main.start input').type, document.querySelectorAll('form').length]"), ['password', 0])
    await other.close()
    await page.send('Page.bringToFront')
    await unlock(page)
  },

  async 'Server shows what was saved; cancelling shows no message; a wrong password makes no passkey'({ place }) {
    await open('settings')
    const line = "[...document.querySelectorAll('.toggle')].find(each => each.innerText.startsWith('Server\\n'))"
    await page.until(line)
    await page.evaluate(`${line}.querySelector('button').focus(); ${line}.querySelector('button').click()`)
    await page.focus('Server')
    await page.type('https://auth.example.org')
    await page.press('Enter')
    await page.until(`${line}.innerText.includes('https://auth.example.org')`)
    expect(await page.evaluate(`${line}.contains(document.activeElement)`), true, 'the focus')
    await place.run('settings', 'set', 'server', 'none', '--yes')
    await page.until(`!${line}.innerText.includes('https://auth.example.org')`)
    const saving = "[...document.querySelectorAll('.toggle')].find(each => each.innerText.includes('Allow saving'))?.querySelector('input')"
    if (!await page.evaluate(`${saving}.checked`)) { await page.evaluate(`${saving}.click()`); await page.until(`${saving}.checked`) }
    await pause(300)
    await page.evaluate(`${saving}.click()`)
    await page.click('dialog button=text=Cancel')
    await page.until(`!document.querySelector('dialog') && ${saving}.checked`)
    expect(await page.evaluate("[...document.querySelectorAll('.toast')].map(each => each.innerText)"), [], 'a message')
    await page.send('WebAuthn.enable', { enableUI: false })
    const { authenticatorId } = await page.send('WebAuthn.addVirtualAuthenticator', { options: { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true, hasPrf: true } })
    await page.click('button=text=Add a passkey')
    await page.focus('Password')
    await page.type('not this one')
    await page.press('Enter')
    await page.has('The password is wrong.')
    expect((await page.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length, 0, 'an orphan')
    await page.press('Escape')
  },

  async 'Sign out stays out; Sign out and forget asks'() {
    const state = await page.evaluate("import('/server.js').then(({ api }) => api.get('state'))"), tried = []
    const { stop } = await answering(page, { state: () => ({ ...state, server: 'https://tasks.example', signed_out: true }), 'account/sign-in': body => { tried.push(body); return { error: { code: 'not_signed_in', message: 'x', hint: null } } } })
    await page.click('.pill')
    await unlock(page)
    await pause(500)
    await stop()
    expect([tried.length, await page.evaluate("document.querySelectorAll('dialog').length")], [0, 0], 'signed in by itself')
    const { stop: end, sent } = await answering(page, { account: () => ({ account: 'ada@example.org', state: 'signed_in' }), 'account/second-factor': () => ({ error: { code: 'not_supported', message: 'x', hint: null } }), 'account/sign-out': () => ({}) })
    await open('settings')
    await page.evaluate("import('/core.js').then(({ tell }) => tell('account'))")
    await page.click('button=text=Sign out and forget')
    await page.has('The password is erased from the vault.')
    await page.click('dialog button=text=Cancel')
    await page.until("!document.querySelector('dialog')")
    expect(sent.filter(each => each.name == 'account/sign-out'), [], 'after Cancel')
    await page.click('button=text=Sign out and forget')
    await page.click('dialog button.danger=text=Sign out and forget')
    await page.until("!document.querySelector('dialog')")
    expect(sent.filter(each => each.name == 'account/sign-out').map(each => each.body), [{ forget: true }])
    await end()
  },

  async 'the alphabet of Ukrainian; no English error'({ place, browser }) {
    const ukrainian = await browser.page({ language: 'uk' })
    await ukrainian.go(await place.url())
    await ukrainian.until("document.querySelector('nav, main.start input')")
    if (await ukrainian.evaluate("Boolean(document.querySelector('main.start'))")) await unlock(ukrainian)
    await ukrainian.has('Розблоковано')
    for (const name of ['Яблуко', 'Єнот', 'Ґанок', 'Гора', 'Дім', 'Їжак', 'Іван', 'Жук']) {
      await ukrainian.evaluate(`import('/server.js').then(({ api }) => api.post('secrets/set', { service: '${name}', account: 'a', class: 'while-unlocked', field: 'password', value: 'x' }))`)
      await ukrainian.evaluate(`import('/server.js').then(async ({ api }) => { const { upload } = await api.post('uploads', { name: '${name}.txt', size: 1, protected: false, replace: false }); await api.put('uploads/' + upload + '?offset=0', new Blob(['x'])); await api.post('uploads/' + upload + '/finish') })`)
    }
    const sorted = ['Гора', 'Ґанок', 'Дім', 'Єнот', 'Жук', 'Іван', 'Їжак', 'Яблуко']
    for (const screen of ['secrets', 'files']) {
      await ukrainian.evaluate(`location.hash = '#${screen}'`)
      await ukrainian.until("document.querySelectorAll('.list .row').length == 8")
      const found = await ukrainian.evaluate("[...document.querySelectorAll('.list .row .text')].map(each => each.innerText.replace('.txt', ''))")
      expect(found, sorted, screen)
    }
    // Senders, checklists, and the saved ones, as if a server had them.
    const any = ['Яблуко', 'Єнот', 'Ґанок', 'Гора', 'Дім', 'Їжак', 'Іван', 'Жук'].map((name, index) => ({ id: `${index}`, name, title: name, summary: '', items: 1, created: new Date().toISOString() }))
    const { stop } = await answering(ukrainian, { senders: () => any, 'inbox-status': () => ({ enabled: true }), checklists: () => any, 'checklists/saved': () => any })
    for (const screen of ['checklists', 'saved', 'settings']) {
      await visit(ukrainian, screen)
      await ukrainian.until(`[...document.querySelectorAll('.list .row .text')].filter(each => each.innerText == 'Яблуко').length == 1`)
      expect(await ukrainian.evaluate("[...document.querySelectorAll('.list .row .text')].map(each => each.innerText)"), sorted, screen)
    }
    await stop()
    // Tasks by name, and the names of lists and tags beside them.
    await place.run('settings', 'set', 'task-order', 'name')
    for (const name of ['Яблуко', 'Єнот', 'Ґанок', 'Гора', 'Дім', 'Їжак', 'Іван', 'Жук']) await place.run('task', 'add', '--list', name, '--tag', name, '--', name)
    await ukrainian.evaluate("location.hash = '#tasks'")
    const beside = "[...document.querySelectorAll('nav .side .word')].map(each => each.innerText)"
    await ukrainian.until(`${beside}.filter(each => each.startsWith('#')).length >= 8`)
    const words = (await ukrainian.evaluate(beside)), only = (all, before = '') => all.filter(each => sorted.some(name => each == before + name)).map(each => each.slice(before.length))
    expect([only(words), only(words, '#')], [sorted, sorted], 'lists and tags')
    expect(only(await ukrainian.evaluate("[...document.querySelectorAll('.list .row .text')].map(each => each.innerText)")), sorted, 'tasks')
    await place.run('settings', 'unset', 'task-order')
    await place.run('task', 'remove', '--yes', ...sorted)
    await ukrainian.evaluate("location.hash = '#settings'")
    const line = "[...document.querySelectorAll('.toggle')].find(each => each.innerText.startsWith('Сервер\\n'))"
    await ukrainian.until(line)
    await ukrainian.evaluate(`${line}.querySelector('button').click()`)
    await ukrainian.focus('Сервер')
    await ukrainian.type('foo')
    await ukrainian.press('Enter')
    const said = await ukrainian.until("document.querySelector('dialog .error').textContent")
    const isEnglish = text => /[a-z]{4}/.test(text.replace(/https?/g, ''))
    if (isEnglish(said)) throw new Error(`in English: ${said}`)
    await ukrainian.press('Escape')
    // Nor what an export leaves out.
    await place.run('task', 'add', 'лис', '--notes', 'ліс')
    await ukrainian.evaluate("import('/transfer.js').then(({ exportTasks }) => { exportTasks() })")
    await ukrainian.until("document.querySelector('dialog select')")
    await ukrainian.evaluate("(() => { document.querySelector('dialog select').value = 'todo.txt'; document.querySelector('dialog button.main').click() })()")
    expect(await ukrainian.until("document.querySelector('dialog .report')?.innerText"), 'Не перенесено: Нотатки (1): лис')
    await ukrainian.close()
    await page.send('Page.bringToFront')
  },

  async 'a term has one word in Ukrainian, in each text'() {
    const all = fs.readFileSync('Sources/System/CAppFiles/Page/uk.json', 'utf8'), { texts } = JSON.parse(all), terms = {
      'unlock': 'розблок', '\\block': 'блок|замок', 'vault': 'сховищ', 'password': 'парол', 'recovery code': 'код[а-яі]* відновлення', 'passkey': 'ключ', 'encrypt': 'шифр',
      'verif': 'підтвер', 'protect': 'захи[сщ]', 'secret': 'секрет', 'token': 'токен', 'session': 'сеанс', 'second factor': 'друг[а-яі]* фактор', 'sign.(in|out)': 'увій|вх[оі]д|вий',
      'account': 'обліков', 'server(?!\\})': 'сервер', 'device': 'пристр', 'machine': 'комп’ютер', 'sync(?!t)': 'синхрон', 'backup': 'копі', 'clipboard': 'буфер',
      '^(all |edit |new )?tasks?$': 'завдан', 'remind': 'нагад', 'repeat': 'повтор', 'priorit': 'пріоритет', '(?<!of )steps?$': 'крок', '#?\\btags?\\b': 'тег', 'label': 'мітк', '\\blists?$': 'спис',
      '\\bfiles?\\b': 'файл', 'picture': 'зображ', 'checklist': 'перелік', 'sender': 'відправ', ' messages?\\b(?!$)': 'повідомлен', 'inbox': 'вхідн', 'settings': 'параметр',
      'delete': 'видал', 'erase': 'стир|стер|зітр', 'trash': 'кошик', 'weak': 'слабк',
    }
    const wrong = (english, own) => Object.entries(terms).filter(([term, word]) => new RegExp(term, 'i').test(english.replace(/taskvault|unencrypted/i, '')) && !new RegExp(word, 'i').test(own))
    const found = Object.entries(texts).flatMap(([english, own]) => wrong(english, JSON.stringify(own)).map(([term]) => `${term}: ${english}`))
    expect(found, [], 'another word')
    // Others that Ukrainian has for machine, folder, settings, password and reminder.
    expect(all.match(/машин|папк|налаштуван|гасл|нагадк/gi), null, 'another word')
    for (const term of Object.keys(terms)) if (!Object.keys(texts).some(each => new RegExp(term, 'i').test(each))) throw new Error(`no text has ${term}`)
  },

  async 'a recovery code stays when the app ends'({ place }) {
    if (await page.evaluate("Boolean(document.querySelector('main.start'))")) await unlock(page)
    await open('settings')
    await page.click('button=text=New recovery code')
    await page.type(passphrase)
    await page.press('Enter')
    const code = await page.until(recovery, 10000)
    place.crash()
    await page.has('Open TaskVault again')
    expect(await page.evaluate(recovery), code, 'after the end')
    await page.click('dialog button=text=Done')
    await page.until("!document.querySelector('dialog')")
    expect(faults(page), [], 'errors of the page')
  },
})

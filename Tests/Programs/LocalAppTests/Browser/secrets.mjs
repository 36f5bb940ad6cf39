// secrets.mjs: secrets as the command line has them, imports and exports. In Chromium, with the real programs.
import fs from 'node:fs'
import path from 'node:path'
import { pause } from './chromium.mjs'
import { attempt, choose, create, enter, expect, faults, passphrase, shows, unlock, verifiedFor, visit } from './world.mjs'

let page
const row = text => `[...document.querySelectorAll('.list .row')].find(each => each.innerText.includes(${JSON.stringify(text)}))`
const open = hash => visit(page, hash)
const item = label => page.until(`(() => { const found = [...document.querySelectorAll('dialog.menu[open] .item')].find(each => each.innerText == ${JSON.stringify(label)}); found?.click(); return Boolean(found) })()`)

await attempt({
  async 'an account may be left out; https:// is added; account and code are copied'({ place, browser }) {
    page = await browser.page()
    await create(page, await place.url())
    await open('secrets')
    await page.press('n')
    await page.focus('Service')
    await page.type('router')
    await page.focus('Password')
    await page.type('password1')
    await page.focus('Address')
    await page.type('router.example:8443/start')
    await page.press('Enter')
    await page.until("document.querySelector('.detail h1')?.innerText == 'router'")
    const made = (await place.json('secret', 'list')).find(each => each.service == 'router')
    expect([made.account, made.urls], ['password', ['https://router.example:8443/start']])
    expect(await page.evaluate("[...document.querySelectorAll('.detail .row .text')].map(each => each.innerText)"), ['Password', 'Address'], 'no account')
    await page.evaluate(`import('/server.js').then(async ({ api }) => {
      for (const field of ['password', 'totp']) await api.post('secrets/set', { service: 'mail.example', account: 'ada', field, class: 'while-unlocked', value: field == 'totp' ? 'JBSWY3DPEHPK3PXP' : 'password1' })
    })`)
    await open('tasks')
    await open('secrets')
    await page.until(row('mail.example'))
    await page.send('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] }).catch(() => {})
    await page.evaluate("globalThis.copied = []; navigator.clipboard.writeText = async text => { copied.push(text) }")
    for (const [label, wanted] of [['Copy the account', /^ada$/], ['Copy the code', /^\d{6}$/]]) {
      await page.evaluate(`${row('mail.example')}.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: 300, clientY: 300 }))`)
      await item(label)
      for (let n = 0; !wanted.test(await page.evaluate('copied.at(-1) ?? ""')); n++) { if (n > 100) throw new Error(`${label}: ${await page.evaluate('copied')}`); await pause(50) }
    }
  },

  async 'a field for codes has its hint and no generator; an address is no secret'() {
    await page.evaluate(`${row('router')}.querySelector('.title').click()`)
    await page.until("document.querySelector('.detail h1')?.innerText == 'router'")
    await page.click('.detail button=text=Add a field')
    const shown = () => page.evaluate("[document.querySelector('dialog .hint').innerText, document.querySelector('dialog .generator').checkVisibility(), Boolean(document.querySelector('dialog input.masked'))]")
    const kind = value => page.evaluate(`(() => { const field = document.querySelector('dialog select'); field.value = '${value}'; field.dispatchEvent(new Event('change', { bubbles: true })) })()`)
    await page.until("document.querySelector('dialog select')")
    await kind('totp')
    expect(await shown(), ['The key that the service shows for an authenticator app.', false, true], 'codes')
    await kind('')
    expect(await shown(), ['', false, true], 'another one')
    await page.press('Escape')
    await page.until("!document.querySelector('dialog')")
    await page.click('.detail button=text=Copy: Password').catch(() => {})
  },

  async 'earlier values are shown after a verification, and hidden'({ place }) {
    await page.evaluate("import('/server.js').then(({ api }) => api.post('secrets/set', { service: 'router', account: 'password', field: 'password', value: 'password2', class: 'while-unlocked', replace: true }))")
    await page.evaluate("[...document.querySelectorAll('.detail .row')].find(each => each.innerText.startsWith('Password')).dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: 500, clientY: 300 }))")
    await item('Earlier values')
    await verifiedFor(page, shows('password1'))
    await page.evaluate("import('/core.js').then(({ tell }) => tell('hide'))")
    await page.hasNot('password1')
    expect(place.home.length > 0, true)
  },

  async 'the audit is a screen'() {
    await open('secrets')
    await page.click('.list button=text=More')
    await item('Audit')
    await page.until("[...document.querySelectorAll('.detail .row')].some(each => each.innerText.includes('Easy to guess'))")
    await page.evaluate("[...document.querySelectorAll('.detail .row')].find(each => each.innerText.includes('router')).querySelector('.title').click()")
    await page.until("document.querySelector('.detail h1')?.innerText == 'router'")
  },

  async 'an import shows what it would add, and reports'({ place }) {
    fs.writeFileSync(path.join(place.home, 'in.csv'), 'name,url,username,password\nA,https://a.example,u,p1\nmail.example,https://mail.example,ada,other\n')
    await open('secrets')
    await page.click('.list button=text=More')
    await item('Import')
    await choose(page, path.join(place.home, 'in.csv'))
    await page.click('dialog button=text=Look at it')
    await page.has('New secrets: 1')
    await page.has('Skipped: 1')
    expect((await place.json('secret', 'list')).length, 2, 'before')
    await page.click('dialog button=text=Import')
    await verifiedFor(page, shows('Imported: 1'))
    expect((await place.json('secret', 'list')).length, 3, 'after')
    await page.click('dialog button=text=Close')
    // Tasks of another program.
    fs.writeFileSync(path.join(place.home, 'todo.txt'), 'water the palm due:2031-01-01\n')
    await open('tasks')
    await page.click('.list button=text=More')
    await item('Import')
    await choose(page, path.join(place.home, 'todo.txt'))
    await page.evaluate("document.querySelector('dialog select').value = 'todo.txt'")
    await page.click('dialog button=text=Look at it')
    await page.until("document.querySelector('dialog .report li')?.innerText == 'water the palm'")
    await page.has('New tasks: 1')
    expect(await place.json('task', 'list'), [], 'before')
    await page.click('dialog button=text=Import')
    await page.has('Imported: 1')
    await page.click('dialog button=text=Close')
    await page.until(row('water the palm'))
    // What cannot be a task is named before; Cancel adds nothing.
    const calendar = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//EN', ...[['TODO', 'repaint the fence'], ['EVENT', 'a concert']].flatMap(([kind, name]) => [`BEGIN:V${kind}`, `UID:${kind}`, 'DTSTAMP:20300101T000000Z', `SUMMARY:${name}`, `END:V${kind}`]), 'END:VCALENDAR', '']
    fs.writeFileSync(path.join(place.home, 'calendar.ics'), calendar.join('\r\n'))
    await page.click('.list button=text=More')
    await item('Import')
    await choose(page, path.join(place.home, 'calendar.ics'))
    await page.click('dialog button=text=Look at it')
    await page.has('New tasks: 1')
    await page.has('Look at: 1')
    await page.until("[...document.querySelectorAll('dialog .report li')].some(each => each.innerText.includes('a concert'))")
    await page.click('dialog button=text=Cancel')
    await page.until("!document.querySelector('dialog')")
    expect((await place.json('task', 'list')).map(each => each.name), ['water the palm'], 'after Cancel')
  },

  async 'exports and a backup go into the download folder'({ place }) {
    const files = () => fs.readdirSync(place.home).filter(each => each.startsWith('taskvault-')).sort()
    await page.click('.list button=text=More')
    await item('Export')
    await page.click('dialog button=text=Export')
    await page.has('Saved: ')
    expect(files(), ['taskvault-tasks.json'])
    // What a format has no place for is told, and stays until it is closed.
    await place.run('task', 'add', 'mow the lawn', '--notes', 'the long grass')
    await page.until(row('mow the lawn'))
    await page.click('.list button=text=More')
    await item('Export')
    await page.until("document.querySelector('dialog select')")
    await page.evaluate("document.querySelector('dialog select').value = 'todo.txt'")
    await page.click('dialog button=text=Export')
    await page.until("document.querySelector('dialog .report')")
    expect(await page.evaluate("[...document.querySelectorAll('dialog .report li')].map(each => each.innerText)"), ['Left out: notes, which the format has no place for (1): mow the lawn'])
    await page.has('Saved: ')
    await page.click('dialog button=text=Close')
    await page.until("!document.querySelector('dialog')")
    await place.run('task', 'remove', 'mow the lawn', '--yes')
    fs.rmSync(path.join(place.home, 'taskvault-tasks.txt'))
    await open('secrets')
    await page.click('.list button=text=More')
    await item('Export')
    await page.until("document.querySelector('dialog input.masked')")
    await page.evaluate("document.querySelector('dialog input.masked').focus()")
    await page.type('not this one')
    await page.press('Enter')
    await page.has('The password is wrong.')
    await page.evaluate("document.querySelector('dialog input.masked').select()")
    await page.type(passphrase)
    await page.press('Enter')
    await page.until("!document.querySelector('dialog')", 20000)
    await page.until("document.querySelector('.toast')?.innerText.includes('taskvault-secrets.json')")
    expect([files(), fs.statSync(path.join(place.home, 'taskvault-secrets.json')).mode & 0o777], [['taskvault-secrets.json', 'taskvault-tasks.json'], 0o600])
    await open('settings')
    await page.click('button=text=Download a backup')
    for (let n = 0; !files().some(each => /^taskvault-\d{4}-\d\d-\d\d\.backup$/.test(each)); n++) { if (n > 200) throw new Error(files().join()); await pause(50) }
  },

  async 'a backup is restored from the start screen, after a mistyped password without another upload'({ place }) {
    const backup = path.join(place.home, fs.readdirSync(place.home).find(each => each.endsWith('.backup')))
    await place.run('secret', 'remove', 'mail.example', 'ada', '--yes')
    await page.click('.pill')
    await page.has('Enter password')
    // The browser notes 250 requests at most.
    await page.evaluate('performance.clearResourceTimings()')
    await page.click('button=text=Restore a backup')
    await choose(page, backup)
    for (const [text, then] of [['not this one', 'The password is wrong.'], [passphrase, 'The backup is restored.']]) {
      await page.evaluate("document.querySelector('dialog input.masked').select()")
      await page.type(text)
      await page.click('dialog button.main')
      await page.has(then)
    }
    expect(await page.evaluate("performance.getEntriesByType('resource').filter(each => each.name.endsWith('restore/upload')).length"), 1, 'uploads')
    await unlock(page)
    await open('secrets')
    await page.until(row('mail.example'))
  },

  async 'a vault that is refused as older: a reloaded page restores a backup, too, and replaces it only if told so'({ place }) {
    const backup = path.join(place.home, fs.readdirSync(place.home).find(each => each.endsWith('.backup'))), vault = path.join(place.home, 'vault/vault.db')
    await place.run('lock')
    const older = ['', '-wal'].filter(each => fs.existsSync(vault + each)).map(each => [each, fs.readFileSync(vault + each)])
    await unlock(page)
    await page.evaluate("import('/server.js').then(({ api }) => api.post('secrets/set', { service: 'new.example', account: 'ada', field: 'password', value: 'x', class: 'while-unlocked' })).then(() => 0)")
    await place.run('lock')
    for (const each of ['', '-wal', '-shm']) fs.rmSync(vault + each, { force: true })
    for (const [each, content] of older) fs.writeFileSync(vault + each, content, { mode: 0o600 })
    await page.evaluate('globalThis.isOld = true')
    await page.send('Page.reload')
    await page.until("!globalThis.isOld && document.querySelector('main.start input')")
    await enter(page)
    await page.has('is older than the state last seen on this machine')
    // It is no quiet choice now.
    await page.until("!document.querySelector('main.start .quietly:last-child button').matches('.quiet')")
    await page.click('button=text=Restore a backup')
    await choose(page, backup)
    await page.evaluate("document.querySelector('dialog input.masked').focus()")
    await page.type(passphrase)
    await page.click('dialog button.main')
    await page.until("document.querySelector('dialog .error').innerText.includes('is older than')")
    await page.click('dialog .switch')
    await page.click('dialog button.main')
    await page.has('The backup is restored.')
    await unlock(page)
    await open('secrets')
    await page.until(row('mail.example'))
    expect(await page.evaluate(`Boolean(${row('new.example')})`), false, 'what the backup lacks')
    expect(faults(page), [], 'errors of the page')
  },
})

// devices.mjs: two homes that share a folder, and then an account, each with its page: joining by digits, marks, what is live, names, removal, the end.
import fs from 'node:fs'
import path from 'node:path'
import { authServer } from './server.mjs'
import { answering, attempt, create, expect, faults, verify, visit, world } from './world.mjs'

const other = world()
let first, second, folder, code, server
const says = (page, text) => page.until(`document.body.innerText.includes(${JSON.stringify(text)})`, 30000)
const digits = page => page.until("document.querySelector('dialog .recovery')?.innerText", 30000)
const put = (page, label, text) => page.evaluate(`(() => {
  const input = [...document.querySelectorAll('.field')].find(each => each.innerText.startsWith(${JSON.stringify(label)})).querySelector('input')
  input.value = ${JSON.stringify(text)}
  input.dispatchEvent(new Event('input', { bubbles: true }))
})()`)
const more = async (page, word) => { await page.click('.pane button=text=More'); await page.click(`dialog.menu button=text=${word}`) }
/// A page behind another one draws nothing, and its dialogs stay.
const front = page => page.send('Page.bringToFront')
const names = page => page.evaluate("[...document.querySelectorAll('.list .row .text')].map(each => each.innerText)")
/// Runs `body` while neither device has the folder.
const apart = async body => {
  fs.renameSync(folder, folder + '-away')
  try { await body() } finally { fs.renameSync(folder + '-away', folder) }
}
/// Verifies if the page asks.
const answered = async (page, done) => {
  await page.until(`${done} || document.querySelector('dialog input.masked')`, 30000)
  if (!await page.evaluate(`Boolean(${done})`)) await verify(page)
  await page.until(done, 30000)
}
/// Adds the device that `second` waits for: each page shows digits, which are typed on the other. `command` is what could be typed there.
async function exchange(command) {
  await answered(second, "/Now .Add a device/.test(document.querySelector('dialog')?.innerText)")
  await front(first)
  await first.click('button=text=Add a device')
  await answered(first, "/Now .Join another device/.test(document.querySelector('dialog')?.innerText)")
  expect(await first.evaluate("document.querySelector('dialog code').innerText"), command)
  const shown = await digits(second)
  await first.until("[...document.querySelectorAll('dialog .field')].some(each => each.checkVisibility())", 30000)
  await put(first, 'Digits of the other machine', shown)
  await first.click('dialog button=text=Continue')
  await answered(first, "document.querySelector('dialog .recovery')")
  const others = await digits(first)
  // Meanwhile nobody types.
  await says(first, 'The new device is added; waiting until its first change comes')
  await front(second)
  await put(second, 'Digits of the other machine', others)
  await second.click('dialog button=text=Continue')
  await answered(second, "!document.querySelector('dialog')")
  await says(second, 'This device')
  // The first one waits until the new device takes part.
  await front(first)
  await first.until("[...document.querySelectorAll('dialog button')].some(each => each.innerText == 'Close')", 30000)
  expect(await first.evaluate("document.querySelector('dialog').innerText.includes('waiting until')"), false)
  await first.click('dialog button=text=Close')
  await first.until("!document.querySelector('dialog')")
  await front(second)
  await first.until("document.querySelectorAll('.list .row').length == 2", 30000)
  expect(await names(second), ['second', 'first'])
}
/// Lets the first page make a recovery code, after its offer.
async function offered() {
  await answered(first, "/does not replace lost devices/.test(document.querySelector('dialog')?.innerText)")
  await first.click('dialog button.main')
  await first.until("document.querySelector('dialog input.masked')")
  await first.type('four quiet herons wade')
  await first.press('Enter')
  code = await first.until("document.querySelector('dialog .recovery')?.innerText", 30000)
  await first.click('dialog button.main')
  await says(first, 'This device')
  expect(await names(first), ['first'])
}
const signIn = async page => {
  await page.until("[...document.querySelectorAll('dialog label')].some(each => each.innerText == 'E-mail')")
  await page.focus('E-mail')
  await page.type('ada@example.org')
  await page.focus('Password')
  await page.type('seven grey owls listen')
  await page.press('Enter')
}
const useServer = page => page.evaluate(`import('/server.js').then(({ api }) => api.post('settings', { name: 'server', value: '${server.url}' })).then(() => true)`)

await attempt({
  async 'begin with a folder, and a new recovery code'({ place, browser }) {
    folder = path.join(place.home, 'shared')
    fs.mkdirSync(folder)
    first = await browser.page()
    await create(first, await place.url())
    await place.run('task', 'add', 'buy milk', '--list', 'home')
    await visit(first, 'devices')
    await says(first, 'through the account or a folder')
    await put(first, 'Folder', path.join(place.home, 'none'))
    await first.click('button=text=Begin here')
    await answered(first, "/cannot use the folder/.test(document.querySelector('.error')?.innerText)")
    await put(first, 'Folder', folder)
    await put(first, 'Name of this device', 'first')
    await first.click('button=text=Begin here')
    await offered()
    expect(fs.readdirSync(path.join(folder, fs.readdirSync(folder)[0], 'recovery')).length, 1, 'recovery members')
  },

  async 'join by two times six digits, each typed on the other page'({ browser }) {
    second = await browser.page()
    await create(second, await other.url())
    await visit(second, 'devices')
    await put(second, 'Folder', folder)
    await put(second, 'Name of this device', 'second')
    await second.click('button=text=Join another device')
    await exchange('taskvault sync join --folder …')
    await visit(second, 'tasks')
    await says(second, 'buy milk')
  },

  async 'a change of the other device arrives by itself, and a mark is drawn until it is looked at'({ place }) {
    // By another process, and without a reload.
    await place.run('task', 'add', 'call Ada', '--list', 'home')
    await says(second, 'call Ada')
    const { id } = (await other.json('task', 'list')).find(each => each.name == 'buy milk')
    await apart(async () => {
      await place.run('task', 'edit', id, '--name', 'buy oat milk')
      await other.run('task', 'edit', id, '--name', 'buy soy milk')
    })
    await says(second, 'Concurrent')
    await front(first)
    await visit(first, 'tasks')
    await says(first, 'Concurrent')
    const marked = "[...document.querySelectorAll('.list .row')].find(each => /Concurrent/.test(each.innerText))"
    const current = await first.evaluate(`${marked}.querySelector('.text').innerText`), lost = /oat/.test(current) ? 'buy soy milk' : 'buy oat milk'
    await first.evaluate(`${marked}.querySelector('.more').click()`)
    await first.click('dialog.menu button=text=What another device wrote')
    await answered(first, `document.querySelector('dialog .card')?.innerText.includes('${lost}')`)
    await first.click('dialog button=text=Close')
    await first.until("!document.querySelector('dialog')")
    for (const page of [first, second]) await page.until("!document.body.innerText.includes('Concurrent')", 30000)
  },

  async 'a secret that both changed is marked in its row, until the marks are removed'() {
    for (const page of [first, second]) { await front(page); await visit(page, 'secrets') }
    await apart(async () => {
      for (const [page, value] of [[first, 'one'], [second, 'two']])
        await page.evaluate(`import('/server.js').then(({ api }) => api.post('secrets/set', { service: 'mail.example', account: 'ada', field: 'password', value: '${value}' }))`)
    })
    for (const page of [first, second]) { await front(page); await says(page, 'Concurrent') }
    await front(first)
    await visit(first, 'devices')
    await more(first, 'Remove the marks')
    await answered(first, "!document.body.innerText.includes('Concurrent')")
    await front(second)
    await second.until("!document.body.innerText.includes('Concurrent')", 30000)
    await front(first)
  },

  async 'a file of the other device is marked until it was opened here; a list fetches nothing'({ place }) {
    const note = path.join(place.home, 'note.txt'), picture = path.join(place.home, 'dot.png')
    fs.writeFileSync(note, 'written on the first device')
    fs.writeFileSync(picture, Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'))
    for (const each of [picture, note]) await place.run('file', 'add', each)
    await visit(first, 'files')
    await says(first, 'note.txt')
    expect(await first.evaluate("document.body.innerText.includes('Not on this device')"), false)
    const marked = "[...document.querySelectorAll('.list .row')].filter(each => /Not on this device/.test(each.innerText)).map(each => each.querySelector('.text').innerText).sort()"
    await front(second)
    await visit(second, 'files')
    await second.until(`${marked}.length == 2`, 30000)
    await second.click('.list a=text=note.txt')
    await says(second, 'written on the first device')
    await visit(second, 'files')
    await second.until(`${marked}.length == 1`, 30000)
    expect(await second.evaluate(marked), ['dot.png'])
    expect((await other.json('file', 'list')).filter(each => each.here === false).map(each => each.name), ['dot.png'])
    await front(first)
  },

  async 'histories are compared, and fields that lost are listed'() {
    await visit(first, 'devices')
    await more(first, 'Compare histories')
    await answered(first, "document.querySelector('dialog .row .text')?.innerText.split(' ').length == 6")
    await first.press('Escape')
    await more(first, 'What was replaced')
    await answered(first, "document.querySelector('dialog .card, dialog p')")
    await first.press('Escape')
  },

  async 'a device is renamed, and removed: what it could read is listed'() {
    await first.evaluate("import('/server.js').then(({ api }) => api.post('secrets/set', { service: 'bank.example', account: 'ada', field: 'password', value: 'x' }))")
    await first.evaluate("[...document.querySelectorAll('.list .row')].find(each => /second/.test(each.innerText)).querySelector('.more').click()")
    await first.click('dialog.menu button=text=Rename')
    await put(first, 'Name', 'old laptop')
    await first.click('dialog button=text=Save')
    await answered(first, "/old laptop/.test(document.querySelector('.list').innerText)")
    await first.evaluate("[...document.querySelectorAll('.list .row')].find(each => /old laptop/.test(each.innerText)).querySelector('.more').click()")
    await first.click('dialog.menu button=text=Remove')
    await first.until("document.querySelector('dialog button.danger')")
    await first.click('dialog button.danger')
    await answered(first, "/bank.example/.test(document.querySelector('dialog')?.innerText)")
    await first.click('dialog button=text=Close')
    await first.until("document.querySelectorAll('.list .row').length == 1", 30000)
    await front(second)
    await visit(second, 'devices')
    await second.until("/was removed/.test(document.querySelector('.error')?.innerText)", 30000)
  },

  async 'the last device may have the server remove the group; a folder has none'() {
    const found = await first.evaluate("import('/server.js').then(({ api }) => api.get('sync'))"), ended = []
    const end = async () => { await front(first); await visit(first, 'tasks'); await visit(first, 'devices'); await more(first, 'End sync here') }
    await end()
    await first.until("document.querySelector('dialog button.danger')")
    expect(await first.evaluate("document.querySelectorAll('dialog .toggle').length"), 0)
    await first.press('Escape')
    const { stop } = await answering(first, {
      sync: () => ({ ...found, folder: undefined, server: 'https://tasks.example' }), 'sync/disable': body => { ended.push(body); return { keys_removed: true } },
    })
    for (const wanted of [false, true]) {
      await end()
      await first.until("document.querySelector('dialog .toggle')")
      if (wanted) await first.click('dialog .toggle input')
      await first.click('dialog button.danger')
      await first.until("!document.querySelector('dialog')")
    }
    await stop()
    expect(ended, [{ remove_group: false }, { remove_group: true }])
  },

  async 'the end of sync leaves everything here'() {
    await front(second)
    await more(second, 'End sync here')
    await second.click('dialog button.danger')
    await says(second, 'through the account or a folder')
    expect((await other.json('task', 'list')).length, 2)
  },

  async 'without a folder sync begins with the account; who is not signed in is asked to'({ place }) {
    await front(first)
    await more(first, 'End sync here')
    await first.click('dialog button.danger')
    await says(first, 'Empty: the account in the settings.')
    await first.click('button=text=Begin here')
    await answered(first, "document.querySelector('.error')?.innerText == 'No server is set.'")
    server = await authServer(place)
    const made = await fetch(server.url + '/account', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ email: 'ada@example.org', password: 'seven grey owls listen' }) })
    expect(made.status, 201)
    await useServer(first)
    await put(first, 'Name of this device', 'first')
    await first.click('button=text=Begin here')
    await first.until("[...document.querySelectorAll('dialog label')].some(each => each.innerText == 'E-mail')")
    await first.click('dialog button=text=Cancel')
    await answered(first, "document.querySelector('.error')?.innerText == 'Sign in first.'")
    await first.click('button=text=Begin here')
    await signIn(first)
    await offered()
    await says(first, server.url)
    expect(await first.evaluate("document.querySelector('.facts').innerText.includes('Folder')"), false)
  },

  async 'a second home joins through the account, and a change arrives by itself'({ place }) {
    await front(second)
    await useServer(second)
    await put(second, 'Name of this device', 'second')
    await second.click('button=text=Join another device')
    await signIn(second)
    await exchange('taskvault sync join')
    await place.run('task', 'add', 'water the plants')
    await visit(second, 'tasks')
    await says(second, 'water the plants')
  },

  async 'after the loss of all others the recovery code joins through the account'() {
    await visit(second, 'devices')
    await more(second, 'End sync here')
    await second.click('dialog button.danger')
    await second.until("document.querySelector('.pane .hint')")
    await put(second, 'Name of this device', 'third')
    for (const typed of [code.replace(/\w$/, each => each == '0' ? '1' : '0'), code]) {
      await second.click('button=text=Join by recovery code')
      await second.focus('Recovery code')
      await second.type(typed)
      await second.click('dialog button=text=Join by recovery code')
      if (typed == code) break
      await answered(second, "document.querySelector('dialog .error')?.innerText == 'The recovery code is wrong.'")
      await second.click('dialog button=text=Cancel')
    }
    await answered(second, "!document.querySelector('dialog') && document.body.innerText.includes('This device')")
    expect(await names(second), ['third', 'first', 'second'])
    await server.stop()
    for (const page of [first, second]) expect(faults(page), [])
    await other.end()
  },
})

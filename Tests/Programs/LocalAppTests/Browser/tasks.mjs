// tasks.mjs: the line that adds, the form, views, search, several tasks at once, names edited in place, orders, and what a change transfers. In Chromium, with the real programs.
import fs from 'node:fs'
import path from 'node:path'
import { pause } from './chromium.mjs'
import { answering, attempt, create, expect, faults, verifiedFor } from './world.mjs'

let page
const row = text => `[...document.querySelectorAll('.list .row')].find(each => each.querySelector('.text')?.innerText.endsWith(${JSON.stringify(text)}))`
const quick = "document.querySelector('.quick-add input')"
// In any order: tasks of one second without a date are sorted by their ids.
const names = () => page.evaluate("[...document.querySelectorAll('.list .row .text')].map(each => each.innerText).sort()")
const shows = async wanted => { wanted.sort(); for (let n = 0; JSON.stringify(await names()) != JSON.stringify(wanted); n++) { if (n > 200) expect(await names(), wanted, 'the list'); await pause(25) } }
const add = async text => { await page.evaluate(`${quick}.focus()`); await page.type(text); await page.press('Enter') }
const item = label => page.until(`(() => { const found = [...document.querySelectorAll('dialog.menu[open] .item')].find(each => each.innerText == ${JSON.stringify(label)}); found?.click(); return Boolean(found) })()`)
const side = label => page.until(`(() => { const found = [...document.querySelectorAll('nav .side button')].find(each => each.querySelector('.word').innerText == ${JSON.stringify(label)}); found?.click(); return Boolean(found) })()`)
const focus = text => page.until(`(() => { const title = ${row(text)}?.querySelector('.title'); title?.focus(); return title == document.activeElement })()`)
const task = async (place, name) => (await place.json('task', 'list', '--waiting')).concat(await place.json('task', 'list', '--all').catch(() => []), await place.json('task', 'list')).find(each => each.name == name)
const day = days => { const date = new Date(Date.now() + days * 86400000); return date.toISOString().slice(0, 10) }
/// Waits until the list has all tasks, and in each group the order of the command line.
async function sorted(place, order) {
  const wanted = (await place.json('task', 'list')).map(each => each.name)
  const shown = () => page.evaluate("[...document.querySelectorAll('.list .group')].map(group => [...group.querySelectorAll('.text')].map(each => each.innerText.split(String.fromCharCode(10)).pop()))")
  const isSame = async () => (await shown()).every(group => group.every((each, index) => !index || wanted.indexOf(group[index - 1]) < wanted.indexOf(each))) && (await shown()).flat().length == wanted.length
  for (let n = 0; !await isSame(); n++) { if (n > 100) expect(await shown(), wanted, order); await pause(50) }
}

await attempt({
  async 'one line adds and stays, and shows what it understood'({ place, browser }) {
    page = await browser.page()
    await create(page, await place.url())
    await page.press('a')
    await page.until(`document.activeElement == ${quick}`)
    await page.type('call Ada tomorrow 9:00 #home !high')
    await page.until("/Understood: call Ada · .*9:00 · Priority: high · #home/.test(document.querySelector('.quick-add .hint').innerText)")
    await page.press('Enter')
    await page.until(row('call Ada'))
    expect(await page.evaluate(`[document.activeElement == ${quick}, ${quick}.value, document.querySelector('.quick-add .hint').innerText]`), [true, '', ''], 'after Enter')
    const made = await task(place, 'call Ada')
    expect([made.due.slice(0, 10), made.tags, made.priority], [day(1), ['home'], 'high'])
    await add('mow the lawn list:garden')
    await add('prune the roses list:garden')
    await add('milk')
    await shows(['call Ada', 'mow the lawn', 'prune the roses', 'milk'])
    // What is wrong is said, and stays.
    await add('ring remind:10m')
    await page.has('a reminder needs')
    expect(await page.evaluate(`${quick}.value`), 'ring remind:10m')
    await page.evaluate(`${quick}.value = ''; ${quick}.dispatchEvent(new Event('input'))`)
  },

  async 'a task that is added in a list, a view or a search is seen'({ place }) {
    await side('garden')
    await shows(['mow the lawn', 'prune the roses'])
    await add('rake the leaves')
    await page.until(row('rake the leaves'))
    expect((await task(place, 'rake the leaves')).list, 'garden', 'the list of the view')
    // The words win.
    await add('paint the door list:house')
    await page.has('Added: paint the door')
    expect((await task(place, 'paint the door')).list, 'house')
    await page.click('.toast button=text=Show')
    await page.until(`${row('paint the door')}?.contains(document.activeElement)`)
    // The form begins with the list of the view, and a protected task is seen, too.
    await side('house')
    await page.press('n')
    await page.until("document.activeElement?.matches('.task-form input') && [...document.querySelectorAll('.task-form input')].some(each => each.value == 'house')")
    await page.type('oil the hinge list:garden')
    await page.press('Enter')
    await page.has('Added: oil the hinge')
    expect((await task(place, 'oil the hinge')).list, 'garden')
    await page.evaluate("location.hash = '#tasks'")
    await page.press('/')
    await page.type('paint')
    await shows(['paint the door'])
    await add('sweep the stairs')
    await page.has('Added: sweep the stairs')
    await page.press('Escape')
    await page.evaluate("document.activeElement.blur(); [...document.querySelectorAll('.search input')].forEach(each => { each.value = ''; each.dispatchEvent(new Event('input')) })")
    await side('house')
    await page.until(row('milk'))
  },

  async 'Today, Scheduled, tags; a search combines words'({ place }) {
    // A protected task without any public text is in the list, too.
    await page.evaluate("import('/verify.js').then(({ verified }) => import('/server.js').then(({ api }) => { verified(() => api.post('tasks', { name: 'x', protected: true })) }))")
    await verifiedFor(page, row('Protected task'))
    await place.run('task', 'remove', '--protected', '--all', '--yes')
    await page.until(`!${row('Protected task')}`)
    await place.run('task', 'add', 'water the palm', '--due', 'today', '--tag', 'green')
    await page.until(row('water the palm'))
    await side('Today')
    await shows(['water the palm'])
    await add('feed the cat')
    await shows(['water the palm', 'feed the cat'])
    expect((await task(place, 'feed the cat')).due, day(0), 'the day of the view')
    await side('Scheduled')
    await shows(['water the palm', 'feed the cat', 'call Ada'])
    await side('Scheduled')
    await side('#green')
    await shows(['water the palm'])
    await side('#green')
    await page.evaluate('document.activeElement.blur()')
    await page.press('/')
    await page.type('the garden lawn')
    await shows(['mow the lawn'])
    await page.evaluate("(() => { const field = document.querySelector('.search input'); field.value = ''; field.dispatchEvent(new Event('input')); field.blur() })()")
    await page.until(row('milk'))
  },

  async 'the form: a reminder before, and each repetition'({ place }) {
    await page.press('n')
    await page.focus('Name')
    await page.type('report')
    await page.evaluate("(() => { const [day, clock] = document.querySelectorAll('.task-form .pair input'); day.value = '2031-01-31'; clock.value = '09:00'; day.dispatchEvent(new Event('input', { bubbles: true })) })()")
    const set = (label, value) => page.evaluate(`(() => { const field = [...document.querySelectorAll('.task-form label')].find(each => each.innerText == '${label}')?.control ?? document.querySelector('.task-form [aria-label="${label}"]'); if (!field.checkVisibility()) throw new Error('${label} is hidden'); field.value = '${value}'; field.dispatchEvent(new Event('change', { bubbles: true })) })()`)
    expect(await page.evaluate("document.querySelector('.task-form [aria-label=Unit]').checkVisibility()"), false, 'hidden')
    await page.click('.task-form input.switch')
    await set('Reminder', 60)
    await set('Repeat', 'own')
    await set('Every', 3)
    await set('Unit', 'MONTHLY')
    await set('On', 'BYMONTHDAY=-1')
    await page.click('.task-form button=text=Add')
    await page.until(row('report'))
    let made = await task(place, 'report')
    expect([made.due, made.reminder, made.repeat], ['2031-01-31T09:00:00Z', '2031-01-31T08:00:00Z', 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1'])
    await page.has('Every 3 months: the last day')
    await page.evaluate(`location.hash = '#tasks/${made.id}/edit'`)
    await page.until("document.querySelector('.task-form select')?.value == '60'")
    await set('Reminder', 1440)
    await set('Repeat', 'own')
    await set('Every', 1)
    await set('Unit', 'WEEKLY')
    await page.click('.task-form button.chip=text=Mon')
    await page.click('.task-form button.chip=text=Fri')
    await page.click('.task-form button=text=Save')
    await page.until("!document.querySelector('.task-form')")
    made = await task(place, 'report')
    expect([made.reminder, made.repeat], ['2031-01-30T09:00:00Z', 'FREQ=WEEKLY;BYDAY=MO,FR'])
    await page.evaluate("location.hash = '#tasks'")
    await place.run('task', 'remove', 'report', '--yes')
  },

  async 'the form: a day that is typed into its field stays a day'({ place }) {
    await page.press('n')
    await page.focus('Name')
    await page.type('a day')
    await page.evaluate("document.querySelector('.task-form .pair input').focus()")
    for (const key of '02032031') await page.press(key)
    expect(await page.evaluate("[...document.querySelectorAll('.task-form .pair input')].slice(0, 2).map(each => each.value)"), ['2031-02-03', ''], 'day and time')
    await page.click('.task-form button=text=Add')
    await page.until(`${row('a day')} && !document.querySelector('.task-form')`)
    const made = await task(place, 'a day')
    expect(made.due, '2031-02-03')
    // The form that is opened again has no time either, and saving another field adds none.
    await page.evaluate(`location.hash = '#tasks/${made.id}/edit'`)
    await page.until("document.querySelector('.task-form .pair input')?.value == '2031-02-03'")
    await page.focus('Name')
    await page.type('a whole day')
    await page.click('.task-form button=text=Save')
    await page.until(row('a whole day'))
    expect((await task(place, 'a whole day')).due, '2031-02-03', 'after an edit')
    await page.evaluate("location.hash = '#tasks'")
    await place.run('task', 'remove', 'a whole day', '--yes')
  },

  async 'a name is edited in place, in its row and beside it'({ place }) {
    await focus('milk')
    await page.press('F2')
    await page.until("document.activeElement?.matches('.row .rename')")
    await page.evaluate("document.activeElement.value = 'oat milk'")
    await page.press('Enter')
    await page.until(row('oat milk'))
    await page.until(`${row('oat milk')}.contains(document.activeElement)`)
    await page.press('F2')
    await page.until("document.activeElement?.matches('.row .rename')")
    await page.evaluate("document.activeElement.value = 'nothing'")
    await page.press('Escape')
    await page.until(`${row('oat milk')}?.contains(document.activeElement)`)
    expect(await task(place, 'nothing'), undefined, 'after Esc')
    await page.press('Enter')
    await page.until("document.querySelector('.detail h1')?.innerText == 'oat milk'")
    await page.click('.detail button=text=More')
    await item('Rename')
    await page.until("document.activeElement?.matches('.detail .rename')")
    await page.evaluate("document.activeElement.value = 'soy milk'")
    await page.press('Enter')
    await page.until("document.querySelector('.detail h1')?.innerText == 'soy milk'")
    await page.evaluate("location.hash = '#tasks'")
    await page.until(row('soy milk'))
  },

  async 'several tasks: postpone, list, tag, done, delete, each one step of Undo'({ place }) {
    await place.run('task', 'add', 'early', '--due', `${day(0)}T23:10`)
    await place.run('task', 'add', 'whole day', '--due', day(0))
    await page.until(row('whole day'))
    const chosen = () => page.evaluate("[...document.querySelectorAll('.row.chosen .text')].map(each => each.innerText.split(String.fromCharCode(10)).pop()).sort()")
    const bar = async (label, count) => { await page.has(`Selected: ${count}`); await page.click(`.bulk button=text=${label}`) }
    await focus('early')
    await page.press('x')
    await page.has('Selected: 1')
    await page.evaluate(`${row('whole day')}.querySelector('.title').click()`)
    await page.has('Selected: 2')
    expect([await chosen(), await page.evaluate('location.hash')], [['early', 'whole day'], '#tasks'], 'a click selects')
    await bar('Postpone', 2)
    await item('Tomorrow')
    await page.has('Postponed: 2')
    expect([(await task(place, 'early')).due, (await task(place, 'whole day')).due], [`${day(1)}T23:10:00Z`, day(1)], 'the time of day stays')
    for (const size of [{}, { width: 390, height: 844 }, { width: 320, height: 568 }]) {
      await page.look(size)
      expect(await page.evaluate("[...document.querySelectorAll('.bulk button')].filter(each => { const box = each.getBoundingClientRect(); return !each.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)) }).map(each => each.innerText)"), [], `covered by the message at ${size.width} px`)
    }
    await page.look({})
    await page.click('.toast button')
    await page.until(`${row('early')} && !document.querySelector('.toast')`)
    for (let n = 0; (await task(place, 'whole day')).due != day(0) || !(await task(place, 'early')).due.startsWith(day(0)); n++) { if (n > 40) throw new Error('not one step'); await pause(50) }
    await bar('List', 2)
    await item('house')
    await page.has('Changed: 2')
    expect([(await task(place, 'early')).list, (await task(place, 'whole day')).list], ['house', 'house'])
    expect(await chosen(), [], 'after a change')
    // A range by Shift, a tag that is new.
    await focus('early')
    await page.press('x')
    await page.evaluate(`${row('whole day')}.querySelector('.title').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: true }))`)
    const all = await page.evaluate("[...document.querySelectorAll('.list .row .text')].map(each => each.innerText.split(String.fromCharCode(10)).pop())")
    const between = all.slice(...[all.indexOf('early'), all.indexOf('whole day')].sort((a, b) => a - b).map((each, index) => each + index)), many = between.length
    if (many < 3) throw new Error(`no range: ${all}`)
    expect(await chosen(), between.sort(), 'a range')
    await bar('Tags', many)
    await item('Other…')
    await page.until("document.querySelector('dialog:not(.menu) input')")
    await page.type('urgent')
    await page.press('Enter')
    await page.has(`Changed: ${many}`)
    for (const each of ['early', 'whole day']) expect((await task(place, each)).tags, ['urgent'], each)
    await focus('early')
    await page.press('x')
    await page.press('Escape')
    await page.until("!document.querySelector('.row.chosen')")
    await focus('early')
    await page.press('x')
    await focus('whole day')
    await page.press('x')
    await bar('Done', 2)
    await page.has('Done: 2')
    const areDone = async () => [await task(place, 'early'), await task(place, 'whole day')].map(each => each.done)
    expect([await areDone(), await chosen()], [[true, true], []], 'done')
    await page.press('u')
    await page.until(`${row('early')}?.matches(':not(.done)') && ${row('whole day')}?.matches(':not(.done)')`)
    for (let n = 0; (await areDone()).includes(true); n++) { if (n > 40) throw new Error('not one step'); await pause(50) }
    await focus('early')
    await page.press('x')
    await focus('whole day')
    await page.press('x')
    await bar('Delete', 2)
    await page.has('Deleted: 2')
    await page.until(`!${row('early')} && !${row('whole day')}`)
    await page.press('u')
    await page.until(`${row('early')} && ${row('whole day')}`)
    // One task, from its row.
    await focus('early')
    await page.press('p')
    await item('Tomorrow')
    await page.has('Postponed: 1')
    expect((await task(place, 'early')).due, `${day(1)}T23:10:00Z`)
  },

  async 'a change of the vault loads no tasks; one of a task does'({ place }) {
    await page.evaluate("import('/core.js').then(({ watch }) => { globalThis.told = new Promise(done => watch('vault', () => done(true))) })")
    await page.evaluate("globalThis.asked = []; globalThis.real = fetch; globalThis.fetch = (...all) => { asked.push(all[0]); return real(...all) }; 0")
    const lists = () => page.evaluate("asked.filter(each => each.startsWith('/api/tasks')).length")
    await page.evaluate("import('/server.js').then(({ api }) => api.post('secrets/set', { service: 'a.example', account: 'ada', field: 'password', value: 'x', class: 'while-unlocked' })).then(() => 0)")
    await page.until('told')
    await page.evaluate("import('/server.js').then(({ api }) => api.get('session')).then(() => 0)")
    expect(await lists(), 0, 'after a change of the vault')
    await place.run('task', 'add', 'seen at once')
    await page.until(row('seen at once'))
    expect(await lists() > 0, true, 'after a change of a task')
    await page.evaluate('globalThis.fetch = real; 0')
  },

  async 'each order is that of the command line, also of tasks that come later'({ place }) {
    for (const [name, ...more] of [['c3', '--due', `${day(3)}T12:00`], ['d3', '--due', day(3)], ['e3', '--due', `${day(3)}T23:30`, '--priority', 'high'], ['f4', '--due', `${day(4)}T00:10`], ['g3', '--due', day(3), '--priority', 'low'], ['h', '--priority', 'medium'], ['i']]) await place.run('task', 'add', name, ...more)
    await page.until(row('i'))
    for (const order of ['priority', 'created', 'name-reversed', 'name', 'due']) {
      await place.run('settings', 'set', 'task-order', order)
      await sorted(place, order)
    }
  },

  async 'an order that changes while the list loads is seen'({ place }) {
    await page.evaluate("import('/core.js').then(({ watch }) => { globalThis.told = new Promise(done => watch('settings', () => done(true))) })")
    await page.evaluate("globalThis.asked = 0; globalThis.real = fetch; globalThis.waits = new Promise(done => { globalThis.give = done }); globalThis.fetch = async (...all) => { if (String(all[0]).includes('tasks/changes')) { asked++; await waits } return real(...all) }; 0")
    await place.run('task', 'add', 'a first one')
    await page.until('asked')
    await place.run('settings', 'set', 'task-order', 'name-reversed')
    await page.until('told')
    await page.evaluate('give(); globalThis.fetch = real; 0')
    await page.until(row('a first one'))
    await sorted(place, 'name-reversed')
    await place.run('settings', 'set', 'task-order', 'due')
    await place.run('task', 'remove', 'a first one', '--yes')
    await sorted(place, 'due')
  },

  async 'a mark that fails is taken back'({ place }) {
    const { stop } = await answering(page, { 'tasks/done': () => ({ error: { code: 'busy', message: 'busy', hint: null } }) })
    await page.evaluate(`${row('h')}.querySelector('.tick').click()`)
    await page.has('busy')
    await page.until(`!${row('h')}.matches('.done') && !${row('h')}.querySelector('.tick').checked`)
    await stop()
    expect((await task(place, 'h')).done, false)
  },

  async 'a task that waits comes into the list when its time has come'({ place }) {
    await page.evaluate("globalThis.RealDate = Date; 0")
    await place.run('task', 'add', 'not yet', '--wait', `${day(1)}T08:00`)
    await place.run('task', 'add', 'after it')
    await page.until(row('after it'))
    expect((await names()).includes('not yet'), false, 'before')
    // The clock of the page, two days later.
    await page.evaluate("globalThis.Date = class extends RealDate { constructor(...all) { super(...(all.length ? all : [RealDate.now() + 2 * 86400000])) } static now() { return RealDate.now() + 2 * 86400000 } }; import('/core.js').then(({ tell }) => tell('minute'))")
    await page.until(row('not yet'))
    await page.evaluate("globalThis.Date = RealDate; 0")
    await place.run('task', 'remove', 'not yet', 'after it', '--yes')
    await page.until(`!${row('not yet')}`)
  },

  async 'marking one of many transfers what changed: three requests, and no list'({ place }) {
    const file = path.join(place.home, 'many.txt'), count = 2000
    fs.writeFileSync(file, Array.from({ length: count }, (_, number) => `task ${number} of many, with a name of usual length\n`).join(''))
    await place.run('task', 'import', '--format=todo.txt', file)
    await page.until(`Number(document.querySelector('nav .count').innerText) >= ${count}`)
    const whole = await page.evaluate("import('/server.js').then(({ api }) => api.get('tasks')).then(all => JSON.stringify(all).length)")
    const sent = new Map(), done = []
    const listener = ({ method, params, sessionId }) => {
      if (sessionId != page.sessionId) return
      if (method == 'Network.requestWillBeSent') sent.set(params.requestId, /[/]api[/]([^?]*)/.exec(params.request.url)?.[1])
      if (method == 'Network.loadingFinished' && sent.get(params.requestId) && sent.get(params.requestId) != 'events') done.push({ name: sent.get(params.requestId), bytes: params.encodedDataLength })
    }
    page.listeners.add(listener)
    // What the import began has ended.
    for (let before = -1; before != done.length;) { before = done.length; await pause(500) }
    done.length = 0
    await page.evaluate(`${row('h')}.querySelector('.tick').click()`)
    await page.has('1 done in the last 24 hours')
    await page.until(`${row('h')}.matches('.done')`)
    await pause(500)
    page.listeners.delete(listener)
    expect([...new Set(done.map(each => each.name))].sort(), ['reminders', 'tasks/changes', 'tasks/done'])
    const bytes = done.reduce((sum, each) => sum + each.bytes, 0)
    if (bytes > whole / 20) throw new Error(`${bytes} bytes of ${whole}: ${JSON.stringify(done)}`)
    expect(faults(page), [], 'errors of the page')
  },
})

// reminders.mjs: the page reminds while it is open, once together with the programs that do, and never extends the session (S4, S15). In Chromium, with the real programs.
import { pause } from './chromium.mjs'
import { attempt, create, expect, faults, html, unlock } from './world.mjs'

let page
const ago = minutes => new Date(Date.now() - minutes * 60000).toISOString()
const banner = name => `[...document.querySelectorAll('.banner-place > div')].find(each => each.querySelector('strong').innerText == ${JSON.stringify(name)})`
const press = (name, label) => page.until(`(() => { const found = [...(${banner(name)}?.querySelectorAll('.actions button') ?? [])].find(each => each.innerText == '${label}'); found?.click(); return Boolean(found) })()`)
const find = async (place, name) => (await place.json('task', 'list')).find(each => each.name == name)
const once = async place => (await place.json('remind', '--once')).map(each => each.name)

await attempt({
  async 'a due reminder drops a banner that stays; Done and Later act'({ place, browser }) {
    page = await browser.page()
    await create(page, await place.url())
    await place.run('task', 'add', 'water the plants', '--due', ago(1), '--remind')
    await page.until(banner('water the plants'))
    await page.evaluate(`location.hash = '#tasks/${(await find(place, 'water the plants')).id}'`)
    await page.has('While this page is open.')
    await page.evaluate("location.hash = '#tasks'")
    expect(await once(place), [], 'announced a second time')
    await place.run('task', 'add', 'feed the cat', '--due', ago(1), '--remind')
    await page.until(banner('feed the cat'))
    expect(await page.evaluate(`Boolean(${banner('water the plants')})`), true, 'the first one stays')
    await press('water the plants', 'Done')
    for (let n = 0; !(await place.json('task', 'list', '--done')).some(each => each.name == 'water the plants'); n++) { if (n > 100) throw new Error('not done'); await pause(50) }
    await press('feed the cat', 'Later')
    for (let n = 0; new Date((await find(place, 'feed the cat')).reminder) < Date.now(); n++) { if (n > 100) throw new Error('not later'); await pause(50) }
    // A tap opens the task.
    await place.run('task', 'add', 'call Ada', '--due', ago(1), '--remind')
    await page.until(banner('call Ada'))
    await page.evaluate(`${banner('call Ada')}.querySelector('.banner').click()`)
    await page.until("document.querySelector('.detail h1')?.innerText == 'call Ada'")
    // What ran once is taken for a timer.
    await page.has('Also while this page is closed.')
    expect(await page.evaluate("document.querySelectorAll('.banner-place > div').length"), 0, 'left')
  },

  async 'a reminder comes at its time, without a further question'({ place }) {
    await page.evaluate("location.hash = '#tasks'")
    await page.evaluate("globalThis.minutes = 0; import('/core.js').then(({ watch }) => { watch('minute', () => { minutes++ }) })")
    await place.run('task', 'add', 'take a break', '--due', new Date(Date.now() + 3000).toISOString(), '--remind')
    await page.until("[...document.querySelectorAll('.list .text')].some(each => each.innerText == 'take a break')")
    const before = await page.evaluate('minutes')
    await page.until(banner('take a break'))
    // The page asks twice a minute anyway; not so often that one of these was the reason twice.
    if (await page.evaluate('minutes') > before) {
      await place.run('task', 'add', 'go on', '--due', new Date(Date.now() + 3000).toISOString(), '--remind')
      await page.until(banner('go on'))
      expect(await page.evaluate('minutes'), before + 1, 'questions')
      await press('go on', 'Done')
    }
    await press('take a break', 'Done')
  },

  async 'what another program has announced is not repeated'({ place }) {
    await page.evaluate("location.hash = '#tasks'")
    // While the page is away.
    await page.go('about:blank')
    await place.run('task', 'add', 'buy stamps', '--due', ago(1), '--remind')
    expect(await once(place), ['buy stamps'])
    await page.go(await place.url())
    await page.has('buy stamps')
    await pause(1000)
    expect(await page.evaluate("document.querySelectorAll('.banner-place > div').length"), 0, 'announced a second time')
  },

  async 'more banners than three: the others are seen when those have an answer'({ place }) {
    const wanted = ['one', 'two', 'three', 'four', 'five'], seen = () => page.evaluate("[...document.querySelectorAll('.banner-place > div')].filter(each => each.checkVisibility()).map(each => each.querySelector('strong').innerText)")
    for (const name of wanted) { await place.run('task', 'add', name, '--due', ago(1), '--remind'); await page.until(banner(name)) }
    expect(await seen(), ['three', 'four', 'five'])
    // They wait above the page, and cover nothing of its head; beside a detail they are above the list.
    for (const [width, wanted] of [[1080, '.pill'], [390, '.pill'], [1080, '.list .head button.main'], [1300, '.detail .head button']]) {
      await page.look({ width, height: 860 })
      if (width == 1300) await page.evaluate(`location.hash = '#tasks/${(await find(place, 'one')).id}'`)
      const isFree = () => page.evaluate(`(() => { const found = document.querySelector('${wanted}'), box = found?.getBoundingClientRect(); return Boolean(found?.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2))) })()`)
      await page.until(`document.querySelector('${wanted}')`)
      expect(await isFree(), true, `${wanted} at ${width} px`)
      if (width == 1300) { await page.evaluate('scrollTo(0, 1000)'); expect(await isFree(), true, 'after scrolling') }
    }
    await page.evaluate("location.hash = '#tasks'")
    await page.look({})
    await press('four', 'Done')
    await press('five', 'Done')
    expect(await seen(), ['one', 'two', 'three'])
    for (const name of ['three', 'two', 'one']) await press(name, 'Done')
    expect(await seen(), [])
    for (let n = 0; (await place.json('task', 'list', '--done')).filter(each => wanted.includes(each.name)).length < 5; n++) { if (n > 100) throw new Error('not done'); await pause(50) }
  },

  async 'a locked page names no task; after it the banners are there again'({ place }) {
    await place.run('task', 'add', 'before the lock', '--due', ago(1), '--remind')
    await page.until(banner('before the lock'))
    await place.run('lock')
    await page.has('A task is due. Unlock to see it.')
    // To close this one is no answer to the reminder.
    await page.click('.banner-place .actions button')
    await page.hasNot('A task is due.')
    await place.run('task', 'add', 'secret surprise', '--due', ago(1), '--remind')
    await page.has('A task is due. Unlock to see it.')
    expect(await page.evaluate("document.querySelectorAll('.banner-place > div').length"), 1, 'banners')
    if ((await html(page)).includes('secret surprise')) throw new Error('its name is there')
    await unlock(page)
    for (const each of ['before the lock', 'secret surprise']) await page.until(banner(each))
    await page.hasNot('A task is due.')
    await press('before the lock', 'Done')
    await press('secret surprise', 'Done')
    // What has an answer does not come back.
    await page.click('.pill')
    await page.has('Enter password')
    await page.hasNot('A task is due.')
    await unlock(page)
    expect(await page.evaluate("document.querySelectorAll('.banner-place > div').length"), 0, 'left')
  },

  async 'asking is no use of the session'() {
    const left = () => page.evaluate("import('/server.js').then(({ api }) => api.get('session')).then(each => each.idle_seconds_left)"), before = await left()
    // Two seconds by the agent's own clock.
    while (await left() > before - 2) { await page.evaluate("import('/core.js').then(({ tell }) => tell('minute'))"); await pause(100) }
    await page.evaluate("import('/server.js').then(({ api }) => Promise.all([api.post('reminders'), api.get('inbox?kept=1'), api.get('state')]))")
    if (await left() > before - 2) throw new Error('the session was extended')
    expect(faults(page), [], 'errors of the page')
  },
})

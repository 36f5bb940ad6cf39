// Banners (S15) of messages and reminders (S4). The page itself reminds while it is open; while taskvault services runs, that does.
import { go, h, icon, state, tell, texts, watch } from './core.js'
import { when } from './dates.js'
import { attempt } from './parts.js'
import { api } from './server.js'
import { posted, verified } from './verify.js'

const t = texts({
  reminder: 'Reminder', protected: 'Protected task', finish: 'Done',
  hidden: 'A task is due. Unlock to see it.',
})
const places = h('div.banner-place', { role: 'alert' })
const shown = new Set()
// Reminders without an answer of the owner, by their path. A lock takes their banners away; they come back.
const due = new Map()
let isOpen
watch('state', () => {
  const was = isOpen
  isOpen = state.session.state == 'unlocked'
  if (isOpen && was === false) again()
})
watch('forget', again)
function again() {
  for (const each of shown) each(true)
  announce([...due])
}

/// Drops a banner: a tap opens it; a swipe or Esc closes it. Without `actions` it goes by itself. `gone` is called unless a lock takes it away.
/// Three are seen, the others after them.
export function drop({ icon: name, title, below, label, open, actions = [], gone }) {
  let start, timer
  const leave = isTaken => { box.remove(); clearTimeout(timer); shown.delete(leave); if (!isTaken) gone?.() }
  const element = h('button.banner', { 'aria-label': label, onclick: () => { leave(); open() },
    onkeydown: event => { if (event.key == 'Escape') leave() },
    onpointerdown: event => { start = event; element.setPointerCapture(event.pointerId) },
    onpointermove: event => {
      const far = start && Math.max(Math.abs(event.clientX - start.clientX), start.clientY - event.clientY)
      if (far > 24) { start = null; leave() }
    } }, icon(name), h('span.words', h('strong', title), h('small', below)))
  const box = h('div', element, actions.length > 0 && h('div.actions', actions.map(([label, act]) => h('button', { onclick: () => { leave(); attempt(act) } }, label))))
  if (!places.isConnected) document.body.append(places)
  places.append(box)
  shown.add(leave)
  if (!actions.length) timer = setTimeout(leave, 8000)
}

/// Whether reminders are announced also while no page is open; undefined before the first answer.
export let rings
let timer
async function remind() {
  if (!state.session || state.held || state.session.state == 'none') return
  const { services, next, reminders } = await api.post('reminders')
  if (rings != services) { rings = services; tell('rings') }
  // The browser's timers end after 24 days; each minute asks anew.
  const left = new Date(next) - Date.now()
  if (next && left < 60000) { clearTimeout(timer); timer = setTimeout(ask, Math.max(200, left)) }
  const fresh = reminders.map(each => [`tasks/${each.task}${each.subtask ? `/subtasks/${each.subtask}` : ''}`, each])
  for (const [path, each] of fresh) due.set(path, each)
  if (fresh.length) announce(fresh)
}
const ask = () => remind().catch(() => {})

// A locked page says that something is due, once and without a name.
function announce(all) {
  if (state.session?.state == 'unlocked') return all.forEach(each => remindOf(...each))
  for (const each of shown) each(true)
  if (due.size) drop({ icon: 'bell', title: t('reminder'), below: t('hidden'), open: () => go('tasks'), actions: [[t('close'), () => {}]] })
}
function remindOf(path, { task, subtask, name, due: time }) {
  const title = name ?? t('protected')
  drop({ icon: 'bell', title, below: time ? when(time) : t('reminder'), label: `${t('reminder')}: ${title}`, open: () => go(`tasks/${task}`), gone: () => due.delete(path), actions: [
    [t('finish'), () => verified(() => subtask ? api.post(`${path}/done`) : api.post('tasks/done', { ids: [task] }))],
    [t('later'), async () => {
      const [, n, unit] = /^(\d+)([smhd])/.exec((await api.get('settings')).snooze) ?? [0, 10, 'm']
      await posted(`${path}/remind`, { when: new Date(Date.now() + n * { s: 1, m: 60, h: 3600, d: 86400 }[unit] * 1000).toISOString() })
    }]] })
}
for (const each of ['minute', 'tasks', 'state']) watch(each, ask)

// Tasks (S3, S4, S18, S21): the list in groups by due date.
import { compare, go, h, icon, place, renewFrame, screen, state, watch } from './core.js'
import { dateOf, daysTo, everySo, isDay, isPast, units, when } from './dates.js'
import { ask, attempt, empty, list, menu, row, searchField, tick, toast, untoast } from './parts.js'
import { countdown } from './reveal.js'
import { api } from './server.js'
import { adder, more, texts } from './shared.js'
import { showTask } from './task.js'
import { showTaskForm } from './task-form.js'
import { verified } from './verify.js'

const t = texts({
  late: ['Overdue', 'Прострочені'], later: ['Later', 'Пізніше'], waits: ['Waiting', 'Відкладені'], finished: ['Done', 'Виконані'], lists: ['Lists', 'Списки'],
  lately: ['{n} done in the last 24 hours', '{n} виконано за останні 24 години'],
  protected: ['Protected task', 'Захищене завдання'], showAll: ['Show all protected tasks', 'Показати всі захищені'],
  steps: ['{done} of {n} steps', '{done} з {n} кроків'], reminds: ['Reminds', 'Нагадає'],
  dayBefore: ['a day before', 'за день'], before: ['{n} before', 'за {n}'],
  removed: ['Task deleted.', 'Завдання видалено.'], next: ['Done. Next: {when}', 'Виконано. Далі: {when}'],
  markAll: ['Mark all as complete', 'Позначити все виконаним'], markedAll: ['All marked as complete.', 'Усе позначено виконаним.'],
  openOnly: ['Hide completed', 'Сховати виконані'], waiting: ['Show tasks that wait', 'Показати відкладені'], filter: ['Filter', 'Фільтр'], all: ['All tasks', 'Усі завдання'], without: ['Remove the filter {what}', 'Прибрати фільтр {what}'],
  elsewhere: ['Repeats in another program', 'Повторюється в іншій програмі'], endSeries: ['It repeats there by a rule that is not supported here. All of it ends.', 'Там воно повторюється за правилом, яке тут не підтримується. Завершиться все.'], end: ['Mark as complete', 'Позначити виконаним'],
  none: ['No tasks yet.', 'Завдань ще немає.'], addFirst: ['Add a task', 'Додати завдання'], showEverything: ['Show all tasks', 'Показати всі завдання'],
})

let all = [], lists = [], tags = [], whole = false, order = null
const filter = { list: null, tag: null, text: '', open: false, waiting: false }
// The visible texts of protected tasks. They are kept nowhere else.
const revealed = new Map()
let redraw = () => {}
watch('hide', () => { if (revealed.size) { revealed.clear(); redraw() } })
watch('end', () => { all = []; lists = []; tags = [] })

const keep = ({ id, name, notes, subtasks }) => revealed.set(id, { name, notes, subtasks })

/// The task with an id, with its text if that is visible; undefined if it does not exist.
export const taskOf = id => { const found = all.find(each => each.id == id); return found && { ...found, ...revealed.get(id), isShown: revealed.has(id) } }
export const known = () => ({ lists, tags })
export const nameOf = task => task.name ?? task.nickname ?? t('protected')

// *Undo* of a toast undoes the last command. So each command closes older toasts, and waits for the
// command before it.
let last = Promise.resolve()
const undo = () => command('tasks/undo')
export const command = (path, body, said, method = 'post', row) => last = last.catch(() => {}).then(async () => {
  untoast()
  const answer = await api[method](path, body)
  if (said) toast(said, undo, { row })
  return answer
})
export const mark = (task, done) => attempt(async () => {
  const ends = done && task.repeats_elsewhere
  if (ends && !await ask(nameOf(task), t('endSeries'), t('end'))) return redraw()
  const found = all.find(each => each.id == task.id)
  if (found && !task.repeat) found.done = done
  redraw()
  const [after] = await command(`tasks/${done ? 'done' : 'undone'}`, { ids: [task.id], ...(ends && { yes: true }) }) ?? []
  if (done && task.repeat && after?.due && !after.done) toast(t('next', { when: when(after.due) }), undo, { row: task.id })
})
export const remove = task => attempt(async () => {
  await command('tasks/remove', { ids: [task.id] }, t('removed'), 'post', task.id)
  all = all.filter(each => each.id != task.id)
  if (place().detail?.startsWith(task.id)) go('tasks')
})
/// Shows the text of a protected task in its row and its details until the verification ends.
export const show = task => attempt(async () => {
  const found = await verified(() => api.get(`tasks/${task.id}`))
  if (!found || document.hidden || state.session.state != 'unlocked') return
  keep(found)
  redraw(task.id)
})
export const hide = task => { revealed.delete(task.id); redraw(task.id) }
const showAll = () => attempt(async () => {
  const found = await verified(() => api.get('tasks?protected=1&reveal=1'))
  if (!found || document.hidden) return
  for (const each of found) if (each.protected && each.name != null) keep(each)
  redraw()
})

/// The due time and the reminder of a task.
export function times(task) {
  const due = task.due ? when(task.due) : null, bell = label => h('span', icon('bell'), h('span.hidden-text', t('reminds') + ' '), label)
  const text = (content, late) => content && h('span', { class: late ? 'late' : null }, content)
  if (task.done || !task.reminder) return task.done && task.repeat ? [] : [text(due, task.overdue && !task.done)]
  const minutes = task.due == task.reminder ? 0 : task.due && isDay(task.due) == isDay(task.reminder) ? Math.round((dateOf(task.due) - dateOf(task.reminder)) / 60000) : -1
  if (minutes == 0) return [task.overdue ? h('span.late', icon('bell'), due) : bell(due)]
  const before = minutes == 1440 ? t('dayBefore') : minutes < 1 || minutes > 1440 ? when(task.reminder) : t('before', { n: minutes % 60 ? units(minutes, 'minute', 'short') : units(minutes / 60, 'hour', 'short') })
  return [text(due, task.overdue), bell(before)]
}

function drawTask({ id }) {
  const task = taskOf(id), name = nameOf(task), steps = task.subtasks ?? []
  return row({
    key: id, open: `tasks/${id}`, mark: task.protected && 'lock', state: [task.done && 'done', task.protected && !task.isShown && 'hiding'].filter(Boolean).join(' '),
    title: task.isShown ? h('span.revealed', name, countdown(state.verifiedUntil)) : name,
    lead: tick(t('done', { what: name }), task.done, done => mark(task, done)),
    details: [...times(task), task.repeat && everySo(task.repeat), task.repeats_elsewhere && t('elsewhere'), task.priority != 'none' && `${t('priority')}: ${t(task.priority).toLowerCase()}`, task.list,
      ...task.tags.map(each => h('span.tag', `#${each}`)), steps.length > 0 && t('steps', { done: steps.filter(each => each.done).length, n: steps.length })].filter(Boolean),
    action: task.protected && (task.isShown ? h('button.quiet', { onclick: () => hide(task) }, t('hide')) : h('button.plain', { 'aria-label': `${t('show')}: ${name}`, onclick: () => show(task) }, t('show'))),
    menu: () => taskMenu(task),
    keys: { ' ': () => mark(task, !task.done), Delete: () => remove(task), e: () => go(`tasks/${id}/edit`) },
    swipe: [t('delete'), () => remove(task)],
  })
}
export const taskMenu = task => [{ label: t('edit'), act: () => go(`tasks/${task.id}/edit`) }, { label: t('delete'), act: () => remove(task), danger: true }]

// By name the order is that of the alphabet of the page; every other one is the server's.
function sorted() {
  const sign = { name: 1, 'name-reversed': -1 }[order], name = task => revealed.get(task.id)?.name ?? task.name ?? task.nickname ?? ''
  return sign ? [...all].sort((a, b) => sign * compare(name(a), name(b))) : all
}

/// The filtered tasks in groups.
function grouped() {
  const { text } = filter
  const groups = { late: [], today: [], tomorrow: [], later: [], noDate: [], finished: [], waits: [] }
  for (const task of sorted()) {
    if (filter.list && task.list != filter.list || filter.tag && !task.tags.includes(filter.tag) || filter.open && task.done || task.waiting && !filter.waiting) continue
    if (text && ![task.name, task.nickname, task.notes, task.list, ...task.tags, ...(task.subtasks ?? []).map(each => each.name)].some(each => each?.toLocaleLowerCase().includes(text))) continue
    task.overdue = !task.done && task.due != null && isPast(task.due)
    const days = task.due && daysTo(dateOf(task.due)), past = task.done && (task.due ? days : task.completed ? daysTo(dateOf(task.completed)) : 0) < 0
    groups[task.waiting ? 'waits' : task.overdue ? 'late' : past ? 'finished' : !task.due ? 'noDate' : days > 1 ? 'later' : days > 0 ? 'tomorrow' : 'today'].push(task)
  }
  return Object.entries(groups).filter(([, items]) => items.length).map(([id, items]) => ({ id, title: t(id), items, state: id == 'late' ? 'late' : '' }))
}

const color = name => `dot c${lists.findIndex(each => each.name == name) % 6}`
const choose = (key, value) => { filter[key] = filter[key] == value ? null : value; go('tasks'); redraw(); renewFrame() }

screen({
  id: 'tasks', icon: 'tasks', title: () => t('tasks'), tab: true,
  count: () => all.reduce((sum, each) => sum + (each.done || each.waiting ? 0 : 1), 0),
  side: () => lists.length ? [h('p', t('lists')), lists.map(({ name, open }) =>
    h('button', { 'aria-pressed': String(filter.list == name), onclick: () => choose('list', name) }, h('span', { class: color(name) }), h('span.word', name), h('span.count', String(open || ''))))].flat() : [],

  list(pane) {
    const rows = list(drawTask, { signal: pane.signal, label: t('tasks') }), body = h('div'), chips = h('div.filters'), below = h('span')
    const search = searchField(pane, text => { filter.text = text; arrange() })
    const find = () => { search.hidden = false; search.querySelector('input').focus() }
    search.hidden = !filter.text
    search.querySelector('input').value = filter.text
    pane.key('n', () => go('tasks/new'))

    const clear = () => { Object.assign(filter, { list: null, tag: null, text: '', open: false, waiting: all.every(each => each.waiting) }); search.hidden = true; search.querySelector('input').value = ''; arrange(); renewFrame() }
    const items = () => [
      { label: t('search'), icon: 'search', act: find },
      { label: t('filter'), icon: 'tasks', act: filters },
      { label: t('showAll'), icon: 'lock', act: showAll },
      { label: t('statistics'), icon: 'chart', act: () => go('statistics') },
      { label: t('markAll'), icon: 'check', act: markAll },
    ]
    const filters = () => menu([
      { label: t('all'), checked: !filter.list && !filter.tag, act: clear },
      ...lists.map(({ name }) => ({ label: name, checked: filter.list == name, act: () => choose('list', name) })),
      ...tags.map(({ name }) => ({ label: `#${name}`, checked: filter.tag == name, act: () => choose('tag', name) })),
      { label: t('openOnly'), checked: filter.open, act: () => { filter.open = !filter.open; arrange() } },
      { label: t('waiting'), checked: filter.waiting, act: () => { filter.waiting = !filter.waiting; arrange() } },
    ], { target: pane.root.querySelector('.square') })
    // The server's search would also find hidden texts.
    const markAll = () => attempt(async () => {
      const open = grouped().flatMap(each => each.items).filter(each => !each.done)
      if (open.some(each => each.repeats_elsewhere) && !await ask(t('markAll'), t('endSeries'), t('end'))) return
      await (filter.text ? command('tasks/done', { ids: open.map(each => each.id), yes: true }, t('markedAll'))
      : command('tasks/done-all', { ...(filter.list && { list: filter.list }), ...(filter.tag && { tags: [filter.tag] }) }, t('markedAll')))
    })

    function arrange() {
      const chip = (label, off) => h('button.chip', { 'aria-pressed': 'true', 'aria-label': t('without', { what: label }), onclick: off }, h('span', label, icon('close')))
      chips.replaceChildren(...[filter.list && chip(filter.list, () => choose('list', filter.list)), filter.tag && chip(`#${filter.tag}`, () => choose('tag', filter.tag))].filter(Boolean))
      const groups = grouped()
      const wanted = groups.length ? rows.root : all.length ? empty(t('nothing'), h('button', { onclick: clear }, t('showEverything'))) : empty(t('none'), t('addFirst'), () => go('tasks/new'))
      if (body.firstChild != wanted) body.replaceChildren(wanted)
      rows.update(groups)
    }
    redraw = id => { if (pane.signal.aborted) return; if (id) rows.redraw(id); else { rows.redraw(); arrange() } watchers.forEach(each => each()) }

    pane.show(
      pane.head(t('tasks'), {
        actions: [more(items), adder(() => go('tasks/new'))],
        below: h('span', below, ' ', h('a.link', { href: '#statistics' }, t('statistics'))),
      }),
      h('a.card.only-small.shortcut', { href: '#checklists' }, icon('checklists'), h('span', t('checklists')), h('span.space'), icon('forward')), search, chips, body)
    if (all.length) arrange()
    watch('minute', arrange, pane.signal)

    watch('settings', () => { order = null }, pane.signal)
    pane.live(['tasks', 'vault', 'settings'], async () => {
      // The first rows of a long list are loaded first.
      if (!whole || all.length > 500) {
        const first = await state.first ?? await api.get('tasks?limit=60'), ids = new Set(first.map(each => each.id))
        all = [...first, ...all.filter(each => !ids.has(each.id))]
        arrange()
      }
      const rest = Promise.all([api.get('lists'), api.get('statistics?days=1'), order ?? api.get('settings').then(found => found.task_order)])
      rest.catch(() => {})
      all = (await Promise.all([api.get('tasks'), api.get('tasks?waiting=1')])).flat()
      whole = true
      await Promise.all([...revealed.keys()].map(id => api.get(`tasks/${id}`).then(each => revealed.has(id) && keep(each), () => revealed.delete(id)).then(() => rows.redraw(id))))
      arrange()
      watchers.forEach(each => each())
      const [labels, numbers, wanted] = await rest
      lists = labels.lists.sort((a, b) => compare(a.name, b.name))
      tags = labels.tags.sort((a, b) => compare(a.name, b.name))
      if (order != wanted) { order = wanted; arrange() }
      below.textContent = t('lately', { n: numbers.completed_past_24_hours })
      renewFrame()
    })
  },

  detail(pane, id) {
    const [task, edit] = id.split('/')
    if (task == 'new' || edit) showTaskForm(pane, task == 'new' ? null : task)
    else showTask(pane, task)
  },
})

const watchers = new Set()
/// Calls `act` now, when tasks were loaded, and when a text was shown or hidden, until `signal`
/// aborts.
export function watchTasks(act, signal) {
  watchers.add(act)
  signal.addEventListener('abort', () => watchers.delete(act))
  if (whole) act()
}

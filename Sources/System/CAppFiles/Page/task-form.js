// Adds or edits a task: a separate screen with *Cancel*.
import { compare, go, h, state, watch, texts } from './core.js'
import { dateOf, dayAfter, dayName, days, everySo, fromField, isDay, toField, untilMonday, units, whenLong } from './dates.js'
import { attempt, field, fields, select, sends, tagsOf, toast, toggle, whenField } from './parts.js'
import { api } from './server.js'
import { added, addTyped, command, implied, known, priorityOf, taskOf, watchTasks } from './tasks.js'
import { verified } from './verify.js'

const t = texts({
  new: 'New task', edit: 'Edit task',
  before: 'Reminder', atDue: 'At the due time', repeat: 'Repeat',
  own: 'Other…', earlier: '{what} before', every: 'Every', unit: 'Unit', DAILY: 'days', WEEKLY: 'weeks', MONTHLY: 'months', YEARLY: 'years',
  on: 'On', same: 'On the same day', last: 'On the last day', nth: 'On the {n}. weekday of this name', lastOf: 'On the last weekday of this name',
  nameHint: 'Also: tomorrow 9:00, every week, #tag, !high, list:home', seen: 'Understood',
  protectHint: 'The text stays in the vault. The list shows a lock.',
  nickname: 'Public name', nicknameHint: 'Shown in place of the text. It is not protected.',
  dropped: 'Not saved.', waitHint: 'Hidden from the list until then.',
})
const rules = { daily: 'FREQ=DAILY', weekdays: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', weekly: 'FREQ=WEEKLY', monthly: 'FREQ=MONTHLY', yearly: 'FREQ=YEARLY' }

// What was typed and not sent, by task. It is there again after a lock, and after *Undo* of Esc. Protected texts are not kept.
const drafts = new Map()

/// Shows the form in the pane: for a new task, or for the task with an id.
export function showTaskForm(pane, id) {
  // The form leaves the history: *Back* returns to the list.
  const done = () => go(id ? `tasks/${id}` : 'tasks', true)
  pane.key('Escape', done)
  if (!id) return draw(pane, null, done)
  let drawn
  watchTasks(() => {
    if (drawn) return
    drawn = true
    const task = taskOf(id)
    if (!task) return done()
    if (!task.protected) return draw(pane, task, done)
    attempt(() => verified(() => api.get(`tasks/${id}`))).then(found => {
      if (!found || pane.signal.aborted || document.hidden) return done()
      // The fields contain the text, so they close when texts are hidden.
      watch('hide', () => { pane.show(); done() }, pane.signal)
      draw(pane, found, done)
    })
  }, pane.signal)
}

/// Fields of a repetition. `rule(due)` is that of RFC 5545.
function ownRule(due) {
  const choice = (label, entries) => select(entries, null, { 'aria-label': t(label), onchange: follow })
  const every = h('input', { type: 'number', min: 1, max: 999, value: '2', 'aria-label': t('every') }), unit = choice('unit', Object.values(rules).filter(each => !/BY/.test(each)).map(each => [each.slice(5), t(each.slice(5))]))
  const week = h('div.chips', days.map((each, index) => { const box = h('button.chip', { 'aria-pressed': 'false', onclick: () => { box.ariaPressed = String(box.ariaPressed != 'true') } }, h('span', dayName(`2024-01-0${index + 1}`, 'short'))); return box }))
  const on = choice('on', [['', t('same')], ['BYMONTHDAY=-1', t('last')], ...[1, 2, 3, 4].map(n => [n, t('nth', { n })]), [-1, t('lastOf')]])
  function follow() { week.hidden = unit.value != 'WEEKLY'; on.hidden = unit.value != 'MONTHLY' }
  const box = h('div.stack', h('div.pair', every, unit), week, on)
  box.rule = () => {
    const named = [...week.children].map((each, index) => each.ariaPressed == 'true' && days[index]).filter(Boolean), weekday = days[(dateOf(due.value).getDay() + 6) % 7]
    return [`FREQ=${unit.value}`, every.value > 1 && `INTERVAL=${every.value}`, !week.hidden && named.length && `BYDAY=${named}`, !on.hidden && on.value && (/=/.test(on.value) ? on.value : `BYDAY=${on.value}${weekday}`)].filter(Boolean).join(';')
  }
  follow()
  return box
}
/// The line below a field that says how its words are understood, while they are typed.
export function echo(input, signal, isOff) {
  const seen = h('p.hint', { 'aria-live': 'polite' })
  let turn = 0, wait
  input.addEventListener('input', () => {
    clearTimeout(wait)
    turn++
    if (!input.value.trim()) return seen.textContent = ''
    wait = setTimeout(read, 200)
  })
  async function read() {
    const now = turn, found = isOff?.() ? null : await api.post('tasks/understand', { text: input.value }).catch(() => null)
    if (now != turn || signal.aborted) return
    const parts = found?.understood?.length ? [found.name, found.due && whenLong(found.due), found.wait && `${t('wait')}: ${whenLong(found.wait)}`, found.repeat && everySo(found.repeat), priorityOf(found), found.list, ...found.tags.map(each => `#${each}`)].filter(Boolean) : []
    seen.textContent = parts.length ? `${t('seen')}: ${parts.join(' · ')}` : ''
  }
  return seen
}

function draw(pane, task, done) {
  const text = (value, more) => h('input', { value: value ?? '', ...more }), moment = value => whenField(value ? toField(value) : '')
  // A new task begins with what the view implies.
  const view = task ? {} : implied()
  const name = text(task?.name, { required: true, enterkeyhint: 'done' }), notes = h('textarea', { value: task?.notes ?? '' })
  const due = whenField(task?.due ? toField(task.due) : view.due ?? ''), wait = moment(task?.wait)
  const { lists, tags: knownTags } = known()
  const options = (id, from) => h('datalist', { id }, from.map(each => each.name).sort(compare).map(each => h('option', { value: each })))
  const list = text(task?.list ?? view.list, { list: 'lists' }), tags = text((task?.tags ?? view.tags)?.join(' '), { list: 'tags', autocapitalize: 'off' })
  const priority = select(['none', 'low', 'medium', 'high'].map(each => [each, t(each)]), task?.priority ?? 'none')
  const rule = Object.entries(rules).find(([, each]) => each == task?.repeat)?.[0] ?? (task?.repeat ? 'keep' : 'never')
  const repeat = select([...['never', ...Object.keys(rules), 'own'].map(each => [each, t(each)]), ...(rule == 'keep' ? [['keep', everySo(task.repeat)]] : [])], rule), own = ownRule(due)
  // Minutes before the due time, for the reminder: those of the task are among the choices.
  const distance = task?.reminder && task.due && isDay(task.due) == isDay(task.reminder) ? Math.max(0, (dateOf(task.due) - dateOf(task.reminder)) / 60000) : 0
  const ahead = select([...new Set([0, 5, 10, 30, 60, 120, 1440, 2880, 10080, distance])].sort((a, b) => a - b).map(each => [each, each ? t('earlier', { what: each % 1440 ? each % 60 ? units(each, 'minute', 'long') : units(each / 60, 'hour', 'long') : units(each / 1440, 'day', 'long') }) : t('atDue')]), distance)
  const remind = toggle(t('remind'), Boolean(task?.reminder)), before = field(t('before'), ahead), protect = toggle(t('protect'), false, null, t('protectHint')), nickname = text(task?.nickname)
  const nicknameField = field(t('nickname'), nickname, t('nicknameHint'))
  const follow = () => {
    remind.box.disabled = repeat.disabled = !due.value
    if (!due.value) { remind.box.checked = false; repeat.value = 'never' }
    before.hidden = !remind.box.checked
    own.hidden = repeat.value != 'own'
    nicknameField.hidden = !(task?.protected || protect.box.checked)
  }
  const quick = (label, value) => h('button.chip', { onclick: () => { due.value = value; follow() } }, h('span', label))
  due.addEventListener('input', follow)
  for (const each of [protect.box, remind.box, repeat]) each.addEventListener('change', follow)
  // The command shows what it reads from the name of a new task. A protected name is only a name.
  const nameField = field(t('name'), name, !task && t('nameHint')), seen = !task && echo(name, pane.signal, () => protect.box.checked), read = () => name.dispatchEvent(new Event('input'))
  protect.box.addEventListener('change', read)
  const send = h('button.main', t(task ? 'save' : 'add'))

  const values = () => {
    const names = tagsOf(tags)
    const body = { name: name.value.trim(), notes: notes.value, due: fromField(due.value), list: list.value.trim() || null, priority: priority.value, wait: fromField(wait.value) }
    if (repeat.value != 'keep') body.repeat = repeat.value == 'own' ? own.rule() : rules[repeat.value] ?? null
    if (task?.protected || protect.box.checked) body.nickname = nickname.value.trim() || null
    // A reminder before the due time keeps its distance unless it is switched.
    if (remind.box.checked != Boolean(task?.reminder) || remind.box.checked && ahead.value != distance) body.remind = remind.box.checked && (Number(ahead.value) ? `${ahead.value}m` : true)
    if (!task) return { ...Object.fromEntries(Object.entries(body).filter(([, value]) => value != null && value !== '' && value !== false)), tags: names, protected: protect.box.checked }
    // Unchanged values are not sent, so that a change made elsewhere is kept.
    const minute = time => time && fromField(toField(time)), old = { ...task, due: minute(task.due), wait: minute(task.wait) }
    for (const key of Object.keys(body)) if (key != 'remind' && body[key] === old[key]) delete body[key]
    const added = names.filter(each => !task.tags.includes(each)), removed = task.tags.filter(each => !names.includes(each))
    if (added.length) body.tags = added
    if (removed.length) body.untags = removed
    return body
  }
  const box = fields('div.task-form'), { error } = sends(box, send, async () => {
    const body = values()
    if (!task && !body.protected) {
      // Fields that say nothing leave it to the words.
      const { name: text, protected: _, priority, ...rest } = body
      await addTyped(text, { ...rest, ...(priority != 'none' && { priority }) }, view)
      leave()
    } else if (!task) {
      const made = await verified(() => command('tasks', body))
      if (made) { leave(); added(made) }
    } else if (!Object.keys(body).length || await verified(() => command(`tasks/${task.id}`, body, null, 'patch'))) leave()
  })
  const leave = () => { isSent = true; done() }
  box.append(
    h('header.head', h('div.heading', h('h1', t(task ? 'edit' : 'new')), h('span.space'), h('button.quiet', { onclick: leave }, t('cancel')), send)),
    h('div.panel', nameField, seen || '', field(t('notes'), notes), error),
    h('div.panel', h('div.stack', field(t('due'), due), h('div.chips', quick(t('today'), dayAfter(0)), quick(t('tomorrow'), dayAfter(1)), quick(t('week'), dayAfter(untilMonday())), quick(t('noDate'), ''))), remind, before, field(t('repeat'), repeat), own),
    h('div.panel', h('div.pair', field(t('list'), list), field(t('priority'), priority)), field(t('tags'), tags, t('tagsHint')), field(t('wait'), wait, t('waitHint')),
      options('lists', lists), options('tags', knownTags)),
    h('div.panel', !task && protect, nicknameField))
  pane.show(box)

  const typed = [name, notes, due, list, tags, priority, repeat, wait, nickname, ahead], switches = [remind.box, protect.box], key = task?.id ?? 'new'
  const snapshot = () => [...typed.map(each => each.value), ...switches.map(each => each.checked)], isPublic = () => !task?.protected && !protect.box.checked
  let isSent
  const first = JSON.stringify(snapshot())
  if (drafts.has(key)) {
    drafts.get(key).forEach((each, index) => { if (index < typed.length) typed[index].value = each; else switches[index - typed.length].checked = each })
    drafts.delete(key)
    if (!task) read()
  }
  pane.signal.addEventListener('abort', () => {
    if (isSent || !isPublic() || JSON.stringify(snapshot()) == first) return
    drafts.set(key, snapshot())
    if (state.session?.state == 'unlocked') toast(t('dropped'), () => go(task ? `tasks/${task.id}/edit` : 'tasks/new'), { gone: () => drafts.delete(key) })
  })
  follow()
  if (task && !task.protected) box.lastChild.remove()
  setTimeout(() => name.focus())
  if (!task) api.get('settings').then(settings => {
    if (/^(yes|true)$/.test(String(settings.remind_by_default))) due.addEventListener('input', () => { remind.box.checked = Boolean(due.value); follow() }, { once: true })
  }, () => {})
}

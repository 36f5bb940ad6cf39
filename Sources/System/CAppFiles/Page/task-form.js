// Adds or edits a task: a separate screen with *Cancel*.
import { compare, go, h, state, watch, texts } from './core.js'
import { everySo, fromField, toField, whenLong } from './dates.js'
import { attempt, errorOf, field, fields, gap, tagsOf, toast, toggle, whenField } from './parts.js'
import { api, explain } from './server.js'
import { command, known, taskOf, watchTasks } from './tasks.js'
import { verified } from './verify.js'

const t = texts({
  new: ['New task', 'Нове завдання'], edit: ['Edit task', 'Змінити завдання'],
  week: ['Next week', 'Наступного тижня'],
  atDue: ['At the due time.', 'У час терміну.'], repeat: ['Repeat', 'Повторення'],
  keep: ['As it is', 'Як є'],
  nameHint: ['Also: tomorrow 9:00, every week, #tag, !high, list:home', 'Також: tomorrow 9:00, every week, #мітка, !high, list:дім'], seen: ['Understood', 'Зрозуміло'],
  protectHint: ['The text stays in the vault. The list shows a lock.', 'Текст лишається у сховищі. У списку — замок.'],
  nickname: ['Public name', 'Публічна назва'], nicknameHint: ['Shown in place of the text. It is not protected.', 'Показується замість тексту. Вона не захищена.'],
  dropped: ['Not saved.', 'Не збережено.'], wait: ['Not before', 'Не раніше'], waitHint: ['Hidden from the list until then.', 'До того часу не показується у списку.'],
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

const at = days => { const date = new Date(); date.setDate(date.getDate() + days); return toField(date).slice(0, 10) }

function draw(pane, task, done) {
  const text = (value, more) => h('input', { value: value ?? '', ...more }), moment = value => whenField(value ? toField(value) : '')
  const name = text(task?.name, { required: true, enterkeyhint: 'done' }), notes = h('textarea', { value: task?.notes ?? '' })
  const due = moment(task?.due), wait = moment(task?.wait)
  const { lists, tags: knownTags } = known()
  const options = (id, from) => h('datalist', { id }, from.map(each => each.name).sort(compare).map(each => h('option', { value: each })))
  const list = text(task?.list, { list: 'lists' }), tags = text(task?.tags.join(' '), { list: 'tags', autocapitalize: 'off' })
  const select = (choices, value) => { const made = h('select', choices.map(([value, label]) => h('option', { value }, label))); made.value = value; return made }
  const priority = select(['none', 'low', 'medium', 'high'].map(each => [each, t(each)]), task?.priority ?? 'none')
  const rule = Object.entries(rules).find(([, each]) => each == task?.repeat)?.[0] ?? (task?.repeat ? 'keep' : 'never')
  const repeat = select([...['never', ...Object.keys(rules)].map(each => [each, t(each)]), ...(rule == 'keep' ? [['keep', t('keep')]] : [])], rule)
  const remind = toggle(t('remind'), Boolean(task?.reminder), null, t('atDue')), protect = toggle(t('protect'), false, null, t('protectHint')), nickname = text(task?.nickname)
  const nicknameField = field(t('nickname'), nickname, t('nicknameHint'))
  const follow = () => {
    remind.box.disabled = repeat.disabled = !due.value
    if (!due.value) { remind.box.checked = false; repeat.value = 'never' }
    nicknameField.hidden = !(task?.protected || protect.box.checked)
  }
  const quick = (label, value) => h('button.chip', { onclick: () => { due.value = value; follow() } }, h('span', label))
  due.addEventListener('input', follow)
  protect.box.addEventListener('change', follow)
  // The command reads the rest of a new task from its name, and shows what it understood. A protected name is only a name.
  const nameField = field(t('name'), name, !task && t('nameHint')), seen = h('p.hint', { 'aria-live': 'polite' })
  let turn = 0
  const read = async () => {
    const now = ++turn, found = protect.box.checked || !name.value.trim() ? null : await api.post('tasks/understand', { text: name.value }).catch(() => null)
    if (now != turn || pane.signal.aborted) return
    const parts = found?.understood?.length ? [found.name, found.due && whenLong(found.due), found.wait && `${t('wait')}: ${whenLong(found.wait)}`, found.repeat && everySo(found.repeat), found.priority != 'none' && `${t('priority')}: ${t(found.priority).toLowerCase()}`, found.list, ...found.tags.map(each => `#${each}`)].filter(Boolean) : []
    seen.textContent = parts.length ? `${t('seen')}: ${parts.join(' · ')}` : ''
  }
  if (!task) {
    let wait
    name.addEventListener('input', () => { clearTimeout(wait); wait = setTimeout(read, 200) })
    protect.box.addEventListener('change', read)
  }
  const send = h('button.main', t(task ? 'save' : 'add'))

  const values = () => {
    const names = tagsOf(tags)
    const body = { name: name.value.trim(), notes: notes.value, due: fromField(due.value), list: list.value.trim() || null, priority: priority.value, wait: fromField(wait.value) }
    if (repeat.value != 'keep') body.repeat = rules[repeat.value] ?? null
    if (task?.protected || protect.box.checked) body.nickname = nickname.value.trim() || null
    // A reminder before the due time keeps its distance unless it is switched.
    if (remind.box.checked != Boolean(task?.reminder)) body.remind = remind.box.checked || null
    if (!task) return { ...Object.fromEntries(Object.entries(body).filter(([, value]) => value != null && value !== '')), tags: names, protected: protect.box.checked }
    // Unchanged values are not sent, so that a change made elsewhere is kept.
    const minute = time => time && fromField(toField(time)), old = { ...task, due: minute(task.due), wait: minute(task.wait) }
    for (const key of Object.keys(body)) if (key != 'remind' && body[key] === old[key]) delete body[key]
    const added = names.filter(each => !task.tags.includes(each)), removed = task.tags.filter(each => !names.includes(each))
    if (added.length) body.tags = added
    if (removed.length) body.untags = removed
    return body
  }
  const box = fields('div.task-form'), error = errorOf(box)
  send.onclick = async () => {
    const missing = gap(box)
    if (missing) return error.textContent = missing
    send.disabled = true
    try {
      const body = values()
      if (!task && !body.protected) {
        // Fields that say nothing leave it to the words.
        const { name: text, protected: _, priority, ...rest } = body
        await command('tasks/typed', { text, ...rest, ...(priority != 'none' && { priority }) })
        leave()
      } else if (!Object.keys(body).length || await verified(() => task ? command(`tasks/${task.id}`, body, null, 'patch') : command('tasks', body))) leave()
    } catch (problem) { error.textContent = explain(problem) }
    send.disabled = false
  }
  const leave = () => { isSent = true; done() }
  box.append(
    h('header.head', h('div.heading', h('h1', t(task ? 'edit' : 'new')), h('span.space'), h('button.quiet', { onclick: leave }, t('cancel')), send)),
    h('div.panel', nameField, seen, field(t('notes'), notes), error),
    h('div.panel', h('div.stack', field(t('due'), due), h('div.chips', quick(t('today'), at(0)), quick(t('tomorrow'), at(1)), quick(t('week'), at((8 - new Date().getDay()) % 7 || 7)), quick(t('noDate'), ''))), remind, field(t('repeat'), repeat)),
    h('div.panel', h('div.pair', field(t('list'), list), field(t('priority'), priority)), field(t('tags'), tags, t('tagsHint')), field(t('wait'), wait, t('waitHint')),
      options('lists', lists), options('tags', knownTags)),
    h('div.panel', !task && protect, nicknameField))
  pane.show(box)

  const typed = [name, notes, due, list, tags, priority, repeat, wait, nickname], switches = [remind.box, protect.box], key = task?.id ?? 'new'
  const snapshot = () => [...typed.map(each => each.value), ...switches.map(each => each.checked)], isPublic = () => !task?.protected && !protect.box.checked
  let isSent
  const before = JSON.stringify(snapshot())
  if (drafts.has(key)) {
    drafts.get(key).forEach((each, index) => { if (index < typed.length) typed[index].value = each; else switches[index - typed.length].checked = each })
    drafts.delete(key)
    if (!task) read()
  }
  pane.signal.addEventListener('abort', () => {
    if (isSent || !isPublic() || JSON.stringify(snapshot()) == before) return
    drafts.set(key, snapshot())
    if (state.session?.state == 'unlocked') toast(t('dropped'), () => go(task ? `tasks/${task.id}/edit` : 'tasks/new'), { gone: () => drafts.delete(key) })
  })
  follow()
  if (task && !task.protected) box.lastChild.remove()
  setTimeout(() => name.focus())
  if (!task) api.get('settings').then(settings => {
    if (/^(yes|true)$/.test(String(settings.remind_by_default))) due.addEventListener('input', () => { remind.box.checked = Boolean(due.value) }, { once: true })
  }, () => {})
}

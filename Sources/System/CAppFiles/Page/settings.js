// Settings (S12, S13, S17) in groups; passwords, passkeys, account, inbox.
import { go, h, screen, state, tell } from './core.js'
import { texts } from './shared.js'
import { copyPlain } from './clipboard.js'
import { units, whenLong } from './dates.js'
import { ask, attempt, dialog, field, form, row, toast, toggle } from './parts.js'
import { drawFactors } from './second-factor.js'
import { api, explain } from './server.js'
import { showSessions } from './sessions.js'
import { follow, signIn, t as say } from './start.js'
import { assertion, hasPasskey, registration, takeSession, verified } from './verify.js'

const t = texts({
  title: ['Settings', 'Параметри'], security: ['Security', 'Безпека'], history: ['History', 'Історія'], account: ['Server and account', 'Сервер і обліковий запис'], about: ['About', 'Про програму'],
  'verification-window': ['Show protected content for', 'Показувати захищене'], 'idle-limit': ['Lock without use after', 'Блокувати без дій через'], 'absolute-limit': ['Lock in any case after', 'Блокувати в будь-якому разі через'],
  'verify-with-fingerprint': ['Verify with a finger', 'Підтверджувати пальцем'], 'clear-clipboard-after': ['Clear the clipboard after', 'Очищати буфер через'], 'require-locked-memory': ['Keep keys out of swap', 'Не пускати ключі у swap'], 'require-rollback-record': ['Require the record of this machine', 'Вимагати запис цієї машини'],
  'services-secrets': ['Secrets for programs', 'Секрети для програм'], programs: ['Their own', 'Лише власні'], all: ['Also mine', 'Також мої'], 'services-git': ['Passwords for git', 'Паролі для git'], 'services-docker': ['Passwords for docker', 'Паролі для docker'],
  'earlier-days': ['Keep them for days', 'Зберігати їх днів'], 'removed-days': ['Keep removed items for days', 'Зберігати вилучене днів'],
  'inbox-pictures': ['Always load pictures', 'Завжди завантажувати зображення'], 'allow-saving': ['Allow saving', 'Дозволити збереження'],
  'task-order': ['Order', 'Порядок'], 'remind-by-default': ['Remind of new tasks', 'Нагадувати про нові'], 'day-reminder': ['Remind of whole days at', 'Нагадувати про цілі дні о'], 'clear-after': ['Clear done tasks after', 'Прибирати виконані через'], snooze: ['Later means', 'Пізніше — це'],
  server: ['Server', 'Сервер'], 'server-endpoints': ['Endpoints of the server', 'Адреси сервера'], scope: ['Scope', 'Обсяг доступу'], redirect: ['Address after the sign-in', 'Адреса після входу'], 'server-client': ['Client ID', 'ID клієнта'], 'client-secret': ['Client secret', 'Секрет клієнта'], 'server-key': ['Keys of the server', 'Ключі сервера'], 'allow-caching-credentials': ['Remember the sign-in', 'Пам’ятати вхід'], 'offline-limit': ['Without the server for', 'Без сервера'], 'account-notices': ['Notices in the inbox', 'Сповіщення у вхідних'],
  'name-reversed': ['Name, reversed', 'Назва, навпаки'], created: ['Created', 'Створено'],
  savingAsk: ['Switch saving off?', 'Вимкнути збереження?'], savingWhy: ['Everything saved is removed.', 'Усе збережене буде вилучено.'], switchOff: ['Switch off', 'Вимкнути'], off: ['Off', 'Вимкнено'],
  changePassword: ['Change password', 'Змінити пароль'], newPassword: ['New password', 'Новий пароль'], changed: ['The password is changed.', 'Пароль змінено.'],
  code: ['New recovery code', 'Новий код відновлення'], done: ['Done', 'Готово'],
  passkeys: ['Passkeys', 'Ключі доступу'], passkey: ['Passkey', 'Ключ доступу'], addPasskey: ['Add a passkey', 'Додати ключ доступу'], renamePasskey: ['Rename a passkey', 'Перейменувати ключ'], synced: ['Synced', 'Синхронізований'], used: ['Used {when}', 'Вжито {when}'],
  signOut: ['Sign out', 'Вийти'], invitation: ['Invitation', 'Запрошення'], createAccount: ['Create an account', 'Створити обліковий запис'], offline: ['offline', 'без мережі'],
  receive: ['Receive messages', 'Отримувати повідомлення'], who: ['Sender', 'Відправник'], give: ['Give it to the sender. It is not shown again.', 'Передайте її відправнику. Більше її не буде показано.'], revoke: ['Revoke', 'Відкликати'], revokeWhy: ['The sender can send no more.', 'Відправник більше не надсилатиме.'],
  version: ['Version', 'Версія'], folder: ['Folder', 'Тека'],
})
// The groups. A setting without values is a switch, one with values a choice; `text` is an input, `secret` one that shows nothing.
const groups = [
  ['security', { 'verification-window': '30s 1m 2m 5m 15m 1h', 'idle-limit': '1m 5m 15m 30m 1h 4h', 'absolute-limit': '1h 4h 12h 24h', 'clear-clipboard-after': '10s 20s 30s 45s', 'verify-with-fingerprint': '', 'require-locked-memory': '', 'require-rollback-record': '', 'services-secrets': 'programs all off', 'services-git': 'on off', 'services-docker': 'on off' }],
  ['history', { 'earlier-values': '0 5 10 50 100', 'earlier-days': '30 90 365', 'removed-days': '0 7 30 90 365' }],
  ['tasks', { 'task-order': 'due name name-reversed priority created', 'remind-by-default': '', 'day-reminder': '7:00 8:00 9:00 10:00 18:00', 'clear-after': '1h 24h 168h never', snooze: '5m 10m 30m 1h' }],
  ['files', { 'file-sort': 'name -name', 'file-sizes': '' }], ['inbox', { 'inbox-pictures': 'always ask' }], ['checklists', { 'allow-saving': '' }],
  ['account', { server: 'text', 'server-endpoints': 'text', 'server-client': 'text', 'client-secret': 'secret', scope: 'text', redirect: 'text', 'server-key': 'text', 'allow-caching-credentials': '', 'offline-limit': '24h 72h 168h 720h', 'account-notices': '' }],
]
const secondsOf = value => { const found = /^(\d+)([smh])$/.exec(value); return found ? found[1] * { s: 1, m: 60, h: 3600 }[found[2]] : null }
function timeText(seconds) {
  const [unit, size] = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]].find(([, size]) => seconds % size == 0 && seconds >= size && (size < 86400 || seconds > size))
  return units(seconds / size, unit, 'long')
}
const set = (name, value) => verified(() => api.post('settings', { name, value }))
const secret = label => { const input = h('input', { type: 'password', required: true }); return [input, field(label, input)] }
const typed = (label, more) => { const input = h('input', { ...more }); return [input, field(label, input)] }
const button = (label, onclick, kind = '') => h(`button${kind}`, { onclick }, t(label))

/// One setting: a switch, a choice, or a text with a dialog.
function control(name, kind, now) {
  if (kind == 'secret') return h('div.toggle', h('span.words', t(name), h('small', now ? '••••' : t('none'))), button('change', () => {
    const [input, line] = typed(t(name), { type: 'password' })
    form(t(name), { inputs: [line], yes: t('save'), save: () => verified(() => api.secret('settings', { name, value: input.value || null })) }).then(() => tell('account'))
  }, '.plain'))
  if (kind == 'text') return h('div.toggle', h('span.words', t(name), h('small', now ?? t('none'))), button('change', () => {
    const [input, line] = typed(t(name), { value: now ?? '' })
    form(t(name), { inputs: [line], yes: t('save'), save: () => set(name, input.value.trim() || 'none') }).then(() => tell('account'))
  }, '.plain'))
  const values = kind.split(' ')
  if (values.length <= 2) {
    const [on, off] = kind ? values : ['yes', 'no']
    return toggle(t(name), now === true || now == on, async wanted => {
      if (name == 'allow-saving' && !wanted && !await ask(t('savingAsk'), t('savingWhy'), t('switchOff'))) throw new Error(t('allow-saving'))
      if (await set(name, wanted ? on : off) === undefined) throw new Error(t('none'))
    })
  }
  const time = secondsOf(values[0]), current = time == null || now == 'never' ? String(now) : `${typeof now == 'number' ? now : secondsOf(now) ?? now}s`
  const same = values.find(each => each == current || time != null && secondsOf(each) == secondsOf(current))
  const label = value => { const seconds = secondsOf(value); return seconds ? timeText(seconds) : /^\d/.test(value) ? value : t(value) }
  const select = h('select', { onchange: async () => { if (await attempt(() => set(name, select.value)) === undefined) select.value = same ?? current } },
    [...values, ...(same ? [] : [current])].map(each => h('option', { value: each }, label(each))))
  select.value = same ?? current
  return h('label.toggle', h('span.words', t(name)), select)
}

/// S12: the password dialog, with one field and one button at a time.
const changePassword = () => dialog(t('changePassword'), close => {
  const box = h('div')
  const step = (name, known = {}, said) => {
    const [input, line] = secret(t(name == 'enter' ? 'password' : 'newPassword')), error = h('p.error', { role: 'alert' }, said)
    box.replaceChildren(h('form', { onsubmit: async event => {
      event.preventDefault()
      const text = input.value
      input.value = ''
      if (name == 'enter') return step('create', { passphrase: text })
      if (name == 'create') return [...text].length < 4 ? step('create', known, say('short')) : step('repeat', { ...known, new_passphrase: text })
      if (text != known.new_passphrase) return step('create', { passphrase: known.passphrase }, say('differ'))
      try { takeSession(await api.secret('vault/passphrase', known)); close(true); toast(t('changed')) } catch (problem) { step('enter', {}, explain(problem)) }
    } }, line, name == 'create' && follow(input), error, h('div.buttons', h('button', { type: 'button', onclick: () => close() }, t('cancel')), h('button.main', { type: 'submit' }, say(name)))))
    input.focus()
  }
  step('enter')
  return box
})

/// Shows a text once, until it is closed or texts are hidden.
const once = (title, why, text, more) => dialog(title, close => [
  h('p.below', why), h('p.recovery.code', { tabindex: '0' }, text), h('div.buttons', more, h('button.main', { onclick: () => close() }, t('done')))], 'secret')
async function newCode() {
  const [input, line] = secret(t('password'))
  let made
  if (await form(t('code'), { inputs: [line], yes: t('code'), save: async () => { made = (await api.secret('vault/recovery-code', { passphrase: input.value })).recovery_code } })) await once(t('code'), say('keep'), made)
}

async function addPasskey() {
  const [label, name] = typed(t('name'), { required: true, value: t('passkey') }), [input, line] = secret(t('password'))
  await form(t('addPasskey'), { inputs: [name, line], yes: t('addPasskey'), save: async () => {
    const made = await registration(await api.post('passkeys/challenge', { purpose: 'register' }), 'TaskVault', { prf: {} })
    const next = await api.post('passkeys/register', { client_data_base64: made.clientData, attestation_object_base64: made.attestation })
    await api.secret('passkeys/add', { ...await assertion(next), label: label.value.trim(), passphrase: input.value })
  } })
}
/// Renames the passkey that the user selects. Its label is stored in its slot.
const renamePasskey = () => {
  const [label, name] = typed(t('name'), { required: true })
  return form(t('renamePasskey'), { inputs: [name], yes: t('save'), save: async () => api.secret('passkeys/rename', { ...await assertion(await api.post('passkeys/challenge', { purpose: 'verify' })), label: label.value.trim() }) })
}
async function removePasskey(slot) {
  const [input, line] = secret(t('password'))
  await form(`${t('remove')}: ${slot.label}`, { danger: true, inputs: [line], yes: t('remove'), save: async () => { const { session } = await api.secret('passkeys/remove', { id: slot.id, passphrase: input.value }); if (session) takeSession(session) } })
}
const rows = children => children.length > 0 && h('div', { role: 'list' }, children)

async function drawPasskeys() {
  const keys = (await api.get('passkeys')).keys.filter(each => /key$/.test(each.kind))
  Object.assign(state, { slots: (await api.get('state')).slots })
  return [rows(keys.map(each => row({ key: each.id, mark: 'secrets', title: each.label || t('passkey'), details: [each.synced && t('synced'), each.last_used && t('used', { when: whenLong(each.last_used) })].filter(Boolean),
    action: h('button.plain.danger', { onclick: () => removePasskey(each).then(() => tell('vault')) }, t('remove')) }))), h('div.buttons', button('addPasskey', () => addPasskey().then(() => tell('vault'))), hasPasskey() && button('renamePasskey', () => renamePasskey().then(() => tell('vault'))))]
}

async function drawAccount() {
  const after = act => async () => { await attempt(act); tell('account') }
  const make = async () => {
    const [email, first] = typed(say('email'), { type: 'email', required: true }), [password, second] = secret(t('password')), [invitation, third] = typed(t('invitation'))
    await form(t('createAccount'), { inputs: [first, third, second], yes: t('createAccount'), save: () => api.secret('account/create', { email: email.value, password: password.value, ...(invitation.value && { invitation: invitation.value.trim() }) }) })
  }
  const change = async () => {
    const [old, first] = secret(t('password')), [fresh, second] = secret(t('newPassword'))
    await form(t('changePassword'), { inputs: [first, second], yes: t('change'), save: () => api.secret('account/password', { password: old.value, new_password: fresh.value }) })
  }
  try {
    const { account, state } = await api.get('account')
    return [h('p', account, state == 'offline' && ` · ${t('offline')}`), h('div.buttons', button('sessions', () => go('settings/sessions')), button('changePassword', after(change)), button('signOut', after(() => api.post('account/sign-out')))), ...await drawFactors(account, once)]
  } catch (problem) { return problem.code == 'no_server' ? [] : [h('p.hint', explain(problem)), h('div.buttons', button('createAccount', after(make)), h('button.main', { onclick: after(signIn) }, say('signIn')))] }
}

async function drawInbox() {
  const [status, senders] = await Promise.all([api.get('inbox-status'), api.get('senders')])
  const address = async () => {
    const [input, line] = typed(t('who'), { required: true })
    let made
    if (await form(t('sender'), { inputs: [line], yes: t('sender'), save: async () => { made = JSON.stringify(await api.post('senders', { name: input.value.trim() })) } })) await once(t('sender'), t('give'), made, button('copy', () => attempt(() => copyPlain(made))))
  }
  const revoke = each => attempt(async () => { if (await ask(`${t('revoke')}: ${each.name}`, t('revokeWhy'), t('revoke'))) await api.post('senders/revoke', { name: each.name }) })
  return [toggle(t('receive'), status.enabled, on => api.post(on ? 'inbox-enable' : 'inbox-disable')),
    rows(senders.map(each => row({ key: each.id, title: each.name, details: [whenLong(each.created)], action: h('button.plain.danger', { onclick: () => revoke(each) }, t('revoke')) }))), status.enabled && h('div.buttons', button('sender', address))]
}

screen({
  id: 'settings', icon: 'settings', title: () => t('title'), tab: true,
  list(pane) {
    const places = Object.fromEntries(groups.map(([id]) => [id, h('div.controls')])), extra = { passkeys: h('div'), inbox: h('div'), account: h('div') }
    const panel = (id, ...content) => h('section.group', h('h2', t(id)), h('div.panel.settings', content))
    const facts = h('dl.facts')
    pane.show(pane.head(t('title')),
      panel('security', h('div.buttons.start', button('changePassword', changePassword), button('code', () => attempt(newCode))), places.security), panel('passkeys', extra.passkeys),
      ['tasks', 'files', 'inbox', 'checklists', 'history', 'account'].map(id => panel(id, places[id], extra[id])), panel('about', facts))
    const fill = async () => {
      const settings = await api.get('settings')
      for (const [id, members] of groups) if (!places[id].contains(document.activeElement)) places[id].replaceChildren(...Object.entries(members).map(([name, kind]) => control(name, kind, settings[name.replaceAll('-', '_')])))
      facts.replaceChildren(...[['version', state.version], ['folder', state.home]].flatMap(([label, value]) => [h('dt', t(label)), h('dd', value)]))
    }
    const part = (place, draw) => async () => { try { place.replaceChildren(...(await draw()).filter(Boolean)) } catch (problem) { place.replaceChildren(h('p.hint', explain(problem))) } }
    pane.live(['vault', 'settings'], fill)
    pane.live('vault', part(extra.passkeys, drawPasskeys))
    pane.live('vault', part(extra.inbox, drawInbox))
    pane.live(['account', 'settings'], part(extra.account, drawAccount))
  },
  detail: showSessions,
})

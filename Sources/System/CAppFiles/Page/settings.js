// Settings (S12, S13, S17) in groups; passwords, passkeys, account, inbox.
import { compare, go, h, screen, state, tell, ukrainian, watch } from './core.js'
import { facts, texts } from './shared.js'
import { units, whenLong } from './dates.js'
import { once } from './once.js'
import { ask, attempt, dialog, field, fields, form, masked, row, select as choice, sends, toast, toggle } from './parts.js'
import { drawFactors } from './second-factor.js'
import { makeAddress } from './sender.js'
import { backup } from './transfer.js'
import { api, explain, renew } from './server.js'
import { showSessions } from './sessions.js'
import { follow, isTaken, signIn, t as say, working } from './start.js'
import { assertion, challenged, hasPasskey, posted, prove, registration, renewSession, takeAnswer, takeSession, verified } from './verify.js'

const t = texts({
  title: 'Settings', appearance: 'Appearance', theme: 'Theme', system: 'As the system', light: 'Light', dark: 'Dark', language: 'Language', browser: 'As the browser', en: ['English', 'English'], uk: ['Українська', 'Українська'], security: 'Security', history: 'History', account: 'Server and account', about: 'About',
  'verification-window': 'Show protected content for', 'idle-limit': 'Lock without use after', 'absolute-limit': 'Lock in any case after',
  'verify-with-fingerprint': 'Verify with a finger', 'clear-clipboard-after': 'Clear the clipboard after', 'require-locked-memory': 'Keep keys out of swap', 'require-rollback-record': 'Require the record of this machine',
  'services-secrets': 'Secrets for programs', programs: 'Their own', all: 'Also mine', 'services-git': 'Passwords for git', 'services-docker': 'Passwords for docker',
  'earlier-days': 'Keep them for days', 'removed-days': 'Keep deleted items for days',
  'inbox-pictures': 'Always load pictures', 'allow-saving': 'Allow saving',
  'task-order': 'Order', 'remind-by-default': 'Remind of new tasks', 'day-reminder': 'Remind of whole days at', 'clear-after': 'Clear done tasks after', snooze: 'Later means',
  server: 'Server', 'server-endpoints': 'Endpoints of the server', scope: 'Scope', redirect: 'Address after the sign-in', 'server-client': 'Client ID', 'client-secret': 'Client secret', 'server-key': 'Keys of the server', 'allow-caching-credentials': 'Remember the sign-in', 'offline-limit': 'Without the server for', 'account-notices': 'Notices in the inbox',
  'name-reversed': 'Name, reversed', created: 'Created',
  savingAsk: 'Switch saving off?', savingWhy: 'Everything saved is erased.', switchOff: 'Switch off', off: 'Off',
  changePassword: 'Change password', changed: 'The password is changed.',
  backup: 'Download a backup',
  passkeys: 'Passkeys', passkey: 'Passkey', addPasskey: 'Add a passkey', renamePasskey: 'Rename a passkey', synced: 'Synced',
  signOut: 'Sign out', signOutForget: 'Sign out and forget', forgetWhy: 'The password is erased from the vault.', invitation: 'Invitation', createAccount: 'Create an account', offline: 'offline',
  receive: 'Receive messages', revokeWhy: 'The sender can send no more.',
  version: 'Version',
})
// The groups. A setting without values is a switch, one with values a choice, `text` an input, `secret` one that shows nothing.
const groups = [
  ['appearance', { theme: 'system light dark', language: 'browser en uk' }],
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
// What each setting means, in the words of the command line.
let help, kept
watch('language', () => { kept = 'language' })
const set = (name, value) => posted('settings', { name, value })
const secret = label => { const input = masked(); return [input, field(label, input)] }
const typed = (label, more) => { const input = h('input', { ...more }); return [input, field(label, input)] }
const button = (label, onclick, kind = '') => h(`button${kind}`, { onclick }, t(label))

/// One setting: a switch, a choice, or a text with a dialog.
function control(name, kind, now) {
  const why = ukrainian?.texts[help[name]] ?? help[name], words = now => h('span.words', t(name), h('small', why), now != null && h('span.value', now))
  const isSecret = kind == 'secret'
  if (isSecret || kind == 'text') return h('div.toggle', words(!isSecret ? now ?? t('none') : now ? '••••' : t('none')), h('button.plain', { 'aria-label': `${t('change')}: ${t(name)}`, onclick() {
    const input = isSecret ? masked({ required: false }) : h('input', { value: now ?? '' })
    form(t(name), { inputs: [field(t(name), input)], yes: t('save'), save: () => isSecret ? verified(() => api.secret('settings', { name, value: input.value || null })) : set(name, input.value.trim() || 'none') }).then(() => tell('account'))
  } }, t('change')))
  const values = kind.split(' ')
  if (values.length <= 2) {
    const [on, off] = kind ? values : ['yes', 'no']
    return toggle(t(name), now === true || now == on, async wanted => {
      if (name == 'allow-saving' && !wanted && !await ask(t('savingAsk'), t('savingWhy'), t('switchOff'))) return false
      return await set(name, wanted ? on : off) !== undefined
    }, why)
  }
  const time = secondsOf(values[0]), current = time == null || now == 'never' ? String(now) : `${typeof now == 'number' ? now : secondsOf(now) ?? now}s`
  const same = values.find(each => each == current || time != null && secondsOf(each) == secondsOf(current))
  const label = value => { const seconds = secondsOf(value); return seconds ? timeText(seconds) : /^\d/.test(value) ? value : t(value) }
  const select = choice([...values, ...(same ? [] : [current])].map(each => [each, label(each)]), same ?? current, { onchange: async () => { if (await attempt(() => set(name, select.value)) === undefined) select.value = same ?? current } })
  return h('label.toggle', words(), select)
}

/// S12: the password dialog, with one field and one button at a time. The old password is checked first. While the vault is encrypted anew, it
/// is locked; the dialog stays and says so.
const changePassword = () => dialog(t('changePassword'), (close, element) => {
  const box = h('div')
  const hold = on => { element.className = on ? 'held busy' : ''; element.setAttribute('closedby', on ? 'none' : 'closerequest') }
  element.oncancel = event => { if (element.matches('.held')) event.preventDefault() }
  const step = (name, known = {}, said) => {
    const [input, line] = secret(name == 'enter' ? t('password') : say('newPassword')), form = fields('div'), send = h('button.main', say(name))
    const act = {
      enter: async text => { await prove(text); step('create', { passphrase: text }) },
      create: async text => { if (await isTaken(text)) step('repeat', { ...known, new_passphrase: text }) },
      repeat: async text => {
        if (text != known.new_passphrase) return step('create', { passphrase: known.passphrase }, say('differ'))
        box.replaceChildren(working())
        hold(true)
        try { await takeAnswer(api.secret('vault/passphrase', known)); close(true); toast(t('changed')) } catch (problem) {
          step('enter', {}, explain(problem))
          hold(false)
          await renewSession()
        }
      },
    }[name]
    const { error } = sends(form, send, async () => {
      const text = input.value
      input.value = ''
      input.dispatchEvent(new Event('input', { bubbles: true }))
      try { await act(text) } catch (problem) { input.focus(); throw problem }
    })
    form.append(...[line, name == 'create' && follow(input), error, h('div.buttons', h('button', { onclick: () => close() }, t('cancel')), send)].flat().filter(Boolean))
    box.replaceChildren(form)
    if (said) setTimeout(() => { error.textContent = said })
    input.focus()
  }
  step('enter')
  return box
})

/// Replaces the recovery code, and shows the new one.
export async function newCode() {
  const [input, line] = secret(t('password'))
  let made
  if (await form(t('code'), { inputs: [line], save: async () => { made = (await api.secret('vault/recovery-code', { passphrase: input.value })).recovery_code } })) await once(t('code'), say('keep'), made)
}

async function addPasskey() {
  const [label, name] = typed(t('name'), { required: true, value: t('passkey') }), [input, line] = secret(t('password'))
  await form(t('addPasskey'), { inputs: [name, line], save: async () => {
    // A wrong password is found before the passkey is made: no program can remove one.
    await prove(input.value)
    const made = await registration(await challenged('register'), 'TaskVault', { prf: {} })
    const next = await api.post('passkeys/register', { client_data_base64: made.clientData, attestation_object_base64: made.attestation })
    await api.secret('passkeys/add', { ...await assertion(next), label: label.value.trim(), passphrase: input.value })
  } })
}
/// Renames the passkey that the user selects. Its label is stored in its slot.
const renamePasskey = () => {
  const [label, name] = typed(t('name'), { required: true })
  return form(t('renamePasskey'), { inputs: [name], yes: t('save'), save: async () => api.secret('passkeys/rename', { ...await assertion(await challenged('verify')), label: label.value.trim() }) })
}
async function revokePasskey(slot) {
  const [input, line] = secret(t('password'))
  await form(`${t('revoke')}: ${slot.label}`, { danger: true, inputs: [line], yes: t('revoke'), save: async () => { const { session } = await api.secret('passkeys/remove', { id: slot.id, passphrase: input.value }); if (session) takeSession(session) } })
}
const rows = children => children.length > 0 && h('div', { role: 'list' }, children)

async function drawPasskeys() {
  const keys = (await api.get('passkeys')).keys.filter(each => /key$/.test(each.kind)), after = act => () => act().then(() => tell('vault'))
  await renew()
  return [rows(keys.map(each => row({ key: each.id, mark: 'secrets', title: each.label || t('passkey'), details: [each.synced && t('synced'), each.last_used && t('used', { when: whenLong(each.last_used) })],
    action: button('revoke', after(() => revokePasskey(each)), '.plain.danger') }))), h('div.buttons', button('addPasskey', after(addPasskey)), hasPasskey() && button('renamePasskey', after(renamePasskey)))]
}

async function drawAccount() {
  const after = act => async () => { await attempt(act); tell('account') }
  const make = async () => {
    const [email, first] = typed(say('email'), { type: 'email', required: true }), [password, second] = secret(t('password')), [invitation, third] = typed(t('invitation'))
    await form(t('createAccount'), { inputs: [first, third, second], save: () => api.secret('account/create', { email: email.value, password: password.value, invitation: invitation.value.trim() || undefined }) })
  }
  const change = async () => {
    const [old, first] = secret(t('password')), [fresh, second] = secret(say('newPassword'))
    await form(t('changePassword'), { inputs: [first, second], yes: t('change'), save: () => api.secret('account/password', { password: old.value, new_password: fresh.value }) })
  }
  try {
    const { account, state } = await api.get('account')
    return [h('p', account, state == 'offline' && ` · ${t('offline')}`), h('div.buttons', button('sessions', () => go('settings/sessions')), button('changePassword', after(change)), button('signOut', after(() => api.post('account/sign-out'))),
      button('signOutForget', after(async () => { if (await ask(t('signOutForget'), t('forgetWhy'), t('signOutForget'))) await api.post('account/sign-out', { forget: true }) }))), ...await drawFactors(account)]
  } catch (problem) { return problem.code == 'no_server' ? [] : [h('p.hint', explain(problem)), h('div.buttons', button('createAccount', after(make)), h('button.main', { onclick: after(() => signIn(true)) }, say('signIn')))] }
}

async function drawInbox() {
  const [status, senders] = await Promise.all([api.get('inbox-status'), api.get('senders')])
  const revoke = each => attempt(async () => { if (await ask(`${t('revoke')}: ${each.name}`, t('revokeWhy'), t('revoke'))) await api.post('senders/revoke', { name: each.name }) })
  return [toggle(t('receive'), status.enabled, on => api.post(on ? 'inbox-enable' : 'inbox-disable')),
    rows(senders.sort((a, b) => compare(a.name, b.name)).map(each => row({ key: each.id, title: each.name, details: [whenLong(each.created)], action: button('revoke', () => revoke(each), '.plain.danger') }))), status.enabled && h('div.buttons', button('sender', makeAddress))]
}

screen({
  id: 'settings', icon: 'settings', title: () => t('title'), tab: true,
  list(pane) {
    const places = Object.fromEntries(groups.map(([id]) => [id, h('div.controls')])), extra = { passkeys: h('div'), inbox: h('div'), account: h('div') }
    const panel = (id, ...content) => h('section.group', h('h2', t(id)), h('div.panel.settings', content))
    const about = h('div'), drawn = new Map()
    pane.root.classList.add('columns')
    pane.show(pane.head(t('title')), h('div.groups',
      panel('security', h('div.buttons.start', button('changePassword', changePassword), button('code', () => attempt(newCode)), button('backup', backup)), places.security), panel('passkeys', extra.passkeys),
      ['appearance', 'tasks', 'files', 'inbox', 'checklists', 'history', 'account'].map(id => panel(id, places[id], extra[id])), panel('about', about)))
    const fill = async () => {
      const settings = await api.get('settings')
      help ??= await api.get('settings/help')
      if (pane.signal.aborted) return
      // Only what has changed is drawn anew; its focus stays.
      for (const [id, members] of groups) for (const [name, kind] of Object.entries(members)) {
        const now = settings[name.replaceAll('-', '_')], text = JSON.stringify([now]), old = drawn.get(name)
        if (old?.text == text) continue
        const element = control(name, kind, now), hasFocus = old?.element.contains(document.activeElement)
        if (old) old.element.replaceWith(element)
        else places[id].append(element)
        drawn.set(name, { text, element })
        if (hasFocus || kept == name) element.querySelector('input, select, button')?.focus()
      }
      kept = null
      about.replaceChildren(facts([[t('version'), state.version], [t('folder'), state.home]]))
    }
    const part = (place, draw) => async () => { try { place.replaceChildren(...(await draw()).filter(Boolean)) } catch (problem) { place.replaceChildren(h('p.hint', explain(problem))) } }
    pane.live(['vault', 'settings'], fill)
    pane.live('vault', part(extra.passkeys, drawPasskeys))
    pane.live('vault', part(extra.inbox, drawInbox))
    pane.live(['account', 'settings'], part(extra.account, drawAccount))
  },
  detail: showSessions,
})

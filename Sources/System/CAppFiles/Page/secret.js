// One secret: its fields, each hidden until *Show*; copying, codes with a countdown, changes,
// history.
import { go, h, icon, tell } from './core.js'
import { bar, card, link, more, versions, texts } from './shared.js'
import { copy, copyPlain, text } from './clipboard.js'
import { whenLong } from './dates.js'
import { attempt, field as labelled, form, masked, row, select, tagsOf, toast, toggle } from './parts.js'
import { accountOf, addressOf, entryOf, letter, load, nameIn, numberOf, remove } from './secrets.js'
import { reveal } from './reveal.js'
import { api } from './server.js'
import { posted } from './verify.js'

const t = texts({
  totp: 'Code', label: 'Label',
  addField: 'Add a field', value: 'Value', urlHint: 'Without a scheme it is https.', seedHint: 'The key that the service shows for an authenticator app.', own: 'Other',
  noHistory: 'There is no earlier value.',
  removedField: 'Field deleted.', changed: 'Changed {when}', left: '{n} s',
  generate: 'Generate', kind: 'Kind', chars: 'Characters', plain: 'Letters and digits', digits: 'Digits', words: 'Words', length: 'Length',
})
const wordOf = field => ['password', 'notes', 'url', 'totp'].includes(field) ? t(field) : field

/// A generator for an input: kind, length and a button. The value is visible while the dialog is
/// open.
export function generator(input) {
  const kinds = { chars: [24, {}], plain: [24, { no_symbols: true }], digits: [6, { digits: true }], words: [6] }
  const kind = select(Object.keys(kinds).map(each => [each, t(each)]), null, { 'aria-label': t('kind'), onchange: () => { length.value = kinds[kind.value][0] } })
  const length = h('input', { type: 'number', min: 3, max: 128, value: '24', 'aria-label': t('length') })
  return h('div.generator', kind, length, h('button', { type: 'button', onclick: () => attempt(async () => {
    const options = kinds[kind.value][1], made = await api.post('secrets/generate', options ? { length: Number(length.value), ...options } : { words: Number(length.value) })
    input.classList.remove('masked')
    input.type = 'text'
    input.value = text(made.value_base64)
  }) }, t('generate')))
}

/// Shows the entry with this number in the pane.
export function showSecret(pane, number) {
  let drawn = ''
  pane.live('vault', async () => {
    await load()
    const entry = entryOf(number), text = JSON.stringify(entry)
    if (drawn == text) return
    drawn = text
    if (!entry) return pane.gone('secrets')
    const { service, account } = entry, order = ['password', 'totp', 'url', 'notes']
    const own = entry.fields.some(each => each.field == 'url'), known = own || !entry.urls.length ? entry.fields : [...entry.fields, { field: 'url' }]
    const fields = [...known].sort((a, b) => (order.indexOf(a.field) + 1 || 9) - (order.indexOf(b.field) + 1 || 9))
    // The addresses are not secret, unless one has a password inside: then the list is empty.
    const drawAddress = (address, number) => row({ key: `url ${number}`, title: t('url'), action: button('copy', t('url'), () => attempt(() => copyPlain(address))),
      details: [/^https?:\/\//.test(address) ? link('a.link.value', address, address) : h('span.value', address)],
      menu: () => own ? choices(entry, { field: 'url' }) : [{ label: t('change'), act: () => change(entry, 'url') }] })
    pane.show(
      bar('secrets', t('secrets'), h('button.quiet', { onclick: () => edit(entry) }, t('edit')), more(() => [{ label: t('delete'), icon: 'trash', act: () => remove(entry), danger: true }])),
      h('div.panel.headline', letter(entry), h('div.name', h('h1', entry.class == 'after-verification' && icon('lock'), entry.label || service),
        h('p.below', [entry.label && service, ...entry.tags.map(each => `#${each}`), t('changed', { when: whenLong(entry.modified) })].filter(Boolean).join(' · ')))),
      h('section.group', card(
        accountOf(entry) && row({ key: 'account', title: t('account'), details: [h('span.value', account)], action: button('copy', t('account'), () => attempt(() => copyPlain(account))) }),
        fields.flatMap(each => each.field == 'url' && entry.urls.length ? entry.urls.map(drawAddress) : drawField(nameIn(entry), entry, each)))),
      h('div.buttons.start', h('button.plain', { onclick: () => change(entry) }, icon('plus'), t('addField'))))
  })
}
const button = (label, what, onclick) => h('button.plain', { 'aria-label': `${t(label)}: ${what}`, onclick }, t(label))

function drawField(name, entry, { field }) {
  const isCode = field == 'totp', what = wordOf(field), body = { ...name, ...(!isCode && { field }) }, place = h('span.value', h('span', { 'aria-hidden': 'true' }, '••••••••'))
  let hide, ticking
  const ended = () => { hide = null; clearInterval(ticking); shown(false) }
  const open = () => attempt(async () => {
    if (hide) return hide()
    hide = await (isCode ? reveal(place, () => api.post('secrets/code', name), found => code(name, found, each => { ticking = each }), ended)
      : reveal(place, () => api.post('secrets/get', body), found => h(field == 'notes' ? 'span.notes' : 'code', text(found.value_base64)), ended))
    shown(Boolean(hide))
  })
  const toggle = button('show', what, open), shown = on => { toggle.textContent = t(on ? 'hide' : 'show'); toggle.ariaLabel = `${toggle.textContent}: ${what}` }
  const take = () => attempt(() => copy(isCode ? 'secrets/code' : 'secrets/get', body))
  return row({ key: field, title: what, details: [place], action: h('div.pairs', toggle, button('copy', what, take)), menu: () => choices(entry, { field }), keys: { ' ': open, c: take } })
}

/// The code and its remaining time. The next code follows while it is visible.
function code(name, found, keep) {
  const digits = h('code.code'), left = h('small'), element = h('span.totp', digits, ' ', left)
  let until
  const take = ({ code, seconds_left }) => { digits.textContent = code.replace(/(...)(?=...)/, '$1 '); until = Date.now() + seconds_left * 1000 }
  const say = async () => {
    const seconds = Math.ceil((until - Date.now()) / 1000)
    left.textContent = t('left', { n: Math.max(0, seconds) })
    if (seconds > 0) return left.hidden = seconds == Infinity
    until = Infinity
    const next = await api.post('secrets/code', name).catch(() => null)
    if (next && element.isConnected) take(next)
  }
  take(found)
  say()
  keep(setInterval(say, 500))
  return element
}

const choices = (entry, { field }) => [{ label: t('change'), act: () => change(entry, field) }, { label: t('earlier-values'), act: () => attempt(() => showHistory(entry, field)) },
  entry.fields.length > 1 && { label: t('delete'), danger: true, act: () => attempt(async () => {
    const body = { ...nameIn(entry), field }
    await api.post('secrets/remove', body)
    toast(t('removedField'), () => api.post('secrets/restore', body))
  }) }]

/// Changes or adds a field. Only notes and URLs are loaded into the form.
async function change(entry, field) {
  const name = nameIn(entry), isLong = field == 'notes' || field == 'url' && entry.urls.length > 1
  const known = isLong || field == 'url' ? await posted('secrets/get', { ...name, field }) : {}
  if (!known || document.hidden) return
  const free = ['password', 'totp', 'url', 'notes'].filter(each => !entry.fields.some(old => old.field == each) && !(each == 'url' && entry.urls.length))
  const which = select([...free.map(each => [each, wordOf(each)]), ['', t('own')]], null, { onchange: () => fit() })
  const title = h('input'), own = labelled(t('name'), title)
  own.hidden = free.length > 0
  // The hint and the generator belong to the kind of the field; an address is no secret.
  const fit = () => {
    const kind = field ?? which.value
    own.hidden = Boolean(field || which.value)
    made.hidden = kind != 'password'
    hint.textContent = { totp: t('seedHint'), url: t('urlHint') }[kind] ?? ''
    if (!isLong && !field) input.classList.toggle('masked', kind != 'url')
  }
  const input = isLong ? h('textarea', { spellcheck: 'false' }) : field == 'url' ? h('input', { spellcheck: 'false', required: true }) : masked()
  const made = generator(input), hint = h('span.hint')
  if (known.value_base64) input.value = text(known.value_base64)
  fit()
  await form(field ? wordOf(field) : t('addField'), { yes: t('save'), kind: known.value_base64 && entry.class == 'after-verification' ? 'secret' : '',
    inputs: [!field && labelled(t('kind'), which), !field && own, labelled(t('value'), input), hint, made].filter(Boolean),
    save: () => posted('secrets/set', { ...name, field: field ?? (which.value || title.value.trim()), value: (field ?? which.value) == 'url' ? addressOf(input.value) : input.value, class: entry.class, ...(field && { replace: true, allow_empty: field == 'notes' }) }) })
  // A value that is shown may be the earlier one.
  tell('hide')
}

async function edit(entry) {
  const input = (value, more) => h('input', { value: value ?? '', spellcheck: 'false', ...more })
  const label = input(entry.label), service = input(entry.service, { required: true }), account = input(entry.account, { required: true }), tags = input(entry.tags.join(' '), { autocapitalize: 'off' })
  const protect = toggle(t('protect'), entry.class == 'after-verification', null, t('protectHint'))
  const body = nameIn(entry)
  await form(t('edit'), { yes: t('save'), inputs: [labelled(t('label'), label), labelled(t('service'), service), labelled(t('account'), account), labelled(t('tags'), tags, t('tagsHint')), protect],
    save: async () => {
      const wanted = tagsOf(tags), kind = protect.box.checked ? 'after-verification' : 'while-unlocked'
      const added = wanted.filter(each => !entry.tags.includes(each)), gone = entry.tags.filter(each => !wanted.includes(each))
      if (label.value.trim() != (entry.label ?? '')) body.label = label.value.trim()
      if (added.length) body.tags = added
      if (gone.length) body.untags = gone
      if (kind != entry.class) body.class = kind
      if (service.value.trim() != entry.service) body.new_service = service.value.trim()
      if (account.value.trim() != entry.account) body.new_account = account.value.trim()
      if (Object.keys(body).length == 2) return true
      const done = await posted('secrets/edit', body)
      if (done && (body.new_service || 'new_account' in body)) { await load(); go(`secrets/${numberOf({ service: service.value.trim(), account: account.value.trim() })}`, true) }
      return done
    } })
}

async function showHistory(entry, field) {
  const body = { ...nameIn(entry), field }, found = await posted('secrets/history', { ...body, show: true })
  if (!found || document.hidden) return
  for (const each of found) each.details = [h('code.value', text(each.value_base64))]
  const restore = revision => attempt(async () => { if (await posted('secrets/restore', { ...body, revision })) toast(t('restored')) })
  await versions(t('earlier-values'), found, restore, t('noHistory'), 'secret')
}

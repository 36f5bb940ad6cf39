// Start (S10): one field and one button. It creates or opens the vault, and signs in (S6).
import { h, icon, state, tell, texts } from './core.js'
import { keepers } from './once.js'
import { link } from './shared.js'
import { ask, attempt, codeField, dialog, errorOf, field, fields, form, gap, masked } from './parts.js'
import { api, explain, renew } from './server.js'
import { assertion, byPasskey, hasPasskey, takeAnswer, takeSession } from './verify.js'

/// The texts of this screen. Settings uses them as well.
export const t = texts({
  welcome: 'Welcome', new: 'Choose a password for your vault.',
  again: 'Type the same password again.',
  back: 'Welcome back', locked: 'Your vault is locked.',
  code: 'Recovery code', newPassword: 'New password', working: 'Encrypting the vault anew…',
  choose: 'Choose a new password', chooseWhy: 'The recovery code opened the vault. The earlier password is not needed.',
  weakAsk: 'Use a weak password?', weakWhy: 'A program guesses it soon. Several unrelated words are better.', useIt: 'Use it',
  create: 'Create password', repeat: 'Repeat password', enter: 'Enter password',
  enterCode: 'Enter recovery code',
  differ: 'The two passwords differ. Start over.',
  weak: 'Weak: easy to guess.', fair: 'Fair.', strong: 'Strong.',
  restoreBackup: 'Restore a backup',
  ready: 'Your vault is ready', sealed: 'What is encrypted', sealedWhy: 'Secrets, files, messages and the text of protected tasks. Other tasks are not, nor are lists, tags and times.',
  where: 'Where it is', whereWhy: 'In {home} on this machine. Nothing leaves it unless you set a server.',
  way: 'How to get back in',
  keep: 'The recovery code opens the vault when the password is lost. Write it down now: it is not shown again.',
  written: 'I have written it down',
  factor: 'Second factor', factorWhy: 'The server does not know this device yet.', factorCode: 'Code or recovery code',
  open: 'Open its page', typeCode: 'Enter this code there:', waiting: 'Sign in on the page of the server. This window closes then.',
  signIn: 'Sign in', email: 'E-mail', why: 'To the server {server}.',
  whyGrant: '{server} offers only the password grant: this program sends it the password.',
})

const rate = passphrase => api.secret('vault/strength', { passphrase })
/// Whether to take a new password: the owner is asked about a weak one.
export async function isTaken(text) {
  if ([...text].length < 4) throw new Error(t('short'))
  const { level } = await rate(text)
  return level != 'weak' || ask(t('weakAsk'), t('weakWhy'), t('useIt'))
}
/// The element that shows that the vault is being encrypted.
export const working = () => h('p.hint.working', { role: 'status' }, h('progress', { 'aria-hidden': 'true' }), t('working'))

/// The stages of the screen. `act(text, known)` shows the next stage, or throws the error to show. A new password is typed again in the stage `then`,
/// which goes back to `from` if the two differ.
const stages = {
  create: { title: 'welcome', below: 'new', label: 'password', button: 'create', then: 'repeat' },
  repeat: { title: 'welcome', below: 'again', label: 'password', button: 'repeat', from: 'create', act: async text => {
    const { recovery_code, session } = await api.secret('vault/create', { passphrase: text })
    recovery(recovery_code)
    state.held = false
    if (session) takeSession(session)
  } },
  enter: { title: 'back', below: 'locked', label: 'password', button: 'enter', act: text => takeAnswer(api.secret('session/unlock', { passphrase: text }), true) },
  code: { title: 'back', below: 'locked', label: 'code', button: 'enterCode', act: async text => {
    await takeAnswer(api.secret('session/unlock', { recovery_code: text }), true)
    next('choose', { code: text })
  } },
  choose: { title: 'choose', below: 'chooseWhy', label: 'newPassword', button: 'create', then: 'chosen', isHeld: true },
  chosen: { title: 'choose', below: 'again', label: 'newPassword', button: 'repeat', from: 'choose', isHeld: true, act: async (text, { code }) => {
    await takeAnswer(api.secret('vault/passphrase', { recovery_code: code, new_passphrase: text }))
    release()
  } },
}

/// Shows the screen for the state of the vault. What is typed and said stays.
export function start() {
  const old = document.querySelector('main.start')
  next(state.session.state == 'none' ? 'create' : 'enter', { typed: old?.querySelector('input')?.value, error: old?.querySelector('.error')?.textContent })
}

/// Whether this screen shows a text that stays, or waits for a request: then no state of the vault replaces it.
export const isHeld = () => Boolean(document.querySelector('main.held, .busy'))
const clear = () => document.querySelector('main.start')?.remove()
/// Ends a screen that stays: the one for the state of the vault follows.
function release() {
  clear()
  tell('state')
}
const leave = () => attempt(async () => { try { await takeAnswer(renew()) } finally { release() } })

function put(isHeld, ...children) {
  clear()
  document.body.prepend(h(isHeld ? 'main.start.held' : 'main.start', { id: 'main' }, h('div.box', icon('lock'), children)))
}

function next(name, { error: said, typed = '', ...known } = {}) {
  const stage = stages[name], input = name == 'code' ? codeField() : masked()
  const button = h('button.main', t(stage.button)), progress = h('div')
  const tryTo = async (act, isLong) => {
    const main = box.closest('main')
    error.textContent = ''
    button.disabled = true
    main.classList.add('busy')
    if (isLong) progress.replaceChildren(working())
    try { await act() } catch (problem) {
      error.textContent = explain(problem)
      input.focus()
      // A vault that is damaged or refused.
      if (problem.status == 422) offer.className = ''
    }
    button.disabled = false
    progress.replaceChildren()
    main.classList.remove('busy')
    if (main.isConnected) tell('state')
  }
  button.onclick = () => {
    const missing = gap(box)
    if (missing) return error.textContent = missing
    const text = input.value
    input.value = ''
    input.dispatchEvent(new Event('input'))
    const { then, from } = stage, differs = from && text != known.first
    tryTo(async () => {
      if (differs) next(from, { ...known, error: t('differ') })
      else if (!then) await stage.act(text, known)
      else if (await isTaken(text)) next(then, { ...known, first: text })
    }, from && !differs)
  }
  const box = fields('div'), error = errorOf(box)
  box.append(...[field(t(stage.label), input), stage.then && follow(input), error, progress, button].flat().filter(Boolean))
  const offer = h('button.quiet', { onclick: () => import('./transfer.js').then(({ restore }) => restore(t('restoreBackup'))) }, t('restoreBackup'))
  const other = name == 'code' ? 'enter' : 'code'
  put(stage.isHeld, h('h1', t(stage.title)), h('p.below', t(stage.below)), box,
    stage.title == 'back' && h('div.quietly',
      hasPasskey() && h('button.plain', { onclick: () => tryTo(() => byPasskey('unlock')) }, t('passkey')),
      h('button.quiet', { onclick: () => next(other) }, t(other == 'code' ? 'code' : 'password'))),
    ['create', 'enter', 'code'].includes(name) && h('div.quietly', offer),
    stage.isHeld && h('div.quietly', h('button.quiet', { onclick: leave }, t('later'))))
  input.value = typed
  input.focus()
  // Set the text after the element exists, so that a screen reader announces it.
  if (said) setTimeout(() => { error.textContent = said })
}

/// Shows the strength of the typed text, as estimated by the server.
export function follow(input) {
  const bars = h('div.strength', { 'aria-hidden': 'true' }, h('i'), h('i'), h('i')), level = h('p.hint', { role: 'status' })
  let asked = 0
  input.addEventListener('input', () => {
    const text = input.value, mine = ++asked
    if (!text) { bars.className = 'strength'; return level.textContent = '' }
    setTimeout(async () => {
      if (mine != asked) return
      const found = (await rate(text).catch(() => ({}))).level
      if (mine != asked || !input.isConnected) return
      bars.className = `strength ${found ?? ''}`.trim()
      level.textContent = !found ? '' : [...text].length < 4 ? t('short') : t(found)
    }, 150)
  })
  return [bars, level]
}

// What a new owner must know, shown once: three cards.
function recovery(code) {
  const card = (name, why, ...more) => h('section', h('h2', t(name)), h('p.below', t(why, state)), more)
  put(true, h('h1', t('ready')), card('sealed', 'sealedWhy'), card('where', 'whereWhy'), card('way', 'keep', h('p.recovery.code', { tabindex: '0' }, code), h('div.buttons', keepers(code))),
    h('button.main', { onclick: leave }, t('written')))
  document.querySelector('main.start .box > button').focus({ preventScroll: true })
}

/// Signs in on a page of the server, which opens in another tab.
const signInThere = async server => {
  const { address, code } = await api.post('account/web-sign-in')
  const isDone = await dialog(t('signIn'), close => {
    const status = h('p.hint', { role: 'status' }, t('waiting')), open = link('a.button.main', address, t('open'))
    const wait = async () => {
      try {
        while ((await api.post('account/web-sign-in-wait')).state == 'waiting') if (!status.isConnected) return
        close(true)
      } catch (problem) { status.className = 'error'; status.textContent = explain(problem); open.remove() }
    }
    // The dialog must be there before the first answer.
    setTimeout(wait)
    return [h('p.below', t('why', { server })), code && [h('p', t('typeCode')), h('p.recovery.code', code)], status, h('div.buttons', h('button', { onclick: () => close() }, t('cancel')), open)]
  })
  if (!isDone) await api.post('account/web-sign-in-end').catch(() => {})
  return isDone
}

/// Signs in: silently with stored credentials, else on the page of the server or with the form (S6),
/// and stores accepted ones. A further call waits for the first one. Who signed out is signed in only when they ask for it.
export const signIn = isAskedFor => signing ??= signInOnce(isAskedFor).finally(() => { signing = null })
let signing = null

async function signInOnce(isAskedFor) {
  await renew()
  const { server, signed_out } = state
  if (!server || signed_out && !isAskedFor) return
  try { await api.post('account/sign-in') } catch (problem) {
    if (problem.code == 'second_factor_required') await secondFactor({})
    else if (problem.code == 'needs_browser') { if (!await signInThere(server)) return }
    else if (!['usage', 'not_signed_in', 'no_terminal', 'server_rejected', 'not_accepted', 'wrong_password'].includes(problem.code)) return
    else {
      const email = h('input', { type: 'email', required: true }), password = masked()
      const { method } = await api.get('account/method').catch(() => ({}))
      const known = await form(t('signIn'), {
        inputs: [h('p.below', t(method == 'password_grant' ? 'whyGrant' : 'why', { server })), field(t('email'), email), field(t('password'), password)],
        save: async () => {
          const typed = { email: email.value, password: password.value }
          try { await api.secret('account/sign-in', typed) } catch (problem) {
            if (problem.code == 'second_factor_required') return { typed }
            throw problem
          }
        },
      })
      if (known?.typed) await secondFactor(known.typed)
    }
  }
  tell('account')
}

/// Asks for the second factor, after a right password: one that was typed, or that of the vault.
function secondFactor(typed) {
  const code = codeField()
  return form(t('factor'), {
    yes: t('signIn'), inputs: [h('p.below', t('factorWhy')), field(t('factorCode'), code)],
    save: () => api.secret('account/sign-in', { ...typed, code: code.value.trim() }),
    other: 'credentials' in navigator && [t('passkey'), async () => {
      const challenge = await api.secret('account/challenge', { purpose: 'sign-in', ...typed })
      if (challenge.challenge_base64) await api.secret('account/sign-in-passkey', { ...typed, ...await assertion(challenge) })
    }],
  })
}

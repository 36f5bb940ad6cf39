// Start (S10): one field and one button. It creates or opens the vault, and signs in (S6).
import { h, icon, state, tell, texts } from './core.js'
import { keepers } from './once.js'
import { ask, attempt, dialog, errorOf, field, fields, form, gap, masked } from './parts.js'
import { api, explain, renew } from './server.js'
import { assertion, byPasskey, hasPasskey, takeAnswer, takeSession } from './verify.js'

/// The texts of this screen. Settings uses them as well.
export const t = texts({
  welcome: ['Welcome', 'Вітаємо'], new: ['Choose a password for your vault.', 'Виберіть пароль для сховища.'],
  again: ['Type the same password again.', 'Введіть той самий пароль ще раз.'],
  back: ['Welcome back', 'З поверненням'], locked: ['Your vault is locked.', 'Ваше сховище заблоковано.'],
  code: ['Recovery code', 'Код відновлення'], newPassword: ['New password', 'Новий пароль'], later: ['Later', 'Пізніше'], working: ['Encrypting the vault anew…', 'Сховище шифрується заново…'],
  choose: ['Choose a new password', 'Виберіть новий пароль'], chooseWhy: ['The recovery code opened the vault. The earlier password is not needed.', 'Код відновлення відкрив сховище. Попередній пароль не потрібен.'],
  weakAsk: ['Use a weak password?', 'Узяти слабкий пароль?'], weakWhy: ['A program guesses it soon. Several unrelated words are better.', 'Програма скоро його вгадає. Краще кілька не пов’язаних слів.'], useIt: ['Use it', 'Узяти'],
  create: ['Create password', 'Створити пароль'], repeat: ['Repeat password', 'Повторити пароль'], enter: ['Enter password', 'Ввести пароль'],
  enterCode: ['Enter recovery code', 'Ввести код відновлення'],
  differ: ['The two passwords differ. Start over.', 'Паролі різні. Почніть спочатку.'],
  weak: ['Weak: easy to guess.', 'Слабкий: легко вгадати.'], fair: ['Fair.', 'Середній.'], strong: ['Strong.', 'Сильний.'],
  yours: ['Your recovery code', 'Ваш код відновлення'],
  keep: ['It opens the vault when the password is lost. Write it down now: it is not shown again.', 'Він відкриє сховище, якщо пароль втрачено. Запишіть його зараз: більше його не буде показано.'],
  written: ['I have written it down', 'Я його записав'],
  factor: ['Second factor', 'Другий фактор'], factorWhy: ['The server does not know this device yet.', 'Сервер ще не знає цього пристрою.'], factorCode: ['Code or recovery code', 'Код або код відновлення'],
  open: ['Open its page', 'Відкрити його сторінку'], typeCode: ['Enter this code there:', 'Введіть там цей код:'], waiting: ['Sign in on the page of the server. This window closes then.', 'Увійдіть на сторінці сервера. Тоді це вікно закриється.'],
  signIn: ['Sign in', 'Увійти'], email: ['E-mail', 'E-mail'], why: ['To the server {server}.', 'На сервер {server}.'],
})

/// Whether to take a new password: the owner is asked about a weak one.
export async function isTaken(text) {
  if ([...text].length < 4) throw new Error(t('short'))
  const { level } = await api.secret('vault/strength', { passphrase: text })
  return level != 'weak' || ask(t('weakAsk'), t('weakWhy'), t('useIt'))
}
/// What shows that the vault is being encrypted.
export const working = () => h('p.hint.working', { role: 'status' }, h('progress', { 'aria-hidden': 'true' }), t('working'))

/// The stages of the screen. `act(text, known)` shows the next stage, or throws the error to show.
const stages = {
  create: { title: 'welcome', below: 'new', label: 'password', button: 'create', strength: true, act: async text => { if (await isTaken(text)) next('repeat', { first: text }) } },
  repeat: { title: 'welcome', below: 'again', label: 'password', button: 'repeat', isLong: true, act: async (text, { first }) => {
    if (text != first) return next('create', { error: t('differ') })
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
  choose: { title: 'choose', below: 'chooseWhy', label: 'newPassword', button: 'create', strength: true, isHeld: true, act: async (text, { code }) => { if (await isTaken(text)) next('chosen', { code, first: text }) } },
  chosen: { title: 'choose', below: 'again', label: 'newPassword', button: 'repeat', isHeld: true, isLong: true, act: async (text, { code, first }) => {
    if (text != first) return next('choose', { code, error: t('differ') })
    await takeAnswer(api.secret('vault/passphrase', { recovery_code: code, new_passphrase: text }))
    release()
  } },
}

/// Shows the screen for the state of the vault. What is typed and said stays.
export function start() {
  const old = document.querySelector('main.start')
  next(state.session.state == 'none' ? 'create' : 'enter', { typed: old?.querySelector('input')?.value, error: old?.querySelector('.error')?.textContent })
}

/// Whether this screen shows a text that stays, or a request of it runs, or a password is being changed: no state of the vault replaces the screen.
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
  const stage = stages[name], input = name == 'code' ? h('input', { autocapitalize: 'off', spellcheck: 'false', required: true }) : masked()
  const button = h('button.main', t(stage.button)), progress = h('div')
  const tryTo = async (act, isLong) => {
    const main = box.closest('main')
    error.textContent = ''
    button.disabled = true
    main.classList.add('busy')
    if (isLong) progress.replaceChildren(working())
    try { await act() } catch (problem) { error.textContent = explain(problem); input.focus() }
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
    tryTo(() => stage.act(text, known), stage.isLong && (text == known.first))
  }
  const box = fields('div'), error = errorOf(box)
  box.append(...[field(t(stage.label), input), stage.strength && follow(input), error, progress, button].flat().filter(Boolean))
  const other = name == 'code' ? 'enter' : 'code'
  put(stage.isHeld, h('h1', t(stage.title)), h('p.below', t(stage.below)), box,
    stage.title == 'back' && h('div.quietly',
      hasPasskey() && h('button.plain', { onclick: () => tryTo(() => byPasskey('unlock')) }, t('passkey')),
      h('button.quiet', { onclick: () => next(other) }, t(other == 'code' ? 'code' : 'password'))),
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
      const found = (await api.secret('vault/strength', { passphrase: text }).catch(() => ({}))).level
      if (mine != asked || !input.isConnected) return
      bars.className = `strength ${found ?? ''}`.trim()
      level.textContent = !found ? '' : [...text].length < 4 ? t('short') : t(found)
    }, 150)
  })
  return [bars, level]
}

function recovery(code) {
  put(true, h('h1', t('yours')), h('p.below', t('keep')), h('p.recovery.code', { tabindex: '0' }, code), h('div.buttons', keepers(code)),
    h('button.main', { onclick: leave }, t('written')))
  document.querySelector('main.start .box > button').focus()
}

/// Signs in on a page of the server, which opens in another tab.
const signInThere = async server => {
  const { address, code } = await api.post('account/web-sign-in')
  const isDone = await dialog(t('signIn'), close => {
    const status = h('p.hint', { role: 'status' }, t('waiting')), open = h('a.button.main', { href: address, target: '_blank', rel: 'noopener noreferrer' }, t('open'))
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
  const { server, signed_out } = await api.get('state')
  if (!server || signed_out && !isAskedFor) return
  try { await api.post('account/sign-in') } catch (problem) {
    if (problem.code == 'second_factor_required') await secondFactor({})
    else if (problem.code == 'needs_browser') { if (!await signInThere(server)) return }
    else if (!['usage', 'not_signed_in', 'no_terminal', 'server_rejected', 'not_accepted', 'wrong_password'].includes(problem.code)) return
    else {
      const email = h('input', { type: 'email', required: true }), password = masked()
      const known = await form(t('signIn'), {
        yes: t('signIn'),
        inputs: [h('p.below', t('why', { server })), field(t('email'), email), field(t('password'), password)],
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
  const code = h('input', { autocapitalize: 'off', spellcheck: 'false', required: true })
  return form(t('factor'), {
    yes: t('signIn'), inputs: [h('p.below', t('factorWhy')), field(t('factorCode'), code)],
    save: () => api.secret('account/sign-in', { ...typed, code: code.value.trim() }),
    other: 'credentials' in navigator && [t('passkey'), async () => {
      const challenge = await api.secret('account/challenge', { purpose: 'sign-in', ...typed })
      if (challenge.challenge_base64) await api.secret('account/sign-in-passkey', { ...typed, ...await assertion(challenge) })
    }],
  })
}

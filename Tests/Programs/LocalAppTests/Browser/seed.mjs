// What the pictures show: some days of somebody's life, made by the requests of the page.
export const day = (days, hour, minute = 0) => { const date = new Date(); date.setDate(date.getDate() + days); date.setHours(hour, minute, 0, 0); return date.toISOString() }

// Oldest first; the second is accepted, the first declined. The sender is the name of the file that is received.
export const messages = [
  { sender: 'Office supplies', title: 'Buy a newer printer' },
  { sender: 'Olena', title: 'Book the train to Lviv', body: 'Two seats, window, the evening train. The price rises on Friday.', picture: 'https://pictures.example.org/lviv.jpg' },
  { sender: 'Maria', title: 'Bring the signed contract', body: 'Maria asks you to bring the signed contract to the office on Thursday. Both copies, please; the notary needs the original and keeps it until the end of the month, so make a scan first.',
    picture: 'https://pictures.example.org/contract.jpg', list: 'Work', subtasks: ['Scan it', 'Bring both copies'] },
]

/// Fills an empty, unlocked home through its page; the owner has been verified.
export const fill = page => page.evaluate(`(async () => {
  const { api } = await import('/server.js'), day = ${day}
  const add = async (task, ...steps) => {
    const { id } = await api.post('tasks', task)
    for (const name of steps) await api.post('tasks/' + id + '/subtasks', { name })
    return id
  }
  await add({ name: 'Call the plumber', due: day(-1, 9), list: 'Home' })
  await add({ name: 'Collect the test results', nickname: 'Results', protected: true, due: day(0, 23, 30), remind: true, list: 'Health' })
  const board = await add({ name: 'Send the minutes of the board meeting', notes: 'The template is in the shared folder.', due: day(0, 23, 45), remind: true, list: 'Work', tags: ['board'] }, 'Collect the notes', 'Write the decisions', 'Send to all members')
  const steps = (await api.get('tasks/' + board)).subtasks
  await api.post('tasks/' + board + '/subtasks/' + steps[0].id + '/done')
  const plants = await add({ name: 'Water the plants', due: day(0, 8), list: 'Home' })
  await api.post('tasks/done', { ids: [plants] })
  await add({ name: 'Renew the passport', due: day(7, 9), list: 'Home', repeat: 'FREQ=YEARLY' })
  await add({ name: 'A watch', nickname: 'Gift for O.', protected: true, due: day(27, 9), remind: day(26, 9) })
  await add({ name: 'Read the draft of chapter 4', list: 'Work', priority: 'high' })
  await add({ name: 'לקנות חלב ולחם', list: 'Home', tags: ['קניות'] })

  for (const [service, account, more] of [['github.com', 'olena'], ['mail.example.org', 'olena@example.org'], ['bank.example', '4071', { class: 'after-verification' }], ['router', 'admin', { label: 'The router at home' }]]) {
    await api.post('secrets/set', { service, account, field: 'password', value: 'a value of ' + service, ...more })
  }
  const picture = (from, to) => new Promise(done => {
    const canvas = document.createElement('canvas'), pen = Object.assign(canvas, { width: 640, height: 480 }).getContext('2d'), colours = pen.createLinearGradient(0, 0, 640, 480)
    colours.addColorStop(0, from)
    colours.addColorStop(1, to)
    pen.fillStyle = colours
    pen.fillRect(0, 0, 640, 480)
    canvas.toBlob(done, 'image/jpeg')
  })
  for (const [name, content, isProtected] of [['Carpathians.jpg', await picture('#c9dcd3', '#8fb9ab')], ['Passport.jpg', await picture('#ead9c4', '#c39b6a'), true], ['Kyiv in May.jpg', await picture('#d4dbe8', '#5280bb')], ['Rent contract.txt', new Blob(['The rent is due on the first day.'])]]) {
    const { upload } = await api.post('uploads', { name, size: content.size, protected: Boolean(isProtected), replace: false })
    await api.put('uploads/' + upload + '?offset=0', content)
    await api.post('uploads/' + upload + '/finish')
  }
})()`)

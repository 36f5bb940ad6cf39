// Picture (S14): the picture of the newest message that has one, or a placeholder.
import { h, screen, watch } from './core.js'
import { texts } from './shared.js'
import { whenLong } from './dates.js'
import { messages, parts, picture } from './inbox.js'

const t = texts({ none: 'No message has a picture.' })

screen({
  id: 'picture', icon: 'picture', title: () => t('picture'), get under() { return innerWidth < 700 ? 'inbox' : 'picture' },
  list(pane) {
    const body = h('div'), show = () => {
      const message = messages?.find(each => each.picture)
      body.replaceChildren(picture(message ?? {}, h('div.figure'), 'picture'), message
        ? h('p.caption', h('a.link', { href: `#inbox/${message.id}` }, message.title), h('small', whenLong(message.received))) : h('p.caption', t('none')))
    }
    pane.show(pane.head(t('picture')), parts('picture'), body)
    watch('inbox', show, pane.signal)
    show()
  },
})

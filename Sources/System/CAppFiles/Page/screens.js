// The screens other than Tasks, in the order of the sidebar.
import './inbox.js'
import './picture.js'
import './files.js'
import './checklists.js'
import './secrets.js'
import './devices.js'
import './settings.js'

// Signals that were noted, for the handlers of prompts, screens and the agent. A process is one of them at a time.
#ifndef TASKVAULT_SIGNAL_NOTICES_H
#define TASKVAULT_SIGNAL_NOTICES_H

/// Makes room for notices, once; a descriptor that can be read when there is one, or -1 with errno.
int signal_notices_open(void);

/// A handler that notes its signal and does nothing else.
void signal_notices_add(int number);

/// The oldest signal that was noted, or 0.
int signal_notices_take(void);

#endif

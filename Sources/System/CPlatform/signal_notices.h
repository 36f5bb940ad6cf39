// Recorded signals, for the handlers of prompts, the alternate screen and the agent. A process uses one of these at a time.
#ifndef TASKVAULT_SIGNAL_NOTICES_H
#define TASKVAULT_SIGNAL_NOTICES_H

/// Creates the pipe of records, once; returns a descriptor that becomes readable after a signal, or -1 with errno.
int signal_notices_open(void);

/// A handler that only records its signal.
void signal_notices_add(int number);

/// Removes and returns the oldest recorded signal, or 0.
int signal_notices_take(void);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// HostSignals: a library's threads take none of the process's signals. A host that blocks SIGTERM in its own threads to wait
// for it (sigwait, signalfd) would otherwise be ended by it in one of ours, and handlers would run on stacks that are not theirs.
// What a thread does itself (an access outside of memory) stays unblocked: the kernel does not wait with it, but ends the
// process past the host's handler, and past its crash report.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace tigon {

/// While it lives, threads that are started take no signals from outside.
class HostSignals {
public:
  HostSignals() {
    sigset_t fromOutside;
    sigfillset(&fromOutside);
    for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
      sigdelset(&fromOutside, own);
    pthread_sigmask(SIG_BLOCK, &fromOutside, &before);
  }
  ~HostSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  HostSignals(const HostSignals &) = delete;

private:
  sigset_t before;
};

} // namespace tigon

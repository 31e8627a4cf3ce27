import { type Mutation, testsOf } from './mutation.ts'

const admission = 'shared/engine/executor/admission'

/** Time limits: hand-over, parking, the long pool. */
export const handOverMutations: readonly Mutation[] = [
  {
    name: 'a generator that came to nothing is followed by another such',
    breaks: 'hand-over: a life that decides nothing new is followed in the long pool',
    file: 'shared/engine/deployment/ownership/hand-over.ts',
    edits: [["hasProgress && isCheap ? 'short' : 'long'", "isCheap ? 'short' : 'long'"]],
    caughtBy: [testsOf('shared/engine/deployment/ownership/hand-over')],
  },
  {
    name: 'a generator that spends its time on replay is followed by another such',
    breaks: 'hand-over: replay that eats a third of a life leads to the long pool',
    file: 'shared/engine/deployment/ownership/hand-over.ts',
    edits: [["hasProgress && isCheap ? 'short' : 'long'", "hasProgress ? 'short' : 'long'"]],
    caughtBy: [testsOf('shared/engine/deployment/ownership/hand-over')],
  },
  {
    name: 'a generator parks although it has decided nothing',
    breaks: 'hand-over: legal only after new progress',
    file: 'shared/engine/deployment/ownership/hand-over.ts',
    edits: [['status.hasCaughtUp && hasProgress', 'status.hasCaughtUp']],
    caughtBy: [testsOf('shared/engine/deployment/ownership/hand-over')],
  },
  {
    name: 'a generator parks before it has come upon what had ended',
    breaks: 'parking: what ended is news to nobody else, and wakes nobody',
    file: 'shared/engine/deployment/ownership/hand-over.ts',
    edits: [['status.hasCaughtUp && hasProgress', 'hasProgress']],
    caughtBy: [testsOf('shared/engine/deployment/ownership/hand-over')],
  },
  {
    name: 'what is given on is begun by a close that looked once',
    breaks: 'close: what was begun again and given back meanwhile is looked at anew',
    file: 'shared/engine/deployment/recovery/settle-orphans.ts',
    edits: [['open = refused', 'open = []']],
    caughtBy: [testsOf('shared/engine/deployment/recovery/settle-orphans')],
  },
  {
    name: 'who does not hold a deployment any more hands it over',
    breaks: 'I5: one decider',
    file: 'shared/platform/embedded/store/methods/control-methods.ts',
    edits: [['AND holder = ? AND closed = 0', 'AND ? IS NOT NULL AND closed = 0']],
    caughtBy: [testsOf('test/contract/embedded', 'control')],
  },
  {
    name: 'a long operation is begun where there is no time left for it',
    breaks: 'long calls: what does not fit goes to the long pool before its begin',
    file: `${admission}.ts`,
    edits: [['if (expected <= time.remainingMs())', 'if (expected <= time.wholeMs)']],
    caughtBy: [testsOf(admission)],
  },
  {
    name: 'what does not fit here is sent nowhere',
    breaks: 'I4: a message is removed only when its work is done or sent on',
    file: 'shared/engine/executor/executor.ts',
    edits: [['          await deferred.send()\n', '']],
    caughtBy: [testsOf('test/lifecycle/executor')],
  },
]
